package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/corpus"
)

// The loop of docs/corpus.md, which knows nothing of cuconform, agrees with it:
// it is silent about a good linker, and names what a bad one does wrong.
func TestShellLoopOfTheContract(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the loop needs a Unix shell")
	}
	page, err := os.ReadFile("../../docs/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("no sh block in docs/corpus.md")
	}
	if n := strings.Count(string(block[1]), "\n"); n > 20 {
		t.Errorf("the loop has %d lines, more than 20", n)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "check.sh")
	if err := os.WriteFile(script, block[1], 0o777); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"basic/two-files", "messages/undefined", "basic/chain-of-five"} {
		sub, err := fs.Sub(corpus.Files, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, "corpus", id), sub); err != nil {
			t.Fatal(err)
		}
	}
	check := func(linker string) string {
		out, err := exec.Command("sh", script, filepath.Join(dir, "corpus"), linker).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	reference, err := conformance.BuildReference(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if out := check(reference.Command[0]); out != "" {
		t.Errorf("about culink it says\n%s", out)
	}
	out := check("true")
	for _, want := range []string{"basic/two-files/sm_80/1.argv: ./out.cubin", "messages/undefined/sm_90/1.argv: 0", "chain-of-five/sm_80/2.argv: ./out2.cubin"} {
		if !strings.Contains(out, want) {
			t.Errorf("about a linker that does nothing it does not say %q:\n%s", want, out)
		}
	}
}
