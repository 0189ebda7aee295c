package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
)

// A correct linker passes in whatever way it is started: by shells and interpreters that warn about locales, by a chain
// of wrappers, or by a program that needs an environment variable (CONF-009).
func TestWrappersPass(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the wrappers need a Unix system")
	}
	nvlink := culinkAsNvlink(t)
	dir := filepath.Dir(nvlink)
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		return file
	}
	t.Setenv("WRAPPER_NEEDS", nvlink)
	shell := `exec ` + nvlink + ` "$@"` + "\n"
	python := fmt.Sprintf("import os, sys\nos.execv(%q, [%[1]q] + sys.argv[1:])\n", nvlink)
	perl := fmt.Sprintf("exec {'%s'} '%[1]s', @ARGV or die;\n", nvlink)
	shim := "#!/usr/bin/env bash\nset -e\nprogram=\"${0##*/}\"\nexport SHIM_VERSION=\"$program\"\n"
	for _, w := range []struct {
		name    string
		needs   string // program
		command string
		flags   []string
	}{
		{"bash", "bash", write("by-bash", "#!/usr/bin/env bash\n"+shell), nil},
		{"sh", "sh", "sh " + write("by-sh", shell), nil},
		{"dash", "dash", "dash " + write("by-dash", shell), nil},
		{"perl", "perl", "perl " + write("by-perl.pl", perl), nil},
		{"python", "python3", "python3 " + write("by-python.py", python), nil},
		{"shim", "bash", write("shim", shim+shell), nil},
		{"shim of python", "python3", write("python-shim", shim+`exec python3 "$@"`+"\n") + " " + write("ld.py", python), nil},
		{"env", "env", "env WRAPPER=1 " + nvlink, nil},
		{"static program", "", nvlink, nil},
		{"variable of its own", "sh", "sh " + write("by-variable", `exec "${WRAPPER_NEEDS:?}" "$@"`+"\n"), []string{"-keep-env", "WRAPPER_NEEDS"}},
	} {
		t.Run(w.name, func(t *testing.T) {
			if _, err := exec.LookPath(w.needs); w.needs != "" && err != nil {
				t.Skipf("no %s here", w.needs)
			}
			args := append([]string{"run", "-linker", w.command, "-run", "basic/on*", "-sm", "80", "-facet", "exit,messages,file,bytes"}, w.flags...)
			if status, out := runCommand(t, args...); status != commandline.OK {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	status, out := runCommand(t, "run", "-linker", "sh "+filepath.Join(dir, "by-variable"), "-run", "basic/one-kernel", "-sm", "80")
	if status != commandline.Differs || !strings.Contains(out, "WRAPPER_NEEDS") {
		t.Errorf("without its variable: status %d\n%s", status, out)
	}
}

// A run in which everything is skipped has no conclusion (CONF-011).
func TestNothingJudged(t *testing.T) {
	lazy := lazyLinker(t)
	for _, flags := range []string{"-skip *", "-skip * -facet exit", "-skip * -skip-must-fail -facet file"} {
		args := append([]string{"run", "-linker", lazy, "-run", "basic/one-kernel", "-sm", "80"}, strings.Fields(flags)...)
		status, out := runCommand(t, args...)
		if status != commandline.Misuse || strings.Contains(out, "PASS") || !strings.Contains(out, "\nNOTHING JUDGED: no verdict about the linker; ") {
			t.Errorf("%s: status %d\n%s", flags, status, out)
		}
	}
}
