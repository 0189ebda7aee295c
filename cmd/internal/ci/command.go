package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/culink/culink/linker/arch"
)

// oracleVariable is the environment variable for the folder of NVIDIA's tools. The commands read it too.
const oracleVariable = "CULINK_ORACLE"

// withoutOracle is the environment setting for commands that run without NVIDIA's tools.
const withoutOracle = oracleVariable + "="

// Releases of NVIDIA's tools.
var (
	recorded = arch.Default.Version // the release in CULINK_ORACLE; other releases are in folders beside it
	newest   = "13.5.37"
)

// command returns the command with these words. Words of the form NAME=VALUE before the program set its environment, as
// in a shell.
func (r *runner) command(words ...string) *exec.Cmd {
	env := append(os.Environ(), oracleVariable+"="+r.oracle)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	cmd := exec.CommandContext(r.ctx, words[0], words[1:]...)
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = r.stdout, r.stderr
	cmd.WaitDelay = 10 * time.Second
	ownGroup(r.ctx, cmd)
	return cmd
}

// do runs a command to its end. The error is an [exec.ExitError] if the command fails.
func (r *runner) do(words ...string) error { return r.command(words...).Run() }

// output runs a command and returns what it prints on stdout.
func (r *runner) output(words ...string) (string, error) {
	cmd := r.command(words...)
	var printed bytes.Buffer
	cmd.Stdout = &printed
	err := cmd.Run()
	return printed.String(), err
}

// lines returns a step that runs the command on each line in turn. No word may contain a space. The step stops at the
// first command that fails.
func lines(commands ...string) func(*runner) error {
	return func(r *runner) error {
		for _, line := range commands {
			if err := r.do(strings.Fields(line)...); err != nil {
				return err
			}
		}
		return nil
	}
}

// shown prints that a command failed. The step shows the result of this command, but does not fail because of it.
func (r *runner) shown(err error, text string) {
	if err != nil {
		io.WriteString(r.stdout, text+"\n")
	}
}

// noting runs a command and copies its lines that begin with NOT RUN to the summary. A command prints such a line for a
// part that it cannot run, for example because a package cannot be downloaded.
func (r *runner) noting(words ...string) error {
	cmd := r.command(words...)
	var printed bytes.Buffer
	cmd.Stdout = io.MultiWriter(r.stdout, &printed)
	err := cmd.Run()
	for line := range strings.Lines(printed.String()) {
		if strings.HasPrefix(line, "NOT RUN") {
			r.note("%s: %s", r.current, strings.TrimSpace(line))
		}
	}
	return err
}

// findOracle reports whether NVIDIA's tools of the recorded release are available. If CULINK_ORACLE is not set, the
// first call installs them.
func (r *runner) findOracle() bool {
	if r.oracle == "" && !r.searched {
		r.searched = true
		if cache, err := os.UserCacheDir(); err == nil {
			folder := filepath.Join(cache, "culink", "oracle-"+recorded)
			if r.do(".ci/install-oracle.sh", folder) == nil {
				r.oracle = folder
			}
		}
	}
	return r.oracle != ""
}

// folderOf returns the folder with the tools of another release.
func (r *runner) folderOf(release string) string {
	return filepath.Join(filepath.Dir(r.oracle), "oracle-"+release)
}

// install installs the tools of other releases if they are missing.
func (r *runner) install(releases ...string) error {
	for _, release := range releases {
		if err := r.do(".ci/install-oracle.sh", r.folderOf(release), release); err != nil {
			return err
		}
	}
	return nil
}

// inFolder calls work with a new temporary folder, and then removes the folder.
func inFolder(work func(folder string) error) error {
	folder, err := os.MkdirTemp("", "culink-ci-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return work(folder)
}
