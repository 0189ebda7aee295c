package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/internal/program"
)

// TestOverlay checks which parts of a second definition nvlink accepts beside those of the first (DIAG-115).
func TestOverlay(t *testing.T) {
	parts := []span{{4, 8}, {12, 20}, {20, 24}, {32, 36}}
	for _, tt := range []struct {
		name string
		adds []span
		diff uint64 // a place where the bytes differ; 0: none
		want string
	}{
		{"the same", parts, 0, ""},
		{"inside", []span{{14, 20}}, 0, ""},
		{"inside, with other bytes", []span{{14, 20}}, 15, otherBytes},
		{"other bytes beside it", []span{{14, 20}}, 13, ""},
		{"across an end", []span{{14, 22}}, 0, otherSpans},
		{"across an end that another follows", []span{{14, 24}}, 0, otherSpans},
		{"in a gap", []span{{8, 12}}, 0, ""},
		{"from a gap", []span{{8, 22}}, 0, ""},
		{"longer, to the next", []span{{4, 12}}, 0, ""},
		{"longer, into the next", []span{{12, 22}}, 0, otherSpans},
		{"longer, past the next", []span{{12, 26}}, 0, otherSpans},
		{"two in one", []span{{12, 24}}, 0, ""},
		{"two in one, with other bytes", []span{{12, 24}}, 20, otherBytes},
		{"the last is longer", []span{{32, 48}}, 0, ""},
		{"a longer one stays", []span{{32, 48}, {40, 52}}, 0, otherSpans},
		{"a new one stays", []span{{24, 30}, {28, 31}}, 0, otherSpans},
		{"a new one at the start stands before the others", []span{{0, 3}, {0, 6}}, 0, otherSpans},
		{"a new one at the end", []span{{40, 44}, {42, 48}}, 0, otherSpans},
	} {
		all, got := append([]span(nil), parts...), ""
		same := func(at, n uint64) bool { return tt.diff == 0 || tt.diff < at || tt.diff >= at+n }
		for _, add := range tt.adds {
			if all, got = overlay(all, add, same); got != "" {
				break
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTwoDefinitions checks how a link ends if two inputs define a function (DIAG-115, MERGE-970).
func TestTwoDefinitions(t *testing.T) {
	const (
		twice = "Multiple definition of 'f' in '%.cubin', first defined in '0.cubin'\n"
		fn    = "f global func .text.f"
		alias = ";g global func .text.f size=0"
	)
	other := strings.Replace(code("f"), "0x794d", "0x7918", 1)
	constants := func(text, symbols string) string {
		return input(fn+symbols, code("f"), "section .nv.constant2.f align=4\n\ttext \""+text+"\"\n")
	}
	const one = ";c global object .nv.constant2.f other=constant size=8"
	const late = ";d global object .nv.constant2.f other=constant value=4 size=8"
	for _, tt := range []struct {
		name   string
		inputs []string
		want   string
	}{
		{"without constants", []string{input(fn, code("f")), input(fn, other)}, "merge_elf failed"},
		{"the same constants", []string{constants("abcdefgh", ""), constants("abcdefgh", "")}, "merge_elf failed"},
		{"other constants", []string{constants("abcdefgh", ""), constants("abcdefgx", "")}, "Internal error: " + otherBytes},
		{"constants in one of them", []string{constants("abcdefgh", ""), input(fn, code("f"))}, "merge_elf failed"},
		{"a longer constant", []string{constants("abcdefgh", strings.Replace(one, "global", "local", 1)), constants("abcdefghijkl", strings.Replace(late, "global", "local", 1))}, "Internal error: " + otherSpans},
		{"an alias that nothing names", []string{input(fn, code("f")), input(fn+alias, other)}, "merge_elf failed"},
		{"an alias", []string{input(fn, code("f")), input("g global func undef"), input(fn+alias, other)}, "Internal error: " + otherBytes},
		{"an alias of the same code", []string{input(fn, code("f")), input("g global func undef"), input(fn+alias, code("f"))}, "merge_elf failed"},
		{"an alias in both", []string{input(fn+alias, code("f")), input("g global func undef"), input(fn, other)}, "merge_elf failed"},
	} {
		_, said := link(t, program.Options{}, tt.inputs...)
		want := strings.Replace(twice, "%", string('0'+rune(len(tt.inputs)-1)), 1) + tt.want
		if said != want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, said, want)
		}
	}
}

// TestMostOverlays checks that the constants of a function with two definitions are compared only up to a limit, so that a link
// of many constants ends soon.
func TestMostOverlays(t *testing.T) {
	for _, tt := range []struct {
		constants int
		want      string
	}{
		{50, "Internal error: " + otherBytes},
		{8500, "merge_elf failed"}, // their square is above the limit
	} {
		var symbols strings.Builder
		symbols.WriteString("f global func .text.f")
		for i := range tt.constants {
			fmt.Fprintf(&symbols, ";c%d local object .nv.constant2.f other=constant value=%d size=4", i, 4*i)
		}
		var inputs []string
		for _, last := range []string{"abcd", "abcx"} {
			text := strings.Repeat("abcd", tt.constants-1) + last
			inputs = append(inputs, input(symbols.String(), code("f"), "section .nv.constant2.f align=4\n\ttext \""+text+"\"\n"))
		}
		if _, said := link(t, program.Options{}, inputs...); !strings.HasSuffix(said, tt.want) {
			t.Errorf("%d constants: %s, want %s", tt.constants, said, tt.want)
		}
	}
}

// TestPrototypeOfVariable checks to which function the prototype of a variable belongs (MERGE-971).
func TestPrototypeOfVariable(t *testing.T) {
	const failed, node = "merge_elf failed", "Internal error: no callgraph node"
	differs := func(name, in string) string {
		return "Prototype doesn't match for '" + name + "' in '1.cubin', first defined in '" + in + ".cubin'\n" + failed
	}
	first := func(y, sections string) string {
		return input("p global func .text.p;"+y+";q global func .text.q", code("p"), code("q"), sections, "section .nv.prototype\n\tproto p \"ii\"\n\tproto q \"vi\"\n")
	}
	second := input("y global func .text.y;r global func .text.r", code("y"), code("r"), "section .nv.prototype\n\tproto y \"vi\"\n\tproto r \"ii\"\n")
	const module = "section .nv_debug.shared size=64\n"
	for _, tt := range []struct{ y, sections, want string }{
		{"y global data .nv_debug.shared other=shared size=4 value=1", module, differs("y", "0")},
		{"y global data .nv_debug.shared other=shared size=4 value=2", module, failed},
		{"y global data .nv_debug.shared other=shared size=4 value=3", module, differs("r", "1")},
		{"y global data .nv_debug.shared other=shared size=4 value=4", module, node},
		{"y global data common other=global size=4 value=2", "", failed},
		{"y global data common other=global size=4 value=8", "", node},
		{"y global data .nv.global other=global size=4", "section .nv.global size=8\n", node},
		{"y global data undef other=shared size=4 value=2", "", node},
	} {
		_, said := link(t, program.Options{}, first(tt.y, tt.sections), second)
		for len(said) > 0 && (strings.HasPrefix(said, "Memory space") || strings.HasPrefix(said, "Multiple")) {
			_, said, _ = strings.Cut(said, "\n")
		}
		if said != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.y, said, tt.want)
		}
	}
}

// TestKindAgain checks how often a kernel is reported that is a function elsewhere, if an alias stands before it
// (MERGE-972).
func TestKindAgain(t *testing.T) {
	const fn, kernel, alias = "f global func .text.f", "f global func .text.f other=entry", "g global func .text.f size=0"
	for _, tt := range []struct {
		first, second string
		want          int
	}{
		{kernel, alias + ";" + fn, 2},
		{kernel, fn + ";" + alias, 1},
		{fn, alias + ";" + kernel, 2},
		{fn, alias + ";" + fn, 0},
		{kernel + ";g global func undef", alias + ";" + fn, 1},
		{kernel, alias + ";" + fn + ";h global func .text.f size=0", 2},
	} {
		_, said := link(t, program.Options{}, input(tt.first, code("f")), input(tt.second, code("f")))
		if got := strings.Count(said, "not declared __global__"); got != tt.want {
			t.Errorf("%s, then %s: %d, want %d", tt.first, tt.second, got, tt.want)
		}
	}
}

// TestOvertakenCommon checks the place of a variable that is common, then weak with contents, and then defined without any
// (MERGE-973).
func TestOvertakenCommon(t *testing.T) {
	common := input("y global data common other=global value=4 size=4")
	weak := input("y weak data .nv.global.init other=global size=4", "section .nv.global.init\n\tu32 1\n")
	bare := input("y global data .nv.global other=global size=4", "section .nv.global size=4\n")
	for _, tt := range []struct {
		name   string
		inputs []string
		common bool
		said   string
	}{
		{"common, bare", []string{common, bare}, true, ""},
		{"common, weak, bare", []string{common, weak, bare}, false, ""},
		{"common, weak, bare, bare", []string{common, weak, bare, bare}, false, "Multiple definition of 'y' in '3.cubin', first defined in '1.cubin'\nmerge_elf failed"},
		{"weak, common, bare", []string{weak, common, bare}, false, ""},
	} {
		m, said := link(t, program.Options{}, tt.inputs...)
		if said != tt.said {
			t.Errorf("%s: %s, want %s", tt.name, said, tt.said)
		}
		if m != nil && m.Symbols["y"].Common != tt.common {
			t.Errorf("%s: common %t", tt.name, !tt.common)
		}
	}
}
