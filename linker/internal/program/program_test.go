package program

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

func newProgram(t testing.TB, opt Options) *Program {
	t.Helper()
	if opt.Arch == "" {
		opt.Arch = "sm_80"
	}
	target, ok := arch.Parse(opt.Arch)
	if !ok {
		t.Fatalf("%s is no target", opt.Arch)
	}
	return New(&opt, target)
}

// TestContentIsOneOfPieces compares the bytes with a simple way to make them: join all pieces first and write
// each value to the whole. The order of pieces, values, words and reads does not matter. Values at the end,
// which a later piece would extend, come after all pieces.
func TestContentIsOneOfPieces(t *testing.T) {
	typ, _ := reloc.Lookup(1) // R_CUDA_32
	rapid.Check(t, func(t *rapid.T) {
		var c Content
		var gathered []byte
		write := func(offset uint64) {
			v := reloc.Value{Symbol: rapid.Uint64().Draw(t, "value"), HasAddend: rapid.Bool().Draw(t, "addend")}
			values := c.Values(1)
			err := values.Write(typ, offset, v)
			c.Take(values)
			if bad := (*reloc.RangeError)(nil); errors.As(err, &bad) != (offset >= uint64(len(gathered))) {
				t.Fatalf("write at %d of %d bytes: %v", offset, len(gathered), err)
			}
			if err == nil {
				_ = typ.Apply(gathered, offset, v)
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			held := c.Held()
			switch step := rapid.SampledFrom([]string{"add", "write", "word", "look", "make"}).Draw(t, "step"); {
			case step == "add" || held < 4:
				offset := held + rapid.Uint64Range(0, 9).Draw(t, "gap")
				data := rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "data")
				c.Add(Piece{Offset: offset, Size: uint64(len(data)), Data: slices.Clone(data)})
				gathered = append(append(gathered, make([]byte, int(offset)-len(gathered))...), data...)
			case step == "write":
				write(rapid.Uint64Range(0, held-4).Draw(t, "offset"))
			case step == "word":
				offset, word := rapid.Uint64Range(0, held-4).Draw(t, "offset"), rapid.Uint32().Draw(t, "word")
				c.PutUint32(offset, word)
				binary.LittleEndian.PutUint32(gathered[offset:], word)
			case step == "look":
				_ = c.Bytes()
			case step == "make":
				_ = c.Writable()
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "last") {
			write(rapid.Uint64Range(0, c.Held()+8).Draw(t, "offset"))
		}
		if held := c.Held(); held != uint64(len(gathered)) {
			t.Fatalf("%d bytes held, want %d", held, len(gathered))
		}
		out := make([]byte, len(gathered))
		c.WriteTo(out)
		var parts []byte
		c.WriteParts(rapid.Uint64Range(1, 30).Draw(t, "most"), func(size uint64) []byte {
			parts = append(parts, make([]byte, size)...)
			return parts[len(parts)-int(size):]
		})
		for _, got := range [][]byte{out, parts, c.Bytes(), c.Writable()} {
			if !slices.Equal(got, gathered) {
				t.Fatalf("bytes %x, want %x", got, gathered)
			}
		}
	})
}

// TestContentBorrows checks that writing changes no piece, because pieces belong to inputs. A single piece is
// read without copying.
func TestContentBorrows(t *testing.T) {
	data := []byte("abcdefgh")
	var c Content
	c.Add(Piece{Size: 8, Data: data})
	if got := c.Bytes(); &got[0] != &data[0] {
		t.Error("the bytes of one piece are a copy")
	}
	c.PutUint32(0, 0)
	c.Writable()[7] = 'X'
	if string(data) != "abcdefgh" {
		t.Errorf("the input is now %q", data)
	}
	if got := string(c.Bytes()); got != "\x00\x00\x00\x00efgX" {
		t.Errorf("the bytes are %q", got)
	}
}

// TestContentHeld checks that data that exists only in memory has no bytes in the file.
func TestContentHeld(t *testing.T) {
	for _, tt := range []struct {
		name    string
		pieces  []Piece
		held    uint64
		present bool
	}{
		{"nothing", nil, 0, false},
		{"memory only", []Piece{{Size: 8}}, 0, false},
		{"bytes", []Piece{{Size: 4, Data: make([]byte, 4)}}, 4, true},
		{"no bytes at all, but contents", []Piece{{Data: []byte{}}}, 0, true},
		{"bytes and then memory", []Piece{{Size: 4, Data: make([]byte, 4)}, {Offset: 4, Size: 8}}, 4, true},
		{"memory and then bytes", []Piece{{Size: 4}, {Offset: 4, Size: 2, Data: make([]byte, 2)}}, 6, true},
	} {
		var c Content
		for _, p := range tt.pieces {
			c.Add(p)
		}
		if c.Held() != tt.held || c.Present() != tt.present {
			t.Errorf("%s: %d bytes, present %v; want %d, %v", tt.name, c.Held(), c.Present(), tt.held, tt.present)
		}
		if n := len(c.Bytes()); uint64(n) != tt.held {
			t.Errorf("%s: %d bytes to read, want %d", tt.name, n, tt.held)
		}
	}
}

// TestSide checks that a side can be cleared and filled.
func TestSide(t *testing.T) {
	s := Side{Size: 8, Relocations: []Relocation{{}}}
	s.Add(Piece{Size: 4, Data: []byte("abcd")})
	s.FillUp()
	if got := string(s.Bytes()); got != "abcd\x00\x00\x00\x00" {
		t.Errorf("filled up: %q", got)
	}
	s.FillUp()
	if len(s.Pieces) != 2 {
		t.Errorf("%d pieces after filling up twice", len(s.Pieces))
	}
	s.SetBytes([]byte("xy"))
	if s.Size != 2 || string(s.Bytes()) != "xy" || len(s.Pieces) != 2 {
		t.Errorf("set: %d bytes %q, %d pieces as a record", s.Size, s.Bytes(), len(s.Pieces))
	}
	s.SetBytes(nil)
	if s.Size != 0 || s.Present() || len(s.Pieces) != 0 {
		t.Errorf("set to nothing: %d bytes, %d pieces", s.Size, len(s.Pieces))
	}
	s.SetBytes([]byte("xy"))
	s.Reset()
	if s.Size != 0 || s.Present() || len(s.Relocations) != 1 {
		t.Errorf("reset: %d bytes, %d relocations; want none, and the relocation", s.Size, len(s.Relocations))
	}
}

// TestSides checks a section that has both halves.
func TestSides(t *testing.T) {
	a, b := &Symbol{Name: "a"}, &Symbol{Name: "b"}
	s := &Section{Side: Side{Relocations: []Relocation{{Symbol: b}}}}
	if sides := s.Sides(); len(sides) != 1 || sides[0] != &s.Side {
		t.Errorf("%d sides without a Mercury half", len(sides))
	}
	s.Mercury = &Side{Size: 3, Relocations: []Relocation{{Symbol: a, Offset: 4}, {Symbol: b, Offset: 8}}}
	if sides := s.Sides(); len(sides) != 2 || sides[0] != &s.Side || sides[1] != s.Mercury {
		t.Error("the plain side is not first of two")
	}
	s.Mercury.MarkStale(a)
	s.Mercury.MarkStale(b)
	s.Mercury.Relocations = append(s.Mercury.Relocations, Relocation{Symbol: a})
	s.Mercury.MarkStale(b)
	if r := s.Mercury.Relocations; !r[0].Stale || !r[1].Stale || r[2].Stale {
		t.Errorf("stale: %v %v %v", r[0].Stale, r[1].Stale, r[2].Stale)
	}
	s.ClearMercury()
	if s.Mercury.Size != 0 || s.Mercury.Relocations != nil || len(s.Relocations) != 1 {
		t.Error("the Mercury side is not empty, or the plain one is")
	}
	(&Section{}).ClearMercury()
}

// TestFrontList checks that iteration starts with the element added last, and that each element keeps its
// index.
func TestFrontList(t *testing.T) {
	var l FrontList[string]
	for _, v := range []string{"a", "b", "c"} {
		l.Push(v)
	}
	var seen []string
	for i, v := range l.All() {
		seen = append(seen, fmt.Sprint(i, v))
	}
	if got := strings.Join(seen, " "); got != "2c 1b 0a" {
		t.Errorf("seen %s", got)
	}
}

// TestNew checks the sections that every output has, in order, with their names (MERGE-001, EMIT-003).
func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name     string
		opt      Options
		sections string
	}{
		{"sm_80", Options{}, ".shstrtab .strtab .symtab .note.nv.tkinfo .note.nv.cuinfo .nv.info"},
		{"sm_100", Options{Arch: "sm_100"}, ".shstrtab .strtab .symtab .note.nv.tkinfo .note.nv.cuinfo .nv.info .nv.compat"},
		{"host contents", Options{Host: []byte("h")}, ".shstrtab .strtab .symtab .note.nv.tkinfo .note.nv.cuinfo .nv.info .nv.host"},
	} {
		m := newProgram(t, tt.opt)
		var sections []string
		for i, s := range m.Sections {
			sections = append(sections, s.Name)
			if int(s.ID) != i+1 || s.Number() != i {
				t.Errorf("%s: %s has ID %d", tt.name, s.Name, s.ID)
			}
			if m.SectionSymbol(s.Name) != s.Symbol || s.Symbol.Section != s {
				t.Errorf("%s: %s has no symbol", tt.name, s.Name)
			}
		}
		if got := strings.Join(sections, " "); got != tt.sections {
			t.Errorf("%s: sections %s", tt.name, got)
		}
		if m.Names[3].Name != ".symtab_shndx" || m.Names[3].Section != nil {
			t.Errorf("%s: name 3 is %+v", tt.name, m.Names[3])
		}
		if len(m.Locals) != len(m.Names) {
			t.Errorf("%s: %d names and %d symbols", tt.name, len(m.Names), len(m.Locals))
		}
	}
	host := newProgram(t, Options{Arch: "sm_100", Host: []byte("h")}).ByName[".nv.host"]
	if host == nil || host.Mercury == nil || string(host.Mercury.Bytes()) != "h" || host.Mercury.Flags != cubin.FlagMercury || host.Flags != 0 {
		t.Errorf(".nv.host of sm_100: %+v", host)
	}
}

// TestSymbolIDs checks that every symbol has a unique ID, and that the first one is 1.
func TestSymbolIDs(t *testing.T) {
	m := newProgram(t, Options{})
	seen := map[int32]bool{}
	for _, y := range append(slices.Clone(m.Locals), m.Absolute, m.NewSymbol(Symbol{Name: "y"})) {
		if y.ID <= 0 || y.ID > m.NumSymbols || seen[y.ID] {
			t.Errorf("%s has ID %d", y.Name, y.ID)
		}
		seen[y.ID] = true
	}
	if m.Null.ID != 0 {
		t.Errorf("the null symbol has ID %d", m.Null.ID)
	}
}

// TestNumbers checks that local symbols are numbered upwards from 1, and global ones downwards from -1.
func TestNumbers(t *testing.T) {
	m := newProgram(t, Options{})
	local, global := m.NewSymbol(Symbol{}), m.NewSymbol(Symbol{})
	m.Locals, m.Globals = append(m.Locals[:1], local), []*Symbol{global, m.NewSymbol(Symbol{})}
	numbers := m.Numbers()
	for _, tt := range []struct {
		y    *Symbol
		want int
	}{{m.Locals[0], 1}, {local, 2}, {global, -1}, {m.Globals[1], -2}, {m.Null, 0}} {
		if got := numbers[tt.y.ID]; got != tt.want {
			t.Errorf("number %d, want %d", got, tt.want)
		}
	}
}

// names returns the names registered after the first n.
func names(m *Program, n int) string {
	var list []string
	for _, name := range m.Names[n:] {
		list = append(list, name.Name)
	}
	return strings.Join(list, " ")
}

// TestRegisteredNames checks the names that a section registers, each once (EMIT-003, RELOC-032).
func TestRegisteredNames(t *testing.T) {
	kernel := &Function{Symbol: &Symbol{Name: "k"}}
	bank := func() *Section {
		return &Section{Side: Side{Name: ".nv.constant0.k"}, Bank: 0, Fn: kernel, Group: GroupConstant}
	}
	for _, tt := range []struct {
		name string
		opt  Options
		do   func(m *Program)
		want string
	}{
		{"a parameter bank", Options{}, func(m *Program) { m.AddSection(bank()) }, ".nv.constant0.k .rel.nv.constant0.k"},
		{"with -force-rela", Options{ForceRela: true}, func(m *Program) { m.AddSection(bank()) }, ".nv.constant0.k .rela.nv.constant0.k"},
		{"with -r", Options{Relocatable: true}, func(m *Program) { m.AddSection(bank()) }, ".nv.constant0.k"},
		{"beside a Mercury half, without slots", Options{}, func(m *Program) {
			s := bank()
			s.Group = GroupParameters
			m.AddSection(s)
		}, ".nv.constant0.k"},
		{"beside a Mercury half, with slots", Options{}, func(m *Program) {
			m.Form = BothHalves
			m.AddSection(bank())
		}, ".nv.constant0.k .rela.nv.constant0.k"},
		{"another bank", Options{}, func(m *Program) {
			s := bank()
			s.Bank = 2
			m.AddSection(s)
		}, ".nv.constant0.k"},
		{"relocations once", Options{}, func(m *Program) {
			s := bank()
			m.RegisterRelocations(s, ".x", true, 0)
			m.RegisterRelocations(s, ".x", true, 0)
		}, ".rela.x"},
		{"both kinds", Options{}, func(m *Program) {
			s := bank()
			m.RegisterRelocations(s, ".x", false, 0)
			m.RegisterRelocations(s, ".x", true, 0)
		}, ".rel.x .rela.x"},
		{"of two sections of one name", Options{}, func(m *Program) {
			m.RegisterRelocations(bank(), ".x", true, 0)
			m.RegisterRelocations(bank(), ".x", true, 0)
		}, ".rela.x .rela.x"},
		{"resolved ones of two sections of one name", Options{}, func(m *Program) {
			m.RegisterResolved(bank())
			m.RegisterResolved(bank())
		}, ".nv.resolvedrela.nv.constant0.k"},
	} {
		m := newProgram(t, tt.opt)
		n, locals := len(m.Names), len(m.Locals)
		tt.do(m)
		if got := names(m, n); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if len(m.Locals)-locals != len(m.Names)-n {
			t.Errorf("%s: %d names, %d symbols", tt.name, len(m.Names)-n, len(m.Locals)-locals)
		}
	}
}

// TestSlotsHaveTheirOwnRelocations checks that the relocations of an input's slots do not share the section that the bank
// has for slots that the layout adds, although it has their name (LAYOUT-802).
func TestSlotsHaveTheirOwnRelocations(t *testing.T) {
	m := newProgram(t, Options{})
	s := &Section{Side: Side{Name: ".nv.constant0.k"}, Fn: &Function{}}
	m.AddSection(s)
	if s.RelocatedFirst() != cubin.SectionNull || s.NumRelocationSections() != 0 {
		t.Errorf("before: first kind %#x, %d sections", s.RelocatedFirst(), s.NumRelocationSections())
	}
	m.RegisterRelocations(s, s.Name, false, cubin.FlagInfoLink)
	if len(m.RelocationSections) != 2 {
		t.Fatalf("%d relocation sections", len(m.RelocationSections))
	}
	added, merged := m.RelocationSections[0], m.RelocationSections[1]
	if added.Name != merged.Name || !added.Slots || merged.Slots || added.Flags != 0 || merged.Flags != cubin.FlagInfoLink {
		t.Errorf("%+v, %+v", added, merged)
	}
	if s.RelocatedFirst() != cubin.SectionRel || s.NumRelocationSections() != 1 {
		t.Errorf("after: first kind %#x, %d sections", s.RelocatedFirst(), s.NumRelocationSections())
	}
}

// TestRegisteredRelocations checks what is recorded about a section's relocations.
func TestRegisteredRelocations(t *testing.T) {
	m := newProgram(t, Options{})
	s, other := &Section{Side: Side{Name: ".x"}}, &Section{Side: Side{Name: ".x"}}
	m.RegisterRelocations(s, ".x", false, 0)
	m.RegisterRelocations(s, ".x", true, cubin.FlagInfoLink)
	if s.RelocatedFirst() != cubin.SectionRel || len(m.RelocationSections) != 2 {
		t.Errorf("first kind %#x, %d sections", s.RelocatedFirst(), len(m.RelocationSections))
	}
	if r := m.RelocationSections[1]; r.Name != ".rela.x" || r.Type != cubin.SectionRela || r.Target != s || r.Flags != cubin.FlagInfoLink {
		t.Errorf("second section %+v", r)
	}
	if !s.HasRelocations() || other.HasRelocations() {
		t.Error("the relocations are of another section of the name")
	}
	m.RegisterResolved(s)
	m.RegisterResolved(other)
	m.RegisterResolved(s)
	if other.NotedAt != s || s.NotedAt != nil {
		t.Error("the second section of a name does not refer to the first")
	}
	s.Mercury = &Side{Name: ".m"}
	m.RegisterMercury(s)
	m.RegisterMercury(s)
	if len(m.RelocatedCopies) != 1 {
		t.Errorf("%d sections whose Mercury side has relocations", len(m.RelocatedCopies))
	}
}

// TestOptimizerNameGoesWithItsBank checks that the name of the relocation section of a kernel's compiler
// constants belongs to the bank in a link with a Mercury half, and only there.
func TestOptimizerNameGoesWithItsBank(t *testing.T) {
	for form, with := range map[Form]bool{MachineCode: false, BothHalves: true} {
		m := newProgram(t, Options{Arch: "sm_100"})
		m.Form = form
		s := &Section{Side: Side{Name: ".nv.constant2.k"}, Bank: cubin.CompilerBankNumber}
		m.RegisterRelocations(s, s.Name, true, 0)
		if got := m.Names[len(m.Names)-1].Section == s; got != with {
			t.Errorf("form %d: the name is that of the bank: %v", form, got)
		}
	}
}

// TestGlobalSection checks that .nv.global is created only once.
func TestGlobalSection(t *testing.T) {
	m := newProgram(t, Options{})
	s := m.GlobalSection()
	if m.GlobalSection() != s || m.ByName[cubin.GlobalName] != s || !s.NoBits || s.Group != GroupNoBits || s.State != Reserved {
		t.Errorf("section %+v", s)
	}
}

// TestHasSymbol checks which sections of the output have a symbol (EMIT-014).
func TestHasSymbol(t *testing.T) {
	dead := &Function{Dead: true}
	for _, tt := range []struct {
		name string
		s    *Section
		want bool
	}{
		{"none", nil, false},
		{"no contents yet", &Section{Side: Side{Size: 4}}, false},
		{"kept", &Section{Side: Side{Size: 4}, State: Kept}, true},
		{"empty", &Section{State: Kept}, false},
		{"empty, with a Mercury side", &Section{State: Kept, Mercury: &Side{Size: 4}}, true},
		{"anonymous", &Section{Side: Side{Size: 4}, State: Kept, Anonymous: true}, false},
		{"dead", &Section{Side: Side{Size: 4}, State: Kept, Fn: dead}, false},
		{"gone", &Section{Side: Side{Size: 4}, State: Gone}, false},
		{"the linker's attributes", &Section{Side: Side{Size: 4, Type: cubin.SectionInfo}, State: Kept}, false},
		{"an input's", &Section{Side: Side{Size: 4, Type: cubin.SectionInfo}, State: Kept, Filled: true}, true},
		{"an empty call graph", &Section{Side: Side{Type: cubin.SectionCallGraph}, State: Kept}, true},
		{"an empty note", &Section{Side: Side{Type: cubin.SectionNote}, State: Kept}, true},
	} {
		if got := tt.s.HasSymbol(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestAddressable checks that offsets of relocations in a capsule refer to the instructions before packing.
func TestAddressable(t *testing.T) {
	f := &Function{Symbol: &Symbol{Mercury: MercurySymbol{Value: 0x10, Size: 0x100}}}
	s := &Section{Side: Side{Size: 8}, Mercury: &Side{Size: 12, Type: cubin.SectionCapMerc}, Fn: f}
	if s.Addressable(&s.Side) != 8 || s.Addressable(s.Mercury) != 0x110 {
		t.Errorf("%#x and %#x bytes", s.Addressable(&s.Side), s.Addressable(s.Mercury))
	}
	s.Mercury.Type = cubin.SectionMercOptimizer
	if s.HasCapsule() || s.Addressable(s.Mercury) != 12 {
		t.Errorf("%#x bytes of what is no capsule", s.Addressable(s.Mercury))
	}
}

// TestGroupOf checks that sections of inputs are grouped by how the program may access them (EMIT-001).
func TestGroupOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    cubin.Section
		want Group
	}{
		{"global memory", cubin.Section{Type: cubin.SectionGlobal, Flags: cubin.FlagWrite | cubin.FlagAlloc}, GroupNoBits},
		{"initialised", cubin.Section{Type: cubin.SectionGlobalInit, Flags: cubin.FlagWrite | cubin.FlagAlloc}, GroupGlobalInit},
		{"code", cubin.Section{Type: cubin.SectionProgBits, Flags: cubin.FlagExec | cubin.FlagAlloc}, GroupText},
		{"constants", cubin.Section{Type: cubin.SectionConstant0, Flags: cubin.FlagAlloc}, GroupConstant},
		{"for debuggers", cubin.Section{Type: cubin.SectionProgBits}, GroupDebug},
		{"attributes", cubin.Section{Type: cubin.SectionInfo}, GroupInfo},
		{"code that may be written", cubin.Section{Type: cubin.SectionProgBits, Flags: cubin.FlagExec | cubin.FlagWrite}, GroupGlobalInit},
	} {
		if got := GroupOf(&tt.s); got != tt.want {
			t.Errorf("%s: group %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestGroupsAreThoseOfTheCatalogue checks that the catalogue and the linker use the same groups. It covers each
// kind of section that an input contains and a link merges.
func TestGroupsAreThoseOfTheCatalogue(t *testing.T) {
	same := map[catalogue.Group]Group{
		catalogue.Debug: GroupDebug, catalogue.Metadata: GroupInfo, catalogue.Constants: GroupConstant,
		catalogue.Text: GroupText, catalogue.Data: GroupGlobalInit, catalogue.NoBits: GroupNoBits,
	}
	for i := range catalogue.Kinds {
		k := &catalogue.Kinds[i]
		want, merged := same[k.Group]
		if !merged || k.Object == cubin.SectionNull {
			continue
		}
		s := cubin.Section{Type: k.Type(false, k.Pattern), Flags: cubin.SectionFlags(k.Flags)}
		if got := GroupOf(&s); got != want {
			t.Errorf("%s: group %d, the catalogue has %s", k.Pattern, got, k.Group)
		}
	}
}

// TestSelects checks which kernels a link is for (REACH-010, REACH-030, REACH-031).
func TestSelects(t *testing.T) {
	host := func(names ...string) func(int) func(string, bool) bool {
		return func(int) func(string, bool) bool {
			return func(name string, internal bool) bool { return slices.Contains(names, name) && !internal }
		}
	}
	nothing := func(int) func(string, bool) bool { return nil }
	for _, tt := range []struct {
		name             string
		opt              Options
		bind             cubin.Binding
		selects, chooses bool
		chosen           bool
	}{
		{"no options", Options{}, 1, true, false, true},
		{"a part of the name", Options{KernelsUsed: []string{"x", "ern"}}, 1, true, true, true},
		{"another name", Options{KernelsUsed: []string{"x"}}, 1, false, true, false},
		{"another name, -g", Options{KernelsUsed: []string{"x"}, Debug: true}, 1, false, true, true},
		{"another name, -g without symbols", Options{KernelsUsed: []string{"x"}, Debug: true, SuppressDebugInfo: true}, 1, false, true, false},
		{"variables only", Options{VariablesUsed: []string{"kernel"}}, 1, false, true, false},
		{"host code names it", Options{HostKernels: host("kernel")}, 1, true, true, true},
		{"host code names another", Options{HostKernels: host("k")}, 1, false, true, false},
		{"host code, of a local one", Options{HostKernels: host("kernel")}, 0, false, true, false},
		{"host code decides nothing", Options{HostKernels: nothing}, 1, true, false, true},
	} {
		m := newProgram(t, tt.opt)
		f := &Function{Symbol: &Symbol{Name: "kernel", Bind: tt.bind}}
		if m.Selects(f) != tt.selects || m.ChoosesKernels() != tt.chooses || m.Chosen(f) != tt.chosen {
			t.Errorf("%s: selected %v, choice %v, chosen %v", tt.name, m.Selects(f), m.ChoosesKernels(), m.Chosen(f))
		}
	}
}

// TestSelectsAtFirst checks whether a kernel counts as selected when it is merged (REACH-033, LTO-009).
func TestSelectsAtFirst(t *testing.T) {
	another := func(int) func(string, bool) bool { return func(name string, _ bool) bool { return name == "another" } }
	for _, tt := range []struct {
		name string
		opt  Options
		want bool
	}{
		{"no options", Options{}, true},
		{"another name", Options{KernelsUsed: []string{"x"}}, false},
		{"host code names another", Options{HostKernels: another}, true},
		{"host code is known to name another", Options{HostKernels: another, HostKernelsFirst: true}, false},
		{"host code is known to decide nothing", Options{HostKernelsFirst: true}, true},
	} {
		m := newProgram(t, tt.opt)
		if got := m.SelectsAtFirst(&Function{Symbol: &Symbol{Name: "kernel"}}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestMissesFunction checks for which undefined functions libcudadevrt is linked (LOAD-043).
func TestMissesFunction(t *testing.T) {
	for _, tt := range []struct {
		y    Symbol
		want bool
	}{
		{Symbol{Name: "f"}, true},
		{Symbol{Name: "f", Section: &Section{}}, false},
		{Symbol{Name: "f", Hidden: true}, false},
		{Symbol{Name: "vprintf"}, false},
		{Symbol{Name: "__cuda_syscall_x"}, false},
		{Symbol{Name: "vprintf_"}, true},
	} {
		m := newProgram(t, Options{})
		m.Functions = []*Function{{Symbol: &tt.y}}
		if got := m.MissesFunction(); got != tt.want {
			t.Errorf("%s, hidden %v, defined %v: %v", tt.y.Name, tt.y.Hidden, tt.y.Section != nil, got)
		}
	}
}

// TestReservedNames checks which names the linker defines, and which the driver does.
func TestReservedNames(t *testing.T) {
	for name, want := range map[string][2]bool{
		"__UFT": {true, false}, UftOffset: {true, false}, ReservedSharedCap: {true, true}, "__assertfail": {false, true}, "f": {false, false},
	} {
		if got := [2]bool{IsLinkers(name), ProvidedByDriver(name)}; got != want {
			t.Errorf("%s: of the linker, of the driver: %v, want %v", name, got, want)
		}
	}
}

// TestUseShared checks that functions are in the order of first use, with each variable once.
func TestUseShared(t *testing.T) {
	m := newProgram(t, Options{})
	f, g, x, y := &Function{}, &Function{}, &Symbol{Name: "x"}, &Symbol{Name: "y"}
	for _, use := range []struct {
		f *Function
		y *Symbol
	}{{g, y}, {f, x}, {g, x}, {g, y}} {
		m.UseShared(use.f, use.y)
	}
	if !slices.Equal(m.SharedUsers, []*Function{g, f}) || !slices.Equal(g.Uses, []*Symbol{y, x}) || !slices.Equal(f.Uses, []*Symbol{x}) {
		t.Errorf("users %v; g uses %v, f uses %v", m.SharedUsers, g.Uses, f.Uses)
	}
	m.ForgetShared(g)
	m.ForgetShared(&Function{})
	if !slices.Equal(m.SharedUsers, []*Function{f}) || g.Uses != nil {
		t.Error("the uses of g are still known")
	}
	m.UseShared(g, y)
	if !slices.Equal(m.SharedUsers, []*Function{f, g}) {
		t.Error("g is not known to use shared memory again, after f")
	}
}

// TestIsUndefinedVariable checks which symbols are variables that no input defines.
func TestIsUndefinedVariable(t *testing.T) {
	for _, tt := range []struct {
		name string
		y    Symbol
		want bool
	}{
		{"global", Symbol{Input: cubin.OtherGlobal}, true},
		{"constant", Symbol{Input: cubin.OtherConstant}, true},
		{"of no space", Symbol{}, false},
		{"defined", Symbol{Input: cubin.OtherGlobal, Section: &Section{}}, false},
		{"common", Symbol{Input: cubin.OtherGlobal, Common: true}, false},
		{"a function", Symbol{Input: cubin.OtherGlobal, Fn: &Function{}}, false},
		{"shared, missing", Symbol{Shared: &SharedObject{Missing: true}}, true},
		{"shared, defined", Symbol{Shared: &SharedObject{}}, false},
	} {
		if got := tt.y.IsUndefinedVariable(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestFunction checks the properties of a function.
func TestFunction(t *testing.T) {
	prototype := "p"
	f := &Function{Symbol: &Symbol{Name: "f"}}
	if !f.Undefined() || f.HasPrototype() || f.CompilerConstants() != nil {
		t.Error("a function that nothing says anything of")
	}
	f.Prototype = &prototype
	for _, tt := range []struct {
		name  string
		taken *string
		dead  bool
		want  bool
	}{{"with a prototype", nil, false, true}, {"taken", &prototype, false, false}, {"dead", nil, true, false}} {
		f.TakenAs, f.Dead = tt.taken, tt.dead
		if f.HasPrototype() != tt.want {
			t.Errorf("%s: listed %v", tt.name, f.HasPrototype())
		}
	}
	s := &Section{Side: Side{Name: ".nv.constant2.f"}}
	f.Bind(s)
	for _, tt := range []struct {
		orphan bool
		state  State
		want   bool
	}{{false, Kept, true}, {true, Kept, false}, {false, Gone, false}, {false, Reserved, true}} {
		s.Orphan, s.State = tt.orphan, tt.state
		if got := f.CompilerConstants() == s; got != tt.want {
			t.Errorf("constants of an orphan %v, in state %d: %v", tt.orphan, tt.state, got)
		}
	}
}

// TestLostConstants checks the symbols of constants that were discarded with their section.
func TestLostConstants(t *testing.T) {
	m := newProgram(t, Options{})
	for _, s := range []struct {
		bank  int
		state State
		name  string
	}{{2, Gone, "lost"}, {2, Kept, "kept"}, {0, Gone, "parameter"}, {2, Gone, "lost too"}} {
		m.Sections = append(m.Sections, &Section{Bank: s.bank, State: s.state, Internals: []*Symbol{{Name: s.name}}})
	}
	var lost []string
	for _, y := range m.LostConstants() {
		lost = append(lost, y.Name)
	}
	if got := strings.Join(lost, ", "); got != "lost, lost too" {
		t.Errorf("lost: %s", got)
	}
}

// TestInnerNames checks the names of sections and symbols in the Mercury half (MERC-201).
func TestInnerNames(t *testing.T) {
	bank := &Section{Side: Side{Name: ".nv.constant2.k"}}
	parameters := &Section{Side: Side{Name: ".nv.constant0.k"}, Group: GroupParameters}
	for _, tt := range []struct {
		s          *Section
		name, want string
	}{
		{nil, ".rela.nv.constant2.k", ".rela.nv.constant.optimizer.k"},
		{bank, bank.Name, ".nv.constant.optimizer.k"},
		{parameters, parameters.Name, parameters.Name},
		{bank, ".text.k", ".text.k"},
	} {
		if got := tt.s.NameInMercury(tt.name); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if y := (&Symbol{Name: bank.Name}); y.NameInMercury() != bank.Name {
		t.Error("a variable has another name")
	}
	y := &Symbol{Name: parameters.Name, IsSection: true, Section: parameters}
	if !y.OfParameterBank() || (&Symbol{Name: bank.Name, IsSection: true, Section: bank}).OfParameterBank() || (&Symbol{IsSection: true}).OfParameterBank() {
		t.Error("which symbol stands for a parameter bank")
	}
}

// TestNoteUnused checks that only symbols to be explained are recorded.
func TestNoteUnused(t *testing.T) {
	m := newProgram(t, Options{Explain: []string{"y"}})
	x, y := &Symbol{Name: "x"}, &Symbol{Name: "y"}
	m.NoteUnused(x, "1")
	m.NoteUnused(y, "2")
	m.NoteUnused(y, "3")
	if len(m.AlsoIn) != 1 || !slices.Equal(m.AlsoIn[y], []string{"2", "3"}) {
		t.Errorf("noted %v", m.AlsoIn)
	}
}

// TestOptions checks the displayed names, and the options that keep dead code.
func TestOptions(t *testing.T) {
	const name = "_Z1fv"
	if got := (&Options{}).ShownName(name); got != name {
		t.Errorf("shown as %s", got)
	}
	if got := (&Options{Demangle: func(s string) string { return s[3:4] + "()" }}).ShownName(name); got != "f()" {
		t.Errorf("shown as %s", got)
	}
	for _, tt := range []struct {
		opt         Options
		keeps, show bool
	}{{Options{}, false, false}, {Options{Debug: true}, true, true}, {Options{Debug: true, SuppressDebugInfo: true}, true, false}, {Options{Relocatable: true}, true, false}, {Options{PreserveRelocs: true}, true, false}} {
		if tt.opt.KeepsDeadCode() != tt.keeps || tt.opt.DebugSymbols() != tt.show {
			t.Errorf("%+v: keeps dead code %v, shows symbols %v", tt.opt, tt.opt.KeepsDeadCode(), tt.opt.DebugSymbols())
		}
	}
}

// TestStartsLines checks which relocations refer to the start of a unit's lines.
func TestStartsLines(t *testing.T) {
	line, other := &Section{Side: Side{Name: ".debug_line"}}, &Section{Side: Side{Name: ".debug_str"}}
	for _, tt := range []struct {
		name string
		y    *Symbol
		want bool
	}{
		{"no symbol", nil, false},
		{"the lines", &Symbol{IsSection: true, Section: line}, true},
		{"a label in them", &Symbol{Section: line}, false},
		{"another section", &Symbol{IsSection: true, Section: other}, false},
		{"no section", &Symbol{IsSection: true}, false},
	} {
		if got := (&Relocation{Symbol: tt.y}).StartsLines(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Sections are found by name, whether there are few or many. A section replaces an earlier one of the same
// name.
func TestSectionsByName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l SectionsByName
		want := map[string]*Section{}
		for range rapid.IntRange(0, 4*fewSections).Draw(t, "sections") {
			s := &Section{Side: Side{Name: rapid.StringMatching("[ab]{0,4}").Draw(t, "name")}}
			l.put(s)
			want[s.Name] = s
		}
		for name, s := range want {
			if l.Named(name) != s || l.own(name[:len(name)/2], name[len(name)/2:]) != s {
				t.Fatalf("%q is another one", name)
			}
		}
		if len(l.All) != len(want) || l.Named("c") != nil || l.own("a", "c") != nil {
			t.Fatalf("%d sections, want %d", len(l.All), len(want))
		}
	})
}
