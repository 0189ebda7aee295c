package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/culink/culink/cmd/internal/venv"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
)

// install installs what a compiler needs and returns the folder that has it.
func (b *builder) install(c compiler) (at string, err error) {
	for _, program := range c.needs {
		if _, err := exec.LookPath(program); err != nil {
			return "", notInstalled{err.Error()}
		}
	}
	switch {
	case c.release != "":
		return b.toolkit(c.release)
	case c.wheels != "":
		return b.wheels(c.wheels)
	case c.debs != "":
		return b.debs(c.debs)
	}
	return "", nil
}

// toolkit returns the folder of a release of NVIDIA's tools.
func (b *builder) toolkit(release string) (string, error) {
	p, err := arch.Find(release)
	if err != nil {
		return "", err
	}
	folder, err := tools.Beside(b.oracle, p)
	if errors.Is(err, fs.ErrNotExist) {
		return "", notInstalled{err.Error()}
	}
	return folder, err
}

// wheels returns a virtual environment with packages of the Python package index.
func (b *builder) wheels(packages string) (string, error) {
	first, _, _ := strings.Cut(packages, " ")
	at := filepath.Join(b.cache, strings.ReplaceAll(first, "==", "-"))
	return at, b.once(at, packages, func() error {
		environment, err := venv.New(at)
		if err != nil {
			return err
		}
		return environment.Install(strings.Fields(packages)...)
	})
}

// debs returns a folder with the unpacked files of Debian packages. What these depend on is expected of the system.
func (b *builder) debs(packages string) (string, error) {
	list := strings.Fields(packages)
	at := filepath.Join(b.cache, list[0])
	return at, b.once(at, packages, func() error {
		if err := os.MkdirAll(at, 0o777); err != nil {
			return err
		}
		get := exec.Command("apt-get", append([]string{"download", "-q"}, list...)...)
		get.Dir = at
		if err := silently(get); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(at, "*.deb"))
		for _, file := range files {
			err = errors.Join(err, silently(exec.Command("dpkg-deb", "-x", file, at)), os.Remove(file))
		}
		return err
	})
}

// once installs packages in a folder if that has not been done before.
func (b *builder) once(folder, packages string, install func() error) error {
	mark := filepath.Join(folder, "installed")
	if had, err := os.ReadFile(mark); err == nil && string(had) == packages {
		return nil
	}
	if err := install(); err != nil {
		return notInstalled{err.Error()}
	}
	return os.WriteFile(mark, []byte(packages), 0o666)
}

// silently runs a command. The error has the last line of what it prints.
func silently(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, venv.LastLine(said))
	}
	return nil
}
