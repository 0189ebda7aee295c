// Package replay repeats a link from a package of culink --repro. It compares exit status, messages and outputs with the
// recorded ones (OPT-502).
package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/repro"
	"github.com/culink/culink/linker/show"
)

// Open reads a package from a file.
func Open(file string) (*repro.Package, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := repro.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// Run repeats the link in a new folder with the linker, under the recorded name, and prints the differences on w. same
// reports whether there are none. The package may be hostile. So Run first checks it, and confines the linker to the
// folder.
func Run(ctx context.Context, p *repro.Package, linker sandbox.Linker, w io.Writer) (same bool, err error) {
	if err := Check(p); err != nil {
		return false, err
	}
	environment, err := environment(p)
	if err != nil {
		return false, err
	}
	linker.Env = append(linker.Env, environment...)
	linker.Name, linker.Trusted = p.Tool, false
	before := attempt.Files{}
	maps.Copy(before, p.Inputs)
	for name := range p.Outputs {
		if dir := path.Dir(name); dir != "." {
			before[dir+"/"+folderMark] = nil
		}
	}
	got, err := linker.Run(ctx, before, p.Args)
	if err != nil {
		return false, err
	}
	same = true
	differ := func(format string, args ...any) {
		same = false
		fmt.Fprintln(w, show.Lines(fmt.Sprintf(format, args...)))
	}
	if got.Killed != "" {
		differ("ended by the limit on %s", got.Killed)
	}
	if got.Exit != p.Exit {
		differ("exit status: recorded %d, got %d", p.Exit, got.Exit)
	}
	if lines := diff.Lines(string(p.Stdout), string(got.Stdout), messageLines); lines != "" {
		differ("stdout, - recorded, + got:\n%s", strings.TrimSuffix(lines, "\n"))
	}
	if lines := diff.Lines(string(p.Stderr), string(got.Stderr), messageLines); lines != "" {
		differ("stderr, - recorded, + got:\n%s", strings.TrimSuffix(lines, "\n"))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Outputs)) {
		want := p.Outputs[name]
		data, written := got.Files[name]
		if !written {
			// got.Files lacks an output that existed before the link with the same bytes.
			data, written = before[name]
		}
		switch {
		case !written:
			differ("output %s: not written", show.Line(name))
		case want != repro.Unchecked && want != repro.Sum(data):
			differ("output %s: recorded %s, got %s (%d bytes)", show.Line(name), want, repro.Sum(data), len(data))
		}
	}
	for _, name := range got.Files.Names() {
		if _, ok := p.Outputs[name]; !ok {
			differ("output %s: written, but not recorded", show.Line(name))
		}
	}
	return same, nil
}

// Check rejects a package that names a file outside its folder, or a program. Such a name may be on the command line, in
// a response file, or in a thin archive (OPT-502).
func Check(p *repro.Package) error {
	toolkit := arch.Default
	if version := p.Environment[option.ToolkitVariable]; version != "" {
		var err error
		if toolkit, err = arch.Find(version); err != nil {
			return err
		}
	}
	settings, err := option.ParseConfined(toolkit, p.Args, p.Inputs)
	if err == nil {
		err = input.CheckPTXOptions(settings.PtxasOptions)
	}
	if err != nil {
		return fmt.Errorf("unsafe command line: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Inputs)) {
		data := p.Inputs[name]
		if !archive.IsThin(data) {
			continue
		}
		for m, err := range archive.Members(data, new(limit.Budget)) {
			if exceeded := (*limit.Error)(nil); errors.As(err, &exceeded) {
				return fmt.Errorf("unsafe archive %s: names of %w", name, err) // more members may follow
			}
			if err == nil && !filepath.IsLocal(filepath.FromSlash(m.Name)) {
				return fmt.Errorf("unsafe archive %s: its member %q is outside of the folder", name, m.Name)
			}
		}
	}
	return nil
}

// environment returns the recorded values of the variables that act as options. It clears those that were not set.
// Variables that name programs keep their values from this process: the user who repeats a link decides which programs
// run (OPT-521).
func environment(p *repro.Package) (env []string, err error) {
	known := map[string]bool{}
	for i := range option.Variables {
		v := &option.Variables[i]
		known[v.Name] = true
		value := p.Environment[v.Name]
		switch {
		case v.Restored(value):
			env = append(env, v.Name+"="+value)
		case v.File:
			env = append(env, v.Name+"=")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		if !known[name] {
			return nil, fmt.Errorf("the link was done with %s in the environment, which stands for no option of this culink", name)
		}
	}
	return env, nil
}

// messageLines is the largest number of lines of the linker's output that are shown.
const messageLines = 60

// folderMark is the name of an empty file. Writing it creates the folder of an output.
const folderMark = ".culink-replay"

// Unpack writes the inputs into a folder. It also writes the arguments into culink.args, one on each line, and the
// variables that were set into culink.env.
func Unpack(p *repro.Package, dir string) error {
	root, err := openRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(p.Inputs)) {
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(name, p.Inputs[filepath.ToSlash(name)], 0o666); err != nil {
			return err
		}
	}
	for name := range p.Outputs {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o777); err != nil {
			return err
		}
	}
	var args, env bytes.Buffer
	for _, arg := range p.Args {
		fmt.Fprintf(&args, "%q\n", arg)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		fmt.Fprintf(&env, "%s=%q\n", name, p.Environment[name])
	}
	if env.Len() > 0 {
		if err := root.WriteFile("culink.env", env.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return root.WriteFile("culink.args", args.Bytes(), 0o666)
}

// openRoot creates a folder and opens it as a root, so that unpacked names stay inside it.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}
