// Command clients runs programs that link through libnvJitLink. It runs them with culink's library and with NVIDIA's,
// and compares the images. The programs are a C program, the oldest versions of the public Python clients that must
// work, a client of CUDA 12, and the newest versions.
//
//	go run ./cmd/internal/clients
//
// CULINK_ORACLE names the folder with NVIDIA's tools and library of 13.0.88. The tools for the newest clients are in a
// folder beside that one. The Python packages are installed in virtual environments in the user's cache, and stay there for
// the next run. CULINK_SUITES names a folder with test_nvjitlink.py of cuda-python, which no package contains. A line
// NOT RUN names something that is not available on this machine. The exit status is 1 if a client fails or an image
// differs.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
)

func main() {
	t := &trial{stdout: os.Stdout}
	if err := t.run(); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(2)
	}
	if t.failed {
		os.Exit(1)
	}
}

// ours and theirs are the names of the two libraries in the output, and the names of their folders.
const ours, theirs = "culink", "nvidia"

// Packages of the repository that are built, and that call the library.
const (
	libraryFolder = "linker/jitlink/libnvjitlink"
	inputFolder   = "conformance/library/recorded/in"
)

// A trial runs every client in one temporary folder.
type trial struct {
	stdout io.Writer
	root   string // root of the repository
	work   string // temporary folder with the libraries
	oracle string // NVIDIA's tools; empty: none
	failed bool
}

func (t *trial) run() (err error) {
	if t.root, err = output(exec.Command("git", "rev-parse", "--show-toplevel")); err != nil {
		return err
	}
	if t.work, err = os.MkdirTemp("", "culink-clients-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.work)
	for name, major := range map[string]string{ours: "13", ours + "12": "12"} {
		if said, err := exec.Command(t.in(libraryFolder, "build.sh"), t.library(name), major).CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
	}
	libraries, env := []string{ours}, []string(nil)
	if t.oracle, err = tools.Oracle(); err != nil && !errors.Is(err, tools.ErrNoOracle) {
		return err
	}
	if t.oracle == "" {
		t.say("NOT RUN: comparison with NVIDIA's library, and PTX: CULINK_ORACLE is not set")
	} else {
		if err := t.link(t.oracle); err != nil {
			return err
		}
		// culink's library emulates NVIDIA's library of the same release.
		libraries, env = append(libraries, theirs), []string{compilerVariable + "=" + filepath.Join(t.oracle, "bin", "ptxas"), option.ToolkitVariable + "=" + arch.Default.Version}
	}
	if err := t.program(libraries, env); err != nil {
		return err
	}
	if err := t.oldest(libraries, env); err != nil {
		return err
	}
	return t.newest()
}

// program builds the C program once, with culink's header, and runs it with each library.
func (t *trial) program(libraries, env []string) error {
	client := filepath.Join(t.work, "client")
	cmd := exec.Command(compiler(), "-Wall", "-Werror", "-I"+t.library(ours), t.in(libraryFolder, "testdata", "client.c"), "-o", client,
		filepath.Join(t.library(ours), "libnvJitLink.so.13"), "-lpthread")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	ask := func(library string, words ...string) (string, error) {
		cmd := exec.Command(client, append(words, "a.90.cubin", "b.90.cubin")...)
		cmd.Dir, cmd.Env = t.in(inputFolder), environment(env, "LD_LIBRARY_PATH="+t.library(library))
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	for _, what := range []string{"links", "threads 64", "garbage", "null", "fork"} {
		if said, err := ask(ours, strings.Fields(what)...); err != nil {
			t.fail("C program, %s: FAILED: %v\n%s", what, err, said)
		} else {
			t.say("C program, %s: ok", what)
		}
	}
	for _, library := range libraries {
		said, err := ask(library, "rate", "3000")
		if err != nil {
			t.fail("C program, rate, %s: FAILED: %v\n%s", library, err, said)
			continue
		}
		rate, _, _ := strings.Cut(said, "\n")
		t.say("C program, small links a second, %s: %s", library, rate)
	}
	return nil
}

// library returns the folder of a library by its name.
func (t *trial) library(name string) string { return filepath.Join(t.work, name) }

// link makes NVIDIA's library of a toolkit available in the folder for it.
func (t *trial) link(toolkit string) error {
	if err := os.MkdirAll(t.library(theirs), 0o777); err != nil {
		return err
	}
	name := filepath.Join(t.library(theirs), "libnvJitLink.so.13")
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(filepath.Join(toolkit, "lib", "libnvJitLink.so.13"), name)
}

// in returns a path in the repository.
func (t *trial) in(path ...string) string { return filepath.Join(append([]string{t.root}, path...)...) }

func (t *trial) say(format string, values ...any) { fmt.Fprintf(t.stdout, format+"\n", values...) }

func (t *trial) fail(format string, values ...any) {
	t.say(format, values...)
	t.failed = true
}

// compilerVariable is the environment variable for the compiler of PTX.
const compilerVariable = "CULINK_PTXAS"

// environment returns the environment of this process with additional variables from both lists. If a variable occurs
// several times, the last value counts. The release and the compiler of PTX are never inherited.
func environment(more []string, also ...string) []string {
	base := slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return name == option.ToolkitVariable || name == compilerVariable
	})
	return slices.Concat(base, more, also)
}

// compiler returns the name of the C compiler.
func compiler() string {
	if name := os.Getenv("CC"); name != "" {
		return name
	}
	return "cc"
}

// output returns what a command prints, without the newline at its end.
func output(cmd *exec.Cmd) (string, error) {
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return strings.TrimSuffix(string(said), "\n"), nil
}
