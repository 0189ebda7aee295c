package confine

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that is removed during the count exceeds no limit. The harness empties the folder of a served link while the
// server is being watched (CONF-064).
func TestFolderIsRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	over, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-over:
				ended <- nil
				return
			default:
			}
			if err := os.MkdirAll(filepath.Join(dir, "work", "temp"), 0o777); err != nil {
				ended <- err
				return
			}
			if err := os.RemoveAll(filepath.Join(dir, "work")); err != nil {
				ended <- err
				return
			}
		}
	}()
	for range 2000 {
		var u usage
		if err := u.folder(unix.AT_FDCWD, dir, 0); err != nil {
			t.Errorf("%v", err)
			break
		}
	}
	close(over)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
