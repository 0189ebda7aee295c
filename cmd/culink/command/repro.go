package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
	"github.com/culink/culink/linker/repro"
)

// --repro packs a link into one file, even if the link fails. The package has the command line, each file that was read,
// the printed text and the checksums of the outputs (OPT-501). In all of these, paths are rewritten for the folder in
// which the package will be unpacked ([repro.Local]).

// A recorder collects the package while the link runs. A nil recorder collects nothing.
type recorder struct {
	inputs         map[string][]byte
	responses      map[string][]byte // response files as they are here
	outputs        map[string]string
	paths          map[string]string // the paths that were changed, with their old names
	note           string            // option string of the tool note in the new folder
	stdout, stderr bytes.Buffer
}

func newRecorder() *recorder {
	return &recorder{inputs: map[string][]byte{}, responses: map[string][]byte{}, outputs: map[string]string{}, paths: map[string]string{}}
}

// local returns [repro.Local] of a name, and stores it so that the printed text can be changed in the same way.
func (r *recorder) local(name string) string {
	local := repro.Local(name)
	if local != name {
		r.paths[name] = local
	}
	return local
}

// readFile reads a response file for the parser.
func (r *recorder) readFile(name string) ([]byte, error) {
	data, err := option.ReadFile(name)
	if info, failed := os.Stat(name); failed == nil && info.Mode().IsRegular() && err == nil {
		r.responses[name] = data
	}
	return data, err
}

// moveResponses records the response files with the paths of the new folder.
func (r *recorder) moveResponses(host *platform.Platform) {
	for name, data := range r.responses {
		r.opened(name, option.MapResponseFile(host, data, r.local))
	}
}

// opened records a file that was read, or whose existence was checked.
func (r *recorder) opened(name string, data []byte) {
	if r != nil {
		r.inputs[path.Clean(filepath.ToSlash(r.local(name)))] = data
	}
}

// wrote records an output. sum is [repro.Unchecked] if the bytes of the output differ from run to run.
func (r *recorder) wrote(name, sum string) {
	if r != nil {
		r.outputs[r.local(name)] = sum
	}
}

// movedNote returns the option string that the tool note has if the link runs in the new folder.
func (r *recorder) movedNote(args []string) string {
	moved, _ := parse(context.Background(), option.MapPaths(args, r.local), func(name string) ([]byte, error) {
		if data, ok := r.inputs[path.Clean(filepath.ToSlash(name))]; ok {
			return data, nil
		}
		return nil, os.ErrNotExist
	})
	return moved.Note()
}

// linked records the outputs of a link. worst is the highest severity of its messages.
func (r *recorder) linked(s *option.Settings, result *linker.Result, worst diag.Severity) {
	if result.Output != nil && worst < diag.Error {
		r.wrote(s.Output, repro.Sum(result.Output))
	}
	if s.Given("register-link-binaries") {
		r.wrote(s.RegisterLinkBinaries, repro.Unchecked) // holds absolute paths
	}
	if s.Given("dot-file") {
		r.wrote(s.DotFile, repro.Sum(result.Dot))
	}
	for _, name := range []string{mapName(s), s.TraceFile} { // these options name inputs
		if _, err := os.Stat(name); name != "" && err == nil {
			r.wrote(name, repro.Unchecked)
		}
	}
}

// write writes the package.
func (r *recorder) write(w io.Writer, tool string, args []string, exit int) error {
	p := repro.Package{
		Tool: tool, Args: option.MapPaths(args, r.local),
		Environment: option.Environment(os.Getenv),
		Inputs:      r.inputs, Outputs: r.outputs,
		Exit: exit, Stdout: r.moved(r.stdout.Bytes()), Stderr: r.moved(r.stderr.Bytes()),
	}
	return p.Write(w)
}

// moved replaces the paths in the printed text. It replaces longer paths first.
func (r *recorder) moved(text []byte) []byte {
	var names []string
	for name := range r.paths {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, "'"+name, "'"+r.paths[name], " "+name, " "+r.paths[name], `"`+name, `"`+r.paths[name])
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}
