// Package tools finds NVIDIA's tools of another release. CULINK_ORACLE names the folder of one release, such as
// oracle-13.0.88. The folders of other releases have the same parent.
package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
)

// ErrNoOracle reports that CULINK_ORACLE is not set.
var ErrNoOracle = errors.New("CULINK_ORACLE names no toolkit")

// Oracle returns the folder that CULINK_ORACLE names, as an absolute path without symbolic links, so that folders beside
// it are found.
func Oracle() (string, error) {
	folder := os.Getenv("CULINK_ORACLE")
	if folder == "" {
		return "", ErrNoOracle
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// Beside returns the folder with the tools of a release, given the folder of another one: the folder of the exact
// release, else that of its line (oracle-12.4.131, oracle-12.4). The error names both folders and is an
// [fs.ErrNotExist].
func Beside(oracle string, p *arch.Profile) (string, error) {
	if oracle == "" {
		return "", fmt.Errorf("no tools of %s: CULINK_ORACLE is not set: %w", p.Version, fs.ErrNotExist)
	}
	parent := filepath.Dir(oracle)
	exact, line := filepath.Join(parent, "oracle-"+p.Version), filepath.Join(parent, "oracle-"+p.Short())
	for _, folder := range []string{exact, line} {
		if _, err := os.Stat(folder); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return folder, err
		}
	}
	return "", fmt.Errorf("no tools of %s, neither in %s nor in %s: %w", p.Version, exact, line, fs.ErrNotExist)
}
