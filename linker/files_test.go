package linker_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/platform"
	"github.com/culink/culink/linker/trace"
)

// TestLinkFiles links cubins, host objects, archives and fat binaries, given only their names and the target.
// The output must have the bytes that nvlink writes.
func TestLinkFiles(t *testing.T) {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	compared, kinds := 0, map[string]bool{}
	for _, c := range cases {
		if c.Expect != suite.ExpectRecorded {
			continue // by choice, the result is another one than nvlink's
		}
		r, err := suite.LoadRecording(corpus.Files, c, "90")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Steps {
			paths, output := plainLink(c.Argv(i, "90"))
			want, ok := r.Steps[i].Files[output]
			if !ok || r.Steps[i].Exit != 0 {
				continue
			}
			dir := t.TempDir()
			for name, data := range r.Before(i) {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, data, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			result := linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_90", ToolName: "nvlink"}, input.Options{Platform: platform.Linux.Name, Files: paths, Folder: dir})
			if err := result.Err(); err != nil {
				t.Errorf("%s, step %d: %v", c.ID(), i+1, err)
			} else if !bytes.Equal(result.Output, want) {
				t.Errorf("%s, step %d: other bytes than nvlink's", c.ID(), i+1)
			}
			compared++
			for _, name := range paths {
				kinds[filepath.Ext(name)] = true
			}
		}
	}
	for _, kind := range []string{".cubin", ".o", ".a", ".fatbin"} {
		if !kinds[kind] {
			t.Errorf("no %s was linked", kind)
		}
	}
	if compared < 50 {
		t.Errorf("%d links compared", compared)
	}
}

// TestLinkTree checks that files of an fs.FS are linked like those of a folder. An archive is read once, even
// under several names, and nothing outside the fs.FS is read.
func TestLinkTree(t *testing.T) {
	t.Parallel()
	link := func(opt input.Options) *linker.Result {
		return linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_90"}, opt)
	}
	var dir string
	for folder, files := range map[string][]string{
		"archive/members/sm_90/in":             {"caller.o", "lib.a", "./lib.a"},
		"archive/long-names-and-thin/sm_90/in": {"caller.cubin", "thin.a"},
	} {
		tree, err := fs.Sub(corpus.Files, folder)
		if err != nil {
			t.Fatal(err)
		}
		dir = t.TempDir()
		if err := os.CopyFS(dir, tree); err != nil {
			t.Fatal(err)
		}
		want := link(input.Options{Platform: platform.Linux.Name, Folder: dir, Files: files})
		for _, opt := range []input.Options{{FS: corpus.Files, Folder: folder}, {FS: tree}, {FS: os.DirFS(dir)}} {
			opt.Files, opt.Platform = files, platform.Linux.Name
			if got := link(opt); want.Output == nil || !bytes.Equal(got.Output, want.Output) {
				t.Errorf("%s: %v; in a folder %v", folder, got.Log.Diagnostics, want.Log.Diagnostics)
			}
		}
	}
	for _, name := range []string{filepath.Join(dir, "thin.a"), "../thin.a", "nowhere.o", ""} {
		if r := link(input.Options{FS: os.DirFS(dir), Files: []string{name}}); r.Err() == nil || !strings.Contains(r.Err().Error(), "'"+name+"'") {
			t.Errorf("%q: %v", name, r.Err())
		}
	}
}

// plainLink returns the inputs and the output of a command line that has no options other than -arch and -o.
// For any other command line the output is empty.
func plainLink(argv []string) (paths []string, output string) {
	for i := 0; i < len(argv); i++ {
		switch word := argv[i]; {
		case word == "-o" && i+1 < len(argv):
			i++
			output = argv[i]
		case strings.HasPrefix(word, "-arch="):
		case strings.HasPrefix(word, "-"):
			return nil, ""
		default:
			paths = append(paths, word)
		}
	}
	return paths, output
}

// TestLinkRefuses checks that a link reports a wrong target and inputs of the wrong kind.
func TestLinkRefuses(t *testing.T) {
	read := func(name string) []byte {
		data, err := corpus.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	executable := read("basic/two-files/sm_90/1.out/out.cubin")
	other := read("basic/two-files/sm_80/in/caller.cubin")
	newer := read("basic/two-files/sm_100/in/caller.cubin")
	host := read("host/references/sm_90/in/a.o")
	for _, tt := range []struct {
		name, arch string
		data       []byte
		want       string
	}{
		{"no target", "", other, "Unknown arch name ''"},
		{"an unknown target", "sm_1", other, "Unknown arch name 'sm_1'"},
		{"a virtual target", "compute_90", other, "Link target of 'compute_90' is virtual target"},
		{"an executable", "sm_90", executable, "Input file 'x' is damaged: ELF header: no relocatable cubin at 0x10: 2"},
		{"a host object", "sm_90", host, "Input file 'x' is damaged: "},
		{"text", "sm_90", []byte("hello"), "Input file 'x' is damaged: "},
		{"nothing", "sm_90", nil, "Input file 'x' is damaged: "},
		{"a later architecture", "sm_90", newer, "'x' arch does not match target 'sm_90'"},
	} {
		goesOn := false
		r := linker.Link(t.Context(), linker.Options{Arch: tt.arch, Trace: func(e trace.Event) { goesOn = true }}, []linker.Input{{Name: "x", Data: tt.data}})
		if err := r.Err(); err == nil || r.Output != nil || len(r.Log.Diagnostics) != 1 || goesOn || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if r := linker.LinkFiles(t.Context(), linker.Options{Arch: "sm_90"}, "nowhere.cubin"); r.Err() == nil || !strings.Contains(r.Err().Error(), "nowhere.cubin") {
		t.Errorf("a missing file: %v", r.Err())
	}
	if r := linker.LinkFiles(t.Context(), linker.Options{Arch: "sm_90"}); r.Err() == nil || r.Log.Diagnostics[0].Name() != "no-input-files" {
		t.Errorf("no file: %v", r.Err())
	}
	ended, end := context.WithCancel(t.Context())
	end()
	file := filepath.Join(t.TempDir(), "a.cubin")
	if err := os.WriteFile(file, other, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := linker.LinkFiles(ended, linker.Options{Arch: "sm_90"}, file); !errors.Is(r.Err(), context.Canceled) || r.Output != nil {
		t.Errorf("an ended context: %v", r.Err())
	}
	if r := linker.Link(ended, linker.Options{Arch: "sm_80"}, []linker.Input{{Name: "x", Data: other}}); !errors.Is(r.Err(), context.Canceled) || r.Output != nil {
		t.Errorf("an ended context, in memory: %v", r.Err())
	}
}

// TestCompileHook checks that PTX is compiled by the caller's own compiler, with nvlink's arguments.
func TestCompileHook(t *testing.T) {
	made, err := corpus.Files.ReadFile("basic/two-files/sm_90/in/callee.cubin")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var asked []string
	compile := func(_ context.Context, arguments []string, ptx []byte) ([]byte, string, error) {
		asked = append(asked, strings.Join(arguments, " ")+": "+string(ptx[:8]))
		return made, "", nil
	}
	r := linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_90"}, input.Options{Files: []string{file}, PTXAS: input.PTXAS{Compile: compile}})
	if err := r.Err(); err != nil || r.Output == nil {
		t.Fatal(err)
	}
	if want := "-arch=sm_90 -m64 -c: .version"; strings.Join(asked, "\n") != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestWerrorAfterCompiling checks that -Werror no longer turns warnings into errors after PTX was compiled
// (LOAD-046).
func TestWerrorAfterCompiling(t *testing.T) {
	warns, err := corpus.Files.ReadFile("callgraph/dump-recursion/sm_90/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	ptx := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(ptx, []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	compile := func(context.Context, []string, []byte) ([]byte, string, error) { return warns, "", nil }
	cubin := filepath.Join(t.TempDir(), "a.cubin")
	if err := os.WriteFile(cubin, warns, 0o666); err != nil {
		t.Fatal(err)
	}
	for file, fails := range map[string]bool{ptx: false, cubin: true} {
		opt := linker.Options{Arch: "sm_90", WarningsAreErrors: true}
		r := linker.LoadAndLink(t.Context(), opt, input.Options{Files: []string{file}, PTXAS: input.PTXAS{Compile: compile}})
		if len(r.Log.Diagnostics) == 0 || (r.Err() != nil) != fails {
			t.Errorf("%s: %v, %v", filepath.Base(file), r.Err(), r.Log.Diagnostics)
		}
	}
}

// TestPTXASOfEnvironment checks that PTX is compiled by the compiler that the environment selects, unless the
// options select one (OPT-504).
func TestPTXASOfEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler is a shell script")
	}
	made, err := corpus.Files.ReadFile("basic/two-files/sm_90/in/callee.cubin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	file := write("k.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n")
	works := write("works", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp "+write("made.cubin", string(made))+" \"$2\"\n")
	fails := write("fails", "#!/bin/sh\nexit 1\n")
	for _, tt := range []struct {
		environment, named string
		links              bool
	}{{works, "", true}, {fails, "", false}, {fails, works, true}, {works, fails, false}} {
		t.Setenv(input.PTXASVariable, tt.environment)
		r := linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_90"}, input.Options{Files: []string{file}, PTXAS: input.PTXAS{Path: tt.named}})
		if (r.Err() == nil && r.Output != nil) != tt.links {
			t.Errorf("the environment names %q, the options %q: %v", filepath.Base(tt.environment), filepath.Base(tt.named), r.Err())
		}
	}
}

// TestLTOWithoutCode checks that a link with -lto reports that no input has intermediate code. It continues
// unless that is an error (LOAD-042).
func TestLTOWithoutCode(t *testing.T) {
	data, err := corpus.Files.ReadFile("basic/two-files/sm_90/in/callee.cubin")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.cubin")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, errors := range []bool{false, true} {
		opt := linker.Options{Arch: "sm_90", WarningsAreErrors: errors}
		r := linker.LoadAndLink(t.Context(), opt, input.Options{Files: []string{file}, LTO: &input.LTO{}})
		said := slices.ContainsFunc(r.Log.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == diag.NoLTOObjects })
		if !said || (r.Output == nil) != errors {
			t.Errorf("warnings are errors: %t: %d bytes, %v", errors, len(r.Output), r.Log.Diagnostics)
		}
	}
}
