package jitlink

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/linker/limit"
	"golang.org/x/sys/windows"
)

// The name of a file is in the ANSI code page, or in UTF-8 (WIN-930).
func TestFileInCodePage(t *testing.T) {
	if windows.GetACP() != 1252 {
		t.Skip("the ANSI code page of this system is not 1252")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "é.cubin"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"\xe9.cubin", "é.cubin"} {
		if data, there, fail := readFile(filepath.Join(folder, name), &limit.Budget{}); string(data) != "x" || !there || fail != nil {
			t.Errorf("%q: %q, %v, %v", name, data, there, fail)
		}
	}
}
