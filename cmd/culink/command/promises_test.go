package command

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A link of the same files has the same output and messages in different folders and with different numbers of threads.
func TestSameEverywhere(t *testing.T) {
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for i, threads := range []int{1, 2, 7, 16} {
		runtime.GOMAXPROCS(threads)
		t.Chdir(t.TempDir())
		folder := filepath.Join("a folder", strings.Repeat("d", 20*i+1))
		write(t, filepath.Join(folder, "k1.cubin"), k1)
		write(t, filepath.Join(folder, "k2.cubin"), k2)
		t.Chdir(folder)
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), []string{"/some/where/nvlink", "-arch=sm_90", "-v", "-dump-callgraph", "k1.cubin", "k2.cubin", "-o", "out.cubin", "--map", "map.txt"}, &stdout, &stderr)
		got := fmt.Sprint(exit, stdout.String(), stderr.String(), read(t, "out.cubin"), read(t, "map.txt"))
		if exit != 0 {
			t.Fatal(got)
		}
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("with %d threads, in %s:\n%q\nbefore:\n%q", threads, folder, got, first)
		}
	}
}

// The test lists every place in the command and the linker that accesses the system. A new place needs a review: a link
// must read only the files that the command line names, and must write only outputs.
func TestWhoTouchesFiles(t *testing.T) {
	want := map[string]string{
		"cmd/culink/command/collector.go":       "os.Stat",         // sizes of inputs
		"cmd/culink/command/hugepages_linux.go": "syscall.Syscall", // huge pages for its own memory
		"cmd/culink/command/hostscript.go":      "os.Stat",
		"cmd/culink/command/outputs.go":         "os.Open os.Stat",                   // an older registration file
		"cmd/culink/command/inputs.go":          "os.Stat",                           // the library of -lto, whether NAME.lib is a file
		"cmd/culink/command/answers.go":         "os.Getwd os.ReadDir os.Stat",       // --advice: an input that could not be loaded; --show-advice
		"cmd/culink/command/makeshadow.go":      "os.Executable os.Getenv os.Setenv", // the release of a shadow
		"cmd/culink/command/main.go":            "os.Exit os.Getenv",
		"cmd/culink/advice/file.go":             "os.OpenFile os.Stat", // the file of CULINK_ADVICE
		"cmd/culink/command/toolkit.go":         "os.Getenv",           // --toolkit: the release of the environment
		"cmd/culink/command/signals_other.go":   "os.Exit",
		"cmd/culink/command/signals_unix.go":    "os.Exit os.Getpid syscall.Kill",
		"cmd/culink/command/signals_windows.go": "os.Exit",
		"cmd/culink/command/repro.go":           "os.Stat",     // --repro
		"cmd/culink/command/times.go":           "os.OpenFile", // -time
		"cmd/culink/output/clash.go":            "os.SameFile os.Stat",
		"cmd/culink/output/draft_other.go":      "os.OpenFile os.Rename",
		"cmd/culink/output/draft_windows.go":    "os.NewFile os.Rename",
		"cmd/culink/output/output.go":           "os.IsPathSeparator os.Open os.OpenFile os.Readlink os.Remove os.Rename os.Stat",
		"cmd/culink/output/replace_linux.go":    "os.Lstat os.OpenFile syscall.BytePtrFromString syscall.Listxattr syscall.RawSyscall6 syscall.Syscall6",
		"cmd/culink/shadow/place.go":            "os.Link os.Mkdir os.ReadFile os.Remove os.Stat os.Symlink",                                                                                                  // --make-shadow, and its nvlink on Windows
		"cmd/culink/shadow/shadow.go":           "exec.LookPath os.Chmod os.Getenv os.Mkdir os.MkdirAll os.MkdirTemp os.ReadDir os.ReadFile os.Remove os.RemoveAll os.Rename os.Stat os.Symlink os.WriteFile", // --make-shadow
		"linker/input/input.go":                 "os.Stat",
		"linker/cubin/reader.go":                "os.Open", // OpenFile, which no link calls
		"linker/input/tree.go":                  "os.Open os.SameFile os.Stat",
		"linker/input/contents.go":              "os.SameFile os.Stat",
		"linker/input/map_linux.go":             "os.NewFile syscall.Madvise syscall.Mmap syscall.Open", // inputs, for reading
		"linker/input/map_other.go":             "os.Open",
		"linker/input/pages.go":                 "os.Getpagesize",
		"linker/helper/folder.go":               "os.MkdirTemp",
		"linker/helper/helper.go":               "exec.CommandContext exec.LookPath os.Getenv",
		"linker/helper/keeper.go":               "exec.CommandContext os.NewFile os.Pipe syscall.CloseOnExec",
		"linker/helper/strays_linux.go":         "os.ReadFile syscall.Kill syscall.RawSyscall syscall.Wait4",
		"linker/helper/tie_linux.go":            "syscall.Kill",
		"linker/helper/tie_unix.go":             "syscall.Kill",
		"linker/input/ptx.go":                   "os.Executable os.Getenv os.Lstat os.ReadFile os.RemoveAll os.WriteFile", // ptxas, in a temporary folder
		"linker/input/register.go":              "os.Getwd",
		"linker/jitlink/libnvjitlink/advice.go": "os.Getwd",                                       // CULINK_ADVICE
		"linker/jitlink/libnvjitlink/main.go":   "os.Getenv",                                      // CULINK_ADVICE, CULINK_TOOLKIT
		"linker/jitlink/link.go":                "os.Getenv os.ReadFile os.Stat",                  // the files that a caller of the library names
		"linker/lto/find.go":                    "exec.LookPath os.Executable os.Getenv os.Stat",  // the compiler of -lto
		"linker/lto/libraryform.go":             "os.Stat",                                        // finds the folder of the compiler's library
		"linker/lto/lto.go":                     "os.Lstat os.ReadFile os.RemoveAll os.WriteFile", // its files, in a temporary folder
		"linker/limit/discard.go":               "os.Getpagesize",
		"linker/limit/file.go":                  "os.Open",
		"linker/limit/pages_linux.go":           "syscall.Madvise", // returns memory to the system
		"linker/option/responsefile.go":         "os.Open",
		"linker/hazard/kernels/assemble.go":     "exec.CommandContext os.Remove os.WriteFile", // for commands that make tables and measure; no part of a link
		"linker/hazard/learn/main.go":           "os.DirFS os.Getenv os.Stat os.WriteFile",    // the same
		"linker/hazard/measure/main.go":         "os.DirFS os.Getenv",                         // the same
		"linker/hazard/measure/random.go":       "os.DirFS os.MkdirAll os.MkdirTemp os.Remove os.RemoveAll",
		"linker/sass/measure/disassembler.go":   "exec.CommandContext os.ReadFile os.WriteFile",
		"linker/sass/measure/main.go":           "os.Create os.Getenv os.MkdirTemp os.Open os.ReadFile os.RemoveAll os.WriteFile", // the same
		"linker/internal/programtest/moved.go":  "os.Open",                                                                        // for tests
	}
	got := map[string]string{}
	for _, root := range []string{"../../../cmd/culink", "../../../linker"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				return err
			}
			if calls := reachesOut(file); calls != "" {
				got[strings.TrimPrefix(filepath.ToSlash(name), "../../../")] = calls
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-known +found):\n%s", d)
	}
}

// reachesOut returns the called functions of packages that access the system.
func reachesOut(file *ast.File) string {
	packages := map[string]bool{}
	for _, spec := range file.Imports {
		switch path := strings.Trim(spec.Path.Value, `"`); path {
		case "os", "os/exec", "net", "net/http", "syscall", "plugin":
			packages[path[strings.LastIndexByte(path, '/')+1:]] = true
		}
	}
	found := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] {
				found[x.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
