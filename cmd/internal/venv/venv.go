// Package venv makes virtual environments of Python and installs packages of the Python package index in them.
package venv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoPython means that no virtual environment can be made.
var ErrNoPython = errors.New("no virtual environment")

// An Environment is a virtual environment, named by its folder.
type Environment string

// New returns the environment in a folder. It makes the environment if the folder has no pip, which is the last thing that
// is made.
func New(folder string) (Environment, error) {
	e := Environment(folder)
	if _, err := os.Stat(filepath.Join(folder, "bin", "pip")); err == nil {
		return e, nil
	}
	if said, err := exec.Command("python3", "-m", "venv", folder).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w: %s", ErrNoPython, err, LastLine(said))
	}
	return e, nil
}

// Command returns the path of the environment's Python.
func (e Environment) Command() string { return filepath.Join(string(e), "bin", "python") }

// Install installs packages with pip. words may also contain options of pip.
func (e Environment) Install(words ...string) error {
	said, err := exec.Command(e.Command(), append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"}, words...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, LastLine(said))
	}
	return nil
}

// LastLine returns the last line that a command printed. It is the one that a message about the command quotes.
func LastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1]
}
