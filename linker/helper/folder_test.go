package helper

import (
	"os"
	"runtime"
	"testing"
)

// A helper has a folder also if TMPDIR names none (LOAD-460).
func TestTemporaryFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /tmp")
	}
	for _, tmp := range []string{"", t.TempDir(), "/no/such/folder", "/dev/null"} {
		t.Setenv("TMPDIR", tmp)
		dir, err := TemporaryFolder()
		if err != nil {
			t.Errorf("TMPDIR=%s: %v", tmp, err)
			continue
		}
		os.RemoveAll(dir)
	}
}
