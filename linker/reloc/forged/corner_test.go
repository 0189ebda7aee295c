package forged_test

// testdata/corners.txt records how nvlink treats relocations at the end of their section. For types and
// symbols, it has the distance from the place, the last one of its section, to the offset of the entry.

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

const cornersFile = "testdata/corners.txt"

var corners = struct {
	types   []uint32
	symbols []string
	shifts  []uint64
}{
	[]uint32{0, 1, 2, 4, 5, 40, 58, 64, 66, 73, 76, 116},
	[]string{"live", "dead", "gv", "tex", "cpad", "sh"},
	[]uint64{16, 25, 28, 31, placeSize, placeSize + 1, 1 << 20, 1 << 40, 1 << 63},
}

func cornerTable(ask func(questions []question) string) string {
	var b strings.Builder
	for _, symbol := range corners.symbols {
		for _, n := range corners.types {
			fmt.Fprintf(&b, "%s %d:", symbol, n)
			for _, shift := range corners.shifts {
				fmt.Fprintf(&b, " [%d] %s", shift, ask([]question{{Type: n, Symbol: symbol, Addend: 0x1234567812345678, Fill: addendPlace, Shift: shift}}))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestCorners checks that package reloc has the same results at the end of a section (RELOC-016, RELOC-017).
func TestCorners(t *testing.T) {
	want, err := os.ReadFile(cornersFile)
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]reloc.Target{}
	for _, a := range asked {
		targets[a.name] = a.target
	}
	// The values of the symbols on sm_80, as in outcomes.txt.
	values := map[string]reloc.Value{"tex": {Symbol: 0x16c}, "cpad": {Symbol: 0xc, Bank: 3}, "sh": {Symbol: 0x3c, Align: 4, Bank: 6}}
	got := cornerTable(func(questions []question) string {
		q := questions[0]
		typ, _ := reloc.Lookup(q.Type)
		section := make([]byte, placeSize)
		for i := range section {
			section[i] = byte(q.Fill[i/8%2] >> (8 * (i % 8)))
		}
		disposition := typ.Disposition(targets[q.Symbol], reloc.Executable)
		if fault := disposition.FaultAt(q.Shift, placeSize); fault != "" {
			return "exit 1 fatal   : Internal error: " + fault
		}
		a := answer{Bytes: section, Type: typ.Final, Addend: q.Addend}
		switch disposition {
		case reloc.KeepNone:
			a.Type = 0
			fallthrough
		case reloc.Keep:
			a.Kept = true
		case reloc.Resolve:
			v := values[q.Symbol]
			v.Addend, v.HasAddend = q.Addend, true
			if err := typ.Apply(section, q.Shift, v); err != nil {
				return err.Error()
			}
		}
		return outcome(questions, []answer{a})
	})
	if got != string(want) {
		t.Errorf("foretold\n%s\nnvlink\n%s", got, want)
	}
}

// askCorners builds the table from the results of a linker.
func askCorners(t *testing.T, link linking, base []byte) string {
	return cornerTable(func(questions []question) string {
		answers, status, text := link.ask(t, base, "sm_80", ".nv.constant3", true, questions)
		if status != 0 {
			return fmt.Sprintf("exit %d %s", status, text)
		}
		return outcome(questions, answers)
	})
}

// TestCornersLive runs nvlink again.
func TestCornersLive(t *testing.T) {
	c := liveToolchain(t)
	base := c.compile(t, "testdata/forge.ptx", "sm_80")
	got := askCorners(t, c.nvlink, base)
	if *update {
		if err := os.WriteFile(cornersFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(cornersFile); err != nil || got != string(want) {
		t.Errorf("nvlink does not do what %s says (%v):\n%s", cornersFile, err, got)
	}
}

// TestIgnoredLive checks that relocations of plain data are ignored from sm_100 on (RELOC-024), and that a
// relocation against an absolute symbol is an error (RELOC-025).
func TestIgnoredLive(t *testing.T) {
	c := liveToolchain(t)
	base := c.compile(t, "testdata/forge.ptx", "sm_100")
	for _, a := range asked {
		if _, ok := lookupSymbol(open(t, base), false, a.name); !ok {
			continue
		}
		var questions []question
		for n := range uint32(118) {
			questions = append(questions, question{Type: n, Symbol: a.name, Addend: 0x12345678, Fill: addendPlace})
		}
		answers, status, text := linking(c.nvlink).ask(t, base, "sm_100", ".nv.global.init", true, questions)
		if status != 0 {
			t.Fatalf("%s: status %d: %s", a.name, status, text)
		}
		for i := range answers {
			if got := outcome(questions[i:i+1], answers[i:i+1]); got != "drop" {
				t.Errorf("type %d against %q: %s", i, a.name, got)
			}
		}
	}
	base = c.compile(t, "testdata/forge.ptx", "sm_80")
	for _, n := range []uint32{0, 2, 4, 66, 73} {
		if _, status, text := linking(c.nvlink).ask(t, base, "sm_80", ".text.k", true, []question{{Type: n, Symbol: "absolute"}}); status != -1 {
			t.Errorf("type %d against an absolute symbol: status %d: %s", n, status, text)
		}
	}
}

func open(t *testing.T, data []byte) *cubin.File {
	t.Helper()
	f, err := cubin.Open("base", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
