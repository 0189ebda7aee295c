package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/edgname"
)

// questions returns messages of every kind that has an answer.
func questions(file string) []diag.Diagnostic {
	return []diag.Diagnostic{
		diag.New(diag.UndefinedReference, "_Z6calleei", file),
		diag.New(diag.MultipleDefinition, "_Z6calleei", file, file),
		diag.New(diag.TooMuchShared, "_Z1kPi", "shared", 1, 2),
		diag.New(diag.TooMuchGlobalConstant, "constant", 1, 2),
		diag.New(diag.StackUnknown, "_Z1kPi"),
		diag.New(diag.ArchMismatch, file, "sm_90"),
		diag.New(diag.ArchNotFound, "sm_90", file),
		diag.New(diag.PrototypeMismatch, "_Z6calleei", file, file),
		diag.New(diag.LTOObjects),
		diag.New(diag.UncompressFailed),
	}
}

func input(t *testing.T, name string) []byte {
	t.Helper()
	data, err := corpus.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The answers do not fail, however an input is damaged.
func TestDamagedInputs(t *testing.T) {
	files := [][]byte{
		input(t, "basic/two-files/sm_90/in/caller.cubin"),
		input(t, "stack/recursion/sm_80/in/"+first(t, "stack/recursion/sm_80/in")),
		input(t, "basic/debug-information/sm_80/in/"+first(t, "basic/debug-information/sm_80/in")),
	}
	rapid.Check(t, func(t *rapid.T) {
		data := slices.Clone(rapid.SampledFrom(files).Draw(t, "file"))
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "value")
		}
		a := &Adviser{Objects: []Object{{"a.cubin", data}, {"b.cubin", files[0]}}, Demangle: edgname.Demangle, Open: func(string) ([]byte, error) { return data, nil }}
		for _, d := range questions("a.cubin") {
			a.On(d)
		}
	})
}

func first(t *testing.T, dir string) string {
	t.Helper()
	entries, err := corpus.Files.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatal(dir, err)
	}
	return entries[0].Name()
}

// The answer to an undefined reference has the function that refers to the symbol. If the input has a line table, it
// also has the source line.
func TestLineOfReference(t *testing.T) {
	const dir = "basic/debug-information/sm_80/in"
	entries, err := corpus.Files.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, e := range entries {
		a := &Adviser{Objects: []Object{{e.Name(), input(t, dir+"/"+e.Name())}}, Demangle: edgname.Demangle}
		for _, o := range a.objects() {
			for _, y := range o.symbols {
				if y.Name == "" || y.Defined() {
					continue
				}
				for _, u := range o.users(y.Name) {
					if u.line != "" {
						found = fmt.Sprintf("%s: %s at %s", y.Name, u.name, u.line)
					}
				}
			}
		}
	}
	if !strings.Contains(found, ".cu:") {
		t.Errorf("no line of a reference; the last is %q", found)
	}
}

// A cycle is found from any kernel that reaches it, and its functions are listed once.
func TestCycle(t *testing.T) {
	calls := map[string][]string{"k": {"a", "b"}, "a": {"c"}, "b": {"c", "d"}, "d": {"b"}}
	if got := strings.Join(cycleFrom("k", calls), " "); got != "b d b" {
		t.Errorf("%q", got)
	}
	if got := cycleFrom("a", calls); got != nil {
		t.Errorf("%q", got)
	}
}

// Answers have a size limit, even if there are many messages.
func TestAnswersAreBounded(t *testing.T) {
	a := &Adviser{Objects: []Object{{"a.cubin", input(t, "basic/two-files/sm_90/in/caller.cubin")}}}
	answers := 0
	for i := range 1000 {
		if a.On(diag.New(diag.UndefinedReference, fmt.Sprintf("f%d", i), "a.cubin")) != nil {
			answers++
		}
	}
	if answers != mostAnswers {
		t.Errorf("%d answers", answers)
	}
}

// Control sequences in names are not printed.
func TestFactsArePlain(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []Fact{{"named by", "f\x1b[2J\nculink error   : lies"}}); err != nil || b.String() != "  named by  f?[2J?culink error   : lies\n" {
		t.Errorf("%q, %v", &b, err)
	}
}
