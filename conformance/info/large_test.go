package info

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// An endless device, and a file that is larger than the disk, are rejected.
func TestEndlessFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	f, err := os.Create("sparse")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 42); err != nil {
		t.Skip("no sparse files: ", err)
	}
	var stdout, stderr bytes.Buffer
	if status := Command().Run(t.Context(), []string{"sparse"}, &stdout, &stderr); status == 0 || !strings.Contains(stderr.String(), "are more than") {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}
