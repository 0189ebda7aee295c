// Command compilers makes a folder of units for "cuconform hunt -compilers". It installs every compiler of a table that
// makes device code without a GPU, and compiles the sources beside it with each, with several options and for several
// targets.
//
//	go run ./cmd/internal/compilers FOLDER [COMPILER...]
//
// FOLDER/COMPILER/NAME.TARGET.ptx and .cubin are the units, and FOLDER/made.txt has the command line of each. The
// compilers are NVIDIA's nvcc, of the releases in the folder that CULINK_ORACLE names and in those beside it, packages of
// the Python package index and of Debian, and rustc if it is installed. Nothing is installed in the system: packages are
// unpacked in the user's cache, and stay there for the next run. A line NOT RUN names a compiler that cannot be installed,
// that lacks a library of the system, or that the system has in a version that refuses all units, and the reason. The exit
// status is 1 if another compiler makes no unit.
package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/cmd/internal/venv"
	"github.com/culink/culink/conformance/tools"
)

//go:embed sources
var sources embed.FS

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: compilers FOLDER [COMPILER...]")
		os.Exit(2)
	}
	failed, err := run(os.Args[1], os.Args[2:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compilers:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// A builder makes the units of all compilers.
type builder struct {
	stdout  io.Writer
	oracle  string // NVIDIA's tools of the recorded release
	cache   string // folder of the installed packages
	sources string // folder of the sources
	folder  string // of the units
	made    []string
}

// notInstalled is the error for a compiler that is not available.
type notInstalled struct{ reason string }

func (e notInstalled) Error() string { return e.reason }

// run makes the units of the named compilers, or of all.
func run(folder string, only []string, stdout io.Writer) (failed bool, err error) {
	for _, name := range only {
		if !slices.ContainsFunc(table, func(c compiler) bool { return c.name == name }) {
			return false, fmt.Errorf("no compiler %s", name)
		}
	}
	b := &builder{stdout: stdout}
	if b.oracle, err = tools.Oracle(); err != nil {
		return false, err
	}
	if b.folder, err = filepath.Abs(folder); err != nil {
		return false, err
	}
	if b.cache, err = os.UserCacheDir(); err != nil {
		return false, err
	}
	b.cache = filepath.Join(b.cache, "culink", "compilers")
	if err := os.MkdirAll(b.folder, 0o777); err != nil {
		return false, err
	}
	if b.sources, err = os.MkdirTemp("", "culink-compilers-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(b.sources)
	files, err := fs.Sub(sources, "sources")
	if err != nil {
		return false, err
	}
	if err := os.CopyFS(b.sources, files); err != nil {
		return false, err
	}
	installed, units := 0, 0
	for _, c := range table {
		if len(only) > 0 && !slices.Contains(only, c.name) {
			continue
		}
		n, refused, err := b.compile(c)
		var missing notInstalled
		switch {
		case errors.As(err, &missing):
			fmt.Fprintf(stdout, "NOT RUN: %s: %v\n", c.name, err)
			continue
		case err != nil:
			return false, err
		}
		installed, units = installed+1, units+n
		fmt.Fprintf(stdout, "%s: %d units\n", c.name, n)
		for _, line := range refused {
			fmt.Fprintf(stdout, "  refused: %s\n", line)
		}
		failed = failed || n == 0
	}
	fmt.Fprintf(stdout, "%d compilers, %d units\n", installed, units)
	return failed, os.WriteFile(filepath.Join(b.folder, "made.txt"), []byte(strings.Join(b.made, "")), 0o666)
}

// compile installs a compiler and makes its units. It returns their number, and the command lines that failed, each with
// the last line of its messages.
func (b *builder) compile(c compiler) (units int, refused []string, err error) {
	at, err := b.install(c)
	if err != nil {
		return 0, nil, err
	}
	folder := filepath.Join(b.folder, c.name)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o777)); err != nil {
		return 0, nil, err
	}
	for _, target := range c.targets {
		for _, unit := range c.units {
			for number, options := range c.variants() {
				commands, name := strings.Split(c.command, " && "), fmt.Sprintf("%s-%d", strings.TrimSuffix(unit, filepath.Ext(unit)), number)
				words := strings.NewReplacer(
					"{at}", at, "{oracle}", b.oracle, "{sources}", b.sources, "{source}", filepath.Join(b.sources, unit), "{folder}", folder,
					"{target}", target, "{options}", options, "{name}", c.name, "{made}", filepath.Join(folder, name+"."+target))
				for _, command := range commands {
					fields := strings.Fields(words.Replace(command))
					fmt.Fprintf(os.Stderr, "%s\n", strings.Join(fields, " "))
					cmd := exec.Command(fields[0], fields[1:]...)
					cmd.Dir, cmd.Env = folder, append(os.Environ(), c.environment(at)...)
					b.made = append(b.made, strings.Join(fields, " ")+"\n")
					if said, err := cmd.CombinedOutput(); err != nil {
						if cmd.ProcessState.ExitCode() == noProgram {
							return 0, nil, notInstalled{venv.LastLine(said)}
						}
						refused = append(refused, fmt.Sprintf("%s for sm_%s %s: %v: %s", unit, target, options, err, venv.LastLine(said)))
						break
					}
				}
			}
		}
	}
	for _, kind := range []string{"ptx", "cubin"} {
		files, err := filepath.Glob(filepath.Join(folder, "*."+kind))
		if err != nil {
			return 0, nil, err
		}
		units += len(files)
	}
	if units == 0 && c.ofSystem() && len(refused) > 0 {
		return 0, nil, notInstalled{refused[0]}
	}
	return units, refused, nil
}

// noProgram is the exit status of a program whose libraries are not found, and of env if there is no program.
const noProgram = 127
