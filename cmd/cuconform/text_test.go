package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/conformance/commandline"
)

// build restores a file from the output of dump (TEXT-001). An error contains its position (TEXT-004).
func TestDumpAndBuild(t *testing.T) {
	input := "../../linker/cubintext/testdata/l.90.cubin"
	want, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "l.txt")
	var stdout, stderr bytes.Buffer
	if status := program().Run(context.Background(), []string{"dump", "-o", text, input}, &stdout, &stderr); status != commandline.OK {
		t.Fatalf("dump: status %d\n%s", status, &stderr)
	}
	if status := program().Run(context.Background(), []string{"build", text}, &stdout, &stderr); status != commandline.OK {
		t.Fatalf("build: status %d\n%s", status, &stderr)
	}
	if !bytes.Equal(stdout.Bytes(), want) {
		t.Error("the bytes do not come back")
	}
	if err := os.WriteFile(text, []byte("cutext 1\nheader sm=80\nsection a\n\thex 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status := program().Run(context.Background(), []string{"build", text}, &stdout, &stderr); status != commandline.Misuse || !bytes.Contains(stderr.Bytes(), []byte("l.txt:4:6: ")) {
		t.Errorf("status %d\n%s", status, &stderr)
	}
}
