package forged_test

// testdata/addends.txt records nvlink's addends for entries of a .rel section at a place with the bytes
// addendPlace. It has a line for each type with two addends: the one that -force-rela writes into the kept
// entry, and the one that --preserve-relocs records for the resolved entry. "-" means that there is no such
// entry.

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

const addendsFile = "testdata/addends.txt"

var addendPlace = [2]uint64{0x0123456789abcdef, 0xfedcba9876543210}

// TestAddends checks that package reloc computes the same addends (RELOC-006, RELOC-007).
func TestAddends(t *testing.T) {
	want, err := os.ReadFile(addendsFile)
	if err != nil {
		t.Fatal(err)
	}
	place := []byte{0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe}
	forced, resolved := map[uint32]int64{}, map[uint32]int64{}
	for typ := range addendTypes() {
		var err error
		if typ.Disposition(reloc.Function, reloc.Executable) == reloc.Keep {
			if forced[typ.Number], err = typ.ForcedAddend(place, 0); err != nil {
				t.Fatal(err)
			}
		}
		if typ.Disposition(reloc.Shared, reloc.Preserving) == reloc.Resolve {
			if resolved[typ.Number], err = typ.Addend(place, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := addendTable(forced, resolved); got != string(want) {
		t.Errorf("foretold\n%s\nnvlink\n%s", got, want)
	}
}

// addendTypes yields the R_CUDA types. It omits the number after the last one, for which nvlink reads the data
// after its table.
func addendTypes() func(func(*reloc.Type) bool) {
	return func(yield func(*reloc.Type) bool) {
		for typ := range reloc.Types() {
			if typ.Use == reloc.Last || typ.Number >= reloc.MercuryBase || !yield(typ) {
				return
			}
		}
	}
}

func addendTable(forced, resolved map[uint32]int64) string {
	var b strings.Builder
	for typ := range addendTypes() {
		cell := func(m map[uint32]int64) string {
			if v, ok := m[typ.Number]; ok {
				return fmt.Sprintf("%#x", uint64(v))
			}
			return "-"
		}
		fmt.Fprintf(&b, "%d %s %s\n", typ.Number, cell(forced), cell(resolved))
	}
	return b.String()
}

// askAddends builds the table from the results of a linker.
func askAddends(t *testing.T, link linking, base []byte) string {
	t.Helper()
	forced, resolved := map[uint32]int64{}, map[uint32]int64{}

	var questions []question
	for typ := range addendTypes() {
		questions = append(questions, question{Type: typ.Number, Symbol: "live", Fill: addendPlace})
	}
	answers, status, text := link.ask(t, base, "sm_80", ".text.k", false, questions, "-force-rela")
	if status != 0 {
		t.Fatal(text)
	}
	for i, a := range answers {
		if a.Kept {
			forced[questions[i].Type] = a.Addend
		}
	}

	questions = nil
	for typ := range addendTypes() {
		if typ.Disposition(reloc.Shared, reloc.Preserving) == reloc.Resolve {
			questions = append(questions, question{Type: typ.Number, Symbol: "sh", Fill: addendPlace})
		}
	}
	file, first, err := forge(base, ".text.k", false, questions)
	if err != nil {
		t.Fatal(err)
	}
	data, status, text := link(t, file, "sm_80", []string{"--preserve-relocs"})
	if status != 0 {
		t.Fatal(text)
	}
	f, err := cubin.Open("out.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	notes := f.Section(".nv.resolvedrela.text.k")
	if notes == nil {
		t.Fatal("no .nv.resolvedrela.text.k")
	}
	relocations, err := f.Relocations(notes.Index)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range relocations {
		if r.Offset >= first {
			q := questions[(r.Offset-first)/placeSize]
			typ, _ := reloc.Lookup(q.Type)
			if r.Type != typ.Final {
				t.Errorf("%s is noted as %d, want %d", typ, r.Type, typ.Final)
			}
			resolved[q.Type] = r.Addend
		}
	}

	return addendTable(forced, resolved)
}

// TestAddendsLive runs nvlink again.
func TestAddendsLive(t *testing.T) {
	c := liveToolchain(t)
	table := askAddends(t, c.nvlink, c.compile(t, "testdata/forge.ptx", "sm_80"))
	if *update {
		if err := os.WriteFile(addendsFile, []byte(table), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(addendsFile); err != nil || table != string(want) {
		t.Errorf("nvlink does not do what %s says (%v):\n%s", addendsFile, err, table)
	}
}
