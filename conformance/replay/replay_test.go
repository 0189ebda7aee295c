package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/linker/repro"
)

// Every difference from the recorded outcome is reported (OPT-502).
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linker is a shell script")
	}
	script := filepath.Join(t.TempDir(), "linker")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat d/in > o/out\necho said\necho complained >&2\nexit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	good := func() *repro.Package {
		return &repro.Package{
			Tool: "nvlink", Exit: 3, Stdout: []byte("said\n"), Stderr: []byte("complained\n"),
			Inputs:  map[string][]byte{"d/in": []byte("text")},
			Outputs: map[string]string{"o/out": repro.Sum([]byte("text"))},
		}
	}
	for want, change := range map[string]func(*repro.Package){
		"":             func(*repro.Package) {},
		"exit status:": func(p *repro.Package) { p.Exit = 0 },
		"stdout, - recorded, + got:\n@@ -1,0 +1,1 @@\n+said\n":       func(p *repro.Package) { p.Stdout = nil },
		"stderr, - recorded, + got:\n@@ -1,0 +1,1 @@\n+complained\n": func(p *repro.Package) { p.Stderr = nil },
		"output o/out: recorded": func(p *repro.Package) {
			p.Outputs["o/out"] = repro.Sum(nil)
		},
		"output o/more: not written": func(p *repro.Package) {
			p.Outputs["o/more"] = repro.Unchecked
		},
		"output o/out: written, but not recorded": func(p *repro.Package) {
			p.Outputs = map[string]string{"o/more": repro.Unchecked}
		},
	} {
		p := good()
		change(p)
		var said bytes.Buffer
		same, err := Run(t.Context(), p, sandbox.Linker{Command: []string{script}, Limits: sandbox.DefaultLimits}, &said)
		if err != nil || same != (want == "") || !strings.Contains(said.String(), want) || same != (said.Len() == 0) {
			t.Errorf("%s: same %v, error %v, said %q", want, same, err, said.String())
		}
	}
}

// The linker gets the variables of the recorded link. From the user's environment it gets only those that name programs
// (OPT-521).
func TestRunEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linker is a shell script")
	}
	script := filepath.Join(t.TempDir(), "linker")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$CULINK_KEEP_RELOCS,$CULINK_ACCEPT_LOST_RELOCATIONS,$CULINK_LTO\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CULINK_ACCEPT_LOST_RELOCATIONS", "1")
	t.Setenv("CULINK_LTO", "mine")
	p := &repro.Package{Tool: "nvlink", Stdout: []byte("1,,mine\n"), Environment: map[string]string{"CULINK_KEEP_RELOCS": "1", "CULINK_LTO": "theirs"}}
	linker := sandbox.Linker{Command: []string{script}, Limits: sandbox.DefaultLimits}
	var said bytes.Buffer
	if same, err := Run(t.Context(), p, linker, &said); err != nil || !same {
		t.Errorf("error %v, said %q", err, said.String())
	}
	p.Environment["CULINK_OF_LATER"] = "1"
	if _, err := Run(t.Context(), p, linker, &said); err == nil || !strings.Contains(err.Error(), "CULINK_OF_LATER") {
		t.Errorf("an unknown variable: error %v", err)
	}
}

// Inputs are unpacked only below the given folder (OPT-502).
func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keep")
	p := &repro.Package{
		Args:    []string{"d/in", "a b"},
		Inputs:  map[string][]byte{"d/in": []byte("text")},
		Outputs: map[string]string{"o/out": repro.Unchecked},

		Environment: map[string]string{"CULINK_ADVICE": "0"},
	}
	if err := Unpack(p, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"d/in": "text", "culink.args": "\"d/in\"\n\"a b\"\n", "culink.env": "CULINK_ADVICE=\"0\"\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "o")); err != nil || !info.IsDir() {
		t.Errorf("the folder of the output: %v", err)
	}
	p.Inputs = map[string][]byte{"../x": nil}
	if err := Unpack(p, dir); err == nil {
		t.Error("a file was unpacked outside")
	}
}
