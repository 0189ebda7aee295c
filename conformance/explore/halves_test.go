package explore

import (
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/cubintext"
)

// A file whose halves no compiler wrote together contradicts itself. A symbol that has another name in both halves, and
// what only the plain half says, are no contradiction (CONF-085), nor are plain relocations, which follow the Mercury half (MERC-780).
func TestContradictoryHalves(t *testing.T) {
	t.Parallel()
	in := seedOf(t, "basic/two-files", "100")
	name := in.names()[0]
	text := in.Texts[name]
	c := canon{known: map[uint64]bool{}}
	c.once.Do(func() {}) // the corpus is not read
	c.add(text)
	replaced := func(old, by string) []string {
		at := slices.IndexFunc(text, func(line string) bool { return strings.Contains(line, old) })
		if at < 0 {
			t.Fatalf("no line has %q", old)
		}
		return withLine(text, at, 1, strings.Replace(text[at], old, by, 1))
	}
	for _, tt := range []struct {
		what string
		text []string
		want bool
	}{
		{"as it is", text, false},
		{"another name", renamed(text, "_Z6calleei", "another"), false},
		{"another note", replaced("cuinfo", "cuinfo toolkit=1"), false},
		{"another instruction", replaced("\tu64 0x0", "\tu64 0x1"), true},
		{"another attribute", replaced("attr MERCURY_ISA_VERSION", "attr SPARSE_MMA_MASK"), true},
		{"another plain relocation", replaced("R_CUDA_64", "R_CUDA_32"), false},
		{"another relocation of the Mercury half", replaced("R_MERCURY_ABS_PROG_REL64", "R_MERCURY_ABS64"), true},
		{"no capsule", withLine(text, slices.IndexFunc(text, func(line string) bool { return strings.HasPrefix(line, "section .nv.capmerc") })+1, 1), true},
	} {
		data, err := cubintext.Parse(name, strings.Join(tt.text, "\n")+"\n")
		if err != nil {
			t.Fatalf("%s: %v", tt.what, err)
		}
		files := attempt.Files{name: data}
		if got, err := c.contradicts(files, nil); got != tt.want || err != nil {
			t.Errorf("%s: %v, %v; want %v", tt.what, got, err, tt.want)
		}
		if got, _ := c.contradicts(files, []string{name}); got {
			t.Errorf("%s: contradicts itself as an output", tt.what)
		}
	}
}
