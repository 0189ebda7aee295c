// Command dropin builds programs with nvcc and with CMake, with culink in place of nvlink. It compares each link of a
// build with nvlink's link: the bytes of the cubin, the registration file, messages, and exit status.
//
//	go run ./cmd/internal/dropin [SCENARIO...]
//
// CULINK_ORACLE names an installed toolkit (.ci/install-oracle.sh). The command needs g++. The CMake scenarios need
// cmake and ninja. The exit status is 1 if a build fails or a link differs.
//
// nvcc looks for nvlink in its own folder. So nvcc runs from a copy of the toolkit that consists of links to its files,
// and in which this program has the name nvlink. Under that name, the program runs both linkers on each command line
// (standin.go). The build continues with the output of culink.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/helper"
)

func main() {
	if filepath.Base(os.Args[0]) == "nvlink" {
		os.Exit(standIn(os.Getenv(folderVariable), os.Args[1:]))
	}
	passed, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dropin:", err)
		os.Exit(2)
	}
	if !passed {
		os.Exit(1)
	}
}

// run builds the scenarios with these names, or all. passed reports whether every build succeeded and no link differed.
func run(names []string, stdout io.Writer) (passed bool, err error) {
	wanted, err := choose(names)
	if err != nil {
		return false, err
	}
	folder, err := os.MkdirTemp("", "culink-dropin-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	b, err := prepare(folder)
	if err != nil {
		return false, err
	}
	passed = true
	for _, s := range wanted {
		if strings.HasPrefix(s.name, "cmake_") && (helper.Find("cmake") == "" || helper.Find("ninja") == "") {
			fmt.Fprintf(stdout, "skipped   %s: needs cmake and ninja\n", s.name)
			continue
		}
		same, err := b.try(s, stdout)
		if err != nil {
			return false, err
		}
		passed = passed && same
	}
	return passed, nil
}

// choose returns the scenarios with these names, in the order of the list, or all.
func choose(names []string) (wanted []scenario, err error) {
	if len(names) == 0 {
		return scenarios, nil
	}
	for _, name := range names {
		found := false
		for _, s := range scenarios {
			if s.name == name {
				wanted, found = append(wanted, s), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no scenario %s", name)
		}
	}
	return wanted, nil
}

// Names in the folder of a run.
const (
	toolkitName  = "toolkit"  // the shadow
	originalName = "original" // a link to NVIDIA's toolkit
	culinkName   = "culink"   // culink, under the name nvlink, and the compiler of -lto
	linksName    = "links"    // file with a line for each link of the current scenario
)

// folderVariable is the environment variable with which programs find the folder of the run.
const folderVariable = "CULINK_DROPIN"

// A build runs the commands of scenarios.
type build struct {
	folder string
	bin    string            // folder with the programs of the copied toolkit
	words  *strings.Replacer // replaces the abbreviations in commands
}

// prepare builds culink and makes a copy of the toolkit in CULINK_ORACLE, with this program as nvlink.
func prepare(folder string) (*build, error) {
	oracle, err := tools.Oracle()
	if err != nil {
		return nil, err
	}
	for program, source := range map[string]string{"nvlink": "culink", "culink-lto": "culink-lto"} {
		made := filepath.Join(folder, culinkName, program)
		if said, err := exec.Command("go", "build", "-o", made, "github.com/culink/culink/cmd/"+source).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, said)
		}
	}
	toolkit := filepath.Join(folder, toolkitName)
	if err := makeShadow(toolkit, oracle); err != nil {
		return nil, err
	}
	bin := filepath.Join(toolkit, "bin")
	return &build{folder, bin, strings.NewReplacer(
		"$nvcc", filepath.Join(bin, "nvcc"), "$lib", "-L"+filepath.Join(toolkit, "lib"), "$two", twoTargets, "$mercury", mercuryTargets,
	)}, os.Symlink(oracle, filepath.Join(folder, originalName))
}

// makeShadow makes a copy of the toolkit in oracle, which consists of links to everything except nvlink.
func makeShadow(toolkit, oracle string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	programs, err := os.ReadDir(filepath.Join(oracle, "bin"))
	if err != nil {
		return err
	}
	links := map[string]string{
		"include": filepath.Join(oracle, "include"), "lib": filepath.Join(oracle, "lib"), "lib64": "lib",
		"nvvm/bin": filepath.Join(oracle, "nvvm", "bin"), "nvvm/libdevice": filepath.Join(oracle, "nvvm", "libdevice"),
		// nvcc -dlto passes the folder of nvvm to nvlink. The library is there in an installed toolkit, but not in Python
		// wheels.
		"nvvm/lib64/libnvvm.so": filepath.Join(oracle, "lib", "libnvvm.so.4"),
	}
	for _, p := range programs {
		links["bin/"+p.Name()] = filepath.Join(oracle, "bin", p.Name())
	}
	links["bin/nvlink"] = self
	for name, target := range links {
		file := filepath.Join(toolkit, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.Symlink(target, file); err != nil {
			return err
		}
	}
	return nil
}

// try builds a scenario. It prints a line with the result, and then what failed.
func (b *build) try(s scenario, stdout io.Writer) (same bool, err error) {
	links := filepath.Join(b.folder, linksName)
	if err := os.WriteFile(links, nil, 0o666); err != nil {
		return false, err
	}
	var printed bytes.Buffer
	failure := b.commands(s, &printed)
	lines, err := os.ReadFile(links)
	if err != nil {
		return false, err
	}
	all := strings.SplitAfter(string(lines), "\n")
	all = all[:len(all)-1]
	var different []string
	for _, line := range all {
		if !strings.HasPrefix(line, sameVerdict) {
			different = append(different, line)
		}
	}
	verdict := "built"
	if failure != nil {
		verdict = "NOT BUILT"
	}
	fmt.Fprintf(stdout, "%-9s %s: %d links, %d different\n", verdict, s.name, len(all), len(different))
	for _, line := range different {
		fmt.Fprintf(stdout, "    %.1000s\n", strings.TrimSuffix(line, "\n"))
	}
	if failure != nil {
		fmt.Fprintf(stdout, "    %s\n    %v\n", strings.Join(last(20, strings.Split(strings.TrimSpace(printed.String()), "\n")), "\n    "), failure)
	}
	return failure == nil && len(different) == 0 && len(all) > 0, nil
}

// last returns the last n lines.
func last(n int, lines []string) []string { return lines[max(0, len(lines)-n):] }

// commands writes the sources of a scenario into a new folder and runs its commands there.
func (b *build) commands(s scenario, printed io.Writer) error {
	dir := filepath.Join(b.folder, "scenarios", s.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, sources := range []map[string]string{commonSources, s.sources} {
		for name, text := range sources {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	for line := range strings.Lines(strings.TrimSpace(s.commands)) {
		if err := b.command(dir, strings.Fields(b.words.Replace(line)), printed); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	for name, text := range s.holds {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if len(data) == 0 || !bytes.Contains(data, []byte(text)) {
			return fmt.Errorf("%s has no %q", name, text)
		}
	}
	return nil
}

// command runs one command.
func (b *build) command(dir string, words []string, printed io.Writer) error {
	expected := words[0]
	if expected == mustFail || expected == mayFail {
		words = words[1:]
	}
	program := words[0]
	if !strings.Contains(program, "/") {
		program = cmp.Or(helper.Find(program, b.bin), program)
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), folderVariable+"="+b.folder, "PATH="+b.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = printed, printed
	err := cmd.Run()
	switch {
	case expected == mayFail && cmd.ProcessState != nil:
		return nil
	case expected == mustFail && err == nil:
		return errors.New("it has to fail")
	case expected == mustFail && cmd.ProcessState != nil:
		return nil
	}
	return err
}
