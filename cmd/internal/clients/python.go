package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/cmd/internal/venv"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
)

// Packages with clients, from the Python package index.
var (
	oldestClients = []string{"cuda-bindings==13.0.3", "cuda-core==1.2.2", "numba-cuda==0.30.4", "nvidia-cuda-nvrtc==13.0.88", "pytest"}
	olderClients  = []string{"cuda-bindings==12.9.4"} // of CUDA 12
	newestClients = []string{"cuda-bindings", "cuda-core", "numba-cuda", "numba-cuda-mlir", "cuda-cccl", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime"}
)

// A python is a virtual environment in the user's cache.
type python = venv.Environment

// newPython returns the virtual environment with a name. It makes the environment if it does not exist.
func newPython(name string) (python, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return venv.New(filepath.Join(cache, "culink", "clients", name))
}

// installEach installs each package separately, so that the others are installed if one is not available. It skips
// packages that it has already installed.
func (t *trial) installEach(p python, packages []string) error {
	list := filepath.Join(string(p), "installed")
	had, err := os.ReadFile(list)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, name := range packages {
		if slices.Contains(strings.Fields(string(had)), name) {
			continue
		}
		if err := p.Install(name); err != nil {
			t.say("NOT RUN: %s cannot be installed: %v", name, err)
			continue
		}
		had = append(had, name+"\n"...)
	}
	return os.WriteFile(list, had, 0o666)
}

// oldest runs the oldest clients that must work, a client of CUDA 12, and the tests of cuda-python.
func (t *trial) oldest(libraries, env []string) error {
	p, err := newPython("13")
	if errors.Is(err, venv.ErrNoPython) {
		t.say("NOT RUN: Python clients: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.installEach(p, oldestClients); err != nil {
		return err
	}
	var path string // folders of NVIDIA's other libraries
	if t.oracle != "" {
		path = filepath.Join(t.oracle, "lib")
	}
	images := t.images(p, libraries, path, env, "Python clients")
	if err := t.older(images[ours], env); err != nil {
		return err
	}
	return t.suite(p, libraries, path, env)
}

// older runs a client of CUDA 12, which loads libnvJitLink.so.12. It must get the same image as a client of CUDA 13.
func (t *trial) older(want string, env []string) error {
	p, err := newPython("12")
	if err != nil {
		return err
	}
	if err := t.installEach(p, olderClients); err != nil {
		return err
	}
	said, err := t.ask(p, t.library(ours+"12"), env)
	if err != nil {
		t.fail("libnvJitLink.so.12: %v\n%s", err, said)
	}
	if image(said) == "" || image(said) != image(want) {
		t.fail("libnvJitLink.so.12: the image DIFFERS\n%s", said)
		return nil
	}
	t.say("culink, libnvJitLink.so.12: the same image as with libnvJitLink.so.13")
	return nil
}

// image returns the hash of the image that cuda-bindings got, from the output of clients.py.
func image(said string) string {
	for line := range strings.Lines(said) {
		if words := strings.Fields(line); len(words) > 3 && words[0] == "cuda-bindings" {
			return words[3]
		}
	}
	return ""
}

// images runs all clients of an environment with each library. It prints the hashes of the images and, if there are two
// libraries, compares them.
func (t *trial) images(p python, libraries []string, path string, env []string, who string) map[string]string {
	all := map[string]string{}
	for _, library := range libraries {
		said, err := t.ask(p, t.library(library)+":"+path, env)
		if err != nil {
			t.fail("%s, %s: %v", library, who, err)
		}
		for line := range strings.Lines(said) {
			t.say("%s, %s: %s", library, who, strings.TrimSuffix(line, "\n"))
		}
		all[library] = said
	}
	switch {
	case len(libraries) == 1:
	case all[ours] == all[theirs]:
		t.say("%s: the same images", who)
	default:
		t.fail("%s: the images DIFFER", who)
	}
	return all
}

// ask runs clients.py. path is the search path for libraries.
func (t *trial) ask(p python, path string, env []string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(p.Command(), t.in(libraryFolder, "testdata", "clients.py"), t.in(inputFolder, "a.90.cubin"), t.in(inputFolder, "b.90.cubin"))
	cmd.Env, cmd.Stderr = environment(env, "LD_LIBRARY_PATH="+strings.TrimSuffix(path, ":")), &stderr
	said, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &stderr)
	}
	return string(said), err
}

// suite runs test_nvjitlink.py of cuda-python. A test that passes with NVIDIA's library must pass with culink's.
func (t *trial) suite(p python, libraries []string, path string, env []string) error {
	folder := os.Getenv("CULINK_SUITES")
	if folder == "" {
		t.say("NOT RUN: test_nvjitlink.py of cuda-python: CULINK_SUITES is not set")
		return nil
	}
	failures := map[string][]string{}
	for _, library := range libraries {
		cmd := exec.Command(p.Command(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", "-W", "ignore", filepath.Join(folder, "test_nvjitlink.py"))
		cmd.Env = environment(env, "LD_LIBRARY_PATH="+strings.TrimSuffix(t.library(library)+":"+path, ":"))
		said, err := cmd.CombinedOutput()
		if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
			return err
		}
		t.say("test_nvjitlink.py, %s: %s", library, venv.LastLine(said))
		for line := range strings.Lines(string(said)) {
			if name, ok := strings.CutPrefix(line, "FAILED "); ok {
				name, _, _ = strings.Cut(strings.TrimSpace(name), " - ")
				failures[library] = append(failures[library], name)
			}
		}
	}
	for _, name := range failures[ours] {
		if len(libraries) > 1 && !slices.Contains(failures[theirs], name) {
			t.fail("test_nvjitlink.py, %s alone: %s FAILED", ours, name)
		}
	}
	return nil
}

// newest runs the newest clients of the package index, which call functions of a later release. culink's library
// emulates the newest release that it knows. If NVIDIA's library of that release is in a folder beside that of
// CULINK_ORACLE, the two are compared. pip looks for new versions each time, so that an incompatible version is noticed.
func (t *trial) newest() error {
	p, err := newPython("newest")
	if errors.Is(err, venv.ErrNoPython) {
		t.say("NOT RUN: newest clients: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.Install(append([]string{"--upgrade", "--only-binary", ":all:"}, newestClients...)...); err != nil {
		t.say("NOT RUN: newest clients: %v", err)
		return nil
	}
	driver, err := t.driver(p)
	if err != nil {
		return err
	}
	version := exec.Command(p.Command(), "-c", `from cuda.bindings import nvjitlink; print("%d.%d" % nvjitlink.version())`)
	version.Env = environment(nil, "LD_LIBRARY_PATH="+t.library(ours))
	release, err := output(version)
	if err != nil {
		return err
	}
	profile, err := arch.Find(release)
	if err != nil {
		return err
	}
	libraries, env := []string{ours}, []string(nil)
	if latest, err := tools.Beside(t.oracle, profile); errors.Is(err, fs.ErrNotExist) {
		t.say("NOT RUN: comparison of the newest clients with NVIDIA's library of %s, and their intermediate code", release)
	} else if err != nil {
		return err
	} else {
		if err := t.link(latest); err != nil {
			return err
		}
		libraries = append(libraries, theirs)
		env = []string{compilerVariable + "=" + filepath.Join(latest, "bin", "ptxas"), "CULINK_LTO=" + filepath.Join(latest, "lib", "libnvJitLink.so.13")}
	}
	t.images(p, libraries, driver, env, "newest clients")
	return nil
}

// driver makes a library that replaces the CUDA driver. cuda-cccl loads the driver, but does not call it when it
// compiles ahead of time. driver returns the folder of the library. It returns the empty string if cuda-cccl is not
// installed.
func (t *trial) driver(p python) (folder string, err error) {
	users, err := filepath.Glob(filepath.Join(string(p), "lib", "python3*", "site-packages", "cuda", "compute", "cu13", "cccl", "libcccl.c.parallel.so"))
	if err != nil || len(users) == 0 {
		return "", err
	}
	user, err := elf.Open(users[0])
	if err != nil {
		return "", err
	}
	defer user.Close()
	symbols, err := user.ImportedSymbols()
	if err != nil {
		return "", err
	}
	var source strings.Builder
	for _, s := range symbols {
		if len(s.Name) > 2 && s.Name[:2] == "cu" && s.Name[2] >= 'A' && s.Name[2] <= 'Z' {
			fmt.Fprintf(&source, "int %s(void) { return 100; }\n", s.Name)
		}
	}
	folder = t.library("driver")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return "", err
	}
	cmd := exec.Command(compiler(), "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", filepath.Join(folder, "libcuda.so.1"))
	cmd.Stdin = strings.NewReader(source.String())
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return folder, nil
}
