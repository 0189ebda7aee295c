package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/cmd/internal/jitlibrary"
	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/option"
)

func TestLibraryOptions(t *testing.T) {
	args := strings.Fields("-arch sm_90a a.cubin -r -g -v -kernels-used=a,b -variables-used=c b.cubin -o out")
	s, said := option.Parse(args, option.ReadFile)
	if said != nil {
		t.Fatal(said)
	}
	want := []string{"-arch=sm_90a", "-r", "-g", "-verbose", "-kernels-used=a", "-kernels-used=b", "-variables-used=c"}
	if got := libraryOptions(s); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every name in passedOn is the name of an option. The command rejects other options before it loads the library.
func TestOptionsThatTheLibraryDoesNotHave(t *testing.T) {
	for name := range passedOn {
		if !slices.ContainsFunc(option.Table, func(o option.Option) bool { return o.Long == name }) {
			t.Errorf("nvlink has no option %s", name)
		}
	}
	for args, want := range map[string]struct {
		status int
		text   string
	}{
		"-arch=sm_90 a.cubin -o out -preserve-relocs": {exitRefused, "the library has no option --preserve-relocs"},
		"-arch=sm_90 a.cubin -o out -lx":              {exitRefused, "the library has no option --library"},
		"-arch=sm_90 -nonsense":                       {exitFails, "Unknown option 'nonsense'"},
		"-arch=sm_90 a.cubin -o out":                  {exitMisuse, ""},
	} {
		var stderr bytes.Buffer
		load := func() (*jitlibrary.Library, error) { return jitlibrary.Open("/nonexistent/library") }
		if status := run(load, "", strings.Fields(args), &stderr); status != want.status || !strings.Contains(stderr.String(), want.text) {
			t.Errorf("%s: status %d, %q; want %d, %q", args, status, &stderr, want.status, want.text)
		}
	}
}

func TestLogLooksLikeNvlinks(t *testing.T) {
	var out bytes.Buffer
	writeLog(&out, []byte("error   : Undefined reference to 'f' in 'a'\nERROR 9: finish\n\x00"))
	if want := "nvlink error   : Undefined reference to 'f' in 'a'\nnvlink ERROR 9: finish\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

// liveLibrary builds the command and finds the library, or skips the test.
func liveLibrary(t *testing.T) (program, library string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the command loads libraries of Linux")
	}
	library = filepath.Join(toolstest.Oracle(t), "lib", "libnvJitLink.so.13")
	if _, err := os.Stat(library); err != nil {
		t.Skip(err)
	}
	program = filepath.Join(t.TempDir(), "nvjitlink")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, library
}

// One child serves link after link with the same results as separate children.
func TestLiveLibraryServes(t *testing.T) {
	program, library := liveLibrary(t)
	server := &sandbox.Server{Linker: sandbox.Linker{Command: []string{program, "-serve", library}, Limits: sandbox.DefaultLimits}}
	defer server.Close()
	single := &sandbox.Linker{Command: []string{program, library}, Limits: sandbox.DefaultLimits}
	before := attempt.Files{}
	for _, name := range []string{"a.cubin", "b.cubin"} {
		data, err := fs.ReadFile(corpus.Files, "basic/call-graph-relocatable-once/sm_80/in/"+name)
		if err != nil {
			t.Fatal(err)
		}
		before[name] = data
	}
	for _, args := range []string{
		"-arch=sm_80 a.cubin b.cubin -o out", "-arch=sm_80 b.cubin a.cubin -o out", "-arch=sm_80 -r a.cubin -o part",
		"-arch=sm_80 a.cubin missing.cubin -o out", "-arch=sm_80 a.cubin -o out -preserve-relocs", "-arch=sm_80 a.cubin b.cubin -o out",
	} {
		got, err := server.Run(t.Context(), before, strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		want, err := single.Run(t.Context(), before, strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		if got.Exit != want.Exit || !maps.EqualFunc(got.Files, want.Files, bytes.Equal) {
			t.Errorf("%s: exit %d, files %v; want %d, %v", args, got.Exit, got.Files.Names(), want.Exit, want.Files.Names())
		}
	}
}

// For every link of plain cubins whose options it supports, the installed library makes the recorded image.
func TestLiveLibraryMakesTheRecordedImages(t *testing.T) {
	program, library := liveLibrary(t)
	linker := &sandbox.Linker{Command: []string{program, library}, Limits: sandbox.DefaultLimits}
	report, err := conformance.Run(t.Context(), corpus.Files, linker, plan.Selection{
		Cases:  []string{"global", "relocatable", "shared", "texture", "weak"},
		Facets: []judge.Facet{judge.FacetExit, judge.FacetImage},
	}, conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Verdicts) == 0 {
		t.Fatal("nothing was judged")
	}
	refused := map[string]bool{} // links
	images := 0
	for _, v := range report.Verdicts {
		link := fmt.Sprint(v.Case, v.SM, v.Step)
		switch {
		case v.Facet == judge.FacetExit: // comes first
			refused[link] = !v.Pass() && v.Differences[0].Got == strconv.Itoa(exitRefused)
		case refused[link], v.Case == "shared/shared-strong-after-weak", v.Case == "texture/weak-references" && v.SM == "90": // no .nv.compat (JIT-083)
		case v.Case == "relocatable/unified-functions" && v.Step == 4: // this output of an earlier -r lacks .nv.info of a kernel
		case !v.Pass():
			t.Errorf("%s: %s", v.Name(), v.Differences[0])
		default:
			images++
		}
	}
	if images < 200 {
		t.Errorf("only %d images were compared", images)
	}
}
