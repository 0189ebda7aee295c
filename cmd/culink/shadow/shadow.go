// Package shadow creates a folder that build tools accept as a CUDA toolkit, and in which nvlink is culink. Such a
// folder is called a shadow of the toolkit.
//
// nvcc starts the nvlink in its own folder regardless of PATH, and other tools look for nvlink in a toolkit. So culink
// must replace nvlink inside a toolkit folder. The shadow has symbolic links to everything in the real toolkit except
// nvlink, which is a copy of culink (docs/use.md). The toolkit itself is not changed. On Windows there are other links
// ([place]).
//
// The name of the copy contains the release of the toolkit, as in culink-as-13.5.37, and nvlink is a symbolic link to
// it. The name must contain the release, because an nvcc command line does not name a release and a link reads only
// files that its command line names.
package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/culink/culink/linker/lto"
)

// Toolkit returns the folder of the CUDA toolkit: path, or else CUDA_PATH or CUDA_HOME from the environment, or else the
// toolkit of the nvcc on PATH.
func Toolkit(path string) (string, error) {
	if path == "" {
		path = os.Getenv("CUDA_PATH")
	}
	if path == "" {
		path = os.Getenv("CUDA_HOME")
	}
	if path == "" {
		nvcc, err := exec.LookPath("nvcc")
		if err != nil {
			return "", errors.New("no CUDA toolkit: name its folder with --cuda-path")
		}
		if nvcc, err = filepath.EvalSymlinks(nvcc); err != nil {
			return "", err
		}
		path = filepath.Dir(filepath.Dir(nvcc))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(path, "bin", executable("nvcc"))); err != nil {
		return "", fmt.Errorf("%s is no CUDA toolkit: %w", path, err)
	}
	return path, nil
}

// executable returns the file name of a program on this system.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// Linker returns the path of a toolkit's nvlink.
func Linker(toolkit string) string { return filepath.Join(toolkit, "bin", executable("nvlink")) }

// copyPrefix begins the name of the copy of culink in a shadow. The version of a release follows it.
const copyPrefix = "culink-as-"

// Release returns the release that culink emulates if program is the path of culink in a shadow. Outside a shadow it
// returns the empty string (OPT-505).
func Release(program string) string {
	version, ok := strings.CutPrefix(nameOf(program), copyPrefix)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(version, adviceSuffix)
}

// adviceSuffix ends the name of culink in a shadow that collects answers.
const adviceSuffix = "-advice"

// AdviceFile returns the file in which the shadow of this program collects answers. It returns the empty string if the
// shadow collects none, or outside a shadow (DIAG-505).
func AdviceFile(program string) string {
	if Release(program) == "" || !strings.HasSuffix(nameOf(program), adviceSuffix) {
		return ""
	}
	return AdviceIn(filepath.Dir(filepath.Dir(program)))
}

// AdviceIn returns the file of answers of the shadow dir.
func AdviceIn(dir string) string { return filepath.Join(dir, "advice.txt") }

// Options are the settings of a shadow.
type Options struct {
	Toolkit string // its folder
	Release string // the version that culink stands in for
	Program string // the file of culink
	Advice  bool   // collect answers in a file of the shadow
}

// Make creates the folder dir, which may exist if it is empty. If Make fails, it leaves dir unchanged.
func Make(dir string, o Options) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return errors.New("it is not empty")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := fill(made, o); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

// fill creates symbolic links to the contents of a toolkit and copies culink.
func fill(dir string, o Options) error {
	toolkit, program := o.Toolkit, o.Program
	if err := placeAll(dir, toolkit, "bin", "nvvm"); err != nil {
		return err
	}
	if err := linkOptimiser(dir, toolkit); err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	nvlink := executable("nvlink")
	if err := placeAll(bin, filepath.Join(toolkit, "bin"), nvlink); err != nil {
		return err
	}
	// Some tools look for libraries only in lib64.
	lib, lib64 := filepath.Join(toolkit, "lib"), filepath.Join(dir, "lib64")
	if _, err := os.Stat(lib64); err != nil && runtime.GOOS != "windows" {
		if _, err := os.Stat(lib); err == nil {
			if err := os.Symlink(lib, lib64); err != nil {
				return err
			}
		}
	}
	copied := copyPrefix + o.Release
	if o.Advice {
		copied += adviceSuffix
		if err := writeNew(AdviceIn(dir), nil, 0o666); err != nil {
			return err
		}
	}
	if err := install(bin, copied, program); err != nil {
		return err
	}
	// culink looks in its own folder for the helper that runs the compiler of -lto.
	helper := executable(lto.HelperName)
	err := copyFile(filepath.Join(bin, helper), filepath.Join(filepath.Dir(program), helper))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// linkOptimiser makes the optimiser of -lto available in nvvm/lib64, from where nvlink loads it. If the toolkit has a
// folder nvvm, the shadow gets a link to that folder. A toolkit installed from Python wheels has the optimiser only in
// lib. Then nvvm is a folder of the shadow, with a link to the optimiser.
func linkOptimiser(dir, toolkit string) error {
	from, to := filepath.Join(toolkit, "nvvm"), filepath.Join(dir, "nvvm")
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(toolkit, "lib", "libnvvm.so*"))
	if _, missing := os.Stat(filepath.Join(from, "lib64")); missing == nil || err != nil || len(found) == 0 {
		return place(from, to)
	}
	lib64 := filepath.Join(to, "lib64")
	if err := os.MkdirAll(lib64, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(found[0], filepath.Join(lib64, "libnvvm.so")); err != nil {
		return err
	}
	return placeAll(to, from)
}

// placeAll makes each entry of folder available in dir, except the given names.
func placeAll(dir, folder string, except ...string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.ContainsFunc(except, func(name string) bool { return sameName(name, e.Name()) }) {
			continue
		}
		if err := place(filepath.Join(folder, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file. The programs of culink are copied, because links to them would break when culink is moved.
func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeNew(to, data, 0o755)
}

// writeNew writes a new file in place of a link to the toolkit. Without that, the file of the toolkit would be written.
func writeNew(name string, data []byte, mode fs.FileMode) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, data, mode)
}
