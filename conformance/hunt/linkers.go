package hunt

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/sandbox"
)

// parseLinker splits a command line at blanks and finds the program. The program is run through a link named nvlink in
// dir, so that its messages and notes contain the same name as those of the reference.
func parseLinker(line, dir string) (*sandbox.Linker, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("empty linker command")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "nvlink")
	if err := os.Symlink(path, name); err != nil {
		return nil, err
	}
	words[0] = name
	return &sandbox.Linker{Command: words, Limits: sandbox.DefaultLimits}, nil
}
