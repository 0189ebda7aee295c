// Package sidebyside compares links by nvlink and culink that compilers and build tools start.
package sidebyside

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// An Outcome is the result of one link.
type Outcome struct {
	Exit           int
	Stdout, Stderr []byte
	Files          map[string][]byte // by name; a file that was not written is missing
}

// Link runs a linker in the folder dir, or in the working folder if dir is empty. The linker is started under the name
// nvlink, and env is added to its environment. outputs maps the files that it may write to their names in the outcome.
func Link(program, dir string, env, args []string, outputs map[string]string) (Outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Args[0], cmd.Dir, cmd.Env = "nvlink", dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return Outcome{}, err
	}
	o := Outcome{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Files: map[string][]byte{}}
	for name, file := range outputs {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Outcome{}, err
		}
		o.Files[name] = data
	}
	return o, nil
}

// Differences lists the differences between two outcomes of a link: outputs in the order of the names, then printed
// text, then the exit status.
func Differences(want, got Outcome, outputs []string) (all []string) {
	for _, name := range outputs {
		theirs, wanted := want.Files[name]
		ours, written := got.Files[name]
		if wanted != written || !bytes.Equal(theirs, ours) {
			all = append(all, "output "+name)
		}
	}
	if !bytes.Equal(want.Stdout, got.Stdout) {
		all = append(all, "stdout: "+headline(got.Stdout))
	}
	if !bytes.Equal(want.Stderr, got.Stderr) {
		all = append(all, "stderr: "+headline(got.Stderr))
	}
	if want.Exit != got.Exit {
		all = append(all, fmt.Sprintf("exit status %d, want %d", got.Exit, want.Exit))
	}
	return all
}

// headline returns the beginning of a printed text on one line.
func headline(text []byte) string {
	const most = 300
	return strings.ReplaceAll(string(text[:min(len(text), most)]), "\n", "/")
}
