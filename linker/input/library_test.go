package input

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
)

// askedFiles is a file system that counts look-ups of files. It refuses to list the names in the folder
// closed.
type askedFiles struct {
	fstest.MapFS
	closed string
	asked  int
}

func (f *askedFiles) Open(name string) (fs.File, error) {
	f.asked++
	if name == f.closed {
		return nil, fs.ErrPermission
	}
	return f.MapFS.Open(name)
}

func (f *askedFiles) Stat(name string) (fs.FileInfo, error) {
	f.asked++
	return f.MapFS.Stat(name)
}

// A link with many -l and -L options looks up each folder and each existing library, but not all pairs. It
// finds the same files as if it looked up each pair (LIMIT-001).
func TestManyLibraries(t *testing.T) {
	t.Parallel()
	library := craft.Archive(craft.Member{Name: "a.o/", Data: craft.HostObject()})
	foreign := bytes.Clone(library)
	copy(foreign[bytes.Index(foreign, []byte("\x7fELF"))+offMachine:], "\xb7\x00")
	files := &askedFiles{closed: "d7", MapFS: fstest.MapFS{
		"d5/libfound.a":   {Data: foreign},
		"d7/libfound.a":   {Data: library},
		"d7/libclosed.a":  {Data: library},
		"d9/libfound.a":   {Data: foreign},
		"d9/liba/b.a":     {Data: library},
		"d9/libshared.so": {Data: nil},
		"d9/libCASE.a":    {Data: library},
	}}
	load := func(many int, limits limit.Limits) (opened []string, said string, asked int) {
		opt := Options{
			Arch: "sm_90", Platform: "linux", CPUArch: "X86_64", FS: files, Folder: ".", Budget: &limit.Budget{Limits: limits},
			Libraries: []string{"found", "closed", "a/b", "shared", "case"},
			Opened:    func(name string, _ []byte) { opened = append(opened, name) },
		}
		for i := range many {
			opt.Libraries = append(opt.Libraries, fmt.Sprintf("missing%d", i))
			opt.SearchPaths = append(opt.SearchPaths, fmt.Sprintf("d%d/", i))
		}
		opt.SearchPaths = append(opt.SearchPaths, "d5//")
		files.asked = 0
		var log diag.Log
		_, err := Load(t.Context(), opt, &log)
		if exceeded := (diag.Diagnostic{}); errors.As(err, &exceeded) {
			return nil, exceeded.Text(), files.asked
		}
		var b strings.Builder
		diag.Print(&b, "nvlink", "", log.Diagnostics)
		return opened, b.String(), files.asked
	}
	const few, many = 12, 2000
	found, said, _ := load(few, limit.Limits{})
	if len(found) == 0 || !strings.Contains(said, "d5/libfound.a") {
		t.Fatalf("found %q, said %q", found, said)
	}
	again, saidAgain, asked := load(many, limit.Limits{})
	if fmt.Sprint(again) != fmt.Sprint(found) || saidAgain != said {
		t.Errorf("%q, said %q; of few %q, said %q", again, saidAgain, found, said)
	}
	if asked > 8*many {
		t.Errorf("%d folders and libraries: %d questions", many, asked)
	}
	if _, said, _ := load(few, limit.Limits{limit.LookUps: 20}); !strings.Contains(said, "--limit lookups=<number>") {
		t.Errorf("20 look-ups: %q", said)
	}
}

// On Windows, a rooted name after -l needs no search path, and no search path precedes it (WIN-860).
func TestRootedLibrary(t *testing.T) {
	t.Parallel()
	folder := filepath.ToSlash(t.TempDir())
	if err := os.WriteFile(filepath.Join(folder, "x.lib"), []byte("short"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		platform, name string
		paths          []string
		want           string
	}{
		{"windows", folder + "/x", nil, "'" + folder + "/x.lib'"},
		{"windows", folder + "/x.lib", []string{"."}, "'" + folder + "/x.lib'"},
		{"windows", folder + "/none", []string{folder}, "[]"},
		{"windows", "x", []string{folder + "/"}, "'" + folder + "/x.lib'"},
		{"windows", "x", nil, "[]"},
		{"linux", folder + "/x", []string{"."}, "[]"},
	} {
		var log diag.Log
		_, _ = Load(t.Context(), Options{Arch: "sm_90", Platform: tt.platform, Libraries: []string{tt.name}, SearchPaths: tt.paths}, &log)
		if said := fmt.Sprint(log.Diagnostics); !strings.Contains(said, tt.want) {
			t.Errorf("%s: -l%s in %q: %s, want %s", tt.platform, tt.name, tt.paths, said, tt.want)
		}
	}
}
