package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIsLarge: the sizes of the inputs together count; what is not there counts nothing.
func TestIsLarge(t *testing.T) {
	half := filepath.Join(t.TempDir(), "half")
	if err := os.WriteFile(half, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(half, largeLink/2); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		files []string
		want  bool
	}{
		{nil, false},
		{[]string{half}, false},
		{[]string{half, "missing"}, false},
		{[]string{half, "missing", half}, true},
	} {
		if got := isLarge(tt.files); got != tt.want {
			t.Errorf("%d files: large is %v", len(tt.files), got)
		}
	}
}
