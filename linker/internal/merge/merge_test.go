package merge

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// head is the start of each input; symbols follow.
const head = "cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n"

// code returns the code of a function with 8 registers. Its symbols are defined separately.
func code(name string) string {
	return "section .text." + name + " regs=8\n\tu64 0x794d 0x000fea0003800000\n"
}

// input returns an input with the given sections, and with symbols separated by semicolons.
func input(symbols string, sections ...string) string {
	lines := ""
	for _, y := range strings.Split(symbols, ";") {
		if y != "" {
			lines += "\tsymbol " + strings.TrimSpace(y) + "\n"
		}
	}
	return head + lines + "section .note.nv.cuinfo\n\tcuinfo\n" + strings.Join(sections, "")
}

// link merges inputs, which are named 0.cubin, 1.cubin and so on.
func link(t *testing.T, opt program.Options, texts ...string) (*program.Program, string) {
	t.Helper()
	if opt.Arch == "" {
		opt.Arch = "sm_80"
	}
	target, _ := arch.Parse(opt.Arch)
	var objects []*object.Object
	var sizes []Size
	tables := new(object.Tables)
	for i, text := range texts {
		data, err := cubintext.Parse(fmt.Sprint(i), text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		o, err := object.Open(fmt.Sprintf("%d.cubin", i), data, strings.Contains(text, "# system"), arch.Default, tables)
		if err != nil {
			t.Fatal(err)
		}
		o.SystemBefore = strings.Count(text, "# other target")
		objects, sizes = append(objects, o), append(sizes, SizeOf(o))
		o.Close()
		idle := strings.Contains(text, "# idle") // of a mapped file most goes
		if o.Lost = o.Closed() && !idle; o.Lost || idle {
			o.Unmap = func() { clear(data) } // what is merged is not read again
		}
	}
	log := &diag.Log{}
	m, ok := Objects(objects, sizes, &opt, target, log)
	if ok != (log.Worst() < diag.Error) {
		t.Errorf("merged %v, said %q", ok, programtest.Said(log))
	}
	return m, programtest.Said(log)
}

// find returns the symbol with the given name from the lists of symbols.
func find(m *program.Program, name string) *program.Symbol {
	for _, list := range [][]*program.Symbol{m.Globals, m.Locals} {
		for _, y := range list {
			if y.Name == name && !y.IsSection {
				return y
			}
		}
	}
	return nil
}

// claims contains possible claims of an input about a name.
var claims = map[string]claim{
	"function":         {kind: claimFunction, defined: true},
	"declared":         {kind: claimFunction},
	"weak function":    {kind: claimFunction, weak: true},
	"variable":         {space: cubin.OtherGlobal, size: 4, defined: true},
	"initialised":      {space: cubin.OtherGlobal, size: 4, defined: true, init: true},
	"extern variable":  {space: cubin.OtherGlobal, size: 4},
	"weak variable":    {space: cubin.OtherGlobal, size: 4, weak: true},
	"large variable":   {space: cubin.OtherGlobal, size: 8, defined: true},
	"large extern":     {space: cubin.OtherGlobal, size: 8},
	"array":            {space: cubin.OtherGlobal},
	"managed":          {space: cubin.OtherGlobal, size: 4, managed: true, defined: true},
	"common":           {kind: claimCommon, space: cubin.OtherGlobal, size: 4},
	"large common":     {kind: claimCommon, space: cubin.OtherGlobal, size: 8},
	"texture":          {kind: claimHandle},
	"defined texture":  {kind: claimHandle, defined: true},
	"extern shared":    {kind: claimExternShared, space: cubin.OtherShared},
	"shared":           {space: cubin.OtherShared, size: 4, defined: true},
	"defined extern":   {space: cubin.OtherShared, defined: true},
	"large function":   {kind: claimFunction, size: 99, defined: true},
	"sizeless texture": {kind: claimHandle, size: 8},
}

// TestSizesClash checks that a size of 0 does not matter, and that the size of a function matters only if it
// comes first (MERGE-030).
func TestSizesClash(t *testing.T) {
	for _, tt := range []struct {
		had, has string
		want     bool
	}{
		{"variable", "variable", false},
		{"variable", "large extern", true},
		{"large extern", "variable", true},
		{"variable", "array", false},
		{"array", "variable", false},
		{"common", "large common", false},
		{"variable", "large common", true},
		{"large common", "variable", true},
		{"variable", "large function", false},
		{"large function", "variable", true},
		{"variable", "sizeless texture", false},
		{"extern shared", "common", true},
		{"extern shared", "shared", false},
		{"shared", "extern shared", false},
	} {
		if got := sizesClash(claims[tt.had], claims[tt.has], false); got != tt.want {
			t.Errorf("%s, then %s: %v", tt.had, tt.has, got)
		}
	}
}

// TestDefinedTwice checks which pairs of claims are two strong definitions (MERGE-030).
func TestDefinedTwice(t *testing.T) {
	for _, tt := range []struct {
		had, has string
		want     bool
	}{
		{"function", "function", true},
		{"function", "declared", false},
		{"declared", "function", false},
		{"function", "weak function", false},
		{"weak function", "function", false},
		{"variable", "variable", true},
		{"variable", "extern variable", false},
		{"variable", "common", true},
		{"initialised", "common", false},
		{"weak variable", "common", false},
		{"common", "common", false},
		{"common", "variable", false},
		{"common", "function", true},
		{"common", "managed", false},
		{"texture", "texture", false},
		{"variable", "texture", true},
		{"extern variable", "texture", true},
		{"texture", "variable", false},
		{"extern shared", "shared", false},
		{"extern shared", "variable", true},
		{"extern shared", "common", true},
		{"extern shared", "defined extern", true},
		{"extern shared", "extern variable", false},
		{"function", "variable", true},
	} {
		if got := definedTwice(claims[tt.had], claims[tt.has], false); got != tt.want {
			t.Errorf("%s, then %s: %v", tt.had, tt.has, got)
		}
	}
}

// TestConflicts checks the messages for inputs that disagree about a name, in nvlink's order (MERGE-030).
func TestConflicts(t *testing.T) {
	const (
		twice   = "Multiple definition of 'y' in '1.cubin', first defined in '0.cubin'"
		size    = "Size doesn't match for 'y' in '1.cubin', first specified in '0.cubin'"
		space   = "Memory space doesn't match for 'y' in '1.cubin', first specified in '0.cubin'"
		managed = "Managed attribute doesn't match for 'y' in '1.cubin', first specified in '0.cubin'"
		entry   = "Function 'y' not declared __global__ in all source files"
		failed  = "merge_elf failed"
		fn      = "y global func .text.y"
		kernel  = "y global func .text.y other=entry"
		data    = "y global data .nv.global other=global size=4"
		global  = "section .nv.global size=8\n"
		init    = "section .nv.global.init\n\tu32 1 2\n"
		consts  = "section .nv.constant3 align=4\n\tu32 1 2\n"
	)
	for _, tt := range []struct {
		name          string
		first, second string
		said          string
	}{
		{"one definition, one reference", input(data, global), input("y global data undef other=global size=4"), ""},
		{"two variables", input(data, global), input(data, global), twice + "\n" + failed},
		{"two functions", input(fn, code("y")), input(fn, code("y")), twice + "\n" + failed},
		{"two weak functions", input("y weak func .text.y", code("y")), input("y weak func .text.y", code("y")), ""},
		{"two static functions", input("y local func .text.y", code("y")), input("y local func .text.y", code("y")), ""},
		{"a function and a kernel", input("y global func undef"), input(kernel, code("y")), entry + "\n" + failed},
		{"other sizes", input(data, global), input("y global data undef other=global size=8"), size + "\n" + failed},
		{"other spaces", input(data, global), input("y global data undef other=constant size=4"), space + "\n" + failed},
		{"managed and not", input(data, global), input("y global data undef other=managed+global size=4"), managed + "\n" + failed},
		{"spaces, sizes and definitions", input(data, global), input("y global data .nv.constant3 other=constant size=8", consts), space + "\n" + size + "\n" + twice + "\n" + failed},
		{"a larger common", input("y global data .nv.global.init other=global size=4", init), input("y global data common other=global value=4 size=8"), "Common symbol 'y' in file '1.cubin' has larger size than initialization\n" + failed},
		{"a common as large", input("y global data .nv.global.init other=global size=4", init), input("y global data common other=global value=4 size=4"), ""},
		{"a common, then a smaller definition", input("y global data common other=global value=4 size=8"), input("y global data .nv.global.init other=global size=4", init), "Common symbol 'y' in file '0.cubin' has larger size than initialization\n" + failed},
		{"a function of the name of data", input("y global data undef other=global size=4"), input(fn, code("y")), space + "\n" + failed},
		{"one with a prototype", input("y global data undef other=global size=4"), input(fn, code("y"), "section .nv.prototype\n\tproto y \"i\"\n"), space + "\nInternal error: no callgraph node"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, said := link(t, program.Options{}, tt.first, tt.second); said != tt.said {
				t.Errorf("said\n%s\nwant\n%s", said, tt.said)
			}
		})
	}
}

// TestWeakChoice checks which definition of a weak function prevails (MERGE-020, MERGE-301).
func TestWeakChoice(t *testing.T) {
	function := func(bind string, regs int, virtual string) string {
		return head + "\tsymbol f " + bind + " func .text.f\nsection .note.nv.cuinfo\n\tcuinfo arch=" + virtual + "\n" +
			fmt.Sprintf("section .text.f regs=%d\n\tu64 0x794d 0x000fea0003800000\n", regs)
	}
	counted := func(regs int) string {
		return input("f weak func .text.f", fmt.Sprintf("section .nv.info\n\tattr REGCOUNT @f %d\n", regs), strings.Replace(code("f"), "regs=8", "regs=0", 1))
	}
	for _, tt := range []struct {
		name   string
		inputs []string
		stays  string
		said   string
	}{
		{"the first of equal ones", []string{function("weak", 8, "80"), function("weak", 8, "80")}, "0.cubin", ""},
		{"fewer registers", []string{function("weak", 16, "80"), function("weak", 8, "80")}, "1.cubin", ""},
		{"more registers", []string{function("weak", 8, "80"), function("weak", 16, "80")}, "0.cubin", ""},
		{"a newer virtual architecture", []string{function("weak", 8, "75"), function("weak", 8, "80")}, "1.cubin", ""},
		{"an older one", []string{function("weak", 8, "80"), function("weak", 8, "75")}, "0.cubin", ""},
		{"newer, with more registers", []string{function("weak", 8, "75"), function("weak", 16, "80")}, "0.cubin", ""},
		{"a strong one comes later", []string{function("weak", 8, "80"), function("global", 99, "75")}, "1.cubin", ""},
		{"a strong one was first", []string{function("global", 99, "80"), function("weak", 8, "80")}, "0.cubin", ""},
		{"the best of three", []string{function("weak", 16, "80"), function("weak", 8, "80"), function("weak", 12, "80")}, "1.cubin", ""},
		{"an attribute instead of the header", []string{function("weak", 16, "80"), counted(8)}, "1.cubin", ""},
		{"in the one that is there", []string{counted(16), function("weak", 8, "80")}, "1.cubin", ""},
		{"nowhere in the new one", []string{function("weak", 8, "80"), input("f weak func .text.f", strings.Replace(code("f"), "regs=8", "regs=0", 1))}, "", "Internal error: no such new reg count"},
		{"nowhere in the old one", []string{input("f weak func .text.f", strings.Replace(code("f"), "regs=8", "regs=0", 1)), function("weak", 8, "80")}, "", "Internal error: no such original reg count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, said := link(t, program.Options{}, tt.inputs...)
			if said != tt.said {
				t.Fatalf("said %q, want %q", said, tt.said)
			}
			if tt.said != "" {
				return
			}
			f := m.Functions[0]
			if len(m.Functions) != 1 || f.Symbol.DefinedIn != tt.stays || f.FirstIn != "0.cubin" {
				t.Errorf("%d functions; f of %s, first in %s; want %s", len(m.Functions), f.Symbol.DefinedIn, f.FirstIn, tt.stays)
			}
			if len(f.Text.Pieces) != 1 || f.Text.Pieces[0].Origin != tt.stays || f.Text.Size != 16 {
				t.Errorf("code of %d bytes in %d pieces, of %s", f.Text.Size, len(f.Text.Pieces), f.Text.Pieces[0].Origin)
			}
		})
	}
}

// TestReplace checks that code, constants, attributes and relocations of a replaced weak definition are
// discarded with it. Names and order stay (MERGE-021, MERGE-036).
func TestReplace(t *testing.T) {
	weak := input("f weak func .text.f; c local data .nv.constant2.f other=constant size=4; v global data .nv.global other=global size=4",
		"section .nv.info\n\tattr REGCOUNT @f 16\n\tattr FRAME_SIZE @f 8\n", "section .nv.info.f\n\tattr NUM_BARRIERS 3\n",
		"section .rela.text.f\n\trel 0 R_CUDA_ABS32_LO_32 v\n", "section .nv.constant2.f\n\tu32 7\n", strings.Replace(code("f"), "8", "16", 1), "section .nv.global size=4\n")
	strong := input("f global func .text.f", "section .nv.info\n\tattr FRAME_SIZE @f 32\n", "section .nv.info.f\n\tattr NUM_BARRIERS 1\n", code("f"))
	m, said := link(t, program.Options{Explain: []string{"f"}}, weak, strong)
	if said != "" {
		t.Fatal(said)
	}
	f := m.Functions[0]
	if f.Symbol.Bind != cubin.BindGlobal || f.RegInfo != 8 || len(f.Text.Relocations) != 0 {
		t.Errorf("binding %d, %d registers, %d relocations", f.Symbol.Bind, f.RegInfo, len(f.Text.Relocations))
	}
	if f.Attributes.Len() != 1 {
		t.Errorf("%d attributes", f.Attributes.Len())
	}
	for a := range f.Attributes.All() {
		if a.Value != 1 {
			t.Errorf("attribute %+v", a)
		}
	}
	if bank := f.Bound.Named(".nv.constant2.f"); bank.State != program.Gone || bank.Size != 0 || f.CompilerConstants() != nil {
		t.Errorf("constants in state %d, %d bytes", bank.State, bank.Size)
	}
	var frames []uint32
	for _, a := range m.Attributes {
		if a.Owner == f {
			frames = append(frames, a.Word(1))
		}
	}
	if !slices.Equal(frames, []uint32{32}) {
		t.Errorf("attributes about f with values %d, want that of the new code", frames)
	}
	if lost := m.LostConstants(); len(lost) != 1 || !lost[0].Hidden {
		t.Errorf("lost constants %v", lost)
	}
	if got := m.AlsoIn[f.Symbol]; !slices.Equal(got, []string{"0.cubin"}) {
		t.Errorf("unused in %v", got)
	}
}

// TestLosingCopy checks that the relocations, attributes and calls of a discarded definition are ignored. Its
// constants keep their space if the prevailing code has none (MERGE-011, MERGE-012, MERGE-018).
func TestLosingCopy(t *testing.T) {
	first := input("f weak func .text.f; g global func undef", code("f"), "section .nv.callgraph\n\tcalls direct\n\tedge f g\n")
	second := input("f weak func .text.f; h global func undef; c local data .nv.constant2.f other=constant size=4",
		"section .nv.info\n\tattr FRAME_SIZE @f 8\n", "section .nv.callgraph\n\tcalls direct\n\tedge f h\n", "section .rela.text.f\n\trel 0 R_CUDA_ABS47_34 h\n",
		"section .nv.constant2.f\n\tu32 7\n", code("f"))
	m, said := link(t, program.Options{}, first, second)
	if said != "" {
		t.Fatal(said)
	}
	f := m.Functions[0]
	if programtest.Names(f.Calls) != "g" || len(f.Text.Relocations) != 0 || len(m.Attributes) != 0 {
		t.Errorf("calls %q, %d relocations, %d attributes", programtest.Names(f.Calls), len(f.Text.Relocations), len(m.Attributes))
	}
	if bank := f.Bound.Named(".nv.constant2.f"); bank == nil || !bank.Orphan || f.CompilerConstants() != nil || find(m, "c") != nil {
		t.Errorf("constants %+v, symbol %v", bank, find(m, "c"))
	}
}

// TestConstantsAfterLosingCopy checks that code with constants that replaces code without any has a section of its own,
// beside the one of the copies that were discarded before and are discarded later. (MERGE-691)
func TestConstantsAfterLosingCopy(t *testing.T) {
	copyOf := func(bind, word string) string {
		return input("f "+bind+" func .text.f; c local data .nv.constant2.f other=constant size=4", "section .nv.constant2.f\n\tu32 "+word+"\n", code("f"))
	}
	m, said := link(t, program.Options{}, input("f weak func .text.f", code("f")), copyOf("weak", "1"), copyOf("global", "2"), copyOf("weak", "3"))
	if said != "" {
		t.Fatal(said)
	}
	f := m.Functions[0]
	own := f.CompilerConstants()
	if own == nil || own == f.Orphan || own.Bytes()[0] != 2 || own.Size != 4 {
		t.Fatalf("constants %+v", own)
	}
	if o := f.Orphan; o == nil || !o.Orphan || o.State != program.Kept || o.Bytes()[0] != 3 || o.Size != 4 {
		t.Errorf("constants of the discarded copies %+v", o)
	}
}

// TestPlace checks that the inputs' parts of a section follow each other, each at its own alignment
// (LAYOUT-010).
func TestPlace(t *testing.T) {
	part := func(name string, align, size int) string {
		return input(name+" global data .nv.global.init other=global size=1", fmt.Sprintf("section .nv.global.init align=%d\n\tzero %d\n", align, size))
	}
	for _, tt := range []struct {
		name   string
		inputs []string
		places []uint64 // of a, b, c
		size   uint64
		align  uint64
	}{
		{"one", []string{part("a", 4, 6)}, []uint64{0}, 6, 4},
		{"aligned", []string{part("a", 4, 6), part("b", 4, 4)}, []uint64{0, 8}, 12, 4},
		{"the second larger", []string{part("a", 4, 6), part("b", 16, 4)}, []uint64{0, 16}, 20, 16},
		{"the second smaller", []string{part("a", 16, 6), part("b", 1, 4)}, []uint64{0, 6}, 10, 16},
		{"three", []string{part("a", 1, 1), part("b", 2, 1), part("c", 4, 1)}, []uint64{0, 2, 4}, 5, 4},
	} {
		m, said := link(t, program.Options{}, tt.inputs...)
		s := m.ByName[".nv.global.init"]
		var places []uint64
		for _, name := range []string{"a", "b", "c"}[:len(tt.inputs)] {
			places = append(places, find(m, name).Value)
		}
		if said != "" || !slices.Equal(places, tt.places) || s.Size != tt.size || s.Align != tt.align || uint64(len(s.Bytes())) != tt.size {
			t.Errorf("%s: places %d, size %d, alignment %d, said %q; want %d, %d, %d", tt.name, places, s.Size, s.Align, said, tt.places, tt.size, tt.align)
		}
		for i, p := range s.Pieces {
			if p.Origin != fmt.Sprintf("%d.cubin", i) || p.Offset != tt.places[i] {
				t.Errorf("%s: piece %d of %s at %d", tt.name, i, p.Origin, p.Offset)
			}
		}
	}
}

// TestPadding checks that the padding for alignments is limited.
func TestPadding(t *testing.T) {
	part := func(name string) string {
		return input(name+" global data .nv.global.init other=global size=1", "section .nv.global.init align=0x1000000\n\tu8 1\n")
	}
	if _, said := link(t, program.Options{}, part("a"), part("b"), part("c")); said != "" {
		t.Errorf("32 MB of padding: said %q", said)
	}
	if _, said := link(t, program.Options{}, part("a"), part("b"), part("c"), part("d")); !strings.Contains(said, "Input file '3.cubin' is damaged") {
		t.Errorf("48 MB of padding: said %q", said)
	}
}

// TestCommons checks that a common symbol has the largest size and the first alignment (MERGE-015, MERGE-016).
func TestCommons(t *testing.T) {
	common := func(align, size int) string {
		return input(fmt.Sprintf("y global data common other=global value=%d size=%d", align, size))
	}
	const init, noBits = "section .nv.global.init\n\tu32 1 2\n", "section .nv.global size=8\n"
	for _, tt := range []struct {
		name   string
		inputs []string
		common bool
		size   uint64
		align  uint64 // the value of a common symbol
		in     string
	}{
		{"one", []string{common(4, 8)}, true, 8, 4, "0.cubin"},
		{"a larger one", []string{common(4, 8), common(16, 12)}, true, 12, 4, "0.cubin"},
		{"a smaller one", []string{common(4, 8), common(16, 4)}, true, 8, 4, "0.cubin"},
		{"a reference first", []string{input("y global data undef other=global size=8"), common(4, 8)}, true, 8, 4, "1.cubin"},
		{"contents later", []string{common(4, 8), input("y global data .nv.global.init other=global size=8", init)}, false, 8, 0, "1.cubin"},
		{"contents before", []string{input("y global data .nv.global.init other=global size=8", init), common(4, 8)}, false, 8, 0, "0.cubin"},
		{"a strong one without contents stays common", []string{common(4, 8), input("y global data .nv.global other=global size=8", noBits)}, true, 8, 4, "0.cubin"},
		{"a weak one without contents becomes common", []string{input("y weak data .nv.global other=global size=8", noBits), common(4, 8)}, true, 8, 4, "0.cubin"},
	} {
		m, said := link(t, program.Options{}, tt.inputs...)
		if y := find(m, "y"); said != "" || y.Common != tt.common || y.Size != tt.size || y.Value != tt.align || y.DefinedIn != tt.in || (y.Section == nil) != tt.common {
			t.Errorf("%s: %+v, said %q", tt.name, y, said)
		}
		if made := m.ByName[cubin.GlobalName] != nil; tt.common && !made {
			t.Errorf("%s: no section for the common", tt.name)
		}
	}
}

// TestRedefinedVariable checks that a strong definition replaces a weak one, and that the first of two weak ones
// prevails. If the prevailing definition is weak, the relocations of the discarded one are dropped (MERGE-011).
func TestRedefinedVariable(t *testing.T) {
	data := func(bind, at string) string {
		return input("y "+bind+" data .nv.global.init other=global size=8; t global func undef", "section .rela.nv.global.init\n\trel "+at+" R_CUDA_64 t\n", "section .nv.global.init align=8\n\tu64 1\n")
	}
	for _, tt := range []struct {
		name        string
		inputs      []string
		in          string
		value       uint64
		relocations []uint64
	}{
		{"weak, strong", []string{data("weak", "0"), data("global", "0")}, "1.cubin", 8, []uint64{0, 8}},
		{"strong, weak", []string{data("global", "0"), data("weak", "0")}, "0.cubin", 0, []uint64{0, 8}},
		{"weak, weak", []string{data("weak", "0"), data("weak", "4")}, "0.cubin", 0, []uint64{0}},
		{"a reference, then a definition", []string{input("y global data undef other=global size=8"), data("global", "4")}, "1.cubin", 0, []uint64{4}},
	} {
		m, said := link(t, program.Options{}, tt.inputs...)
		var offsets []uint64
		for _, r := range m.ByName[".nv.global.init"].Relocations {
			offsets = append(offsets, r.Offset)
		}
		if y := find(m, "y"); said != "" || y.DefinedIn != tt.in || y.Value != tt.value || !slices.Equal(offsets, tt.relocations) {
			t.Errorf("%s: of %s at %d, relocations at %d, said %q; want %s, %d, %d", tt.name, y.DefinedIn, y.Value, offsets, said, tt.in, tt.value, tt.relocations)
		}
	}
}

// TestSpans checks that joined spans contain the same offsets as the adjacent spans before.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []program.Span
		for range rapid.IntRange(0, 8).Draw(t, "spans") {
			from := rapid.Uint64Range(0, 40).Draw(t, "from")
			all = append(all, program.Span{From: from, To: from + rapid.Uint64Range(1, 10).Draw(t, "size")})
		}
		joined := disjoint(all)
		for i := 1; i < len(joined); i++ {
			if joined[i].From <= joined[i-1].To {
				t.Fatalf("%v touch each other", joined)
			}
		}
		for at := range uint64(52) {
			want := slices.ContainsFunc(all, func(s program.Span) bool { return s.From <= at && at < s.To })
			if got := joined.has(at); got != want {
				t.Fatalf("%d in %v: %v", at, joined, got)
			}
		}
	})
}

// TestCallGraph checks each group of call graph records, including all duplicates (REACH-001).
func TestCallGraph(t *testing.T) {
	graph := func(lines string) string {
		return input("k global func .text.k other=entry; f global func .text.f; u global func undef", code("k"), code("f"), "section .nv.callgraph\n"+lines)
	}
	for _, tt := range []struct {
		name       string
		lines      string
		calls      string // of k
		via        string
		taken      string // functions whose address k takes
		prototype  string // the prototype as which f is taken; "-" for none
		prototypes string
	}{
		{"calls", "\tcalls direct\n\tedge k f\n\tedge k u\n", "f u", "", "", "-", ""},
		{"twice in one input", "\tcalls direct\n\tedge k f\n\tedge k f\n", "f f", "", "", "-", ""},
		{"an address", "\tcalls references\n\tedge k f\n", "", "", "f", "", ""},
		{"an address with its prototype", "\tcalls taken\n\tproto f \"#P\"\n\tcalls references\n\tedge k f\n", "", "", "f", "#P", "#P"},
		{"only the prototype", "\tcalls taken\n\tproto f \"#P\"\n", "", "", "", "#P", "#P"},
		{"the last prototype counts", "\tcalls taken\n\tproto f \"#P|1\"\n\tproto f \"#P|2\"\n", "", "", "", "#P|2", "#P|1 #P|2"},
		{"calls by pointers", "\tcalls indirect\n\tproto k \"#Q\"\n\tproto k \"#P\"\n", "", "#Q #P", "", "-", "#Q #P"},
		{"an unknown group", "\tu32 0 0x1234\n\tedge k f\n", "", "", "", "-", ""},
	} {
		m, said := link(t, program.Options{}, graph(tt.lines))
		k, f := m.Functions[0], m.Functions[1]
		prototype := "-"
		if f.TakenAs != nil {
			prototype = *f.TakenAs
		}
		got := []string{programtest.Names(k.Calls), strings.Join(k.CallsVia, " "), programtest.Names(k.Taken), prototype, strings.Join(m.PrototypeStrings, " ")}
		if want := []string{tt.calls, tt.via, tt.taken, tt.prototype, tt.prototypes}; said != "" || !slices.Equal(got, want) {
			t.Errorf("%s: %q, said %q; want %q", tt.name, got, said, want)
		}
		if f.Unsaid != (tt.name == "an address") {
			t.Errorf("%s: unsaid %v", tt.name, f.Unsaid)
		}
	}
}

// TestCallsOfTwoInputs checks that the calls of each input are added, including duplicates.
func TestCallsOfTwoInputs(t *testing.T) {
	calls := input("f weak func .text.f; g global func undef", code("f"), "section .nv.callgraph\n\tcalls direct\n\tedge f g\n")
	declared := input("f global func undef; g global func undef; h global func .text.h", code("h"), "section .nv.callgraph\n\tcalls direct\n\tedge h g\n\tedge f g\n")
	m, said := link(t, program.Options{}, calls, declared)
	if got := programtest.Names(m.Functions[0].Calls); said != "" || got != "g g" {
		t.Errorf("f calls %q, said %q", got, said)
	}
}

// TestDescriptors checks that a relocation for a function descriptor takes the address of the function
// (RELOC-020).
func TestDescriptors(t *testing.T) {
	for typ, want := range map[string]bool{"R_CUDA_FUNC_DESC_64": true, "R_CUDA_64": false} {
		m, said := link(t, program.Options{}, input("k global func .text.k other=entry; f global func .text.f", code("k"), code("f"), "section .rela.text.k\n\trel 0 "+typ+" f\n"))
		if f := m.Functions[1]; said != "" || f.IsTaken != want || f.Unsaid != want {
			t.Errorf("%s: taken %v, unsaid %v, said %q", typ, f.IsTaken, f.Unsaid, said)
		}
	}
}

// TestPrototypes checks that a record of .nv.prototype must agree with the previous record, and that a record of
// .nv.callgraph replaces it (REACH-002, MERGE-033).
func TestPrototypes(t *testing.T) {
	record := func(p string) string {
		p, taken := strings.CutPrefix(p, "taken ")
		if taken {
			return input("f weak func .text.f", code("f"), "section .nv.callgraph\n\tcalls taken\n\tproto f \""+p+"\"\n")
		}
		return input("f weak func .text.f", code("f"), "section .nv.prototype\n\tproto f \""+p+"\"\n")
	}
	const mismatch = "Prototype doesn't match for 'f' in '1.cubin', first defined in '0.cubin'\nmerge_elf failed"
	for _, tt := range []struct{ first, second, said string }{
		{"#ii", "#ii", ""},
		{"#ii|1", "#ii|2", mismatch},
		{"#ii", "#iv", mismatch},
		{"taken #ii", "#iv", mismatch},
		{"taken #ii", "#ii", ""},
	} {
		m, said := link(t, program.Options{}, record(tt.first), record(tt.second))
		if said != tt.said {
			t.Errorf("%s, %s: said %q", tt.first, tt.second, said)
		}
		if tt.said == "" && *m.Functions[0].Prototype != tt.second {
			t.Errorf("%s, %s: %s stays", tt.first, tt.second, *m.Functions[0].Prototype)
		}
	}
}

// TestDriversPrototypes checks that prototypes of a driver function may differ in the text after a bar
// (MERGE-033, KIT-196).
func TestDriversPrototypes(t *testing.T) {
	record := func(name, prototype string) string {
		return input(name+" global func undef", "section .nv.prototype\n\tproto "+name+" \""+prototype+"\"\n")
	}
	for _, tt := range []struct {
		name, first, second string
		agree               bool
	}{
		{"malloc", "#ll|12p4r", "#ll", true},
		{"__cuda_syscall_any", "#ll", "#ll|12p4r", true},
		{"malloc", "#ll|12p4r", "#vl|12p4r", false},
		{"mallocs", "#ll|12p4r", "#ll", false},
	} {
		_, said := link(t, program.Options{}, record(tt.name, tt.first), record(tt.name, tt.second))
		if (said == "") != tt.agree {
			t.Errorf("%s, %s and %s: said %q", tt.name, tt.first, tt.second, said)
		}
	}
}

// TestUnwinds checks that debug information about replaced code is dropped, and that other debug information
// stays (MERGE-013, MERGE-023).
func TestUnwinds(t *testing.T) {
	unwind := func(bind string, table, code string) string {
		return input("f "+bind+" func .text.f; g global func undef; v global data undef other=global", "section .text.f regs=8\n\tu64 0x794d 0x000fea0003800000\n", code,
			"section "+table+".debug_frame\n\trel 0 R_CUDA_64 f\n\trel 8 R_CUDA_64 g\n", "section .debug_frame\n\tu64 1 2\n")
	}
	const relocated = "section .rela.text.f\n\trel 0 R_CUDA_ABS32_LO_32 v\n"
	for _, tt := range []struct {
		name          string
		first, second string
		offsets       []uint64
		stale         []bool
	}{
		{"of code with relocations", unwind("weak", ".rela", relocated), unwind("global", ".rela", ""), []uint64{8, 16, 24}, []bool{false, false, false}},
		{"of code without", unwind("weak", ".rela", ""), unwind("global", ".rela", ""), []uint64{0, 8, 16, 24}, []bool{true, false, false, false}},
		{"without addends", unwind("weak", ".rel", relocated), unwind("global", ".rel", ""), []uint64{0, 8, 16, 24}, []bool{true, false, false, false}},
		{"of a copy that loses", unwind("global", ".rela", ""), unwind("weak", ".rela", ""), []uint64{0, 8, 24}, []bool{false, false, false}},
	} {
		told := 0
		m, said := link(t, program.Options{Debug: true, Trace: func(e trace.Event) {
			if e.Message == trace.RemovesWeakDebugRelocation {
				told++
			}
		}}, tt.first, tt.second)
		if want := map[string]int{"of code with relocations": 1}[tt.name]; told != want {
			t.Errorf("%s: %d relocations are told of, want %d", tt.name, told, want)
		}
		var offsets []uint64
		var stale []bool
		for _, r := range m.ByName[".debug_frame"].Relocations {
			offsets, stale = append(offsets, r.Offset), append(stale, r.Stale)
		}
		if said != "" || !slices.Equal(offsets, tt.offsets) || !slices.Equal(stale, tt.stale) {
			t.Errorf("%s: relocations at %d, stale %v, said %q; want %d, %v", tt.name, offsets, stale, said, tt.offsets, tt.stale)
		}
	}
}

// TestContents checks which bytes of compiler-generated constants are copied (MERGE-019).
func TestContents(t *testing.T) {
	for _, tt := range []struct {
		name    string
		symbols string // "value+size"
		want    string
		opaque  bool
		said    string
	}{
		{"no symbols: whole", "", "abcdefgh", true, ""},
		{"all", "0+8", "abcdefgh", false, ""},
		{"two", "0+4 4+4", "abcdefgh", false, ""},
		{"a gap is zero", "0+2 4+4", "ab..efgh", false, ""},
		{"the rest is cut off", "0+2", "ab", false, ""},
		{"one inside of another", "0+8 2+2", "abcdefgh", false, ""},
		{"after the end", "0+8 8+4", "abcdefgh....", false, ""},
		{"overlapping by a part", "0+4 2+4", "", false, "Internal error: overlapping data spans too much"},
		{"larger than a bank", "0+0x20000", "", false, "Input file '0.cubin' is damaged"},
	} {
		symbols := "f global func .text.f"
		for i, y := range strings.Fields(tt.symbols) {
			at, size, _ := strings.Cut(y, "+")
			symbols += fmt.Sprintf(";c%d local object .nv.constant2.f other=constant value=%s size=%s", i, at, size)
		}
		m, said := link(t, program.Options{}, input(symbols, code("f"), "section .nv.constant2.f align=4\n\ttext \"abcdefgh\"\n"))
		if tt.said != "" {
			if !strings.Contains(said, tt.said) {
				t.Errorf("%s: said %q", tt.name, said)
			}
			continue
		}
		s := m.Functions[0].CompilerConstants()
		if got := strings.ReplaceAll(string(s.Bytes()), "\x00", "."); said != "" || got != tt.want || s.Opaque != tt.opaque {
			t.Errorf("%s: %q, opaque %v, said %q; want %q", tt.name, got, s.Opaque, said, tt.want)
		}
	}
}

// TestShared checks in which section a shared variable is placed (LAYOUT-406, MERGE-306).
func TestShared(t *testing.T) {
	const own, module = "section .nv.shared.k size=16\n", "section .nv.shared.f size=16\n"
	kernel := func(y, sections string) string {
		return input("k global func .text.k other=entry;"+y, code("k"), sections)
	}
	for _, tt := range []struct {
		name    string
		inputs  []string
		section string
		objects int
		extern  bool
		said    string
	}{
		{"a kernel's own", []string{kernel("y local data .nv.shared.k other=shared value=4 size=8", own)}, ".nv.shared.k", 1, false, ""},
		{"a global one of a kernel", []string{kernel("y global data .nv.shared.k other=shared value=4 size=8", own)}, "", 0, false, "Internal error: entry data cannot be GLOBAL"},
		{"of a function", []string{input("f global func .text.f; y global data .nv.shared.f other=shared value=4 size=8", code("f"), module)}, ".nv_debug.shared", 1, false, ""},
		{"an extern array", []string{kernel("y global data undef other=shared value=16", "")}, ".nv_debug.shared", 1, true, ""},
		{"declared, then defined", []string{kernel("y global data undef other=shared value=4 size=8", ""), input("f global func .text.f; y global data .nv.shared.f other=shared value=4 size=8", code("f"), module)}, ".nv_debug.shared", 1, false, ""},
		{"an extern array that gets a size", []string{kernel("y global data undef other=shared value=16", ""), input("f global func .text.f; y global data .nv.shared.f other=shared value=4 size=8", code("f"), module)}, ".nv_debug.shared", 2, true, ""},
	} {
		m, said := link(t, program.Options{}, tt.inputs...)
		if said != tt.said {
			t.Errorf("%s: said %q", tt.name, said)
		}
		if tt.said != "" {
			continue
		}
		y := find(m, "y")
		if y.Section.Name != tt.section || len(m.SharedInOrder) != tt.objects || y.Shared.Extern != tt.extern || y.Shared.Missing {
			t.Errorf("%s: in %s, %d objects, %+v", tt.name, y.Section.Name, len(m.SharedInOrder), y.Shared)
		}
		if late := tt.objects == 2; y.Shared.Late != late {
			t.Errorf("%s: late %v", tt.name, y.Shared.Late)
		}
	}
}

// TestCreationOrder checks that functions, other symbols, remaining sections and records are created in this
// order. Sections and names have the same order (MERGE-001, MERGE-002, EMIT-003).
func TestCreationOrder(t *testing.T) {
	m, said := link(t, program.Options{}, input("w global data .nv.global.init other=global size=4; k global func .text.k other=entry; f global func .text.f",
		"section .debug_str progbits\n\tstr a\n", "section .nv.info.f\n\tattr NUM_BARRIERS 1\n", "section .rela.text.k\n\trel 0 R_CUDA_ABS32_LO_32 w\n",
		code("f"), code("k"), "section .nv.constant0.k\n\tzero 8\n", "section .nv.global.init\n\tu32 1\n"))
	if said != "" {
		t.Fatal(said)
	}
	var names []string
	for _, n := range m.Names[7:] {
		names = append(names, n.Name)
	}
	want := ".text.k .nv.info.k .nv.shared.k .text.f .nv.global.init .debug_str .nv.constant0.k .rel.nv.constant0.k .nv.info.f .rela.text.k .nv.callgraph .nv.prototype"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("names\n%s, want\n%s", got, want)
	}
	if programtest.Names(m.Functions) != "k f" {
		t.Errorf("functions %s", programtest.Names(m.Functions))
	}
}

// TestSymbolsShown checks the type and st_other of a variable in an executable and with -r, and which symbols
// are hidden (EMIT-011, MERGE-303).
func TestSymbolsShown(t *testing.T) {
	const data, init = "y %s data .nv.global.init other=%s size=4", "section .nv.global.init\n\tu32 1\n"
	for _, tt := range []struct {
		name        string
		bind, other string
		opt         program.Options
		typ         cubin.SymbolType
		st          uint8
		hidden      bool
	}{
		{"executable", "global", "global", program.Options{}, cubin.SymObject, 0, false},
		{"-r", "global", "global", program.Options{Relocatable: true}, cubin.SymData, cubin.OtherGlobal, false},
		{"managed", "global", "managed+global", program.Options{}, cubin.SymObject, cubin.OtherManaged, false},
		{"internal", "local", "internal+global", program.Options{}, cubin.SymObject, cubin.OtherInternal, true},
		{"internal, -r", "local", "internal+global", program.Options{Relocatable: true}, cubin.SymData, cubin.OtherInternal | cubin.OtherGlobal, false},
		{"internal, --preserve-relocs", "local", "internal+global", program.Options{PreserveRelocs: true}, cubin.SymObject, cubin.OtherInternal, false},
		{"hidden is forgotten", "global", "2", program.Options{}, cubin.SymData, 0, false},
	} {
		m, said := link(t, tt.opt, input(fmt.Sprintf(data, tt.bind, tt.other), init))
		if y := find(m, "y"); said != "" || y.Type != tt.typ || y.Other != tt.st || y.Hidden != tt.hidden || y.Unnamed != tt.hidden {
			t.Errorf("%s: type %d, st_other %#x, hidden %v, said %q", tt.name, y.Type, y.Other, y.Hidden, said)
		}
	}
}

// TestAliases checks that a second name for code refers to the function with that code (MERGE-025).
func TestAliases(t *testing.T) {
	m, said := link(t, program.Options{}, input("f global func .text.f; g global func .text.f; inner local func .text.f value=8", code("f")))
	f, g := m.Functions[0], m.Functions[1]
	if said != "" || len(m.Functions) != 3 || g.Symbol.Alias != f.Symbol || g.Text != nil || g.Symbol.Section != f.Text {
		t.Errorf("alias %+v, said %q", g.Symbol, said)
	}
	if y := find(m, "inner"); y == nil || y.Fn == nil || y.Fn.Inside() != f || y.Fn.Text != nil || y.Section != f.Text || y.Value != 8 {
		t.Errorf("a local function inside: %+v", y)
	}
}

// TestKernelSections checks kernels that the options do not select. Their sections are created if an earlier
// input takes their address (REACH-033).
func TestKernelSections(t *testing.T) {
	kernel := input("k global func .text.k other=entry", code("k"))
	for _, tt := range []struct {
		name   string
		opt    program.Options
		inputs []string
		made   bool
	}{
		{"no choice", program.Options{}, []string{kernel}, true},
		{"named", program.Options{KernelsUsed: []string{"k"}}, []string{kernel}, true},
		{"not named", program.Options{KernelsUsed: []string{"x"}}, []string{kernel}, false},
		{"not named, -g", program.Options{KernelsUsed: []string{"x"}, Debug: true}, []string{kernel}, true},
		{"not named, mentioned before", program.Options{KernelsUsed: []string{"x"}}, []string{input("k global func undef other=entry"), kernel}, false},
		{"not named, taken before", program.Options{KernelsUsed: []string{"x"}}, []string{input("k global func undef other=entry", "section .nv.callgraph\n\tcalls taken\n\tproto k \"#p\"\n"), kernel}, true},
	} {
		m, said := link(t, tt.opt, tt.inputs...)
		if k := m.Functions[0]; said != "" || (k.InfoSec != nil) != tt.made || (k.Shared.Symbol != nil) != tt.made {
			t.Errorf("%s: said %q, sections made %v", tt.name, said, k.InfoSec != nil)
		}
	}
}

// TestSystem checks that each object of libcudadevrt is linked if a function is undefined where the object comes in the
// list of inputs (LOAD-043, LOAD-044), and that those without code for the target have a place (LOAD-960).
func TestSystem(t *testing.T) {
	other := strings.Replace(input("o global func .text.o", code("o")), "cutext 1\n", "cutext 1\n# system\n", 1)
	system := strings.Replace(input("s global func .text.s", code("s")), "cutext 1\n", "cutext 1\n# system\n", 1)
	needs, plain := input("k global func .text.k other=entry; s global func undef", code("k")), input("k global func .text.k other=entry", code("k"))
	later := input("g global func .text.g", code("g"))
	behind, systemBehind := later+"# other target\n", system+"# other target\n"
	for _, tt := range []struct {
		name      string
		opt       program.Options
		inputs    []string
		functions string
		parts     int // SystemParts
		said      string
	}{
		{"needed", program.Options{}, []string{needs, system}, "k s", 1, ""},
		{"not needed", program.Options{}, []string{plain, system}, "k", 0, ""},
		{"to be kept", program.Options{KeepSystem: true}, []string{plain, system}, "k s", math.MaxInt, ""},
		{"not needed, with a file after it", program.Options{}, []string{plain, system, later}, "", 0, "unexpected object after cudadevrt"},
		{"needed, with a file after it", program.Options{}, []string{needs, system, later}, "k s g", 1, ""},
		{"missing", program.Options{}, []string{needs}, "k s", math.MaxInt, ""},
		{"another object", program.Options{}, []string{needs, system, other}, "k s", 1, ""},
		{"another object, with a file after it", program.Options{}, []string{needs, system, other, later}, "", 0, "unexpected object after cudadevrt"},
		{"a file after one of another target", program.Options{}, []string{plain, behind}, "", 0, "unexpected object after cudadevrt"},
		{"a file after a needed one of another target", program.Options{}, []string{needs, systemBehind, later}, "k s g", 2, ""},
		{"another object before", program.Options{}, []string{needs, other, system}, "k s o", 2, ""},
		{"another object, to be kept", program.Options{KeepSystem: true}, []string{needs, system, other}, "k s o", math.MaxInt, ""},
	} {
		m, said := link(t, tt.opt, tt.inputs...)
		linked := said == "" && strings.Contains(tt.functions, "k s") && tt.name != "missing"
		if said != tt.said || said == "" && (programtest.Names(m.Functions) != tt.functions || m.SystemParts != tt.parts || m.System != linked) {
			t.Errorf("%s: said %q", tt.name, said)
		}
	}
}

// TestCodeKinds checks the code kind of the output for files of several kinds (MERC-301, MERC-303).
func TestCodeKinds(t *testing.T) {
	kinds := map[string]uint32{"machine code": cubin.CodeKindSASS, "no kind": 0, "bare": cubin.CodeKindMercury}
	for _, tt := range []struct {
		arch string
		kind string
		any  bool // an input has Mercury code
		ok   bool
	}{{"sm_100", "machine code", true, true}, {"sm_100", "no kind", true, false}, {"sm_100", "no kind", false, true}, {"sm_90", "no kind", true, true}, {"sm_100", "bare", true, true}} {
		target, _ := arch.Parse(tt.arch)
		m := &merged{Program: program.New(&program.Options{Arch: tt.arch}, target)}
		o := &object.Object{Name: "o.cubin", File: &cubin.File{}}
		o.File.Flags = kinds[tt.kind]
		log := &diag.Log{}
		if ok := m.checkKind(o, tt.any, log); ok != tt.ok || ok != (len(log.Diagnostics) == 0) {
			t.Errorf("%s for %s, beside Mercury code %v: %v, said %q", tt.kind, tt.arch, tt.any, ok, programtest.Said(log))
		}
	}
}

// TestLostTables checks the relocations of jump tables whose code later code replaces (MERC-215, KIT-134). With
// -r they stop the link, unless their code was discarded earlier (MERGE-038).
func TestLostTables(t *testing.T) {
	for _, tt := range []struct {
		release string
		orphan  bool
		left    int
	}{{"13.4", false, 1}, {"13.5", false, 0}, {"13.4", true, 1}, {"13.5", true, 0}} {
		p, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := p.Parse("sm_100")
		m := &merged{Program: program.New(&program.Options{Arch: "sm_100"}, target)}
		m.Form = program.BothHalves
		in := &merger{merged: m}
		fn := &program.Function{Symbol: &program.Symbol{Name: "f"}}
		s := m.AddNewSection(program.Section{Side: program.Side{Name: ".nv.constant2.f"}, Bank: cubin.CompilerBankNumber, Fn: fn, Orphan: tt.orphan})
		s.Mercury = &program.Side{Relocations: []program.Relocation{{Symbol: fn.Symbol}}}
		in.replaceBound(s, fn)
		if got := len(s.Mercury.Relocations); got != tt.left || m.KeepsLostConstants() == tt.orphan {
			t.Errorf("%+v: %d left, the link ends: %v", tt, got, m.KeepsLostConstants())
		}
	}
}

// TestDeclaredValue checks that -r keeps the value of an undefined function, also if its definition has none (MERGE-981).
func TestDeclaredValue(t *testing.T) {
	declared := input("f global func undef value=3")
	for _, tt := range []struct {
		relocatable bool
		inputs      []string
		want        uint64
	}{
		{true, []string{declared}, 3},
		{true, []string{declared, input("f global func .text.f", code("f"))}, 3},
		{true, []string{declared, input("f global func .text.f value=8", code("f"))}, 8},
		{false, []string{declared, input("f global func .text.f", code("f"))}, 0},
	} {
		m, said := link(t, program.Options{Relocatable: tt.relocatable}, tt.inputs...)
		if got := m.Symbols["f"].Value; said != "" || got != tt.want {
			t.Errorf("-r %v, %d inputs: said %q, value %d, want %d", tt.relocatable, len(tt.inputs), said, got, tt.want)
		}
	}
}

// TestSharedTakesDefinition checks that a declared shared variable takes binding and st_other of its definition, a weak array only
// those of a strong one, and that -g hides internal ones, which --preserve-relocs shows if they are static (LAYOUT-989).
func TestSharedTakesDefinition(t *testing.T) {
	const internal = cubin.OtherInternal
	for _, tt := range []struct {
		first, second  string
		opt            program.Options
		bind           cubin.Binding
		visible, shown bool // without ELF's visibility "internal"; in the symbol table
	}{
		{"weak data undef other=internal+shared", "global data .nv_debug.shared other=shared", program.Options{Relocatable: true}, cubin.BindGlobal, true, true},
		{"weak data undef other=internal+shared", "weak data .nv_debug.shared other=shared", program.Options{Relocatable: true}, cubin.BindWeak, false, true},
		{"global data undef other=shared size=8", "weak data .nv_debug.shared other=internal+shared value=4 size=8", program.Options{Relocatable: true}, cubin.BindWeak, false, true},
		{"global data undef other=internal+shared size=8", "global data .nv_debug.shared other=shared value=4 size=8", program.Options{Debug: true}, cubin.BindGlobal, true, true},
		{"weak data undef other=shared", "global data .nv_debug.shared other=internal+shared", program.Options{Debug: true}, cubin.BindGlobal, false, false},
		{"weak data undef other=shared size=8", "global data .nv_debug.shared other=internal+shared value=4 size=8", program.Options{Debug: true, PreserveRelocs: true}, cubin.BindGlobal, false, true},
	} {
		m, said := link(t, tt.opt, input("v "+tt.first), input("v "+tt.second, "section .nv_debug.shared\n"))
		if y := m.Symbols["v"]; said != "" || y.Bind != tt.bind || (y.Other&internal == 0) != tt.visible || y.Hidden == tt.shown {
			t.Errorf("%s, then %s: said %q, binding %v, st_other %#x, hidden: %v", tt.first, tt.second, said, y.Bind, y.Other, y.Hidden)
		}
	}
}

// TestWholeProgramOutside checks that .nv_debug.shared of an extensible whole program becomes a shared variable without a name, the
// first one in the sort (LAYOUT-988), and that variables that it is the first to mention keep their places (LAYOUT-986).
func TestWholeProgramOutside(t *testing.T) {
	symbols := "v global data .nv_debug.shared other=shared value=8 size=4\n\tsymbol k global func .text.k other=entry"
	whole := strings.Replace(input(symbols, code("k"), "section .nv_debug.shared size=48 align=16\n"), "sm=80", "sm=80 type=ewp", 1)
	for _, debug := range []bool{false, true} {
		m, said := link(t, program.Options{Debug: debug}, whole)
		list := m.SharedInOrder
		v := list[len(list)-1]
		if said != "" || len(list) == 1 != debug || !v.Fixed || v.Place != 8 || v.Align != 1 {
			t.Fatalf("said %q, -g %v: %d variables, v %+v", said, debug, len(list), v)
		}
		if u := list[0]; !debug && (!u.Nameless || u.Size != 48 || u.Align != 16 || v.Section.Align != 16) {
			t.Errorf("the one without a name %+v, the section aligned to %d", u, v.Section.Align)
		}
	}
}

// TestWholePrograms checks that an extensible whole program can be linked only with libcudadevrt, and that its
// shared memory has the compiler's layout (MERGE-090, LAYOUT-053).
func TestWholePrograms(t *testing.T) {
	whole := strings.Replace(input("k global func .text.k other=entry", code("k"), "section .nv.shared.k size=48 align=16\n"), "sm=80", "sm=80 type=ewp", 1)
	m, said := link(t, program.Options{}, whole)
	if k := m.Functions[0]; said != "" || !k.WholeShared || !k.Extensible || k.Shared.Size != 48 || k.Shared.Align != 16 || k.Shared.State != program.Kept {
		t.Errorf("said %q, shared memory %+v", said, k.Shared)
	}
	_, said = link(t, program.Options{}, whole, input("f global func .text.f", code("f")))
	if said != "'1.cubin': -ewp compiled objects should only link with libcudadevrt" {
		t.Errorf("beside another file: said %q", said)
	}
}

// TestParameterBanks checks that the parameter banks of two definitions of a weak kernel must have the same size
// (MERGE-017).
func TestParameterBanks(t *testing.T) {
	kernel := func(bind string, size int) string {
		return input("k "+bind+" func .text.k other=entry", code("k"), fmt.Sprintf("section .nv.constant0.k\n\tzero %d\n", size))
	}
	const refused = "Duplicate weak parameter bank for 'k' is not the same size\nmerge_elf failed"
	for _, tt := range []struct {
		name   string
		inputs []string
		said   string
	}{
		{"equal", []string{kernel("weak", 8), kernel("weak", 8)}, ""},
		{"another size, of a copy that loses", []string{kernel("weak", 8), kernel("weak", 12)}, refused},
		{"another size, of a strong copy", []string{kernel("weak", 8), kernel("global", 12)}, ""},
		{"another size, beside a strong copy", []string{kernel("global", 12), kernel("weak", 8)}, ""},
	} {
		if _, said := link(t, program.Options{}, tt.inputs...); said != tt.said {
			t.Errorf("%s: said %q", tt.name, said)
		}
	}
}

// TestStackLimits checks that MAX_STACK_SIZE limits the stack in an executable, and is copied with -r (INFO-202,
// STACK-004).
func TestStackLimits(t *testing.T) {
	text := input("k global func .text.k other=entry", "section .nv.info\n\tattr MAX_STACK_SIZE @k 64\n", code("k"))
	for relocatable, want := range map[bool]int{false: 0, true: 1} {
		m, _ := link(t, program.Options{Relocatable: relocatable}, text)
		if limit := m.Functions[0].MaxStack; len(m.Attributes) != want || (limit == 64) == relocatable {
			t.Errorf("-r %v: limit %d, %d attributes", relocatable, limit, len(m.Attributes))
		}
	}
}

// TestHandles checks that a texture is one symbol for all inputs (DIAG-114).
func TestHandles(t *testing.T) {
	texture := input("t global texture undef")
	m, said := link(t, program.Options{}, texture, texture)
	if y := find(m, "t"); said != "" || len(m.Handles) != 1 || m.Handles[0] != y || y.Mentioned != "<input>" || y.Hidden {
		t.Errorf("%d handles, %+v, said %q", len(m.Handles), y, said)
	}
}

// TestSymbolOrder checks that every symbol is merged once, in either order of symbols. With a Mercury half,
// local symbols come first. Symbols that the Mercury half lacks come last, because it has no parameter banks
// (KIT-058).
func TestSymbolOrder(t *testing.T) {
	text, err := os.ReadFile("../../../corpus/sources/damage.100.cutext")
	if err != nil {
		t.Fatal(err)
	}
	const bank = "\tsymbol .nv.constant0.k\n"
	data, err := cubintext.Parse("a.txt", strings.Replace(string(text), bank, bank+"\tsymbol .nv.merc.debug_frame\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.Open("a.cubin", data, false, arch.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := &merger{merged: &merged{Program: &program.Program{}}, room: new(room), object: o}
	asTheyAre := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	for _, tt := range []struct {
		release string
		form    program.Form
		want    []uint32
	}{
		{"13.5", program.BothHalves, []uint32{0, 1, 2, 3, 5, 6, 7, 8, 9, 4, 10, 11, 12, 13, 14}},
		{"13.4", program.BothHalves, asTheyAre},
		{"13.5", program.Form(0), asTheyAre},
	} {
		profile, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		in.Target, in.Form = arch.Target{Profile: profile}, tt.form
		in.order = nil
		if in.orderSymbols(); !slices.Equal(in.order, tt.want) {
			t.Errorf("%s, form %d: %d, want %d", tt.release, tt.form, in.order, tt.want)
		}
	}
}

// Beside a Mercury half, parameters and lists of externs name the symbols that have their numbers once local ones
// stand first. A number of no symbol stays (KIT-053, KIT-460).
func TestMisnamed(t *testing.T) {
	for _, tt := range []struct {
		release         string
		form            program.Form
		handles, listed []uint32
	}{
		{"13.4", program.BothHalves, []uint32{1, 3}, []uint32{2, 1, 3}},
		{"13.5", program.BothHalves, []uint32{2, 3}, []uint32{1, 2, 3}},
		{"13.5", program.MachineCode, []uint32{1, 3}, []uint32{2, 1, 3}},
	} {
		profile, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		in := &merger{merged: &merged{Program: &program.Program{}}, room: &room{order: []uint32{0, 2, 1}}}
		in.Target, in.Form = arch.Target{Profile: profile}, tt.form
		records := in.misnamed([]nvinfo.Record{nvinfo.New(nvinfo.KParamInfo, 1, 0, 0), nvinfo.New(nvinfo.KParamInfo, 3, 0, 0), nvinfo.New(nvinfo.Externs, 2, 1, 3)})
		if got := []uint32{records[0].Word(0), records[1].Word(0)}; !slices.Equal(got, tt.handles) {
			t.Errorf("%s, form %d: parameters of %d, want %d", tt.release, tt.form, got, tt.handles)
		}
		if want := nvinfo.New(nvinfo.Externs, tt.listed...); !slices.Equal(records[2].Payload, want.Payload) {
			t.Errorf("%s, form %d: externs %v, want %v", tt.release, tt.form, records[2], want)
		}
	}
}
