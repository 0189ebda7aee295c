package jitlink

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/limit"
)

// A sparse file may state any size. A file larger than the limit is refused with that reason (LIMIT-001).
func TestSparseFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse.cubin")
	if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, there, fail := readFile(name, &limit.Budget{}); len(data) != 1 || !there || fail != nil {
		t.Errorf("a small file: %d bytes, %v, %v", len(data), there, fail)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skip(err) // the file system has no file of that size
	}
	var l Library
	h, _ := l.Create([]string{"-arch=sm_90"})
	result := l.AddFile(h, InputCubin, name)
	if log, _ := l.ErrorLog(h); result != InvalidInput || !strings.HasPrefix(string(log), "fatal   : ") || !strings.Contains(string(log), "limit") || !strings.Contains(string(log), "\nERROR 4: bad input:"+name) {
		t.Errorf("a sparse file: %v, %q", result, log)
	}
}

// What is no regular file is not read, and a folder counts as no file. The message depends on the release (JIT-944).
func TestFilesThatAreNotRead(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ toolkit, name, log string }{
		{"12.6", folder, ""},
		{"12.8", folder, "no such file: " + folder + "\n\x00"},
		{"12.6", os.DevNull, "bad input: " + os.DevNull + "\n\x00"},
		{"12.8", os.DevNull, "bad input: " + os.DevNull + "\n\x00"},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		l := Library{Toolkit: toolkit}
		h, _ := l.Create([]string{"-arch=sm_90"})
		result := l.AddFile(h, InputAny, c.name)
		if log, _ := l.ErrorLog(h); result != InvalidInput || string(log) != c.log {
			t.Errorf("%s, %s: %v, %q", c.toolkit, c.name, result, log)
		}
	}
}
