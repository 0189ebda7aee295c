package testscripts

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/linker/cubintext"
)

// harmlessTool returns the linker that CULINK_HARMLESS names: nvlink, or the driver of a libnvJitLink. Its time limit is
// short, because valid inputs take some milliseconds.
func harmlessTool(t *testing.T) *sandbox.Linker {
	t.Helper()
	name := os.Getenv("CULINK_HARMLESS")
	if name == "" {
		t.Skip("CULINK_HARMLESS is not set: the nightly step harmless sets it")
	}
	command, err := sandbox.ParseCommand(name)
	if err != nil {
		t.Fatal(err)
	}
	limits := sandbox.DefaultLimits
	limits.Time = 5 * time.Second
	return &sandbox.Linker{Command: command, Limits: limits, Env: []string{"GOTRACEBACK=crash"}}
}

// The program of CULINK_HARMLESS runs every link of the scenarios without a crash or a timeout (CONF-012). The test
// removes options that only culink has.
func TestScenariosEndNoTool(t *testing.T) {
	tool := harmlessTool(t)
	scripts, err := filepath.Glob(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, name := range scripts {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := attempt.Files{}
		for _, f := range archive.Files {
			files[f.Name] = f.Data
		}
		for line := range strings.Lines(string(archive.Comment)) {
			words := strings.Fields(strings.TrimPrefix(line, "!"))
			switch {
			case len(words) > 1 && words[0] == "build":
				for _, text := range words[1:] {
					if data, err := cubintext.Parse(text, string(files[text])); err == nil {
						files[strings.TrimSuffix(text, ".txt")+".cubin"] = data
					}
				}
			case len(words) > 1 && words[0] == "culink":
				links++
				got, err := tool.Run(t.Context(), files, nvlinkArguments(words[1:]))
				if err != nil {
					t.Fatal(err)
				}
				if got.Class() != attempt.ClassEnd {
					t.Errorf("%s: %s: %s", name, strings.TrimSpace(line), got.Class())
				}
				maps.Copy(files, got.Files)
			}
		}
	}
	if links < 500 {
		t.Errorf("%d links; there were 500 at least", links)
	}
}

// nvlinkArguments removes the option that selects a release, because nvlink does not have it.
func nvlinkArguments(args []string) (left []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--toolkit":
			i++
		case !strings.HasPrefix(args[i], "--toolkit="):
			left = append(left, args[i])
		}
	}
	return left
}
