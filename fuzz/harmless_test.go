package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/linker/cubin"
)

// The program of CULINK_HARMLESS links every cubin among the stored seeds without a crash or a timeout (CONF-012).
func TestSeedsEndNoTool(t *testing.T) {
	name := os.Getenv("CULINK_HARMLESS")
	if name == "" {
		t.Skip("CULINK_HARMLESS is not set: the nightly step harmless sets it")
	}
	command, err := sandbox.ParseCommand(name)
	if err != nil {
		t.Fatal(err)
	}
	tool := sandbox.Linker{Command: command, Limits: sandbox.DefaultLimits, Env: []string{"GOTRACEBACK=crash"}}
	var seeds []string
	for _, folder := range []string{"testdata/fuzz/*/*", "../*/*/testdata/fuzz/*/*"} {
		names, err := filepath.Glob(folder)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, names...)
	}
	links := 0
	for _, seed := range seeds {
		text, err := os.ReadFile(seed)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			data, err := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "[]byte("), ")"))
			if err != nil || !strings.HasPrefix(data, "\x7fELF") || len(data) < cubin.HeaderSize {
				continue
			}
			links++
			args := []string{fmt.Sprintf("-arch=sm_%d", data[49]), "a.cubin", "-o", "out.cubin"} // e_flags names the target
			got, err := tool.Run(t.Context(), attempt.Files{"a.cubin": []byte(data)}, args)
			if err != nil {
				t.Fatal(err)
			}
			if got.Class() != attempt.ClassEnd {
				t.Errorf("%s: %v: %s", seed, args, got.Class())
			}
		}
	}
	if links == 0 {
		t.Error("no seed is a cubin")
	}
}
