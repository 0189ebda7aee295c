package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// dump and build undo each other (TEXT-001); a mistake has its place (TEXT-004).
func TestDumpAndBuild(t *testing.T) {
	input := "../../linker/cubintext/testdata/l.90.cubin"
	want, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "l.txt")
	var stdout, stderr bytes.Buffer
	if status := dispatch(context.Background(), []string{"dump", "-o", text, input}, &stdout, &stderr); status != exitOK {
		t.Fatalf("dump: status %d\n%s", status, &stderr)
	}
	if status := dispatch(context.Background(), []string{"build", text}, &stdout, &stderr); status != exitOK {
		t.Fatalf("build: status %d\n%s", status, &stderr)
	}
	if !bytes.Equal(stdout.Bytes(), want) {
		t.Error("the bytes do not come back")
	}
	if err := os.WriteFile(text, []byte("cutext 1\nheader sm=80\nsection a\n\thex 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status := dispatch(context.Background(), []string{"build", text}, &stdout, &stderr); status != exitMisuse || !bytes.Contains(stderr.Bytes(), []byte("l.txt:4:6: ")) {
		t.Errorf("status %d\n%s", status, &stderr)
	}
}
