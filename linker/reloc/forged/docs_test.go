package forged_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/reloc"
)

const docsFile = "../../../docs/relocations.md"

// emitted describes which tool writes a type, ptxas 13.0 or nvlink itself, as seen in their files. No current
// tool writes the other types.
var emitted = map[uint32]string{
	1:   "ptxas: debug sections",
	2:   "ptxas: function addresses in data, debug sections",
	4:   "ptxas: generic and global addresses in data",
	6:   "nvlink, ptxas from sm_100: textures in bank 0",
	7:   "nvlink: samplers in bank 0",
	35:  "nvlink: function descriptors in data",
	52:  "nvlink, ptxas from sm_100: surfaces in bank 0",
	55:  "ptxas: MOV of a shared address",
	56:  "ptxas: MOV of an address, low half",
	57:  "ptxas: MOV of an address, high half",
	58:  "ptxas: CALL up to sm_89",
	59:  "ptxas: MOV of a constant's offset",
	62:  "ptxas: kernel addresses in code, low half",
	63:  "ptxas: kernel addresses in code, high half",
	64:  "ptxas: constant operands up to sm_89",
	65:  "ptxas: texture slots up to sm_89",
	66:  "ptxas: LDC, constant operands",
	68:  "ptxas: system calls on sm_75",
	69:  "ptxas: system calls on sm_75",
	73:  "ptxas: .debug_frame",
	74:  "ptxas: LDS, STS, ATOMS",
	75:  "ptxas: CALL from sm_90",
	76:  "ptxas: 0xff(symbol) and the like in data",
	84:  "ptxas: 0xff(generic(symbol)) and the like in data",
	100: "ptxas: shared addresses of pipelines",
	101: "nvlink, ptxas from sm_100: samplers in bank 0",
	102: "ptxas from sm_90: function addresses in data",
	104: "ptxas from sm_90: 0xff(function) and the like in data",
	112: "ptxas from sm_90: MOV of a function's address, low half",
	113: "ptxas from sm_90: MOV of a function's address, high half",
	114: "ptxas from sm_90: indirect CALL",
	115: "ptxas from sm_100: LDCU, textures",

	0x10001: "ptxas: data",
	0x10002: "ptxas: data, CALL, .debug_frame",
	0x10003: "ptxas: operands",
	0x10004: "ptxas: constant operands",
	0x10005: "ptxas: addresses in code",
	0x10006: "ptxas: addresses in code",
	0x10008: "ptxas: jump tables",
	0x1000b: "nvlink: textures in bank 0",
	0x1000c: "nvlink: samplers in bank 0",
	0x1000d: "nvlink: surfaces in bank 0",
	0x1000e: "ptxas: .debug_frame",
	0x1000f: "ptxas: function descriptors in data",
	0x10018: "ptxas: 0xff(generic(symbol)) and the like in data",
	0x10028: "ptxas: return addresses",
	0x10029: "ptxas: return addresses",
	0x10032: "ptxas: function addresses in data",
	0x1003d: "ptxas: .debug_frame",
}

// These texts describe the uses of types and the kinds of symbols.
var (
	useMeaning = map[reloc.Use]string{
		reloc.NoUse:         "nothing",
		reloc.Address:       "an address, or a half or a byte of one",
		reloc.Unified:       "an address that may lie in a unified table",
		reloc.UnifiedDriver: "such an address that only the driver writes",
		reloc.Word:          "a 32-bit operand of an instruction",
		reloc.Operand:       "a shorter operand: a constant, a shared address, the slot of a texture",
		reloc.Number:        "an operand that cannot be the slot of a texture",
		reloc.Branch:        "the distance from the place to the symbol",
		reloc.Driver:        "a value that only the driver writes",
		reloc.Descriptor:    "a function descriptor; it keeps the function alive",
		reloc.Unused:        "clears its place when the function is not linked",
		reloc.Yield:         "rewrites a YIELD instruction",
		reloc.Sentinel:      "marks the end of the R_MERCURY types",
		reloc.Last:          "marks the end of the R_CUDA types; every unknown number",
		reloc.Invalid:       "may not stand in a Mercury section",
	}
	targetMeaning = map[reloc.Target]string{
		reloc.Function:      "a function in the output, or an undefined one",
		reloc.DeadFunction:  "a function that is not linked",
		reloc.Variable:      "a global variable, defined or not; the section symbols of .nv.global and .nv.global.init",
		reloc.Undefined:     "another undefined symbol",
		reloc.Handle:        "a texture, sampler or surface",
		reloc.Placed:        "a constant, any other section symbol, a symbol without type, the null symbol",
		reloc.Shared:        "a static shared variable",
		reloc.DynamicShared: "an extern shared variable",
		reloc.Parameter:     "the parameters of a kernel; the section symbol of a function that is not linked",
		reloc.Dissolved:     "the section symbol of .nv_debug.shared",
		reloc.UFTOffset:     "__UFT_OFFSET",
		reloc.UnifiedTable:  "__UFT, __UDT, their _END and _CANONICAL, __UDT_OFFSET",
	}
)

// writer returns the tool that writes a type. The types for single bytes of an address follow the first of
// them.
func writer(t *reloc.Type) string {
	for _, first := range []uint32{76, 84, 104, 0x10018} {
		if t.Number >= first && t.Number < first+8 {
			return emitted[first]
		}
	}
	return emitted[t.Number]
}

// TestDocs checks that docs/relocations.md agrees with the tables.
func TestDocs(t *testing.T) {
	got := document(t)
	if *update {
		if err := os.WriteFile(docsFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(docsFile); err != nil || got != string(want) {
		t.Errorf("%s is not current (%v): run go test -run TestDocs -update ./linker/reloc/forged", docsFile, err)
	}
}

func document(t *testing.T) string {
	cases, total := map[uint32]int{}, 0
	for _, r := range readOutcomes(t) {
		for n := range r.outcomes {
			cases[n] += len(questionsOf(n, "", r.rela)) * len(r.asked)
			total += len(questionsOf(n, "", r.rela)) * len(r.asked)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Relocations

Made from the tables of linker/reloc by `+"`go test -run TestDocs -update ./linker/reloc/forged`"+`; not to be edited.
The rules are RELOC-001 to RELOC-025 of rules.md. nvlink 13.0.88 was asked by forging: a cubin that ptxas
made got further entries, each over bytes of its own, and the linked file was read. The %d entries and what
became of them are in linker/reloc/forged/testdata/outcomes.txt; the tables foretell all of them, but for the links
of which culink alone is asked.

`, total)
	b.WriteString("## What becomes of a relocation\n\nA row is what a type is for:\n\n")
	for use := reloc.NoUse; use <= reloc.Invalid; use++ {
		fmt.Fprintf(&b, "- **%s**: %s\n", use, useMeaning[use])
	}
	b.WriteString("\nA column is what the symbol is in the linked file:\n\n")
	for target := reloc.Function; target <= reloc.UnifiedTable; target++ {
		fmt.Fprintf(&b, "- **%s**: %s\n", target, targetMeaning[target])
	}
	b.WriteString(`
A cell is what happens:

- **keep**: stays, with the final number of its type in an executable. **keep as 0**: stays as number 0.
- **resolve**: the fields are written, the entry goes. **resolve as null**: the same, as if the symbol were the null symbol.
- **drop**: goes, the bytes stay.
- **deleted**, **elsewhere**, **unknown**, **unexpected**: nvlink ends with "Internal error:" and the text below, exit 1.
- **not a function**: culink ends with an error, whatever nvlink does.

| disposition | text |
| --- | --- |
`)
	for f := reloc.Deleted; f <= reloc.NotFunction; f++ {
		fmt.Fprintf(&b, "| %s | %s |\n", f, f.Fault())
	}
	for mode := reloc.Executable; mode <= reloc.Relocatable; mode++ {
		title := map[reloc.Mode]string{
			reloc.Executable:  "An executable",
			reloc.Preserving:  "With --preserve-relocs",
			reloc.Relocatable: "With -r",
		}[mode]
		fmt.Fprintf(&b, "\n### %s\n\n| |", title)
		for target := reloc.Function; target <= reloc.UnifiedTable; target++ {
			fmt.Fprintf(&b, " %s |", target)
		}
		b.WriteString("\n|" + strings.Repeat(" --- |", int(reloc.UnifiedTable)+2) + "\n")
		for use := reloc.NoUse; use <= reloc.Invalid; use++ {
			fmt.Fprintf(&b, "| **%s** |", use)
			for target := reloc.Function; target <= reloc.UnifiedTable; target++ {
				typ := reloc.Type{Use: use}
				fmt.Fprintf(&b, " %s |", typ.Disposition(target, mode))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString(`
## Fields and formulas

A field [26,58) is bits 26 to 57, counted from the lowest bit of the byte that the entry points to. S is the
value of the symbol, A the addend of a .rela entry. An entry of a .rel section has no addend: the old value of
each field is added to that field instead, after the shift (before it for the bytes of an address). *bank* is
the number of the symbol's constant bank, *alignment* that of a shared variable (0 for other symbols). Fields of
"driver" are written when the file is loaded; they are known because -force-rela reads them. A type without
fields is one whose fields no link touches.

"Asked" is the number of forged entries.

`)
	for _, table := range []struct {
		title   string
		mercury bool
	}{{"R_CUDA types", false}, {"R_MERCURY types", true}} {
		fmt.Fprintf(&b, "## %s\n\n| number | name | for | in an executable | fields | emitted by | asked |\n| --- | --- | --- | --- | --- | --- | --- |\n", table.title)
		for typ := range reloc.Types() {
			if typ.Number >= reloc.MercuryBase != table.mercury {
				continue
			}
			number := func(n uint32) string {
				if table.mercury {
					return fmt.Sprintf("%#x", n)
				}
				return fmt.Sprint(n)
			}
			final := ""
			if typ.Final != typ.Number {
				final = number(typ.Final)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d |\n", number(typ.Number), typ, typ.Use, final, fieldsOf(typ), writer(typ), cases[typ.Number])
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func fieldsOf(t *reloc.Type) string {
	var fields []string
	for _, a := range t.Actions {
		if a.Op != reloc.End {
			fields = append(fields, fmt.Sprintf("[%d,%d) = %s", a.At, int(a.At)+int(a.Width), a.Op))
		}
	}
	return strings.Join(fields, ", ")
}

// TestEmitted checks that all types in emitted exist.
func TestEmitted(t *testing.T) {
	var numbers []uint32
	for typ := range reloc.Types() {
		numbers = append(numbers, typ.Number)
	}
	for n := range emitted {
		if !slices.Contains(numbers, n) {
			t.Errorf("no type %d", n)
		}
	}
}
