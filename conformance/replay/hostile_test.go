package replay

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/repro"
)

// Check rejects a package that would read, write or run something outside its folder, before anything is run (OPT-502).
func TestHostilePackages(t *testing.T) {
	script := filepath.Join(t.TempDir(), "linker")
	ran := filepath.Join(t.TempDir(), "ran")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho >"+ran+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*repro.Package{
		"an output":          {Args: []string{"-o", "/etc/out"}},
		"a register file":    {Args: []string{"--register-link-binaries=/etc/out"}},
		"a response file":    {Args: []string{"-optf=/etc/passwd"}},
		"in a response file": {Args: []string{"-optf", "o"}, Inputs: map[string][]byte{"o": []byte("--map=/etc/out")}},
		"a program":          {Args: []string{"--ptxas=./x"}, Inputs: map[string][]byte{"x": []byte("#!/bin/sh\n")}},
		"a host compiler":    {Args: []string{"--platform=linux", "-ghls", "-host-ccbin=/x"}},
		"an option of ptxas": {Args: []string{"-Xptxas", "-optf=/etc/passwd"}},
		"a file for ptxas":   {Args: []string{"-Xptxas=/etc/passwd"}},
		"another package":    {Args: []string{"--repro", "x"}},
		"a thin archive":     {Args: []string{"a.a"}, Inputs: map[string][]byte{"a.a": craft.Thin(craft.Member{Name: "../"})}},
	} {
		p.Tool = "nvlink"
		_, err := Run(t.Context(), p, sandbox.Linker{Command: []string{script}, Limits: sandbox.DefaultLimits}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "unsafe") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the linker ran")
	}
}

// Whatever the lines of a package contain, its link cannot read or write anything outside its folder, and a package
// cannot make its link trusted (OPT-502).
func TestReplayIsSealed(t *testing.T) {
	if !strings.HasPrefix(confine.Describe(false), "Landlock") {
		t.Skip(confine.Describe(false))
	}
	out := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "linker")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat "+secret+"\necho >"+out+"/x\nexit 5\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	p := &repro.Package{Tool: "nvlink", Exit: 5}
	linker := sandbox.Linker{Command: []string{script}, Limits: sandbox.DefaultLimits, Trusted: true}
	if _, err := Run(t.Context(), p, linker, &said); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(out); len(left) > 0 || strings.Contains(said.String(), "+secret") {
		t.Errorf("%d files written; %s", len(left), said.String())
	}
}

// A package of some kilobytes is rejected if it states a size of gigabytes (OPT-502).
func TestSparsePackage(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	sparse := "1\n0\n0\n"
	data := sparse + strings.Repeat("\x00", 512-len(sparse))
	err := w.WriteHeader(&tar.Header{Name: "files/x", Size: int64(len(data)), Mode: 0o644, Format: tar.FormatPAX, PAXRecords: map[string]string{"CULINK.x": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, data); err != nil {
		t.Fatal(err)
	}
	w.Close()
	// The writer rejects such records, but the reader accepts them.
	raw := b.Bytes()
	i := bytes.Index(raw, []byte(" CULINK.x=1\n"))
	if i < 0 {
		t.Fatal("no record")
	}
	records := ""
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=files/x", "GNU.sparse.realsize=6442450944"} {
		records += fmt.Sprintf("%d %s\n", len(r)+4, r) // two digits, a blank, a newline
	}
	start := bytes.LastIndexByte(raw[:i], 0) + 1
	block := raw[start : start+512]
	clear(block)
	copy(block, records)
	head := raw[start-512 : start]
	copy(head[124:], fmt.Sprintf("%011o", len(records)))
	sum := 0
	copy(head[148:156], "        ")
	for _, c := range head {
		sum += int(c)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	if _, err := repro.Read(bytes.NewReader(raw)); err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("error %v", err)
	}
}
