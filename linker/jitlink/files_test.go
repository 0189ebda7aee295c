package jitlink

import (
	"os"
	"path/filepath"
	"testing"
)

// A sparse file may state any size. A file larger than the limit counts as one that cannot be read (LIMIT-001).
func TestSparseFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse.cubin")
	if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, there := readFile(name, 1); len(data) != 1 || !there {
		t.Errorf("a small file: %d bytes, %v", len(data), there)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skip(err) // the file system has no file of that size
	}
	if data, there := readFile(name, 1<<34); data != nil || !there {
		t.Errorf("a sparse file: %d bytes, %v", len(data), there)
	}
}
