// Package venv makes virtual environments of Python and installs packages of the Python package index in them.
package venv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
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

// mostTime is the time limit of an installation. Writing the files of large packages to a busy disk takes minutes.
const mostTime = 10 * time.Minute

// Install installs packages with pip, or ends with an error after a time limit. words may also contain options of pip.
// The packages are not compiled to bytecode, which takes most of the time of an installation and helps only programs
// that start often.
func (e Environment) Install(words ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	pip := []string{"-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"}
	cmd := exec.CommandContext(ctx, e.Command(), append(pip, words...)...)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("pip did not end within %v", mostTime)
	case err != nil:
		return fmt.Errorf("%w: %s", err, LastLine(said))
	}
	return nil
}

// LastLine returns the last line that a command printed. It is the one that a message about the command quotes.
func LastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1]
}
