package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/explain"
)

// allCases returns the cases of the corpus.
var allCases = sync.OnceValues(func() ([]*suite.Case, error) { return suite.LoadCases(corpus.Files) })

// stepOf writes the inputs of a case's step into a new working folder and returns the arguments.
func stepOf(t *testing.T, id, sm string, step int) []string {
	t.Helper()
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.ID() != id {
			continue
		}
		r, err := suite.LoadRecording(corpus.Files, c, sm)
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		for name, data := range r.Before(step - 1) {
			write(t, filepath.FromSlash(name), data)
		}
		return c.Argv(step-1, sm)
	}
	t.Fatalf("no case %s", id)
	return nil
}

// Each kind of message has an answer, on stderr below the message and in JSON. Without --advice, stderr is the same as
// nvlink's (DIAG-502).
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		id, sm string
		step   int
		want   []string // texts that the answers must contain
	}{
		{"messages/undefined", "90", 1, []string{"  named by  ", "  try       "}},
		{"messages/multiple-functions", "90", 1, []string{"  defined   in ", " bytes of code", "  try       define it in one file"}},
		{"shared/too-much", "80", 1, []string{"  uses      ", " used by ", "  try       make the largest smaller"}},
		{"relocatable/constant-too-much", "80", 1, []string{"  uses      ", "  try       move the largest to global memory"}},
		{"stack/recursion", "80", 1, []string{"  recursion ", " -> ", "  try       set the stack"}},
		{"fatbin/no-image", "80", 1, []string{"  holds     ", ": code for "}},
	} {
		t.Run(c.id, func(t *testing.T) {
			argv := stepOf(t, c.id, c.sm, c.step)
			link := func(name string, more ...string) (string, string) {
				var stdout, stderr bytes.Buffer
				run(t.Context(), append(append([]string{name}, argv...), more...), &stdout, &stderr)
				return stdout.String(), stderr.String()
			}
			_, plain := link("culink")
			_, answered := link("culink", "--advice")
			for _, want := range c.want {
				if !strings.Contains(answered, want) {
					t.Errorf("no %q in\n%s", want, answered)
				}
				if strings.Contains(plain, want) {
					t.Errorf("%q without --advice:\n%s", want, plain)
				}
			}
			var messages strings.Builder
			for line := range strings.Lines(answered) {
				if !strings.HasPrefix(line, "  ") {
					messages.WriteString(line)
				}
			}
			if messages.String() != plain {
				t.Errorf("the messages are\n%swithout --advice\n%s", &messages, plain)
			}
			t.Setenv("CULINK_ADVICE", "0")
			lines, stderr := link("nvlink", "--json")
			if want := strings.ReplaceAll(plain, "culink ", "nvlink "); stderr != want {
				t.Errorf("with --json stderr is\n%swant\n%s", stderr, want)
			}
			typed := 0
			for line := range strings.Lines(lines) {
				var m jsonMessage
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatal(err)
				}
				typed += len(m.Advice)
			}
			if typed == 0 {
				t.Errorf("no advice in\n%s", lines)
			}
		})
	}
}

// If a file defines the undefined symbol, the answer names the archive, its member, and the target (DIAG-502).
func TestAnswersNameTheDefiner(t *testing.T) {
	stepOf(t, "archive/library", "90", 1)
	answer := func(argv ...string) string {
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"culink", "--advice", "-o", "out.cubin"}, argv...), &stdout, &stderr)
		return stderr.String()
	}
	for _, c := range []struct {
		argv []string
		want []string // texts that the answers must contain
	}{
		{[]string{"-arch=sm_90", "-L", "lib", "caller.cubin"}, []string{"  defined   in lib/libcallee.a:callee.o, for sm_90\n", "  try       link lib/libcallee.a as well\n"}},
		{[]string{"-arch=sm_90", "lib/../caller.cubin"}, []string{"try       link the file or library that defines this function"}},
		{[]string{"-arch=sm_90", "-cpu-arch=X86_64", "-L", "lib", "caller.cubin", "-l", "callee"}, nil},
	} {
		got := answer(c.argv...)
		for _, want := range c.want {
			if !strings.Contains(filepath.ToSlash(got), want) {
				t.Errorf("%q: no %q in\n%s", c.argv, want, got)
			}
		}
		if c.want == nil && got != "" {
			t.Errorf("%q: %s", c.argv, got)
		}
	}
	// The archive is part of the link, but its code is for another target.
	library := read(t, "lib/libcallee.a")
	stepOf(t, "archive/library", "80", 1)
	write(t, "libother.a", []byte(library))
	got := answer("-arch=sm_80", "caller.cubin", "libother.a")
	for _, want := range []string{"  defined   in libother.a:callee.o, for sm_90\n", "  try       compile libother.a:callee.o for the target of the link, too (-gencode arch=compute_80,code=sm_80)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The extension of the file determines the format of the map. The target replaces %a in the name (LAYOUT-503).
func TestMapForms(t *testing.T) {
	argv := stepOf(t, "basic/two-files", "90", 1)
	for name, want := range map[string]string{"m.txt": "memory map of sm_90", "m_%a.json": "{\n \"format\": \"culink memory map 1\"", "m_%a.html": "<!DOCTYPE html>"} {
		var stdout, stderr bytes.Buffer
		if exit := run(t.Context(), append([]string{"nvlink", "--map", name}, argv...), &stdout, &stderr); exit != 0 || stderr.Len() > 0 {
			t.Fatalf("exit %d, %s", exit, &stderr)
		}
		if got := read(t, strings.ReplaceAll(name, "%a", "sm_90")); !strings.HasPrefix(got, want) {
			t.Errorf("%s begins %.60q", name, got)
		}
	}
	if read(t, "out.cubin") == "" {
		t.Error("no output")
	}
}

// --explain accepts the name of a symbol as in the file, its name as in the source, or a part of either (REACH-503).
func TestExplainByPart(t *testing.T) {
	argv := stepOf(t, "basic/two-files", "90", 1)
	explain := func(name string, more ...string) string {
		var stdout, stderr bytes.Buffer
		if exit := run(t.Context(), slices.Concat([]string{"nvlink", "--explain", name}, more, argv), &stdout, &stderr); exit != 0 {
			t.Fatalf("exit %d, %s", exit, &stderr)
		}
		return stdout.String()
	}
	exact := explain("_Z6callerPi")
	if !strings.HasPrefix(exact, "_Z6callerPi: kernel\n  means        caller(int *)\n") {
		t.Errorf("by its name:\n%s", exact)
	}
	for _, name := range []string{"caller(int *)", "caller", "aller"} {
		if got := explain(name); !strings.HasPrefix(got, "_Z6callerPi: kernel\n  means        caller(int *)\n") || !strings.Contains(got, "  callee(int)\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if got := explain("_Z6caller"); !strings.Contains(got, "  _Z6calleei\n") {
		t.Errorf("by a part of its name:\n%s", got)
	}
	if got := explain("caller", "--demangle=no"); !strings.Contains(got, "  _Z6calleei\n") {
		t.Errorf("without names of the source:\n%s", got)
	}
	if got := explain("nowhere"); !strings.HasPrefix(got, "nowhere: unknown\n") {
		t.Errorf("nothing:\n%s", got)
	}
}

// --explain of a kernel lists the functions that contribute to its bank of compiler constants, with their inputs. Their
// contributions add up to the whole bank, whether or not equal constants share an address (REACH-502).
func TestExplainCompilerConstants(t *testing.T) {
	for _, id := range []string{"constant/compiler-generated-two-kernels", "constant/compiler-constants-pooled"} {
		argv := stepOf(t, id, "80", 1)
		var stdout, stderr bytes.Buffer
		run(t.Context(), slices.Concat([]string{"nvlink", "--explain", "k", "--json"}, argv), &stdout, &stderr)
		banks := 0
		for line := range strings.Lines(stdout.String()) {
			var e explain.Explanation
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Kind != explain.Kernel || e.Needs == nil {
				continue
			}
			for _, b := range e.Needs.Constants {
				var sum uint64
				for _, by := range b.By {
					sum += by.Size
				}
				const compiler, slack = 2, 16 // between aligned constants
				if b.Bank != compiler {
					continue
				}
				banks++
				if sum == 0 || sum > b.Size || sum+slack*uint64(len(b.By)) < b.Size {
					t.Errorf("%s: %s: %+v", id, e.Symbol, b)
				}
			}
		}
		if banks == 0 {
			t.Errorf("%s: no bank in %s%s", id, &stdout, &stderr)
		}
	}
}

// culink reads the names in a folder once, and searches a library only in folders that may contain it. This holds for
// any number of folders and libraries.
func TestFolderNames(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "d/libA.a", nil)
	write(t, "e/liba.a", nil)
	write(t, "e/liba.so", nil)
	known := readFolders([]string{"none", "d", "./d", "e", "d/libA.a"}) // the last one cannot be read
	write(t, "d/libb.a", nil)
	file := []int{4}
	if runtime.GOOS == "windows" { // a file is like a missing folder
		file = nil
	}
	for name, want := range map[string][]int{
		"libA.a": {1, 3}, "liba.a": {1, 3}, "liba.so": {3}, "libb.a": {}, "../x.a": {1, 3}, "lib\u00e9.a": {1, 3},
	} {
		if got := known.mayHave([]string{name}); !slices.Equal(got, append(want, file...)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := known.mayHave([]string{"liba.so", "liba.a"}); !slices.Equal(got, append([]int{1, 3}, file...)) {
		t.Errorf("two names: %v", got)
	}
}
