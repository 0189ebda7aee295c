package object

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/nvinfo"
)

// The samples are the valid cubins from which the tests of damage start. Each has a kernel k that calls f, and variables.
const (
	sample80  = "../../../corpus/sources/damage.80.cutext"
	sample100 = "../../../corpus/sources/damage.100.cutext" // with a Mercury half
)

// An edit changes lines of a sample. It replaces old, which must occur exactly once, by new.
type edit struct{ old, new string }

func open(t *testing.T, sample string, edits ...edit) (*Object, error) {
	t.Helper()
	return openAs(t, false, nil, sample, edits...)
}

// openAs opens a sample. Its tables use the memory of tables. remade is set if its plain half is generated again from the Mercury
// half.
func openAs(t *testing.T, remade bool, tables *Tables, sample string, edits ...edit) (*Object, error) {
	t.Helper()
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if strings.Count(string(text), e.old) != 1 {
			t.Fatalf("%q stands %d times in %s", e.old, strings.Count(string(text), e.old), sample)
		}
		text = []byte(strings.Replace(string(text), e.old, e.new, 1))
	}
	data, err := cubintext.Parse("in", string(text))
	if err != nil {
		t.Fatal(err)
	}
	release := *arch.Default
	release.Merge.RemakesPlain = remade
	return Open("in.cubin", data, false, &release, tables)
}

func mustOpen(t *testing.T, sample string, edits ...edit) *Object {
	t.Helper()
	o, err := open(t, sample, edits...)
	if err != nil || o.Unreadable != "" || o.Refused != "" {
		t.Fatalf("%v, %q, refused %q", err, o.Unreadable, o.Refused)
	}
	return o
}

// TestDamage checks that each damage is found before the merge, and that the error contains its place (DIAG-303, DIAG-112,
// LOAD-966, MERC-965).
func TestDamage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sample string
		edit   edit
		part   string // of the file; "" for none
		msg    string
	}{
		{"sound", sample80, edit{"regs=8\n\tu64 0x0000000000007918 0x000fc00000000000\n\tu64 0x0000000002", "regs=9\n\tu64 0x0000000000007918 0x000fc00000000000\n\tu64 0x0000000002"}, "", ""},
		{"symbols of a wrong size", sample80, edit{"section .symtab\n", "section .symtab entsize=16\n"}, "section header .symtab", "records of a wrong size"},
		{"relocations without a size", sample80, edit{"section .rel.text.k\n", "section .rel.text.k entsize=0\n"}, "section header .rel.text.k", "records of a wrong size"},
		{"relocations of a larger size are read", sample80, edit{"section .rel.text.k\n", "section .rel.text.k entsize=17\n"}, "", ""},
		{"relocations of no section", sample80, edit{"section .rela.text.k\n", "section .rela.text.k info=99\n"}, "section header .rela.text.k", "it is about a section that does not exist"},
		{"attributes of no section", sample80, edit{"section .nv.info.k\n", "section .nv.info.k info=99\n"}, "section header .nv.info.k", "it is about a section that does not exist"},
		{"section names that are none", sample80, edit{"section .shstrtab\n", "section .shstrtab type=1\n"}, "section header ", "the section names are no table of strings"},
		{"code of no symbol", sample80, edit{"section .text.f regs=8", "section .text.f info=99"}, "section header .text.f", "it is code of a symbol that does not exist"},
		{"data of nothing", sample80, edit{"section .nv.constant0.k\n\tz", "section .nv.constant0.k info=99\n\tz"}, "section header .nv.constant0.k", "it belongs to nothing that exists"},
		{"alignment 0", sample80, edit{"section .nv.global.init\n", "section .nv.global.init align=0\n"}, "section header .nv.global.init", "alignment 0"},
		{"a large alignment", sample80, edit{"section .nv.global.init\n", "section .nv.global.init align=0x4000000\n"}, "section header .nv.global.init", "alignment is too large"},
		{"the largest alignment", sample80, edit{"section .nv.global.init\n", "section .nv.global.init align=0x2000000\n"}, "", ""},
		{"a large alignment of constants", sample80, edit{"section .nv.constant3 align=4", "section .nv.constant3 align=0x20000"}, "section header .nv.constant3", "alignment is too large"},
		{"a symbol in no section", sample80, edit{"symbol f global func .text.f", "symbol f global func %99"}, ".symtab", "symbol f in a section that does not exist"},
		{"code without a section", sample80, edit{"symbol f global func .text.f", "symbol f global func abs"}, ".symtab", "symbol f without a section"},
		{"shared memory without a section", sample80, edit{"symbol a local data .nv.shared.k", "symbol a local data common"}, ".symtab", "symbol a without a section"},
		{"a constant in shared memory", sample80, edit{"symbol a local data .nv.shared.k", "symbol b local data .nv.shared.k other=constant size=4\n\tsymbol a local data .nv.shared.k"}, ".symtab", "symbol b in shared memory, but not marked as such"},
		{"a constant alone in shared memory", sample80, edit{"symbol a local data .nv.shared.k other=shared", "symbol a local data .nv.shared.k other=constant"}, "", ""},
		{"a common without an alignment", sample80, edit{"symbol v global data .nv.global", "symbol v global data common"}, ".symtab", "symbol v without an alignment"},
		{"a variable among relocations", sample80, edit{"symbol v global data .nv.global other=", "symbol v global data .rela.text.k other="}, ".symtab", "symbol v in a table of records"},
		{"a relocation of a wild symbol", sample80, edit{"rel 0x10 R_CUDA_ABS32_32 a", "rel 0x10 R_CUDA_ABS32_32 %0x10000"}, "section .rela.text.k", "relocation against a symbol that does not exist"},
		{"an attribute of a wild symbol", sample80, edit{"attr REGCOUNT @f 8", "attr REGCOUNT 0x10000 8"}, "section .nv.info", "attribute of a symbol that does not exist"},
		{"an attribute without its number", sample80, edit{"attr REGCOUNT @f 8", "u8 4 0x2f\n\tu16 2\n\tu16 5"}, "section .nv.info", "attribute without its symbol or number"},
		{"a call of no symbol", sample80, edit{"edge k f", "edge k %99"}, "section .nv.callgraph", "symbol does not exist"},
		{"a call of symbol 0", sample80, edit{"edge k f", "edge k %0"}, "section .nv.callgraph", "symbol does not exist"},
		{"a call by no symbol", sample80, edit{"edge k f", "edge %99 f"}, "section .nv.callgraph", "symbol does not exist"},
		{"a prototype outside of the strings", sample80, edit{"edge k f", "calls indirect\n\tu32 @k 0x7fffffff"}, "section .nv.callgraph", "prototype lies outside the string table"},
		{"a group that nobody knows", sample80, edit{"edge k f", "u32 0 0x1234\n\tu32 99 99"}, "", ""},
		{"a prototype of no symbol", sample100, edit{"proto f \"#ii\"", "u32 99 1"}, "section .nv.prototype", "symbol does not exist"},
		{"a string that does not exist", sample100, edit{"proto f \"#ii\"", "u32 @f 0x7fffffff"}, "section .nv.prototype", "prototype lies outside the string table"},
		{"a name of section 0", sample100, edit{"section .shstrtab\n", "section .shstrtab\n\tstr .nv.merc.nv.info\n"}, "section header .nv.merc.nv.info", "the section of number 0 has a name"},
		{"a name of section 0 without a Mercury half", sample80, edit{"section .shstrtab\n", "section .shstrtab\n\tstr .nv.info\n"}, "", ""},
		{"calls that overlap", sample100, edit{"section .nv.callgraph\n", "section .nv.callgraph entsize=4\n"}, "section header .nv.callgraph", "records of a wrong size"},
		{"calls apart", sample100, edit{"section .nv.callgraph\n", "section .nv.callgraph entsize=16\n"}, "", ""},
		{"no Mercury symbols", sample100, edit{"section .nv.merc.symtab", "section .nv.merc.symtab type=1"}, "section table", "no Mercury symbol table"},
		{"more Mercury symbols than others", sample100, edit{"	symbol k global func .nv.capmerc.text.k other=entry size=0xf0\n", "	symbol k global func .nv.capmerc.text.k other=entry size=0xf0\n\tsymbol x global func undef\n\tsymbol z global func undef\n"}, ".nv.merc.symtab", "more symbols than in .symtab"},
		{"a kernel is the function of its code, whatever symbol that names", sample100, edit{"section .text.k\n", "section .text.k info=0\n"}, "", ""},
		{"a Mercury function elsewhere", sample100, edit{"symbol f global func .nv.capmerc.text.f", "symbol f global func .nv.capmerc.text.k"}, ".symtab", "function f without a capsule"},
		{"a capsule of other code", sample100, edit{"hex 10000000010000c0", "hex 01000000010000c0"}, ".symtab", "function f without a capsule"},
		{"a capsule that says its code alone, with -r too", sample100, edit{"hex 10000000010000c0090000007e000000\n\thex 010b0e0afa0005000000030139040000\n\thex 4233000e5008", "hex 10000000"}, "section .nv.capmerc.text.f", "capsule is shorter than its header"},
		{"a capsule of less", sample100, edit{"hex 10000000010000c0090000007e000000\n\thex 010b0e0afa0005000000030139040000\n\thex 4233000e5008", "hex 100000"}, ".symtab", "symbol f in the Mercury half"},
		{"the symbol of a section of the Mercury half", sample100, edit{"\tsymbol .debug_frame\n", "\tsymbol .debug_frame local section .nv.merc.debug_frame\n"}, "", ""},
		{"a copy of another type", sample100, edit{"\nsection .nv.merc.debug_frame\n", "\nsection .nv.merc.debug_frame type=0x7000007c\n"}, "section .nv.merc.debug_frame", "not of the type of a copy of .debug_frame"},
		{"Mercury relocations of no symbol", sample100, edit{"rel 0x2c R_MERCURY_ABS32_LO v", "rel 0x2c R_MERCURY_ABS32_LO %0"}, "section .nv.merc.rela.text.f", "relocation against no symbol"},
		{"Mercury relocations of a wrong name", sample100, edit{"section .nv.merc.rela.text.f\n", "section .nv.merc.rela.text.x info=.nv.capmerc.text.f merc_rela\n"}, "section header .nv.merc.rela.text.x", "not the name of relocations of .text.f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.sample, tt.edit)
			if tt.msg == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			damage := (*cubin.FormatError)(nil)
			if !errors.As(err, &damage) || damage.File != "in.cubin" || damage.Part != tt.part || !strings.HasPrefix(damage.Msg, tt.msg) {
				t.Errorf("error %v, want %s: %s", err, tt.part, tt.msg)
			}
		})
	}
}

// TestFunctionWithoutCapsule checks a function without code in both halves (MERC-310).
func TestFunctionWithoutCapsule(t *testing.T) {
	plain := edit{"\tsymbol .debug_frame\n", "\tsymbol .debug_frame info=0x12\n"}
	copied := edit{"\tsymbol .debug_frame local section .nv.merc.debug_frame\n", "\tsymbol .debug_frame local section .nv.merc.debug_frame info=0x12\n"}
	if _, err := open(t, sample100, plain, copied); err == nil || !strings.Contains(err.Error(), "function .debug_frame without a capsule") {
		t.Error(err)
	}
}

// TestWeakFunctionWithoutCapsule checks that a weak function needs a capsule as well (MERC-310).
func TestWeakFunctionWithoutCapsule(t *testing.T) {
	plain := edit{"\tsymbol f global func .text.f\n", "\tsymbol f weak func .text.f\n"}
	copied := edit{"symbol f global func .nv.capmerc.text.f", "symbol f weak func .nv.capmerc.text.f"}
	elsewhere := edit{"symbol f global func .nv.capmerc.text.f", "symbol f weak func .nv.capmerc.text.k"}
	if _, err := open(t, sample100, plain, copied); err != nil {
		t.Error(err)
	}
	if _, err := open(t, sample100, plain, elsewhere); err == nil || !strings.Contains(err.Error(), "function f without a capsule") {
		t.Error(err)
	}
}

// TestUnreadable checks nvlink's messages about files without their tables (DIAG-301, MERC-310).
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sample string
		edit   edit
		want   string
	}{
		{"no names of symbols", sample80, edit{"section .symtab\n", "section .symtab link=99\n"}, "strsec not found"},
		{"a plain section after the Mercury half", sample100, edit{"section .nv.merc.nv.info\n", "section .nv.late progbits\n\tu32 1\nsection .nv.merc.nv.info\n"}, "unexpected reloc section"},
	} {
		o, err := open(t, tt.sample, tt.edit)
		if err != nil || o.Unreadable != tt.want {
			t.Errorf("%s: %v, %+v; want %q", tt.name, err, o, tt.want)
		}
	}
}

// TestNoSymbols checks a file whose symbol table has another type.
func TestNoSymbols(t *testing.T) {
	sound := mustOpen(t, sample80).File
	data := slices.Clone(sound.Bytes())
	data[sound.ShOff+uint64(sound.Section(".symtab").Index)*cubin.SectionHeaderSize+4] = 1
	if o, err := Open("in.cubin", data, false, arch.Default, nil); err != nil || o.Unreadable != "symsec not found" {
		t.Errorf("%v, %+v", err, o)
	}
}

// TestRefused checks inputs that the finalizer rejects without a message (MERC-312).
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit edit
		want bool
	}{
		{"relocatable", edit{"header sm=100", "header sm=100 type=rel"}, false},
		{"executable", edit{"header sm=100", "header sm=100 type=exec"}, true},
		{"a whole program", edit{"header sm=100", "header sm=100 type=ewp"}, false},
		{"an unknown binding", edit{"symbol v global data .nv.global other=global size=4\n\tsymbol k global func .text.k other=entry\n\tsymbol .nv", "symbol v 5 data .nv.global other=global size=4\n\tsymbol k global func .text.k other=entry\n\tsymbol .nv"}, true},
	} {
		o, err := open(t, sample100, tt.edit)
		if refused := o.Refused != "" || o.OtherBinds; err != nil || refused != tt.want {
			t.Errorf("%s: %v, refused %v", tt.name, err, refused)
		}
	}
}

// TestLittleDamage checks damage that nvlink tolerates (DIAG-302).
func TestLittleDamage(t *testing.T) {
	o := mustOpen(t, sample80, edit{"rel 0x10 R_CUDA_ABS32_32 a", "rel 0x10 R_CUDA_ABS32_32 %99"}, edit{"attr REGCOUNT @f 8", "attr REGCOUNT 99 8"})
	if r, _ := o.Relocations(o.File.Section(".rela.text.k").Index).At(0); r.Symbol != 0 {
		t.Errorf("a relocation against symbol %d", r.Symbol)
	}
	if n := len(o.Attributes(o.File.Section(".nv.info").Index, nil)); n != 3 {
		t.Errorf("%d attributes, want 3: not that of a symbol that does not exist", n)
	}
}

// TestOpen checks the properties of a valid file.
func TestOpen(t *testing.T) {
	o := mustOpen(t, sample80)
	index := func(name string) uint32 {
		return uint32(slices.IndexFunc(o.Symbols, func(y cubin.Symbol) bool { return y.Name == name }))
	}
	if o.HasMercury() || o.Mercury != nil || o.Extensible() || o.System {
		t.Error("it is something else than a plain cubin")
	}
	said := 0
	for i := range o.Symbols {
		if _, ok := o.Registers(&o.Symbols[i]); ok {
			said++
		}
	}
	if number, _ := o.Registers(&o.Symbols[index("k")]); number != 8 || said != 2 {
		t.Errorf("k has %d registers, and attributes tell of %d functions", number, said)
	}
	text, bank, global := o.File.Section(".text.k"), o.File.Section(".nv.constant0.k"), o.File.Section(".nv.global")
	if !o.HasFunction[text.Index] || o.HasFunction[bank.Index] || !o.IsCode(text) || o.IsCode(bank) {
		t.Error("what has functions, and what is code")
	}
	for name, want := range map[*cubin.Section]bool{text: true, bank: true, global: false, o.File.Section(".nv.info"): false, o.File.Section(".nv.global.init"): true} {
		if got := o.MayHaveRelocations(name.Index); got != want {
			t.Errorf("%s may have relocations: %v", name.Name, got)
		}
	}
	rel, rela := o.Relocations(o.File.Section(".rel.text.k").Index), o.Relocations(o.File.Section(".rela.text.k").Index)
	if first, missing := rela.At(0); rel.Len() != 1 || rela.Len() != 3 || first.Symbol != index("a") || missing {
		t.Errorf("relocations %v and %v", rel, rela)
	}
	if got := len(o.Pairs(o.File.Section(".nv.callgraph").Index)); got != 16 {
		t.Errorf("%d bytes of call graph", got)
	}
}

// TestCodeHeaders checks that the section of a function gets the type and the flags of code. A section of another type accepts no
// relocations (DIAG-302, RELOC-306).
func TestCodeHeaders(t *testing.T) {
	for _, tt := range []struct {
		fields string
		takes  bool
		flags  uint64
	}{{"regs=8", true, 6}, {"regs=8 type=0x70000008", false, 6}, {"regs=8 flags=3", true, 6}, {"regs=8 flags=0x300006", true, 0x300006}} {
		o := mustOpen(t, sample80, edit{"section .text.f regs=8", "section .text.f " + tt.fields})
		s := o.File.Section(".text.f")
		if s.Type != cubin.SectionProgBits || uint64(s.Flags) != tt.flags || o.MayHaveRelocations(s.Index) != tt.takes {
			t.Errorf("%s: type %#x, flags %#x, takes relocations %v", tt.fields, s.Type, s.Flags, o.MayHaveRelocations(s.Index))
		}
	}
}

// TestTypeByName checks that data of a standard ELF type gets the type for its name (LOAD-501).
func TestTypeByName(t *testing.T) {
	const bits, noBits = cubin.SectionProgBits, cubin.SectionNoBits
	for _, tt := range []struct {
		name  string
		typ   cubin.SectionType
		flags uint64
		want  cubin.SectionType
	}{
		{".nv.global", noBits, 0, cubin.SectionGlobal},
		{".nv.global", bits, 0, bits},
		{".nv.global.init", bits, 0, cubin.SectionGlobalInit},
		{".nv.shared.k", noBits, 0, cubin.SectionShared},
		{".nv.shared", noBits, 0, noBits},
		{".nv.local.k", noBits, 0, cubin.SectionLocal},
		{".nv.constant3", bits, 0, cubin.SectionConstant0 + 3},
		{".nv.constant0.k", bits, 0, cubin.SectionConstant0},
		{".nv.constant17.k", bits, 0, cubin.SectionConstantLast},
		{".nv.constant31.k", bits, 0, cubin.SectionConstantLast},
		{".nv.constant32.k", bits, 0, bits},
		{".nv.constant.user", bits, 0, bits},
		{".nv.constant3", bits, cubin.FlagMercury, bits},
		{".nv.constant3", noBits, 0, noBits},
	} {
		s := cubin.Section{Name: tt.name, Type: tt.typ, Flags: cubin.SectionFlags(tt.flags)}
		if typeByName(&s); s.Type != tt.want {
			t.Errorf("%s of type %#x, flags %#x: %#x, want %#x", tt.name, tt.typ, tt.flags, s.Type, tt.want)
		}
	}
}

// TestIsData checks which sections of an input contain bytes of the program (DIAG-302, LOAD-976).
func TestIsData(t *testing.T) {
	for typ, want := range map[cubin.SectionType]bool{
		cubin.SectionProgBits: true, cubin.SectionNoBits: true, cubin.SectionNote: false, cubin.SectionRela: false, 5: false,
		cubin.SectionInfo: false, cubin.SectionCallGraph: false, cubin.SectionGlobal: true, cubin.SectionConstant0: true, cubin.SectionUFT: true,
		cubin.SectionCapMerc: false, cubin.SectionMercUser: true, cubin.SectionSharedReserved: false, 0x70010000: false, 0x7000ffff: false,
		0x70000005: false, cubin.SectionUnnamed: true, 0x70000063: false, cubin.SectionConstantEnd: true, 0x7000007f: false, 0x70000089: false, cubin.SectionMercCallGraph: false,
	} {
		if got := IsData(&cubin.Section{Type: typ}); got != want {
			t.Errorf("type %#x: %v", typ, got)
		}
	}
}

// TestCopies checks the copy of each section in the Mercury half (MERC-228).
func TestCopies(t *testing.T) {
	o := mustOpen(t, sample100)
	for plain, want := range map[string]string{".text.f": ".nv.capmerc.text.f", ".text.k": ".nv.capmerc.text.k", ".debug_frame": ".nv.merc.debug_frame", ".nv.global": "", ".nv.constant0.k": "", ".nv.info.k": ""} {
		k, ok := o.Mercury.CopyOf(o.File.Section(plain).Index)
		if ok != (want != "") || ok && o.File.Sections[k].Name != want {
			t.Errorf("the copy of %s is %v, want %q", plain, o.File.Sections[k].Name, want)
		}
	}
	for plain := range uint32(len(o.File.Sections)) {
		if k, ok := o.Mercury.CopyOf(plain); ok {
			if original, _ := o.Mercury.originals.at(k); original != plain {
				t.Errorf("section %d is the copy of %d, and not the other way", k, plain)
			}
		}
	}
	if len(o.Mercury.Symbols) != len(o.Symbols)-1 || !o.Mercury.OfModule {
		t.Errorf("%d of %d symbols, attributes of the module %v", len(o.Mercury.Symbols), len(o.Symbols), o.Mercury.OfModule)
	}
}

// TestCopyType checks the type of the copy of each section.
func TestCopyType(t *testing.T) {
	for typ, want := range map[cubin.SectionType]cubin.SectionType{
		cubin.SectionProgBits: cubin.SectionProgBits, cubin.SectionGlobalInit: cubin.SectionGlobalInit,
		cubin.SectionConstant0 + 2: cubin.SectionMercOptimizer, cubin.SectionConstant0 + 3: cubin.SectionMercUser, cubin.SectionConstant0 + 4: cubin.SectionMercPIC,
	} {
		if got := copyType(&cubin.Section{Type: typ}); got != want {
			t.Errorf("of type %#x: %#x, want %#x", typ, got, want)
		}
	}
}

// TestMercuryGoesFirst checks that the Mercury half prevails where both halves differ, except for the places of functions
// (MERC-311).
func TestMercuryGoesFirst(t *testing.T) {
	o := mustOpen(t, sample100,
		edit{"	symbol v global data .nv.global other=global size=4\n	symbol k global func .nv.capmerc", "	symbol v weak data .nv.global other=global value=8 size=12\n	symbol k global func .nv.capmerc"},
		edit{"symbol k global func .text.k other=entry", "symbol k global func .text.k other=entry size=0x20"},
		edit{"section .nv.merc.nv.info.k\n", "section .nv.merc.nv.info.k\n\tattr NUM_BARRIERS 3\n"},
		edit{"section .nv.info.k\n", "section .nv.info.k\n\tattr NUM_BARRIERS 7\n"})
	last := o.Symbols[len(o.Symbols)-4:]
	if v := last[1]; v.Name != "v" || v.Bind != cubin.BindWeak || v.Value != 8 || v.Size != 12 {
		t.Errorf("variable %+v", v)
	}
	if k := last[2]; k.Name != "k" || k.Section != o.File.Section(".text.k").Index || k.Size != o.File.Section(".text.k").Size {
		t.Errorf("kernel %+v: want the size of its code", k)
	}
	if bank := last[3]; bank.Name != ".nv.constant0.k" || bank.Type != cubin.SymSection {
		t.Errorf("parameter bank %+v", bank)
	}
	var codes []string
	for _, r := range o.Attributes(o.File.Section(".nv.info.k").Index, nil) {
		codes = append(codes, strings.TrimPrefix(r.Code.String(), "EIATTR_"))
		if r.Code == nvinfo.NumBarriers && r.Value != 3 {
			t.Errorf("%d barriers, want those of the Mercury half", r.Value)
		}
		if r.Code == nvinfo.CBankParamSize && r.Value != 8 {
			t.Errorf("parameters of %d bytes", r.Value)
		}
	}
	want := "NUM_BARRIERS CUDA_API_VERSION KPARAM_INFO SPARSE_MMA_MASK MAXREG_COUNT MERCURY_ISA_VERSION VRC_CTA_INIT_COUNT EXIT_INSTR_OFFSETS CBANK_PARAM_SIZE PARAM_CBANK SW_WAR"
	if got := strings.Join(codes, " "); got != want {
		t.Errorf("attributes\n%s, want\n%s", got, want)
	}
}

// TestJoinAttributes checks that attributes that differ in machine code come from the plain half, in order.
func TestJoinAttributes(t *testing.T) {
	sized := func(code nvinfo.Code, words ...uint32) nvinfo.Record { return nvinfo.New(code, words...) }
	plain := []nvinfo.Record{sized(nvinfo.FrameSize, 1, 10), sized(nvinfo.FrameSize, 2, 20), sized(nvinfo.MinStackSize, 9), {Format: nvinfo.Half, Code: nvinfo.MaxRegCount, Value: 9}}
	inner := []nvinfo.Record{sized(nvinfo.FrameSize, 1, 11), sized(nvinfo.FinalizerOptions, 7), {Format: nvinfo.Half, Code: nvinfo.MaxRegCount, Value: 3}, sized(nvinfo.FrameSize, 2, 22), sized(nvinfo.FrameSize, 3, 33)}
	var got []uint32
	for _, r := range joinAttributes(plain, inner) {
		if r.Format == nvinfo.Sized {
			got = append(got, r.Word(1))
		} else {
			got = append(got, uint32(r.Value))
		}
	}
	if want := []uint32{10, 3, 20, 33}; !slices.Equal(got, want) {
		t.Errorf("values %d, want %d", got, want)
	}
}

// TestParametersSize checks the end of the last parameter. Handles are not in the bank.
func TestParametersSize(t *testing.T) {
	v1 := func(offset, size uint32) nvinfo.Record { return nvinfo.New(nvinfo.KParamInfo, 0, offset<<16, size<<18) }
	v2 := func(offset, size uint32) nvinfo.Record {
		return nvinfo.New(nvinfo.KParamInfoV2, 0, offset<<16, size)
	}
	for _, tt := range []struct {
		name    string
		records []nvinfo.Record
		want    uint16
	}{
		{"none", nil, 0},
		{"one", []nvinfo.Record{v1(0, 8)}, 8},
		{"the last first", []nvinfo.Record{v1(8, 4), v1(0, 8)}, 12},
		{"large ones", []nvinfo.Record{v2(0x1000, 0x200)}, 0x1200},
		{"a texture", []nvinfo.Record{v1(0xffff, 8), v1(0, 4)}, 4},
		{"other attributes", []nvinfo.Record{nvinfo.New(nvinfo.FrameSize, 0, 1<<16, 1<<18)}, 0},
	} {
		if got := parametersSize(tt.records); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestFinalizedHeaders checks that sections created by the finalizer have fixed headers.
func TestFinalizedHeaders(t *testing.T) {
	o := &Object{File: &cubin.File{Sections: make([]cubin.Section, 3)}}
	for _, tt := range []struct {
		name string
		s    cubin.Section
		want cubin.Section
	}{
		{"code", cubin.Section{Name: ".text.k", AddrAlign: 4}, cubin.Section{Name: ".text.k", AddrAlign: 128}},
		{"a capsule", cubin.Section{Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury | 7, AddrAlign: 1, EntSize: 5},
			cubin.Section{Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury, AddrAlign: 16}},
		{"a capsule of a large alignment", cubin.Section{Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury, AddrAlign: 1 << 40}, cubin.Section{Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury, AddrAlign: 1 << 40}},
		{"parameters", cubin.Section{Name: ".nv.constant0.k", Type: 1, Link: 1, AddrAlign: 64},
			cubin.Section{Name: ".nv.constant0.k", Type: cubin.SectionConstant0, Flags: cubin.FlagAlloc | cubin.FlagInfoLink, AddrAlign: 4}},
		{"a link to nothing", cubin.Section{Name: ".x", Link: 3}, cubin.Section{Name: ".x"}},
		{"a link", cubin.Section{Name: ".x", Link: 2}, cubin.Section{Name: ".x", Link: 2}},
		{"debug information of the half", cubin.Section{Type: cubin.SectionProgBits, Flags: cubin.FlagMercury, EntSize: 3}, cubin.Section{Type: cubin.SectionProgBits, Flags: cubin.FlagMercury}},
	} {
		if o.setFinalizedHeader(&tt.s, false); tt.s != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, tt.s, tt.want)
		}
	}
}

// TestStubCapsules checks that the Mercury code of a stub keeps its record size until its release is 13.5 (LAYOUT-115, LAYOUT-980).
func TestStubCapsules(t *testing.T) {
	o := &Object{renewed: map[uint32][]byte{2: {1, 0, 0, 0}}, File: &cubin.File{Sections: []cubin.Section{
		{}, {Index: 1, Type: cubin.SectionUFT}, {Index: 2, Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury, EntSize: 128},
	}}}
	for _, tt := range []struct {
		remade bool
		want   uint64
	}{{false, 128}, {true, 0}} {
		s := o.File.Sections[2]
		if o.setFinalizedHeader(&s, tt.remade); s.EntSize != tt.want {
			t.Errorf("remade %v: record size %d, want %d", tt.remade, s.EntSize, tt.want)
		}
	}
}

// TestShareHeaders checks the data that both halves share in the output (MERC-313, KIT-139).
func TestShareHeaders(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s     cubin.Section
		inner bool
		plain uint64 // alignment after it
		copy  uint64
	}{
		{"constants", cubin.Section{Name: ".nv.constant3", AddrAlign: 8}, false, 8, 8},
		{"constants of a later release", cubin.Section{Name: ".nv.constant3", AddrAlign: 8}, true, 2, 2},
		{"data", cubin.Section{Name: ".x", Type: cubin.SectionGlobalInit, AddrAlign: 8}, false, 8, 8},
		{"what has a place in each half", cubin.Section{Name: ".debug_str", AddrAlign: 8}, false, 8, 2},
		{"the same of a later release", cubin.Section{Name: ".debug_str", AddrAlign: 8}, true, 8, 2},
	} {
		o := &Object{File: &cubin.File{Sections: []cubin.Section{{}, tt.s, {Flags: cubin.FlagMercury, AddrAlign: 2}}}, Mercury: &mercuryHalf{copies: sectionMap{0, 3, 0}}}
		o.shareHeaders(tt.inner)
		if s, c := o.File.Sections[1], o.File.Sections[2]; s.AddrAlign != tt.plain || c.AddrAlign != tt.copy || s.Flags&cubin.FlagMercury != 0 || c.Flags&cubin.FlagMercury == 0 {
			t.Errorf("%s: %+v and %+v", tt.name, s, c)
		}
	}
}

// TestFrames checks the offsets of the entries of .debug_frame.
func TestFrames(t *testing.T) {
	short := func(n int) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(n)), make([]byte, n)...)
	}
	long := func(n int) []byte {
		return append(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, 0xffffffff), uint64(n)), make([]byte, n)...)
	}
	for _, tt := range []struct {
		name string
		data []byte
		want []int64
	}{
		{"none", nil, nil},
		{"one", short(8), []int64{0}},
		{"two lengths", slices.Concat(short(8), long(16), short(4)), []int64{0, 12, 40}},
		{"a last one that is cut off", slices.Concat(short(8), short(8)[:7]), []int64{0, 12}},
		{"a length that is cut off", slices.Concat(short(8), []byte{1, 2}), []int64{0}},
		{"a long length that is cut off", slices.Concat(short(8), long(16)[:8]), []int64{0, 12}},
	} {
		if got := Frames(tt.data); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	plain, inner := slices.Concat(long(8), long(16)), slices.Concat(short(4), long(32), short(4))
	for at, want := range map[int64]int64{0: 0, 8: 20, 5: 5, 52: 52} {
		if got := PairFrames(plain, inner).Plain(at); got != want {
			t.Errorf("place %d of the Mercury half is %d, want %d", at, got, want)
		}
	}
}

// TestLostRelocations checks that the tool note shows an earlier -r, which loses relocations unless it kept them.
func TestLostRelocations(t *testing.T) {
	const ptxas = `tkinfo tool="ptxas" version="Cuda compilation tools, release 13.0, V13.0.88" build="Build cuda_13.0.r13.0/compiler.36424714_0" options="-arch sm_100 -m 64 -c  "`
	for options, want := range map[string]bool{"-arch sm_100": false, "-arch sm_100 -r": true, "-r -keep-relocs": false, "-rdc": false} {
		o := mustOpen(t, sample100, edit{ptxas, `tkinfo tool="nvlink" version="" build="" options="` + options + `"`})
		if got := o.LostRelocations(); got != want {
			t.Errorf("options %q: %v", options, got)
		}
	}
	if mustOpen(t, sample80).LostRelocations() {
		t.Error("a file without a tool note")
	}
}

// TestRestoreRelocations checks that the records of an earlier -r become relocations again on request. Damage in the records is
// then an error (RELOC-405).
func TestRestoreRelocations(t *testing.T) {
	const ptxas = `tkinfo tool="ptxas" version="Cuda compilation tools, release 13.0, V13.0.88" build="Build cuda_13.0.r13.0/compiler.36424714_0" options="-arch sm_100 -m 64 -c  "`
	relinked := edit{ptxas, `tkinfo tool="nvlink" version="" build="" options="-arch sm_100 -r"`}
	noted := edit{"section .rela.text.k\n", "section .nv.resolvedrela.text.k info=.text.k\n"}
	restored := func(o *Object) (n int, err error) {
		err = o.RestoreRelocations()
		for i := range o.File.Sections {
			if o.File.Sections[i].Type == cubin.SectionResolvedRela {
				n += o.Relocations(uint32(i)).Len()
			}
		}
		return n, err
	}
	for _, tt := range []struct {
		name  string
		edits []edit
		notes bool
	}{
		{"an earlier -r with notes", []edit{relinked, noted}, true},
		{"an earlier -r without", []edit{relinked}, false},
		{"notes of a compiler", []edit{noted}, false},
	} {
		o := mustOpen(t, sample100, tt.edits...)
		if n, err := restored(o); o.NotesRelocations() != tt.notes || (n > 0) != tt.notes || err != nil {
			t.Errorf("%s: notes %v, %d restored, error %v", tt.name, o.NotesRelocations(), n, err)
		}
	}
	o := mustOpen(t, sample100, relinked, noted)
	notes := slices.IndexFunc(o.File.Sections, func(s cubin.Section) bool { return s.Type == cubin.SectionResolvedRela })
	o.File.Sections[notes].Info = uint32(len(o.File.Sections))
	if n, err := restored(o); n != 0 || err != nil {
		t.Errorf("notes of a section that does not exist: %d restored, error %v", n, err)
	}
	wild := edit{"R_CUDA_ABS32_HI_32 k +0x70", "R_CUDA_ABS32_HI_32 %0x10000 +0x70"}
	if _, err := restored(mustOpen(t, sample100, relinked, noted, wild)); err == nil {
		t.Error("a note of a wild symbol: no error")
	}
}

// TestCapsuleNames checks which symbols the Mercury half refers to.
func TestCapsuleNames(t *testing.T) {
	o := mustOpen(t, sample100)
	for name, want := range map[string]bool{"v": true, "f": true, ".text.f": false, ".nv.reservedSmem.offset0": false} {
		i := slices.IndexFunc(o.Symbols, func(y cubin.Symbol) bool { return y.Name == name })
		if got := o.CapsuleNames(&o.Symbols[i]); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRemade checks the headers of a plain half that is generated again. They are ignored where the Mercury half or the name
// determines them, and count otherwise (KIT-175).
func TestRemade(t *testing.T) {
	good, err := openAs(t, true, nil, sample100)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".debug_frame", ".nv.info", ".nv.info.f", ".nv.info.k", ".rela.text.f", ".rela.debug_frame", ".text.f", ".nv.constant0.k"} {
		for _, field := range []string{"type=0", "type=0x7fffffff", "info=3", "info=0xffffff"} {
			if name == ".text.f" && strings.HasPrefix(field, "type") {
				continue // that is refused
			}
			line := "section " + name
			o, err := openAs(t, true, nil, sample100, edit{line + "\n", line + " " + field + "\n"})
			if err != nil || o.Refused != "" || o.Unreadable != "" {
				t.Errorf("%s %s: %v, %v", name, field, err, o)
				continue
			}
			if got, want := *o.File.Section(name), *good.File.Section(name); got != want {
				t.Errorf("%s %s: %+v, want %+v", name, field, got, want)
			}
		}
	}
	const copied = "section .debug_frame link=1 align=8 entsize=4\n"
	if o, err := openAs(t, true, nil, sample100, edit{"section .debug_frame\n", copied}); err != nil || *o.File.Section(".debug_frame") != *good.File.Section(".debug_frame") {
		t.Errorf("%s: %v", copied, err)
	}
	for _, tt := range []struct{ line, fields, refused string }{
		{".text.f", "type=3", "malformed annotation section in input elf"},
		{".text.f", "flags=2", "malformed annotation section in input elf"},
		{".debug_frame", "flags=4", "unsupported elf type"},
		{".nv.constant0.k", "flags=6", "unsupported elf type"},
		{".nv.info", "flags=6", ""},
	} {
		line := "section " + tt.line
		if o, err := openAs(t, true, nil, sample100, edit{line + "\n", line + " " + tt.fields + "\n"}); err != nil || o.Refused != tt.refused {
			t.Errorf("%s %s: %v, refused %q", tt.line, tt.fields, err, o.Refused)
		}
	}
	for _, name := range []string{".note.nv.tkinfo", ".note.nv.cuinfo", ".nv.callgraph", ".nv.prototype"} {
		line := "section " + name
		if _, err := openAs(t, true, nil, sample100, edit{line + "\n", line + " type=3\n"}); err == nil || !strings.Contains(err.Error(), "not of the type of its name") {
			t.Errorf("%s of another type: %v", name, err)
		}
	}
}

// TestFrameFaults checks at which sizes an entry of .debug_frame in the Mercury half may end early (KIT-176), and how an entry
// must begin (MERC-320).
func TestFrameFaults(t *testing.T) {
	for _, tt := range []struct {
		first, last int // sizes of the section
		whole       bool
	}{{0, 0, true}, {1, 20, false}, {21, 27, true}, {28, 55, false}, {56, 56, true}, {57, 111, false}, {112, 112, true}, {113, 132, false}, {133, 139, true}, {140, 140, false}, {160, 160, true}, {161, 223, false}, {224, 224, true}} {
		for size := tt.first; size <= tt.last; size++ {
			o := mustOpen(t, sample100)
			o.File.Section(".nv.merc.debug_frame").Size = uint64(size)
			if got := o.FrameFault(true); (got == NoFrameFault) != tt.whole {
				t.Errorf("%d bytes: fault %d, whole %t", size, got, tt.whole)
			}
		}
	}
	for _, tt := range []struct {
		at             int
		value          byte
		earlier, later FrameFault
	}{
		{0, 0xfe, NarrowFrame, NarrowFrame},
		{4, 0x2b, NarrowFrame, NarrowFrame},    // it ends in its last padding
		{4, 0x23, NarrowFrame, MalformedFrame}, // and in an operand
		{8, 1, NoFrameFault, NoFrameFault},     // the upper half of a length
		{0x37, 4, NoFrameFault, MalformedFrame},
		{0x37, 0x0f, NoFrameFault, MalformedFrame}, // a block without a size
		{0x3c, 0xff, NoFrameFault, MalformedFrame},
	} {
		o := mustOpen(t, sample100)
		s := o.File.Section(".nv.merc.debug_frame")
		o.Data(s.Index)[tt.at] = tt.value
		if earlier, later := o.FrameFault(false), o.FrameFault(true); earlier != tt.earlier || later != tt.later {
			t.Errorf("%#x=%#x: faults %d and %d, want %d and %d", tt.at, tt.value, earlier, later, tt.earlier, tt.later)
		}
	}
	if o := mustOpen(t, sample80); o.FrameFault(true) != NoFrameFault {
		t.Error("without a Mercury half")
	}
}

// TestReopen checks that an object that is opened again has the same tables as before, whatever used their memory in between.
func TestReopen(t *testing.T) {
	tables := new(Tables)
	open := func(sample string, edits ...edit) *Object {
		o, err := openAs(t, false, tables, sample, edits...)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open(sample80, edit{"section .text.f", "section .text.f type=7"})
	sections, symbols := slices.Clone(o.File.Sections), slices.Clone(o.Symbols)
	o.Close()
	if o.File.Sections != nil || o.Symbols != nil {
		t.Error("a closed object has tables")
	}
	other := open(sample80)
	if len(tables.free) != 0 {
		t.Error("the memory of a closed object is not used")
	}
	other.Symbols[1], other.File.Sections[1] = cubin.Symbol{}, cubin.Section{}
	other.Close()
	o.Reopen()
	if !slices.Equal(o.File.Sections, sections) || !slices.Equal(o.Symbols, symbols) {
		t.Error("the tables have changed")
	}
	o = open(sample100)
	if o.Close(); o.Symbols == nil {
		t.Error("an object with a Mercury half is closed")
	}
}
