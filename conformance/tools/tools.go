// Package tools finds NVIDIA's tools. CULINK_ORACLE names the folder with the tools of one release, such as
// oracle-13.0.88. The folders of other releases have the same parent folder.
package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
)

// ErrNoOracle means that CULINK_ORACLE is not set.
var ErrNoOracle = errors.New("CULINK_ORACLE names no toolkit")

// Oracle returns the folder that CULINK_ORACLE names, as an absolute path without symbolic links. So folders beside it
// can be found.
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

// Beside returns the folder with the tools of a release. oracle is the folder of another release. Beside looks for the
// folder of the exact version, and then for the folder of the minor version (oracle-12.4.131, oracle-12.4). If neither
// exists, the error names both and is an [fs.ErrNotExist].
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
