package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/repro"
)

// writePackage writes a package of a link.
func writePackage(t *testing.T, p *repro.Package) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.tar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	return file
}

// The built-in linker repeats a link whatever the name of the linker was (OPT-502).
func TestReplayByAnyName(t *testing.T) {
	for _, tool := range []string{"nvlink", "culink", "ld.cuda"} {
		p := &repro.Package{
			Tool: tool, Args: []string{"--platform=linux", "-arch=sm_90", "none.cubin", "-o", "x"}, Exit: 1,
			Stderr: []byte(strings.TrimSuffix(tool, ".cuda") + " fatal   : Could not open input file 'none.cubin'\n"),
		}
		if status, out := runCommand(t, "replay", writePackage(t, p)); status != commandline.OK {
			t.Errorf("%s: status %d\n%s", tool, status, out)
		}
	}
}

// A package cannot start another command of this program through the linker's name (OPT-502).
func TestReplayIsALink(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	script := writeScript(t, "linker", "echo >"+ran)
	for _, tool := range []string{"cuconform", "culink-supervisor", "x"} {
		p := &repro.Package{Tool: tool, Args: []string{"run", "-linker", script, "-run", "basic/one-kernel"}}
		status, out := runCommand(t, "replay", writePackage(t, p))
		if _, err := os.Stat(ran); err == nil || strings.Contains(out, "confinement: confinement") || status == commandline.OK {
			t.Errorf("%s: status %d\n%s", tool, status, out)
		}
		if !strings.Contains(out, "exit status: recorded 0, got 1\n") && !strings.Contains(out, "unsafe") {
			t.Errorf("%s: not a link\n%s", tool, out)
		}
	}
}
