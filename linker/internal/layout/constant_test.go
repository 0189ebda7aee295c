package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
)

// TestCompilerConstants checks that a function's constants have the same offset in the banks of all kernels
// that reach it, after the kernels' own constants (LAYOUT-040).
func TestCompilerConstants(t *testing.T) {
	const gone = "gone"
	for _, tt := range []struct {
		name  string
		calls string            // "af bg": kernel a calls f, kernel b calls g
		banks map[string]string // contents by function
		align uint64            // of each bank
		after map[string]string // expected banks; "gone" for a section that was removed
		at    map[string]uint64 // expected offsets of the constants of f and g
	}{
		{"of a kernel", "", map[string]string{"a": "aaaa"}, 4, map[string]string{"a": "aaaa"}, nil},
		{"of a function", "af", map[string]string{"f": "ffff"}, 4, map[string]string{"a": "ffff", "f": gone}, map[string]uint64{"f": 0}},
		{"after those of the kernel", "af", map[string]string{"a": "aaaa", "f": "ffff"}, 4, map[string]string{"a": "aaaaffff", "f": gone}, map[string]uint64{"f": 4}},
		{"aligned", "af", map[string]string{"a": "aaaa", "f": "ffff"}, 8, map[string]string{"a": "aaaa....ffff....", "f": gone}, map[string]uint64{"f": 8}},
		{"at the largest end", "af bf", map[string]string{"a": "aaaaaaaa", "b": "bbbb", "f": "ffff"}, 4,
			map[string]string{"a": "aaaaaaaaffff", "b": "bbbb....ffff", "f": gone}, map[string]uint64{"f": 8}},
		{"the last function first", "af ag", map[string]string{"f": "ffff", "g": "gggg"}, 4, map[string]string{"a": "ggggffff", "f": gone, "g": gone}, map[string]uint64{"f": 4, "g": 0}},
		{"of two kernels apart", "af bg", map[string]string{"f": "ffff", "g": "gggg"}, 4,
			map[string]string{"a": "ffff", "b": "gggg", "f": gone, "g": gone}, map[string]uint64{"f": 0, "g": 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			named := map[string]*program.Function{"a": p.Kernel("a"), "b": p.Kernel("b"), "f": p.Device("f"), "g": p.Device("g")}
			for _, c := range strings.Fields(tt.calls) {
				p.Call(named[c[:1]], named[c[1:]])
			}
			constants := map[string]*program.Symbol{}
			for _, name := range []string{"a", "b", "f", "g"} {
				if tt.banks[name] == "" {
					continue
				}
				s := p.Bank(named[name], 2, []byte(tt.banks[name]))
				s.Align = tt.align
				constants[name] = p.Local(program.Symbol{Name: "c" + name, Section: s, Size: s.Size})
				s.Internals = append(s.Internals, constants[name])
			}
			before := map[string]*program.Section{"f": named["f"].CompilerConstants(), "g": named["g"].CompilerConstants()}
			if _, said := memory(p); said != "" {
				t.Fatal(said)
			}
			for name, want := range tt.after {
				if s := before[name]; s != nil {
					if s.State != program.Gone {
						t.Errorf("the constants of %s are still there", name)
					}
					continue
				}
				s := named[name].CompilerConstants()
				if got := strings.ReplaceAll(string(s.Bytes()), "\x00", "."); got != want || s.Size != uint64(len(want)) {
					t.Errorf("bank of %s: %q of %d bytes, want %q", name, got, s.Size, want)
				}
			}
			for name, want := range tt.at {
				if y := constants[name]; y.Value != want || !y.Hidden || !y.Unnamed {
					t.Errorf("constant of %s at %d, hidden %v; want %d", name, y.Value, y.Hidden, want)
				}
			}
		})
	}
}

// TestCompilerBankTooLarge checks that a bank that is too large is an error (LAYOUT-040).
func TestCompilerBankTooLarge(t *testing.T) {
	for size, refused := range map[int]bool{cubin.MaxConstant: false, cubin.MaxConstant + 4: true} {
		p := programtest.New(t, program.Options{})
		k, f := p.Kernel("k"), p.Device("f")
		p.Call(k, f)
		p.Bank(f, 2, make([]byte, size))
		if _, said := memory(p); strings.Contains(said, "k") != refused {
			t.Errorf("%d bytes: said %q", size, said)
		}
	}
}

// TestNullSymbolOfConstants checks that the null symbol gets the offset of the last copy of a weak function's
// constants (EMIT-015).
func TestNullSymbolOfConstants(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k, f := p.Kernel("k"), p.Device("f")
	p.Call(k, f)
	p.Bank(k, 2, make([]byte, 8))
	p.Discarded[p.Bank(f, 2, make([]byte, 8))] = []uint64{4}
	if l, _ := memory(p); l.NullValue != 12 {
		t.Errorf("null symbol %d, want 8 + 4", l.NullValue)
	}
}

// TestMercuryConstants checks that in the Mercury half the relocations of a function's constants are copied
// with the constants, after those of the kernel (MERC-201).
func TestMercuryConstants(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	p.Form = program.BothHalves
	k, f := p.Kernel("k"), p.Device("f")
	p.Call(k, f)
	own, of := p.Bank(k, 2, make([]byte, 8)), p.Bank(f, 2, make([]byte, 8))
	for _, s := range []*program.Section{own, of} {
		s.Mercury = &program.Side{Name: cubin.MercuryName(s.Name), Type: cubin.SectionMercOptimizer, Align: 4}
		s.Mercury.SetBytes(make([]byte, 8))
	}
	own.Mercury.Relocations = []program.Relocation{{Offset: 4, Symbol: k.Symbol}}
	of.Mercury.Relocations = []program.Relocation{{Offset: 0, Symbol: f.Symbol}, {Offset: 4, Symbol: f.Symbol}, {Offset: 8, Symbol: f.Symbol}}
	of.Internals = []*program.Symbol{p.Local(program.Symbol{Name: "table", Section: of, Size: 8})}
	l, _ := memory(p)
	bank := k.CompilerConstants()
	var places []string
	for _, r := range bank.Mercury.Relocations {
		places = append(places, fmt.Sprintf("%s+%d", r.Symbol.Name, r.Offset))
	}
	if want := []string{"f+8", "f+12", "k+4"}; !slices.Equal(places, want) {
		t.Errorf("relocations %v, want %v", places, want)
	}
	if bank.Mercury.Size != 16 || bank.Mercury.Held() != 16 {
		t.Errorf("the Mercury side has %d of %d bytes, want 16", bank.Mercury.Held(), bank.Mercury.Size)
	}
	if !slices.Contains(l.RelocatedCopies, bank) {
		t.Error("the bank is not among those whose Mercury side has relocations")
	}
}

// userConstants makes .nv.constant3 from parts, each of which comes from its own input.
func userConstants(p *programtest.Program, align uint64, parts ...string) *program.Section {
	s := p.Data(cubin.UserConstantName, cubin.SectionConstant0+cubin.UserBank, nil)
	s.Content, s.Size = program.Content{}, 0
	for i, part := range parts {
		s.Add(program.Piece{Origin: fmt.Sprintf("in%d.cubin", i), Offset: s.Size, Size: uint64(len(part)), Align: align, Data: []byte(part)})
		s.Size += uint64(len(part))
	}
	return s
}

// TestUserConstantsTooLarge checks that user constants that are too large are an error (LAYOUT-061).
func TestUserConstantsTooLarge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    program.Options
		size   uint64 // of the section
		of     uint64 // size of the variable in it; 0 for a variable without a size
		after  uint64
		said   string
		packed bool
	}{
		{"the limit", program.Options{}, cubin.MaxConstant, 8, cubin.MaxConstant, "", false},
		{"gaps that packing takes out", program.Options{}, cubin.MaxConstant + 8, 8, 8, "", true},
		{"a variable that is too large", program.Options{}, cubin.MaxConstant + 8, cubin.MaxConstant + 8, cubin.MaxConstant + 8, "constant", true},
		{"a variable without a size", program.Options{}, cubin.MaxConstant + 8, 0, cubin.MaxConstant + 8, "should only reach here with no opt", false},
		{"-r does not pack", program.Options{Relocatable: true}, cubin.MaxConstant + 8, 8, cubin.MaxConstant + 8, "constant", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			s := userConstants(p, 4, string(make([]byte, tt.size)))
			v := p.Variable("v", s, 4, tt.of)
			_, said := memory(p)
			if s.Size != tt.after || !strings.Contains(said, tt.said) || (said == "") != (tt.said == "") {
				t.Errorf("%d bytes, said %q; want %d bytes, %q", s.Size, said, tt.after, tt.said)
			}
			if (v.Value == 0) != tt.packed {
				t.Errorf("v at %d, packed: %v", v.Value, tt.packed)
			}
		})
	}
}

// TestPackConstants checks that global variables are placed first, by decreasing alignment and increasing size,
// and then local ones by increasing size. Their relocations move with them (LAYOUT-061).
func TestPackConstants(t *testing.T) {
	for _, tt := range []struct {
		name    string
		locals  map[string][2]uint64 // place and size
		globals map[string][2]uint64
		order   []string // of both lists
		after   string   // contents
	}{
		{"one, from its gap", nil, map[string][2]uint64{"c": {2, 2}}, []string{"c"}, "cd"},
		{"the larger alignment first", nil, map[string][2]uint64{"a": {0, 2}, "e": {4, 4}}, []string{"a", "e"}, "efghab"},
		{"of one alignment the smaller first", nil, map[string][2]uint64{"a": {0, 12}, "m": {12, 8}}, []string{"a", "m"}, "mnopqrstabcdefghijkl"},
		{"local ones come last", map[string][2]uint64{"a": {0, 8}}, map[string][2]uint64{"i": {8, 1}}, []string{"a", "i"}, "i.......abcdefgh"},
		{"local ones by size", map[string][2]uint64{"a": {0, 4}, "e": {4, 2}}, nil, []string{"a", "e"}, "ef..abcd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			s := userConstants(p, 4, "abcdefghijklmnopqrst")
			for _, name := range tt.order {
				if at, ok := tt.locals[name]; ok {
					p.Local(program.Symbol{Name: name, Section: s, Value: at[0], Size: at[1]})
				} else {
					p.Variable(name, s, tt.globals[name][0], tt.globals[name][1])
				}
				s.Relocations = append(s.Relocations, program.Relocation{Offset: uint64(name[0] - 'a')})
			}
			l := placed(p)
			if !l.packConstants(s) {
				t.Fatal("not packed")
			}
			got := strings.ReplaceAll(string(s.Bytes()), "\x00", ".")
			if got != tt.after {
				t.Errorf("%q, want %q", got, tt.after)
			}
			for i, name := range tt.order {
				if at := s.Relocations[i].Offset; got[at] != name[0] {
					t.Errorf("the relocation of %s is now about %c", name, got[at])
				}
			}
		})
	}
}

// TestUsedLocalConstantsAligned checks that local variables keep their alignment if the link selects variables
// by name (E-373).
func TestUsedLocalConstantsAligned(t *testing.T) {
	p := programtest.New(t, program.Options{VariablesUsed: []string{"named"}})
	s := userConstants(p, 8, "aaabbbbbbbb")
	p.Local(program.Symbol{Name: "named_a", Section: s, Value: 0, Size: 3})
	b := p.Local(program.Symbol{Name: "named_b", Section: s, Value: 3, Size: 8})
	if !placed(p).packConstants(s) {
		t.Fatal("not packed")
	}
	if b.Value != 8 {
		t.Errorf("8 bytes at %d", b.Value)
	}
}

// TestUsedConstants checks that -variables-used keeps the variables that it names and those that relocations
// refer to.
func TestUsedConstants(t *testing.T) {
	p := programtest.New(t, program.Options{VariablesUsed: []string{"named"}, KernelsUsed: []string{"k"}})
	k, dead := p.Kernel("k"), p.Device("dead")
	s := userConstants(p, 4, "aaaabbbbccccdddd")
	named, used, lost, byDead := p.Variable("it_is_named", s, 0, 4), p.Variable("used", s, 4, 4), p.Variable("lost", s, 8, 4), p.Variable("by_dead", s, 12, 4)
	k.Text.Relocations = []program.Relocation{{Symbol: used}}
	dead.Text.Relocations = []program.Relocation{{Symbol: byDead}}
	if !placed(p).packConstants(s) {
		t.Fatal("not packed")
	}
	for y, hidden := range map[*program.Symbol]bool{named: false, used: false, lost: true, byDead: true} {
		if y.Hidden != hidden {
			t.Errorf("%s hidden: %v, want %v", y.Name, y.Hidden, hidden)
		}
	}
	if s.Size != 8 {
		t.Errorf("%d bytes, want those of two variables", s.Size)
	}
	if s.State != program.Kept {
		t.Error("the section is gone")
	}
	p = programtest.New(t, program.Options{VariablesUsed: []string{"named"}, KernelsUsed: []string{"k"}})
	p.Kernel("k")
	s = userConstants(p, 4, "aaaabbbb")
	p.Variable("lost", s, 0, 4)
	if l := placed(p); !l.packConstants(s) || s.Size != 0 || s.State != program.Gone {
		t.Errorf("where no variable is used %d bytes stay, state %v", s.Size, s.State)
	}
}

// TestUnusedConstantsPreserved checks that --preserve-relocs keeps the symbols of variables that -variables-used drops, as internal
// ones (LAYOUT-061).
func TestUnusedConstantsPreserved(t *testing.T) {
	p := programtest.New(t, program.Options{VariablesUsed: []string{"named"}, KernelsUsed: []string{"k"}, PreserveRelocs: true})
	p.Kernel("k")
	s := userConstants(p, 4, "aaaabbbb")
	kept, lost := p.Variable("it_is_named", s, 0, 4), p.Variable("lost", s, 4, 4)
	if !placed(p).packConstants(s) {
		t.Fatal("not packed")
	}
	for y, want := range map[*program.Symbol]uint8{kept: 0, lost: cubin.OtherInternal} {
		if got := y.Other & cubin.OtherVisibility; got != want || y.Hidden {
			t.Errorf("%s: visibility %d, hidden %v; want %d", y.Name, got, y.Hidden, want)
		}
	}
}

// TestJoinConstants checks that only the first of equal parts is kept, if that moves nothing that a symbol
// refers to (EMIT-016, E-335).
func TestJoinConstants(t *testing.T) {
	eight := func(c string) string { return strings.Repeat(c, 8) }
	for _, tt := range []struct {
		name   string
		parts  []string
		set    func(p *programtest.Program, s *program.Section)
		after  string
		null   uint64
		choose bool // the link chooses kernels
	}{
		{"different", []string{eight("a"), eight("b")}, nil, eight("a") + eight("b"), 8, true},
		{"equal", []string{eight("a"), eight("a")}, nil, eight("a"), 0, true},
		{"equal, with others between", []string{eight("a"), eight("b"), eight("a")}, nil, eight("a") + eight("b"), 8, true},
		{"equal, the copy named", []string{eight("a"), eight("a")}, name(8), eight("a") + eight("a"), 8, true},
		{"equal, the first named", []string{eight("a"), eight("a")}, name(0), eight("a"), 0, true},
		{"a name after what would go", []string{eight("a"), eight("a"), eight("b")}, name(16), eight("a") + eight("a") + eight("b"), 16, true},
		{"a relocation in what would go", []string{eight("a"), eight("a")}, func(_ *programtest.Program, s *program.Section) {
			s.Relocations = []program.Relocation{{Offset: 8}}
		}, eight("a") + eight("a"), 8, true},
		{"words of zeros", []string{eight("\x00"), eight("\x00")}, nil, eight("\x00") + eight("\x00"), 8, true}, // LAYOUT-990
		{"more zeros", []string{eight("\x00\x00"), eight("\x00\x00")}, nil, eight("\x00\x00"), 0, true},
		{"a link of all kernels", []string{eight("a"), eight("a")}, nil, eight("a") + eight("a"), 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := program.Options{}
			if tt.choose {
				opt.KernelsUsed = []string{"k"}
			}
			p := programtest.New(t, opt)
			p.Kernel("k")
			s := userConstants(p, 8, tt.parts...)
			if tt.set != nil {
				tt.set(p, s)
			}
			l, said := memory(p)
			if got := string(s.Bytes()); said != "" || got != tt.after || s.Size != uint64(len(tt.after)) || l.NullValue != tt.null {
				t.Errorf("%q of %d bytes, null symbol %d, said %q; want %q, %d", got, s.Size, l.NullValue, said, tt.after, tt.null)
			}
		})
	}
}

func name(at uint64) func(*programtest.Program, *program.Section) {
	return func(p *programtest.Program, s *program.Section) { p.Variable("v", s, at, 8) }
}

// TestJoinAlignment checks that parts with different alignments are not equal.
func TestJoinAlignment(t *testing.T) {
	p := programtest.New(t, program.Options{KernelsUsed: []string{"k"}})
	s := userConstants(p, 8, "aaaaaaaa", "aaaaaaaa")
	s.Pieces[1].Align = 4
	l := placed(p)
	l.joinConstants(s)
	if s.Size != 16 {
		t.Errorf("%d bytes, want both parts", s.Size)
	}
}

// TestUserConstantsSize checks that the symbol for the size of the user constants gets the size of the bank
// (LAYOUT-403).
func TestUserConstantsSize(t *testing.T) {
	p := programtest.New(t, program.Options{})
	userConstants(p, 4, "aaaabbbb")
	global := p.Global(program.Symbol{Name: cubin.UserConstantsSize, Missing: true})
	p.UserConstantsSize = p.Local(program.Symbol{Name: cubin.UserConstantsSize, Missing: true})
	memory(p)
	if global.Value != 8 || p.UserConstantsSize.Value != 8 {
		t.Errorf("global %d, local %d, want 8", global.Value, p.UserConstantsSize.Value)
	}
}

// TestCommons checks that common variables are placed after .nv.global, the last one first (LAYOUT-011).
func TestCommons(t *testing.T) {
	for _, tt := range []struct {
		name   string
		start  uint64      // size of .nv.global before
		common [][2]uint64 // size and alignment
		at     []uint64
		size   uint64
		align  uint64
	}{
		{"one", 0, [][2]uint64{{4, 4}}, []uint64{0}, 4, 4},
		{"the last first", 0, [][2]uint64{{4, 4}, {8, 4}}, []uint64{8, 0}, 12, 4},
		{"aligned", 0, [][2]uint64{{8, 8}, {4, 4}}, []uint64{8, 0}, 16, 8},
		{"after the inputs' own", 6, [][2]uint64{{4, 4}}, []uint64{8}, 12, 4},
		{"without an alignment", 3, [][2]uint64{{4, 0}}, []uint64{3}, 7, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			p.GlobalSection().Size = tt.start
			defined := p.Global(program.Symbol{Name: "defined since", Value: 77})
			p.Commons = append(p.Commons, defined)
			var commons []*program.Symbol
			for i, c := range tt.common {
				commons = append(commons, p.Global(program.Symbol{Name: fmt.Sprint("v", i), Common: true, Size: c[0], Value: c[1]}))
			}
			p.Commons = append(p.Commons, commons...)
			memory(p)
			var at []uint64
			for _, y := range commons {
				at = append(at, y.Value)
				if y.Common || y.Section != p.GlobalSection() {
					t.Errorf("%s is not in .nv.global", y.Name)
				}
			}
			if s := p.GlobalSection(); !slices.Equal(at, tt.at) || s.Size != tt.size || s.Align != tt.align || s.State != program.Kept {
				t.Errorf("places %v, size %d, alignment %d; want %v, %d, %d", at, s.Size, s.Align, tt.at, tt.size, tt.align)
			}
			if defined.Value != 77 {
				t.Error("a symbol that is no longer common has moved")
			}
		})
	}
}

// TestUndefinedValues checks that undefined symbols get no place (LAYOUT-403).
func TestUndefinedValues(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    program.Options
		symbol program.Symbol
		value  uint64
		shown  uint64
	}{
		{"a missing variable", program.Options{}, program.Symbol{Missing: true}, noPlaceYet, noPlaceYet},
		{"that may stay undefined", program.Options{AllowUndefinedGlobals: true}, program.Symbol{Missing: true}, noPlaceYet, 0},
		{"not missed", program.Options{}, program.Symbol{Input: cubin.OtherGlobal}, 0, 0},
		{"not missed, with -r", program.Options{Relocatable: true}, program.Symbol{Input: cubin.OtherGlobal}, noPlaceYet, noPlaceYet},
		{"of no space, with -r", program.Options{Relocatable: true}, program.Symbol{}, 0, 0},
	} {
		p := programtest.New(t, tt.opt)
		y := p.Global(tt.symbol)
		memory(p)
		if y.Value != tt.value || y.Value+y.Addend != tt.shown {
			t.Errorf("%s: value %#x, shown as %#x; want %#x, %#x", tt.name, y.Value, y.Value+y.Addend, tt.value, tt.shown)
		}
	}
}

// TestHandles checks which slots a program has, and which relocations fill them (LAYOUT-020 to LAYOUT-022).
func TestHandles(t *testing.T) {
	const operand, address = 64, 2 // R_CUDA_CONST_FIELD19_40, R_CUDA_64
	const tex, samp, surf = cubin.SymTexture, cubin.SymSampler, cubin.SymSurface
	for _, tt := range []struct {
		name    string
		handles []cubin.SymbolType // h0, h1...
		uses    map[string][]int   // which handles each function refers to
		typ     uint32
		slots   []uint64
		filled  string // of kernel a: "offset:symbol"
	}{
		{"none used", []cubin.SymbolType{tex}, nil, operand, []uint64{0}, ""},
		{"used as an address only", []cubin.SymbolType{tex}, map[string][]int{"a": {0}}, address, []uint64{0}, ""},
		{"one texture", []cubin.SymbolType{tex}, map[string][]int{"a": {0}}, operand, []uint64{0x160}, "160:h0"},
		{"by a function", []cubin.SymbolType{tex}, map[string][]int{"f": {0}}, operand, []uint64{0x160}, "160:h0"},
		{"by another kernel", []cubin.SymbolType{tex}, map[string][]int{"b": {0}}, operand, []uint64{0x160}, ""},
		{"two textures", []cubin.SymbolType{tex, tex}, map[string][]int{"a": {0}}, operand, []uint64{0x164, 0x160}, "160:h1 164:h0"},
		{"a texture and a sampler that nobody names", []cubin.SymbolType{tex, samp}, map[string][]int{"a": {0}}, operand, []uint64{0x160, 0x164}, "160:h0"},
		{"a sampler and a texture that nobody names", []cubin.SymbolType{tex, samp}, map[string][]int{"a": {1}}, operand, []uint64{0x160, 0x164}, "164:h1"},
		{"both named", []cubin.SymbolType{tex, samp}, map[string][]int{"a": {0, 1}}, operand, []uint64{0x160, 0x164}, "160:h0 164:h1"},
		{"a surface", []cubin.SymbolType{surf, tex}, map[string][]int{"a": {0, 1}}, operand, []uint64{0x164, 0x160}, "160:h1 164:h0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			named := map[string]*program.Function{"a": p.Kernel("a"), "b": p.Kernel("b"), "f": p.Device("f")}
			p.Call(named["a"], named["f"])
			p.Bank(named["a"], 0, make([]byte, 0x15c))
			p.Bank(named["b"], 0, make([]byte, 0x160))
			var handles []*program.Symbol
			for i, typ := range tt.handles {
				handles = append(handles, p.Handle(fmt.Sprint("h", i), typ))
			}
			for name, uses := range tt.uses {
				for _, i := range uses {
					text := named[name].Text
					text.Relocations = append(text.Relocations, program.Relocation{Type: tt.typ, Symbol: handles[i]})
				}
			}
			l, _ := memory(p)
			var slots []uint64
			for _, y := range handles {
				slots = append(slots, l.Slots[y])
			}
			var filled []string
			bank := named["a"].Bound.Named(".nv.constant0.a")
			for _, r := range bank.Relocations {
				filled = append(filled, fmt.Sprintf("%x:%s", r.Offset, r.Symbol.Name))
			}
			slices.Sort(filled)
			if got := strings.Join(filled, " "); !slices.Equal(slots, tt.slots) || got != tt.filled {
				t.Errorf("slots %#x, filled %q; want %#x, %q", slots, got, tt.slots, tt.filled)
			}
			if want := uint64(0x160 + 4*len(handles)); tt.filled != "" && (bank.Size != want || bank.Held() != want) {
				t.Errorf("bank of %#x bytes, %#x in the file; want %#x", bank.Size, bank.Held(), want)
			}
		})
	}
}

// TestHandlesByKind checks that slots are for textures, samplers and surfaces, in this order, and that in each
// kind the last created comes first (LAYOUT-021).
func TestHandlesByKind(t *testing.T) {
	p := programtest.New(t, program.Options{})
	for i, typ := range []cubin.SymbolType{cubin.SymSurface, cubin.SymTexture, cubin.SymSampler, cubin.SymTexture, cubin.SymSurface} {
		p.Handle(fmt.Sprint(i), typ)
	}
	var order []string
	for _, y := range placed(p).HandlesByKind() {
		order = append(order, y.Name)
	}
	if got := strings.Join(order, " "); got != "3 1 2 4 0" {
		t.Errorf("order %s", got)
	}
}

// TestMercuryHandles checks a program with a Mercury half: the slots have their own section, with relocations
// of both halves (MERC-222, MERC-223).
func TestMercuryHandles(t *testing.T) {
	for _, relocatable := range []bool{false, true} {
		p := programtest.New(t, program.Options{Arch: "sm_100", Relocatable: relocatable})
		p.Form = program.BothHalves
		k := p.Kernel("k")
		bank := p.Bank(k, 0, make([]byte, 0x388))
		y := p.Handle("t", cubin.SymTexture)
		k.Text.Relocations = []program.Relocation{{Type: 64, Symbol: y}}
		l, _ := memory(p)
		if slot := l.Slots[y]; slot != 0x390 || l.HandleStart != 0x390 {
			t.Errorf("relocatable %v: slot %#x, slots from %#x; want 0x390", relocatable, slot, l.HandleStart)
		}
		if relocatable {
			if bank.Mercury != nil {
				t.Error("-r has made a section of slots")
			}
			continue
		}
		if m := bank.Mercury; m.Size != 4 || m.Relocations[0].Offset != 0 || m.Relocations[0].Type <= 0x10000 {
			t.Errorf("%d bytes of slots, relocation %+v", m.Size, m.Relocations[0])
		}
		if r := bank.Relocations[0]; r.Offset != 0x390 || !r.Rela || r.Type != 6 {
			t.Errorf("plain relocation %+v", r)
		}
	}
}

// TestParameterBanks checks a program with a Mercury half: banks without slots come last, in the order of their
// code (MERC-207).
func TestParameterBanks(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	p.Form = program.BothHalves
	var banks []*program.Section
	for _, name := range []string{"a", "b", "c"} {
		k := p.Kernel(name)
		s := &program.Section{Side: program.Side{Name: cubin.ParameterPrefix + name}, Fn: k, Group: program.GroupParameters, State: program.Kept}
		k.Bind(s)
		banks = append(banks, s)
	}
	banks[1].State = program.Gone
	l, _ := memory(p)
	last := l.Sections[len(l.Sections)-2:]
	if last[0] != banks[0] || last[1] != banks[2] {
		t.Errorf("the last sections are %s and %s", last[0].Name, last[1].Name)
	}
}

// TestMemoryReportsInOrder checks that sections that are too large are reported in the order of the sections
// (LAYOUT-413).
func TestMemoryReportsInOrder(t *testing.T) {
	constants := func(p *programtest.Program) {
		p.Variable("c", userConstants(p, 4, string(make([]byte, cubin.MaxConstant+8))), 0, cubin.MaxConstant+8)
	}
	shared := func(p *programtest.Program) { p.OwnShared(p.Kernel("k"), "v", 1<<20, 4) }
	for _, tt := range []struct {
		first, second func(*programtest.Program)
		want          [2]string
	}{{constants, shared, [2]string{"constant", "shared"}}, {shared, constants, [2]string{"shared", "constant"}}} {
		p := programtest.New(t, program.Options{})
		tt.first(p)
		tt.second(p)
		_, said := memory(p)
		if lines := strings.Split(said, "\n"); len(lines) != 2 || !strings.Contains(lines[0], tt.want[0]) || !strings.Contains(lines[1], tt.want[1]) {
			t.Errorf("said %q, want %q", said, tt.want)
		}
	}
}
