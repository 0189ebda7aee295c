package emit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
)

// recordsOf returns the records in a section of attributes, each as "code word word". Symbols appear by name.
func recordsOf(t *testing.T, e *emitter, s *program.Section) string {
	t.Helper()
	records, err := nvinfo.Decode(s.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, r := range records {
		words := []string{r.Code.String()}
		if r.Format != nvinfo.Sized && r.Format != nvinfo.NoValue {
			words = append(words, fmt.Sprint(r.Value))
		}
		_, named := r.Symbol()
		for i := range r.Words() {
			if w := r.Word(i); (i == 0 && named || r.Code == nvinfo.Externs) && w > 0 {
				words = append(words, e.emitted[w-1].Name)
			} else {
				words = append(words, fmt.Sprint(int32(w)))
			}
		}
		list = append(list, strings.TrimPrefix(strings.Join(words, " "), "EIATTR_"))
	}
	return strings.Join(list, ", ")
}

// TestModuleAttributes checks that .nv.info has the records of live functions, the last added first, and then a
// stack size for each kernel in the order of their symbols (INFO-203, INFO-044).
func TestModuleAttributes(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  program.Options
		set  func(p *programtest.Program, a, b, f *program.Function)
		want string
	}{
		{"stacks of all kernels", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) {}, "MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
		{"the last pushed first", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) {
			p.About(a, nvinfo.FrameSize, 8)
			p.About(f, nvinfo.FrameSize, 16)
		}, "FRAME_SIZE f 16, FRAME_SIZE a 8, MIN_STACK_SIZE a 24, MIN_STACK_SIZE b 0"},
		{"a kernel has the registers of what it reaches", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) {
			p.About(a, nvinfo.RegCount, 8)
			p.About(f, nvinfo.RegCount, 16)
		}, "REGCOUNT f 16, REGCOUNT a 16, MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
		{"of -r its own", program.Options{Relocatable: true}, func(p *programtest.Program, a, b, f *program.Function) {
			p.About(a, nvinfo.RegCount, 8)
			p.About(f, nvinfo.RegCount, 16)
		}, "REGCOUNT f 16, REGCOUNT a 8"},
		{"of dead functions nothing", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) {
			a.Calls = nil
			p.About(f, nvinfo.FrameSize, 16)
		}, "MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
		{"a recursive kernel", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) { p.Call(f, f) }, "MIN_STACK_SIZE a -1, MIN_STACK_SIZE b 0"},
		{"a wish is left out", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) { p.About(a, nvinfo.LoadCacheRequest, 1) }, "MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
		{"a list without externs is left out", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) { p.About(f, nvinfo.Externs, 0) }, "MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
		{"an old object", program.Options{}, func(p *programtest.Program, a, b, f *program.Function) { p.Origins = []nvinfo.Origin{{Toolkit: 90}} },
			"HAS_PRE_V10_OBJECT, MIN_STACK_SIZE a 0, MIN_STACK_SIZE b 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			p.Origins = []nvinfo.Origin{{Toolkit: 130}}
			a, b, f := p.Kernel("a"), p.Kernel("b"), p.Device("f")
			p.Call(a, f)
			tt.set(p, a, b, f)
			e := numbered(t, p)
			e.writeAttributes()
			if got := recordsOf(t, e, e.Std.Info); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestUncounted checks that kernels without a register count get one.
func TestUncounted(t *testing.T) {
	p := programtest.New(t, program.Options{})
	p.Origins = []nvinfo.Origin{{Toolkit: 130}}
	p.Kernel("a")
	p.Kernel("b")
	e := numbered(t, p)
	e.found.Uncounted = []*reach.Entry{e.Entries[1], e.Entries[0]}
	e.Entries[0].LeftOut = true
	e.writeAttributes()
	if got, want := recordsOf(t, e, e.Std.Info), "MIN_STACK_SIZE b 0, REGCOUNT b 8"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFunctionAttributes checks a kernel's own attributes and those that it gets from the functions that it
// reaches (INFO-025, INFO-032, INFO-037, INFO-205, INFO-206).
func TestFunctionAttributes(t *testing.T) {
	crs := func(n uint32) nvinfo.Record { return nvinfo.New(nvinfo.CRSStackSize, n) }
	barriers := func(n uint16) nvinfo.Record {
		return nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: n}
	}
	for _, tt := range []struct {
		name string
		opt  program.Options
		set  func(p *programtest.Program, k, f *program.Function)
		want string // of the kernel
	}{
		{"its own, the last pushed first", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			p.Attribute(k, nvinfo.New(nvinfo.SyncStack, 4))
			p.Attribute(k, barriers(1))
		}, "NUM_BARRIERS 1, SYNC_STACK 4"},
		{"the most barriers of what it reaches", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			p.Attribute(k, barriers(1))
			p.Attribute(f, barriers(3))
		}, "NUM_BARRIERS 3"},
		{"with -r its own", program.Options{Relocatable: true}, func(p *programtest.Program, k, f *program.Function) {
			p.Attribute(k, barriers(1))
			p.Attribute(f, barriers(3))
		}, "NUM_BARRIERS 1"},
		{"barriers of an old object", program.Options{}, func(p *programtest.Program, k, f *program.Function) { k.Barriers = 2 }, "NUM_BARRIERS 2"},
		{"of an old function", program.Options{}, func(p *programtest.Program, k, f *program.Function) { k.Barriers, f.Barriers = 1, 5 }, "NUM_BARRIERS 5"},
		{"stack for calls", program.Options{}, func(p *programtest.Program, k, f *program.Function) { p.Attribute(k, crs(8)); p.Attribute(f, crs(4)) }, "CRS_STACK_SIZE 12"},
		{"that only a function says", program.Options{}, func(p *programtest.Program, k, f *program.Function) { p.Attribute(f, crs(4)) }, "CRS_STACK_SIZE 4"},
		{"of a recursion", program.Options{}, func(p *programtest.Program, k, f *program.Function) { p.Attribute(f, crs(4)); p.Call(f, f) }, "CRS_STACK_SIZE -1"},
		{"a wish is left out", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			p.Attribute(k, nvinfo.New(nvinfo.LoadCacheRequest, 0, 1))
		}, ""},
		{"externs that are defined now", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			k.Attributes.Push([]nvinfo.Record{nvinfo.New(nvinfo.Externs, 1, 2)}, []*program.Symbol{nil, f.Symbol, k.Symbol})
		}, "EXTERNS k"},
		{"externs of the driver", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			u := p.Undefined("vprintf")
			p.Call(k, u)
			k.Attributes.Push([]nvinfo.Record{nvinfo.New(nvinfo.Externs, 1)}, []*program.Symbol{nil, u.Symbol})
		}, "EXTERNS vprintf"},
		{"a mask beside an alias without one", program.Options{}, func(p *programtest.Program, k, f *program.Function) {
			p.Attribute(k, nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.SparseMMAMask, Value: 1})
			p.Attribute(f, nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.SparseMMAMask, Value: 2})
			alias := p.Undefined("alias")
			alias.Symbol.Alias, alias.Symbol.Section = f.Symbol, f.Text
			p.Call(k, alias)
		}, "SPARSE_MMA_MASK " + fmt.Sprint(nvinfo.SparseMMAUnknown|3)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			k, f := p.Kernel("k"), p.Device("f")
			p.Call(k, f)
			tt.set(p, k, f)
			e := numbered(t, p)
			e.writeAttributes()
			if got := recordsOf(t, e, k.InfoSec); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if (k.InfoSec.State == program.Kept) != (tt.want != "") {
				t.Errorf("the section is in state %d", k.InfoSec.State)
			}
		})
	}
}

// TestCaching checks that kernels that cache their loads have a record.
func TestCaching(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k, other := p.Kernel("k"), p.Kernel("other")
	e := numbered(t, p)
	e.found.Cached = map[*reach.Entry]bool{e.EntryOf(k): true}
	e.writeAttributes()
	if got := recordsOf(t, e, k.InfoSec) + "/" + recordsOf(t, e, other.InfoSec); got != "EXPLICIT_CACHING/" {
		t.Errorf("%s", got)
	}
}

// TestFrameSizes checks that all functions in one code section get the frame size of the last one (MERC-224).
func TestFrameSizes(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	k := p.Kernel("k")
	second := p.Local(program.Symbol{Name: "second", Type: cubin.SymFunc, Section: k.Text})
	other := p.Kernel("other")
	e := numbered(t, p)
	frame := func(y *program.Symbol, size uint32) nvinfo.Record {
		return nvinfo.New(nvinfo.FrameSize, e.number(y), size)
	}
	joined := e.joinFrames([]nvinfo.Record{frame(k.Symbol, 8), frame(other.Symbol, 16), frame(second, 32)})
	for i, want := range []uint32{32, 16, 32} {
		if got := joined[i].Word(1); got != want {
			t.Errorf("frame %d of %d bytes, want %d", i, got, want)
		}
	}
}

// TestFinalizerOrder checks that records about the parameter bank come last, in a fixed order.
func TestFinalizerOrder(t *testing.T) {
	var records []nvinfo.Record
	for _, code := range []nvinfo.Code{nvinfo.BindlessSurfaces, nvinfo.FinalizerUnnamed, nvinfo.WorkArounds, nvinfo.ParamCBank, nvinfo.NumBarriers, nvinfo.CBankParamSize, nvinfo.BindlessTextures, nvinfo.Externs} {
		records = append(records, nvinfo.Record{Code: code})
	}
	slices.SortStableFunc(records, byFinalizer)
	var order []nvinfo.Code
	for _, r := range records {
		order = append(order, r.Code)
	}
	want := []nvinfo.Code{nvinfo.NumBarriers, nvinfo.Externs, nvinfo.CBankParamSize, nvinfo.ParamCBank, nvinfo.WorkArounds, nvinfo.FinalizerUnnamed, nvinfo.BindlessTextures, nvinfo.BindlessSurfaces}
	if !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestRecord67 checks that only an executable for sm_107 has record 0x67, as the last record of its code (KIT-420).
func TestRecord67(t *testing.T) {
	for _, tt := range []struct {
		target      string
		relocatable bool
		want        nvinfo.Code
	}{{"sm_107", false, nvinfo.FinalizerUnnamed}, {"sm_107", true, nvinfo.PreexitUsed}, {"sm_110", false, nvinfo.PreexitUsed}} {
		kit, err := arch.Find("13.5")
		if err != nil {
			t.Fatal(err)
		}
		e := numbered(t, programtest.New(t, program.Options{}))
		e.Target, _ = kit.Parse(tt.target)
		e.Options.Relocatable = tt.relocatable
		e.records = [][]nvinfo.Record{{nvinfo.New(nvinfo.WorkArounds, 0)}}
		added := e.finalizerRecords(&program.Function{Text: &program.Section{}})
		if last := added[len(added)-1]; last.Code != tt.want || last.Value != 0 {
			t.Errorf("%s, relocatable %v: last record %v, want %v", tt.target, tt.relocatable, last, tt.want)
		}
	}
}

// cie and fde create entries of .debug_frame in 64-bit DWARF.
func cie(rules ...byte) []byte {
	return entry(math.MaxUint64, append([]byte{3, 0, 1}, rules...)...)
}

func fde(cie, size uint64, rules ...byte) []byte {
	rest := binary.LittleEndian.AppendUint64(make([]byte, 8), size)
	return entry(cie, append(rest, rules...)...)
}

func entry(id uint64, rest ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, math.MaxUint32)
	b = binary.LittleEndian.AppendUint64(b, uint64(8+len(rest)))
	b = binary.LittleEndian.AppendUint64(b, id)
	return append(b, rest...)
}

// TestReadFrames checks which CIE each FDE has.
func TestReadFrames(t *testing.T) {
	c, f := cie(), fde(0, 8, 1, 2)
	size := uint64(len(c))
	for _, tt := range []struct {
		name string
		data [][]byte
		cies []int
	}{
		{"one of each", [][]byte{c, f}, []int{-1, 0}},
		{"the one before, whatever it says", [][]byte{c, fde(99, 8)}, []int{-1, 0}},
		{"two after one", [][]byte{c, f, f}, []int{-1, 0, 0}},
		{"where it says", [][]byte{c, c, f, fde(size, 8)}, []int{-1, -1, 1, 1}},
		{"nowhere", [][]byte{c, f, fde(7, 8)}, []int{-1, 0, -1}},
		{"itself", [][]byte{c, f, fde(size+uint64(len(f)), 8)}, []int{-1, 0, -1}},
		{"after itself", [][]byte{c, f, fde(2*size+200, 8), c}, []int{-1, 0, -1, -1}},
		{"a short one", [][]byte{c, entry(0, 1, 2, 3)}, []int{-1, -1}},
	} {
		list := readFrames(slices.Concat(tt.data...))
		var cies []int
		for i, f := range list {
			cies = append(cies, f.cie)
			if !slices.Equal(f.data, tt.data[i]) {
				t.Errorf("%s: entry %d is %x", tt.name, i, f.data)
			}
		}
		if !slices.Equal(cies, tt.cies) {
			t.Errorf("%s: CIEs %d, want %d", tt.name, cies, tt.cies)
		}
	}
}

// TestFrames checks call frame entries without their rules, and entries with another unit.
func TestFrames(t *testing.T) {
	f := frame{data: fde(0, 0x80, 9, 9, 9, 9, 9, 9)}
	bare := f.withoutRules()
	if len(bare) != fdeRules+4 || binary.LittleEndian.Uint64(bare[4:]) != uint64(len(bare)-cieField) || binary.LittleEndian.Uint64(bare[fdeSize:]) != 0x80 {
		t.Errorf("without rules %x", bare)
	}
	if short := (frame{data: []byte{1, 2}}).withoutRules(); len(short) != 2 {
		t.Errorf("a short one becomes %x", short)
	}
	data := cie(1, 2, 3, 4)
	c := frame{data: data}
	c.countWords()
	if c.data[cieUnit] != 4 || data[cieUnit] == 4 {
		t.Errorf("the unit is %d, in the input %d", c.data[cieUnit], data[cieUnit])
	}
	data[cieUnit-1] = 'z' // an augmentation
	c = frame{data: data}
	c.countWords()
	if c.data[cieUnit] == 4 {
		t.Error("the unit of a CIE with an augmentation has changed")
	}
}

// TestPairs checks that each FDE of the plain half is paired with one of the Mercury half. FDEs of the same
// code are paired in order.
func TestPairs(t *testing.T) {
	a, b := &program.Symbol{Name: "a"}, &program.Symbol{Name: "b"}
	of := func(y *program.Symbol, tag byte) frame { return frame{data: []byte{tag}, of: codePart{code: y}} }
	plain := frameList{{}, of(a, 0), of(b, 0), of(a, 0), of(a, 0)}
	inner := frameList{of(b, 1), {}, of(a, 2), of(a, 3)}
	var tags []byte
	for _, f := range plain.pairs(inner) {
		if f == nil {
			tags = append(tags, '-')
		} else {
			tags = append(tags, '0'+f.data[0])
		}
	}
	if string(tags) != "-213-" {
		t.Errorf("pairs %s", tags)
	}
}

// TestRebuildFrames checks that entries of code that is not in the output are dropped, with the CIEs that only
// they use. Relocations refer to the new places (RELOC-411).
func TestRebuildFrames(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	p.Form = program.BothHalves
	k := p.Kernel("k")
	c, lost, kept := cie(1), fde(0, 0x10, 1, 1), fde(0, programtest.CodeSize, 2, 2)
	data := slices.Concat(c, lost, c, kept)
	s := p.Data(cubin.DebugFrameName, cubin.SectionProgBits, data)
	s.Mercury = &program.Side{Name: ".nv.merc.debug_frame"}
	s.Mercury.SetBytes(slices.Clone(data))
	at := uint64(len(c) + len(lost) + len(c))
	e := numbered(t, p)
	s.Relocations = []program.Relocation{{Offset: at + fdeLocation, Symbol: k.Symbol}}
	if err := e.rebuildFrames(e.secondNames()); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Bytes(), slices.Concat(c, kept); !slices.Equal(got, want) {
		t.Errorf("entries\n%x, want\n%x", got, want)
	}
	if got := s.Relocations[0].Offset; got != uint64(len(c)+fdeLocation) {
		t.Errorf("the relocation is at %#x", got)
	}
}

// TestRangesFollow checks that code addresses in .debug_info refer to the moved code (MERC-116, MERC-124).
func TestRangesFollow(t *testing.T) {
	moved := programtest.Moved(t)
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	p.Finalizer = func(mercury.Function) (mercury.Result, error) {
		return mercury.Result{Map: moved, Text: make([]byte, 16), Capsule: []byte("caps")}, nil
	}
	p.Form = program.BothHalves
	k, other := p.Kernel("k"), p.Kernel("other")
	k.Text.Mercury = &program.Side{Name: ".nv.capmerc.text.k", Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury}
	k.Text.Mercury.SetBytes([]byte("caps"))
	info := p.Data(cubin.DebugInfoName, cubin.SectionProgBits, make([]byte, 32))
	e := numbered(t, p)
	info.Relocations = []program.Relocation{
		{Offset: 0, Symbol: k.Symbol, Addend: 0xa0}, {Offset: 8, Symbol: k.Symbol}, {Offset: 16, Symbol: other.Symbol, Addend: 0xa0}, {Offset: 24, Symbol: info.Symbol, Addend: 0xa0},
	}
	e.moveRanges(info)
	e.moveRanges(nil)
	for i, want := range []int64{0x50, 0, 0xa0, 0xa0} {
		if got := info.Relocations[i].Addend; got != want {
			t.Errorf("place %d is %#x, want %#x", i, got, want)
		}
	}
}

// TestSecondNames checks which functions follow an alias with the same code.
func TestSecondNames(t *testing.T) {
	p := programtest.New(t, program.Options{})
	before := p.Undefined("before")
	k := p.Kernel("k")
	after := p.Undefined("after")
	for _, alias := range []*program.Function{before, after} {
		alias.Symbol.Alias, alias.Symbol.Section = k.Symbol, k.Text
		p.Call(k, alias)
	}
	e := numbered(t, p)
	if second := e.secondNames(); len(second) != 1 || !second[codePart{code: k.Symbol}] {
		t.Errorf("%v", second)
	}
	before.Symbol.Alias = nil
	if second := e.secondNames(); len(second) != 0 {
		t.Errorf("an alias after its function counts: %v", second)
	}
}
