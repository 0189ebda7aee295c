package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An emulator runs the tests for another system. Both emulators lack something that Go's library or the tests need.
type emulator struct {
	name   string   // in emulators.tsv
	env    []string // the system for which Go builds
	folder string   // suffix of the folder with NVIDIA's tools for the system
	script string   // program of that folder that runs the emulator
	server bool     // its programs share a server, which must be kept running

	file  string      // a file of Go's library
	edits [][2]string // texts of the file, and what the emulator needs in their place
	added string      // a format for the end of the file, whose argument is the script
}

var (
	// Wine 8 does not support FileDispositionInformationEx, with which Go removes files. Go has another way for old systems.
	wine = emulator{
		name: "wine", env: []string{"GOOS=windows", "GOARCH=amd64"}, folder: "windows-", script: "wine-run", server: true,
		file:  "internal/syscall/windows/at_windows.go",
		edits: [][2]string{{"\nvar TestDeleteatFallback bool", "\nvar TestDeleteatFallback = true"}},
	}
	// The emulator of one program cannot start others for its processor. So Go's library starts them by the script.
	qemu = emulator{
		name: "qemu", env: []string{"GOOS=linux", "GOARCH=arm64"}, folder: "arm64-", script: "run",
		file: "syscall/exec_unix.go",
		edits: [][2]string{
			{"\n\t// Convert args to C form.\n", "\n\targv0, argv = emulated(argv0, argv, attr.Dir)\n"},
			{execOfGo, execOfGo + "\targv0, argv = emulated(argv0, argv, \"\")\n"},
		},
		added: emulated,
	}
)

// execOfGo begins a function of package syscall of Go's library.
const execOfGo = "\nfunc Exec(argv0 string, argv []string, envv []string) (err error) {\n"

// emulated is a function for package syscall of Go's library.
//
//go:embed emulated.txt
var emulated string

// emulatorTests returns the step that runs all tests but those in emulators.tsv for the system of an emulator.
func emulatorTests(e emulator) func(*runner) error {
	return func(r *runner) error {
		script := filepath.Join(r.folderOf(e.folder+recorded), e.script)
		if _, err := os.Stat(script); err != nil {
			r.note("%s: NOT RUN, because there is no %s", r.current, script)
			return nil
		}
		return inFolder(func(folder string) error {
			overlay, err := e.overlay(r, folder, script)
			if err != nil {
				return err
			}
			list := []string{"go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"}
			listed, err := r.output(slices.Concat(e.env, list, strings.Fields(setting("PACKAGES", "./...")))...)
			if err != nil {
				return err
			}
			if e.server {
				defer r.keepWine(script)()
			}
			return e.test(r, strings.Fields(listed), []string{"-overlay", overlay, "-exec", script})
		})
	}
}

// test runs the tests of packages, one package after the other, and returns the first error.
func (e emulator) test(r *runner, folders, flags []string) (failure error) {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		name, err := filepath.Rel(root, folder)
		if err != nil {
			return err
		}
		skipped, whole := absent(e.name, filepath.ToSlash(name))
		if whole {
			continue
		}
		// Wine takes a folder for temporary files from Windows.
		words := slices.Concat([]string{"env", "-u", "TMPDIR", withoutOracle}, e.env, []string{"go", "test", "-vet=off", "-timeout", "30m"}, flags)
		if len(skipped) > 0 {
			words = append(words, "-skip", strings.Join(skipped, "|"))
		}
		failure = cmp.Or(failure, r.do(append(words, folder)...))
	}
	return failure
}

// overlay writes the changed file of Go's library, and the file for go test -overlay. It returns the name of the latter.
func (e emulator) overlay(r *runner, folder, script string) (string, error) {
	root, err := r.output("go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	old := filepath.Join(strings.TrimSpace(root), "src", filepath.FromSlash(e.file))
	text, err := os.ReadFile(old)
	if err != nil {
		return "", err
	}
	changed := string(text)
	for _, edit := range e.edits {
		if strings.Count(changed, edit[0]) != 1 {
			return "", fmt.Errorf("%s has changed: it has not one %q", old, edit[0])
		}
		changed = strings.Replace(changed, edit[0], edit[1], 1)
	}
	if e.added != "" {
		changed += fmt.Sprintf(e.added, script)
	}
	replacement, name := filepath.Join(folder, filepath.Base(old)), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {old: replacement}})
	return name, errors.Join(err, os.WriteFile(replacement, []byte(changed), 0o666), os.WriteFile(name, list, 0o666))
}

// keepWine keeps the server of Wine running until the returned function is called. Otherwise every program of Windows starts
// the server, and the server ends with the first of them.
func (r *runner) keepWine(script string) (end func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	keeper := &runner{ctx: ctx, stdout: r.stdout, stderr: r.stderr}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			began := time.Now()
			// The program of the script ends by itself after ten minutes.
			if err := keeper.do(script, "--keep"); ctx.Err() == nil && (err != nil || time.Since(began) < time.Minute) {
				fmt.Fprintf(r.stderr, "nothing keeps the server of Wine running: %v\n", err)
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// absentTests lists the tests that cannot pass in an emulator, or take too long there. A line has the emulator, the
// package, the test or an asterisk for all of the package, and the reason. If a pattern of subtests follows the test,
// as in Test/^sm_, only these are skipped, and the others are the sample that runs.
//
//go:embed emulators.tsv
var absentTests string

// absent returns patterns for go test -skip of the tests of a package that an emulator cannot run, and whether it
// cannot run any.
func absent(emulator, folder string) (patterns []string, whole bool) {
	for line := range strings.Lines(absentTests) {
		row := strings.Split(line, "\t")
		if row[0] != emulator || row[1] != folder {
			continue
		}
		test, subtests, isSample := strings.Cut(row[2], "/")
		pattern := "^" + test + "$"
		if isSample {
			pattern += "/" + subtests
		}
		patterns, whole = append(patterns, pattern), whole || test == "*"
	}
	return patterns, whole
}
