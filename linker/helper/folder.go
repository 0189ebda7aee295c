package helper

import (
	"os"
	"runtime"
)

// TemporaryFolder makes a folder for the files of a helper. nvlink needs none, because its compilers are parts of it. So a link
// must not fail because TMPDIR names no folder (LOAD-460).
func TemporaryFolder() (string, error) {
	const pattern = "culink"
	dir, err := os.MkdirTemp("", pattern)
	if err != nil && runtime.GOOS != "windows" {
		dir, err = os.MkdirTemp("/tmp", pattern)
	}
	return dir, err
}
