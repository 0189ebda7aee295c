package relocate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/finalize"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/reloc"
)

// Types of relocations.
const (
	typeNone       = 0
	type32         = 1  // 32 bits at bit 0: an address
	type64         = 2  // the same of 64 bits
	typeLow        = 56 // bits 32 to 63: the low half of an address
	typeWord       = 55 // bits 32 to 63: a word
	typeOperand    = 64 // bits 40 to 53 in words, bank in 54 to 58
	typeBranch     = 40
	typeDescriptor = 34
	typeClear      = 72
	typeYield      = 68
	typeUnified    = 102
)

// A fixture is a kernel whose code has relocations for all kinds of targets.
type fixture struct {
	*programtest.Program
	kernel, function, dead, missing *program.Function
	debug                           *program.Section
	symbols                         map[string]*program.Symbol
}

func newFixture(t *testing.T, opt program.Options) *fixture {
	t.Helper()
	p := programtest.New(t, opt)
	s := &fixture{Program: p, kernel: p.Kernel("k"), function: p.Device("f"), dead: p.Device("dead"), missing: p.Undefined("missing")}
	p.Call(s.kernel, s.function)
	global := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 16))
	constant := p.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 64))
	parameters := p.Bank(s.kernel, 0, make([]byte, 0x170))
	s.debug = p.Data(".debug_str", cubin.SectionProgBits, make([]byte, 16))
	module := p.Data(".nv_debug.shared", cubin.SectionShared, nil)
	module.NoBits = true
	s.symbols = map[string]*program.Symbol{
		"function": s.function.Symbol, "kernel": s.kernel.Symbol, "dead": s.dead.Symbol, "missing": s.missing.Symbol,
		"variable":   p.Variable("variable", global, 8, 4),
		"constant":   p.Variable("constant", constant, 0x20, 4),
		"weak":       p.Local(program.Symbol{Name: "weak", Bind: cubin.BindWeak, Section: constant, Value: 0x20}),
		"shared":     p.Shared("shared", 8, 8).Symbol,
		"extern":     p.ExternShared("extern").Symbol,
		"instance":   p.Local(program.Symbol{Name: cubin.ExternInstance, Bind: cubin.BindWeak}),
		"texture":    p.Handle("texture", cubin.SymTexture),
		"parameter":  p.Local(program.Symbol{Name: "parameter", Section: parameters, Value: 0x160, Hidden: true}),
		"label":      p.Local(program.Symbol{Name: "label", Section: s.function.Text, Value: 16}),
		"undefined":  p.Global(program.Symbol{Name: ".nv.reservedSmem.offset0"}),
		"nowhere":    p.Global(program.Symbol{Name: "nowhere", Missing: true, Input: cubin.OtherConstant}),
		"internal":   p.Local(program.Symbol{Name: "internal", Missing: true, Hidden: true}),
		"far":        p.Global(program.Symbol{Name: "far", Missing: true, Input: cubin.OtherGlobal}),
		"unified":    p.Global(program.Symbol{Name: "__UFT"}),
		"offset":     p.Global(program.Symbol{Name: program.UftOffset}),
		"of globals": global.Symbol, "of constants": constant.Symbol, "of dead code": s.dead.Text.Symbol, "of code": s.function.Text.Symbol,
		"of shared": module.Symbol, "of debug": s.debug.Symbol,
		"null": p.Null, "absolute": p.Absolute,
	}
	s.symbols["hidden"] = p.Local(program.Symbol{Name: "hidden", Section: global, Hidden: true, Other: cubin.OtherInternal})
	s.symbols["alias"] = p.Local(program.Symbol{Name: "alias", Alias: s.function.Symbol, Section: s.function.Text})
	s.symbols["none"] = nil
	p.UseShared(s.kernel, s.symbols["shared"])
	return s
}

// settled runs the link up to the relocations.
func (s *fixture) settled(t *testing.T) (*Settled, string) {
	t.Helper()
	log := &diag.Log{}
	code, ok := finalize.Code(layout.Memory(reach.Kernels(reach.Functions(s.Finish())), log), log)
	if !ok {
		t.Fatal(programtest.Said(log))
	}
	d, ok := Relocations(code, log)
	if ok != (len(log.Diagnostics) == 0) {
		t.Errorf("ok is %v, said %q", ok, programtest.Said(log))
	}
	return d, programtest.Said(log)
}

// TestTargetOf checks the kind of target of each symbol in the linked file.
func TestTargetOf(t *testing.T) {
	for symbol, want := range map[string]reloc.Target{
		"function": reloc.Function, "kernel": reloc.Function, "missing": reloc.DeadFunction, "dead": reloc.DeadFunction, "label": reloc.Function,
		"variable": reloc.Variable, "of globals": reloc.Variable, "far": reloc.Variable, "hidden": reloc.Variable,
		"constant": reloc.Placed, "of constants": reloc.Placed, "of code": reloc.Placed, "of debug": reloc.Placed, "null": reloc.Placed, "nowhere": reloc.Placed,
		"shared": reloc.Shared, "extern": reloc.DynamicShared, "instance": reloc.DynamicShared, "of shared": reloc.Dissolved,
		"texture": reloc.Handle, "parameter": reloc.Parameter, "of dead code": reloc.Parameter, "internal": reloc.Parameter,
		"undefined": reloc.Undefined, "unified": reloc.UnifiedTable, "offset": reloc.UFTOffset,
	} {
		s := newFixture(t, program.Options{})
		d, said := s.settled(t)
		if said != "" {
			t.Fatal(said)
		}
		if got := d.targetOf(s.symbols[symbol]); got != want {
			t.Errorf("%s is %v, want %v", symbol, got, want)
		}
	}
}

// TestTargetOfRelocatable checks symbols that have another kind of target with -r.
func TestTargetOfRelocatable(t *testing.T) {
	for symbol, want := range map[string]reloc.Target{
		"extern": reloc.Shared, "dead": reloc.Function, "missing": reloc.Function, "constant": reloc.Placed, "nowhere": reloc.Placed, "of dead code": reloc.Placed,
	} {
		s := newFixture(t, program.Options{Relocatable: true})
		d, _ := s.settled(t)
		if got := d.targetOf(s.symbols[symbol]); got != want {
			t.Errorf("%s is %v, want %v", symbol, got, want)
		}
	}
}

// TestDispositions checks the result for one relocation in the code of a kernel. One that is kept as number 0 names the null
// symbol (RELOC-981).
func TestDispositions(t *testing.T) {
	const r, keepRelocs, preserve, force = "-r", "--keep-relocs", "--preserve-relocs", "-force-rela"
	for _, tt := range []struct {
		name    string
		options string
		r       program.Relocation
		symbol  string
		code    uint64 // the first 8 bytes before the link
		after   uint64 // and after it
		kept    string // type, symbol and addend of the kept relocation
		said    string // an internal error
	}{
		{"the address of a function", "", program.Relocation{Type: type64, Rela: true, Addend: 4}, "function", 0, 0, "2 f+4", ""},
		{"by its alias", "", program.Relocation{Type: type64, Rela: true}, "alias", 0, 0, "2 f+0", ""},
		{"of a function that is not linked", "", program.Relocation{Type: type64, Rela: true}, "dead", 5, 5, "", ""},
		{"the address of a variable", "", program.Relocation{Type: type64, Rela: true}, "variable", 0, 0, "2 variable+0", ""},
		{"with the place of the input's part", "", program.Relocation{Type: type64, Rela: true, Addend: 4, Bias: 8}, "of globals", 0, 0, "2 .nv.global.init+12", ""},
		{"of a variable that the output lacks", "", program.Relocation{Type: type64, Rela: true}, "hidden", 0, 0, "", "reference to deleted symbol"},
		{"a unified address has another number", "", program.Relocation{Type: typeUnified, Rela: true}, "variable", 0, 0, "2 variable+0", ""},
		{"a constant's place and bank", "", program.Relocation{Type: typeOperand, Rela: true, Addend: 4}, "constant", 0, 0x24>>2<<40 | 3<<54, "", ""},
		{"beside other bits", "", program.Relocation{Type: typeOperand, Rela: true}, "constant", 0xff, 0x20>>2<<40 | 3<<54 | 0xff, "", ""},
		{"an addend in the code", "", program.Relocation{Type: typeOperand}, "constant", 1 << 40, (0x20>>2+1)<<40 | 3<<54, "", ""},
		{"a word", "", program.Relocation{Type: typeWord, Rela: true, Addend: 1}, "shared", 0, 1 << 32, "", ""},
		{"a static shared variable has its address", "", program.Relocation{Type: typeOperand, Rela: true, Addend: 8}, "shared", 0, 8>>2<<40 | uint64(sharedBank)<<54, "", ""},
		{"the section of constants, by its part", "", program.Relocation{Type: typeOperand, Rela: true, Addend: 4, Bias: 16}, "of constants", 0, 20>>2<<40 | 3<<54, "", ""},
		{"no symbol at all", "", program.Relocation{Type: type64}, "none", 7, 7, "", ""},
		{"the null symbol", "", program.Relocation{Type: type32, Rela: true, Addend: 3}, "null", 0, 3, "", ""},
		{"an absolute symbol", "", program.Relocation{Type: type64}, "absolute", 0, 0, "", "relocation against an absolute symbol"},
		{"nothing", "", program.Relocation{Type: typeNone, Rela: true}, "function", 9, 9, "", ""},
		{"after the end, kept", "", program.Relocation{Type: type64, Rela: true, Offset: 32}, "function", 0, 0, "", "relocation is past end of offset"},
		{"after the end, resolved", "", program.Relocation{Type: typeOperand, Rela: true, Offset: 32}, "constant", 0, 0, "", "reloc address not found"},
		{"a descriptor", "", program.Relocation{Type: typeDescriptor, Rela: true}, "function", 0, 0, "34 f+0", ""},
		{"a descriptor of data", "", program.Relocation{Type: typeDescriptor, Rela: true}, "variable", 0, 0, "", "function descriptor of a symbol that is not a function"},
		{"an unknown type", "", program.Relocation{Type: 200, Rela: true}, "constant", 0, 0, "", "unexpected NVRS"},
		{"cleared, its function is linked", "", program.Relocation{Type: typeClear, Rela: true}, "function", 7, 7, "", ""},
		{"cleared, a texture: kept for the null symbol", "", program.Relocation{Type: typeClear, Rela: true}, "texture", 7, 7, "0 +0", ""},
		{"cleared, its function is not linked", "", program.Relocation{Type: typeClear, Rela: true}, "dead", 7, 0, "", ""},
		{"-force-rela moves an addend", force, program.Relocation{Type: type64}, "function", 77, 77, "2 f+77", ""},
		{"-force-rela leaves an addend", force, program.Relocation{Type: type64, Rela: true, Addend: 4}, "function", 77, 77, "2 f+4", ""},
		{"-r resolves a constant", r, program.Relocation{Type: typeOperand, Rela: true}, "constant", 0, 0x20>>2<<40 | 3<<54, "", ""},
		{"-r leaves a weak one", r, program.Relocation{Type: typeOperand, Rela: true}, "weak", 0, 0, "64 weak+0", ""},
		{"-r leaves the number of a type", r, program.Relocation{Type: typeUnified, Rela: true}, "variable", 0, 0, "102 variable+0", ""},
		{"--keep-relocs leaves a constant", r + keepRelocs, program.Relocation{Type: typeOperand, Rela: true}, "constant", 0, 0, "64 constant+0", ""},
		{"--keep-relocs, by its section", r + keepRelocs, program.Relocation{Type: typeOperand, Rela: true, Addend: 4, Bias: 16}, "of constants", 0, 0, "64 .nv.constant3+20", ""},
		{"--keep-relocs leaves a texture, which stands in no section", r + keepRelocs, program.Relocation{Type: typeOperand, Rela: true}, "texture", 0, 0, "64 texture+0", ""},
		{"--keep-relocs without -r", keepRelocs, program.Relocation{Type: typeOperand, Rela: true}, "constant", 0, 0x20>>2<<40 | 3<<54, "", ""},
		{"--preserve-relocs resolves too", preserve, program.Relocation{Type: typeOperand, Rela: true}, "constant", 0, 0x20>>2<<40 | 3<<54, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			has := func(option string) bool { return strings.Contains(tt.options, option) }
			s := newFixture(t, program.Options{
				Relocatable: strings.HasPrefix(tt.options, r), KeepRelocs: has(keepRelocs), PreserveRelocs: has(preserve), ForceRela: has(force),
			})
			code := make([]byte, programtest.CodeSize)
			binary.LittleEndian.PutUint64(code, tt.code)
			s.kernel.Text.SetBytes(code)
			tt.r.Symbol = s.symbols[tt.symbol]
			s.kernel.Text.Relocations = []program.Relocation{tt.r}
			d, said := s.settled(t)
			if d != nil && d.Unwritable != nil {
				said = d.Unwritable.Diagnostic().Text()
			}
			if tt.said != "" {
				if !strings.HasSuffix(said, tt.said) {
					t.Errorf("said %q, want %q", said, tt.said)
				}
				return
			}
			var kept []string
			for _, r := range s.kernel.Text.Relocations {
				kept = append(kept, fmt.Sprintf("%d %s+%d", r.Type, r.Symbol.Name, r.Addend))
			}
			after := binary.LittleEndian.Uint64(s.kernel.Text.Bytes())
			if got := strings.Join(kept, ", "); said != "" || got != tt.kept || after != tt.after {
				t.Errorf("kept %q, code %#x, said %q; want %q, %#x", got, after, said, tt.kept, tt.after)
			}
		})
	}
}

// TestUnwritable checks that errors that nvlink finds when it writes the output are reported after all others,
// and that only the first is reported (RELOC-030).
func TestUnwritable(t *testing.T) {
	s := newFixture(t, program.Options{})
	s.kernel.Text.Relocations = []program.Relocation{
		{Type: type64, Rela: true, Offset: 99, Symbol: s.function.Symbol},
		{Type: type64, Rela: true, Symbol: s.symbols["hidden"]},
		{Type: typeOperand, Rela: true, Symbol: s.symbols["constant"]},
	}
	d, said := s.settled(t)
	if said != "" || d.Unwritable == nil {
		t.Fatalf("said %q, unwritable %v", said, d.Unwritable)
	}
	if text := d.Unwritable.Diagnostic().Text(); !strings.HasSuffix(text, reloc.FaultPastEnd) {
		t.Errorf("unwritable: %s", text)
	}
	if cause := d.Unwritable.Diagnostic().Cause.Error(); !strings.Contains(cause, ".text.k") || !strings.Contains(cause, "0x63") {
		t.Errorf("the cause names no section and offset: %s", cause)
	}
	if s.kernel.Text.Bytes()[5] != 0x20>>2 {
		t.Error("the relocation after them is not settled")
	}
}

// TestDeadSections checks that dead sections have no relocations.
func TestDeadSections(t *testing.T) {
	s := newFixture(t, program.Options{})
	s.dead.Text.Relocations = []program.Relocation{{Type: type64, Symbol: s.symbols["absolute"]}}
	if _, said := s.settled(t); said != "" || s.dead.Text.Relocations != nil {
		t.Errorf("said %q, %d relocations", said, len(s.dead.Text.Relocations))
	}
}

// TestExternShared checks that an extern array begins after the kernel's own variables. It has no place in code
// that no kernel reaches.
func TestExternShared(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   func(s *fixture) *program.Section
		opt  program.Options
		want uint32
	}{
		{"in a kernel", func(s *fixture) *program.Section { return s.kernel.Text }, program.Options{}, 16},
		{"in debug information", func(s *fixture) *program.Section { return s.debug }, program.Options{}, 0xffffffff},
		{"in debug information with -g", func(s *fixture) *program.Section { return s.debug }, program.Options{Debug: true}, 16},
	} {
		s := newFixture(t, tt.opt)
		extern := s.symbols["extern"]
		s.UseShared(s.kernel, extern)
		section := tt.in(s)
		section.Relocations = []program.Relocation{{Type: typeWord, Rela: true, Symbol: extern}}
		_, said := s.settled(t)
		if got := binary.LittleEndian.Uint32(section.Bytes()[4:]); said != "" || got != tt.want {
			t.Errorf("%s: %#x, said %q; want %#x", tt.name, got, said, tt.want)
		}
	}
}

// TestWithoutBytes checks a section without bytes in the file: it is not patched, but its Mercury half is.
func TestWithoutBytes(t *testing.T) {
	for _, noBits := range []bool{false, true} {
		s := newFixture(t, program.Options{})
		s.debug.NoBits = noBits
		s.debug.Relocations = []program.Relocation{{Type: type64, Rela: true, Symbol: s.symbols["of debug"], Addend: 8}}
		_, said := s.settled(t)
		if written := slices.Max(s.debug.Bytes()) != 0; said != "" || written == noBits {
			t.Errorf("without bytes %v: written %v, said %q", noBits, written, said)
		}
	}
}

// TestNoted checks that --preserve-relocs records a resolved relocation if its target has a symbol (RELOC-006).
func TestNoted(t *testing.T) {
	for _, tt := range []struct {
		name   string
		symbol string
		r      program.Relocation
		noted  string
	}{
		{"a constant", "constant", program.Relocation{Type: typeOperand, Rela: true, Addend: 4}, "64+4"},
		{"an addend in the code", "constant", program.Relocation{Type: typeOperand}, "64+1"},
		{"a section", "of constants", program.Relocation{Type: typeOperand, Rela: true, Addend: 4, Bias: 8}, "64+12"},
		{"a parameter, which has no symbol", "parameter", program.Relocation{Type: typeOperand, Rela: true}, ""},
		{"what is kept", "function", program.Relocation{Type: type64, Rela: true}, ""},
	} {
		s := newFixture(t, program.Options{PreserveRelocs: true})
		text := s.kernel.Text
		text.SetBytes(append([]byte{0, 0, 0, 0, 0, 1, 0, 0}, make([]byte, 24)...))
		tt.r.Symbol = s.symbols[tt.symbol]
		text.Relocations = []program.Relocation{tt.r}
		_, said := s.settled(t)
		var noted []string
		for _, r := range text.Resolved {
			noted = append(noted, fmt.Sprintf("%d+%d", r.Type, r.Addend))
		}
		if got := strings.Join(noted, ", "); said != "" || got != tt.noted {
			t.Errorf("%s: noted %q, said %q; want %q", tt.name, got, said, tt.noted)
		}
	}
}

// TestNotedElsewhere checks that the first of two sections with the same name has the records (RELOC-032).
func TestNotedElsewhere(t *testing.T) {
	s := newFixture(t, program.Options{PreserveRelocs: true})
	s.kernel.Text.NotedAt = s.function.Text
	s.kernel.Text.Relocations = []program.Relocation{{Type: typeOperand, Rela: true, Symbol: s.symbols["constant"]}}
	s.settled(t)
	if len(s.kernel.Text.Resolved) != 0 || len(s.function.Text.Resolved) != 1 {
		t.Errorf("noted: %d of its own, %d in the first", len(s.kernel.Text.Resolved), len(s.function.Text.Resolved))
	}
}

// TestMercuryHalf checks that the Mercury half has its own relocation types, and that the finalizer resolves
// the relocations of its code.
func TestMercuryHalf(t *testing.T) {
	for _, tt := range []struct {
		name string
		typ  uint32
		kept int
		said string
	}{
		{"a type of the half", reloc.MercuryBase + 2, 1, ""},
		{"a plain type", type64, 0, "unexpected reloc"},
	} {
		p := programtest.New(t, program.Options{Arch: "sm_100"})
		s := p.Data(".debug_info", cubin.SectionProgBits, make([]byte, 16))
		s.Mercury = &program.Side{Name: ".nv.merc.debug_info"}
		s.Mercury.SetBytes(make([]byte, 16))
		y := p.Kernel("k").Symbol
		s.Mercury.Relocations = []program.Relocation{{Type: tt.typ, Rela: true, Symbol: y}}
		p.RegisterMercury(s)
		_, said := (&fixture{Program: p}).settled(t)
		if len(s.Mercury.Relocations) != tt.kept && tt.said == "" || !strings.HasSuffix(said, tt.said) {
			t.Errorf("%s: %d kept, said %q", tt.name, len(s.Mercury.Relocations), said)
		}
	}
}

// TestReplacedCapsule checks that -kernels-used refuses a replaced capsule (RELOC-031).
func TestReplacedCapsule(t *testing.T) {
	for _, tt := range []struct {
		opt  program.Options
		said bool
	}{{program.Options{KernelsUsed: []string{"k"}}, true}, {program.Options{}, false}, {program.Options{KernelsUsed: []string{"k"}, Relocatable: true}, false}} {
		s := newFixture(t, tt.opt)
		text := s.kernel.Text
		s.kernel.ReplacedCapsule = true
		text.Mercury = &program.Side{Name: ".nv.capmerc.text.k", Type: cubin.SectionCapMerc}
		s.RegisterMercury(text)
		if _, said := s.settled(t); (said != "") != tt.said {
			t.Errorf("%+v: said %q", tt.opt, said)
		}
	}
}

// TestOperands checks the resolved operands that the finalizer gets. The operand for a texture's slot is
// relative to the first slot (MERC-222).
func TestOperands(t *testing.T) {
	d := &Settled{Finalized: &finalize.Finalized{Placed: &layout.Placed{HandleStart: 0x160}}}
	p := programtest.New(t, program.Options{})
	d.Placed.Propagated = &reach.Propagated{Reached: &reach.Reached{Program: p.Program}}
	text := p.Kernel("k").Text
	text.Mercury = &program.Side{Type: cubin.SectionCapMerc}
	slot := p.Handle("t", cubin.SymTexture)
	d.Slots = map[*program.Symbol]uint64{slot: 0x164}
	for _, r := range []program.Relocation{{Type: typeWord, Rela: true, Addend: 3, Symbol: slot, Offset: 16}} {
		typ, _ := reloc.Lookup(r.Type)
		b := batch{Settled: d, section: text, side: &text.Side, values: text.Values(1)}
		if err := b.resolve(&r, typ, reloc.Resolve); err != nil {
			t.Fatal(err.Diagnostic().Text())
		}
		if text.Take(b.values); len(b.operands) != 1 || b.operands[0] != (capsule.Operand{Machine: 1, Size: capsule.OperandSize(typeWord), Value: 7}) {
			t.Errorf("operands %+v", b.operands)
		}
	}
	if got := text.Bytes()[16:24]; !bytes.Equal(got, []byte{0, 0, 0, 0, 0x67, 1, 0, 0}) {
		t.Errorf("code %x", got)
	}
}

// TestLineStarts checks that the places in .debug_info that refer to the lines of units are found, only with a
// Mercury half.
func TestLineStarts(t *testing.T) {
	for _, tt := range []struct {
		form        program.Form
		relocatable bool
		want        int
	}{{program.BothHalves, false, 1}, {program.MachineCode, false, 0}, {program.BothHalves, true, 0}} {
		p := programtest.New(t, program.Options{Arch: "sm_100", Relocatable: tt.relocatable})
		p.Form = tt.form
		info, lines := p.Data(cubin.DebugInfoName, cubin.SectionProgBits, make([]byte, 8)), p.Data(cubin.DebugLineName, cubin.SectionProgBits, make([]byte, 8))
		info.Relocations = []program.Relocation{{Offset: 4, Symbol: lines.Symbol}, {Offset: 0, Symbol: info.Symbol}}
		d := &Settled{Finalized: &finalize.Finalized{Placed: &layout.Placed{Propagated: &reach.Propagated{Reached: &reach.Reached{Program: p.Program}}}}}
		d.findLineStarts()
		if len(d.LineStarts) != tt.want || tt.want > 0 && d.LineStarts[0] != 4 {
			t.Errorf("form %d, relocatable %v: %v", tt.form, tt.relocatable, d.LineStarts)
		}
	}
}
