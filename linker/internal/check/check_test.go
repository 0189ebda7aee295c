package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
)

// A fixture is a program with the kernels a and b. Both call f. Only b calls g, and g calls h.
type fixture struct {
	*programtest.Program
	a, b, f, g, h *program.Function
}

func newFixture(t *testing.T, opt program.Options) *fixture {
	t.Helper()
	p := programtest.New(t, opt)
	s := &fixture{Program: p, a: p.Kernel("a"), b: p.Kernel("b"), f: p.Device("f"), g: p.Device("g"), h: p.Device("h")}
	p.Call(s.a, s.f)
	p.Call(s.b, s.f, s.g)
	p.Call(s.g, s.h)
	return s
}

func (s *fixture) needs() *reach.Propagated { return reach.Kernels(reach.Functions(s.Finish())) }

// said runs a check, and returns its messages as lines.
func said(check func(log *diag.Log)) string {
	log := &diag.Log{}
	check(log)
	return programtest.Said(log)
}

// TestUndefined checks which undefined symbols are reported. Those that the driver provides are not
// (REACH-201).
func TestUndefined(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    program.Options
		symbol program.Symbol
		said   bool
	}{
		{"a function", program.Options{}, program.Symbol{Name: "y", Fn: &program.Function{}}, true},
		{"a variable", program.Options{}, program.Symbol{Name: "y", Input: cubin.OtherGlobal}, true},
		{"that may stay undefined", program.Options{AllowUndefinedGlobals: true}, program.Symbol{Name: "y", Input: cubin.OtherGlobal}, false},
		{"a function, where variables may", program.Options{AllowUndefinedGlobals: true}, program.Symbol{Name: "y", Input: cubin.OtherGlobal, Fn: &program.Function{}}, true},
		{"a constant, where variables may", program.Options{AllowUndefinedGlobals: true}, program.Symbol{Name: "y", Input: cubin.OtherConstant}, true},
		{"defined", program.Options{}, program.Symbol{Name: "y", Section: &program.Section{}}, false},
		{"common", program.Options{}, program.Symbol{Name: "y", Common: true}, false},
		{"hidden", program.Options{}, program.Symbol{Name: "y", Hidden: true}, false},
		{"hidden, shared", program.Options{}, program.Symbol{Name: "y", Hidden: true, Shared: &program.SharedObject{Missing: true}}, true},
		{"the driver's", program.Options{}, program.Symbol{Name: "vprintf", Fn: &program.Function{}}, false},
		{"a texture", program.Options{}, program.Symbol{Name: "y", Type: cubin.SymTexture}, false},
	} {
		p := programtest.New(t, tt.opt)
		tt.symbol.Mentioned = "x.cubin"
		p.Global(tt.symbol)
		want := ""
		if tt.said {
			want = "Undefined reference to 'y' in 'x.cubin'"
		}
		if got := said(func(log *diag.Log) { Undefined(p.Program, log) }); got != want {
			t.Errorf("%s: said %q, want %q", tt.name, got, want)
		}
	}
}

// TestUnknownStacks checks that there is a warning for each call of a kernel that leads to recursion
// (STACK-003).
func TestUnknownStacks(t *testing.T) {
	const warning = "Stack size for entry function '%s' cannot be statically determined"
	for _, tt := range []struct {
		name string
		opt  program.Options
		set  func(s *fixture)
		said []string // kernels
	}{
		{"no recursion", program.Options{}, func(s *fixture) {}, nil},
		{"of one function", program.Options{}, func(s *fixture) { s.Call(s.f, s.f) }, []string{"a", "b"}},
		{"below one kernel", program.Options{}, func(s *fixture) { s.Call(s.h, s.g) }, []string{"b"}},
		{"two ways into one", program.Options{}, func(s *fixture) { s.Call(s.h, s.h); s.Call(s.b, s.h) }, []string{"b", "b"}},
		{"by a pointer to two functions", program.Options{}, func(s *fixture) {
			s.a.CallsVia.Push("P")
			s.Take(s.g, "P")
			s.Take(s.h, "P")
			s.Call(s.h, s.h)
		}, []string{"a", "a", "b"}},
		{"not to be said", program.Options{SuppressStackSizeWarning: true}, func(s *fixture) { s.Call(s.f, s.f) }, nil},
		{"-r", program.Options{Relocatable: true}, func(s *fixture) { s.Call(s.f, s.f) }, nil},
		{"a kernel that is left out", program.Options{PreserveRelocs: true, KernelsUsed: []string{"a"}}, func(s *fixture) { s.Call(s.f, s.f) }, []string{"a"}},
	} {
		s := newFixture(t, tt.opt)
		tt.set(s)
		var want []string
		for _, kernel := range tt.said {
			want = append(want, fmt.Sprintf(warning, kernel))
		}
		p := s.needs()
		if got := said(func(log *diag.Log) { UnknownStacks(p, log) }); got != strings.Join(want, "\n") {
			t.Errorf("%s: said %q, want %q", tt.name, got, want)
		}
	}
}

// TestLimitedStacks checks kernels that exceed their stack limit (STACK-004).
func TestLimitedStacks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opt   program.Options
		limit uint32
		loop  bool
		said  string
	}{
		{"no limit", program.Options{}, 0, false, ""},
		{"enough", program.Options{}, 24, false, ""},
		{"too little", program.Options{}, 23, false, "Function 'b' uses 24 bytes stack but limited to 23"},
		{"recursion", program.Options{}, 1 << 20, true, "Function 'b' uses -1 bytes stack but limited to 1048576"},
		{"-r", program.Options{Relocatable: true}, 23, false, ""},
	} {
		s := newFixture(t, tt.opt)
		for _, f := range []*program.Function{s.b, s.g, s.h} {
			s.About(f, nvinfo.FrameSize, 8)
		}
		if tt.loop {
			s.Call(s.h, s.h)
		}
		s.b.MaxStack = tt.limit
		p := s.needs()
		if got := said(func(log *diag.Log) { LimitedStacks(p, log) }); got != tt.said {
			t.Errorf("%s: said %q, want %q", tt.name, got, tt.said)
		}
	}
}

// TestUncalled checks that such functions are reported only with -extrawarn (REACH-022).
func TestUncalled(t *testing.T) {
	for extra, want := range map[bool]string{false: "", true: "Function 'taken' has address taken but no calls to it found"} {
		s := newFixture(t, program.Options{ExtraWarnings: extra})
		s.Take(s.Device("taken"), "P")
		p := s.needs()
		if got := said(func(log *diag.Log) { Uncalled(p.Program, log) }); got != want {
			t.Errorf("-extrawarn %v: said %q", extra, got)
		}
	}
}

// TestRegisters checks functions that a kernel must not call, and kernels without a register count (INFO-042 to
// INFO-044, REACH-023).
func TestRegisters(t *testing.T) {
	count := func(words ...any) func(s *fixture) { // function, registers
		return func(s *fixture) {
			for i := 0; i < len(words); i += 2 {
				for _, f := range s.Functions {
					if f.Symbol.Name == words[i] {
						s.About(f, nvinfo.RegCount, uint32(words[i+1].(int)))
					}
				}
			}
		}
	}
	limit := func(n uint16, then func(s *fixture)) func(s *fixture) {
		return func(s *fixture) {
			s.Attribute(s.b, nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.MaxRegCount, Value: n})
			then(s)
		}
	}
	const tooMany = "entry function 'b' with max regcount of %d calls function '%s' with regcount of %d"
	for _, tt := range []struct {
		name      string
		opt       program.Options
		set       func(s *fixture)
		said      string
		uncounted string
	}{
		{"no limit", program.Options{}, count("a", 8, "b", 8, "h", 100), "", ""},
		{"enough", program.Options{}, limit(32, count("a", 8, "b", 8, "h", 32)), "", ""},
		{"too many", program.Options{}, limit(32, count("a", 8, "b", 8, "h", 33)), fmt.Sprintf(tooMany, 32, "h", 33), ""},
		{"two too many", program.Options{}, limit(32, count("a", 8, "b", 8, "g", 33, "h", 40)), fmt.Sprintf(tooMany+"\n"+tooMany, 32, "g", 33, 32, "h", 40), ""},
		{"the second not more than the first", program.Options{}, limit(32, count("a", 8, "b", 8, "g", 40, "h", 33)), fmt.Sprintf(tooMany, 32, "g", 40), ""},
		{"the kernel itself has as many", program.Options{}, limit(32, count("a", 8, "b", 64, "h", 64)), "", ""},
		{"kernels that say none, the last first", program.Options{}, count("f", 8), "", "b a"},
		{"with -r", program.Options{Relocatable: true}, limit(32, count("h", 33)), "", ""},
		{"whose registers a kernel gets", program.Options{DumpCallgraph: true}, count("a", 8, "b", 8, "h", 33), "regcount 33 for h propagated to entry b", ""},
		{"none at all", program.Options{}, func(s *fixture) { s.g.RegInfo = 0 }, "Internal error: no regcount?", ""},
	} {
		s := newFixture(t, tt.opt)
		tt.set(s)
		var uncounted []*program.Function
		p := s.needs()
		got := said(func(log *diag.Log) {
			entries, ok := Registers(p, log)
			if ok == strings.Contains(tt.said, "Internal") {
				t.Errorf("%s: ok is %v", tt.name, ok)
			}
			for _, e := range entries {
				uncounted = append(uncounted, e.Fn)
			}
		})
		if got != tt.said || programtest.Names(uncounted) != tt.uncounted {
			t.Errorf("%s: said %q, uncounted %q; want %q, %q", tt.name, got, programtest.Names(uncounted), tt.said, tt.uncounted)
		}
	}
}

// TestLargeParameters checks that more than 4 KB of parameters are refused together with objects of old
// toolkits (INFO-051).
func TestLargeParameters(t *testing.T) {
	for _, tt := range []struct {
		arch    string
		toolkit uint16
		records int
		said    int
	}{
		{"sm_80", 120, 2, 2}, {"sm_80", 121, 2, 0}, {"sm_90", 120, 2, 0}, {"sm_80", 120, 0, 0},
	} {
		s := newFixture(t, program.Options{Arch: tt.arch})
		s.Origins = []nvinfo.Origin{{Toolkit: 130}, {Toolkit: tt.toolkit}}
		for range tt.records {
			s.Attribute(s.a, nvinfo.New(nvinfo.KParamInfoV2, 0, 0, 0))
		}
		p := s.needs()
		got := said(func(log *diag.Log) { Requirements(p, log) })
		if n := strings.Count(got, "parameter size"); n != tt.said {
			t.Errorf("%+v: said %q", tt, got)
		}
	}
}

// TestTensorGroups checks that a kernel uses tensor memory either with one block or with two (INFO-052).
func TestTensorGroups(t *testing.T) {
	one := nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.TCGen05OneCTA}
	two := nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.TCGen05TwoCTA}
	for _, tt := range []struct {
		name string
		set  func(s *fixture)
		said []string
	}{
		{"nobody", func(s *fixture) {}, nil},
		{"one kernel one, one two", func(s *fixture) { s.Attribute(s.a, one); s.Attribute(s.b, two) }, nil},
		{"a kernel one, its function two", func(s *fixture) { s.Attribute(s.b, one); s.Attribute(s.h, two) }, []string{"b"}},
		{"both functions of one kernel", func(s *fixture) { s.Attribute(s.g, one); s.Attribute(s.h, two) }, []string{"b"}},
		{"the function of both kernels, and one more", func(s *fixture) { s.Attribute(s.f, one); s.Attribute(s.g, two) }, []string{"b"}},
		{"both kernels", func(s *fixture) { s.Attribute(s.a, one); s.Attribute(s.b, one); s.Attribute(s.f, two) }, []string{"a", "b"}},
	} {
		s := newFixture(t, program.Options{Arch: "sm_100a"})
		tt.set(s)
		p := s.needs()
		got := said(func(log *diag.Log) { Requirements(p, log) })
		var kernels []string
		for _, line := range strings.Split(got, "\n") {
			if _, rest, ok := strings.Cut(line, "Function '"); ok {
				kernels = append(kernels, rest[:1])
			}
		}
		slices.Sort(kernels)
		if !slices.Equal(kernels, tt.said) {
			t.Errorf("%s: said %q, want of %v", tt.name, got, tt.said)
		}
	}
}

// TestCaching checks which cache request a kernel follows, and conflicting requests (INFO-038).
func TestCaching(t *testing.T) {
	wish := func(words ...any) func(s *fixture) {
		return func(s *fixture) {
			for i := 0; i < len(words); i += 2 {
				for _, f := range s.Functions {
					if f.Symbol.Name == words[i] {
						s.About(f, nvinfo.LoadCacheRequest, uint32(words[i+1].(int)))
					}
				}
			}
		}
	}
	for _, tt := range []struct {
		name   string
		set    func(s *fixture)
		cached string
		said   int
	}{
		{"nobody asks", wish(), "", 0},
		{"a kernel", wish("a", 1), "a", 0},
		{"a kernel asks for none", wish("a", 0), "", 0},
		{"a function of one", wish("g", 1), "b", 0},
		{"a function of both", wish("f", 1), "a b", 0},
		{"the kernel's own counts", wish("a", 0, "f", 1), "b", 1},
		{"two functions differ", wish("f", 1, "g", 0), "a", 1},
		{"three functions", wish("f", 1, "g", 0, "h", 1), "a", 1},
		{"a record that names no function", func(s *fixture) { s.Attribute(s.g, nvinfo.New(nvinfo.LoadCacheRequest, 1, 1)) }, "", 0},
	} {
		s := newFixture(t, program.Options{})
		tt.set(s)
		p := s.needs()
		var cached []*program.Function
		got := said(func(log *diag.Log) {
			caches, _ := Requirements(p, log)
			for _, e := range p.Entries {
				if caches[e] {
					cached = append(cached, e.Fn)
				}
			}
		})
		if programtest.Names(cached) != tt.cached || strings.Count(got, "conflicting cache preference") != tt.said {
			t.Errorf("%s: cached %q, said %q; want %q, %d", tt.name, programtest.Names(cached), got, tt.cached, tt.said)
		}
	}
	s := newFixture(t, program.Options{Relocatable: true})
	s.About(s.a, nvinfo.LoadCacheRequest, 1)
	if caches, _ := Requirements(s.needs(), &diag.Log{}); caches != nil {
		t.Error("-r decides it")
	}
}

// TestReservedShared checks the order of messages: kernels that inherit the attribute, the last one first, and
// then the functions that have it (INFO-054).
func TestReservedShared(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  program.Options
		uses string
		said string
	}{
		{"allowed", program.Options{}, "f", ""},
		{"a kernel", program.Options{NoReservedShared: true}, "a", "a"},
		{"a function", program.Options{NoReservedShared: true}, "g", "b g"},
		{"a function of both", program.Options{NoReservedShared: true}, "f", "a b f"},
		{"a kernel and its function", program.Options{NoReservedShared: true}, "af", "b a f"},
		{"-r", program.Options{NoReservedShared: true, Relocatable: true}, "fa", "a f"},
	} {
		s := newFixture(t, tt.opt)
		for _, f := range s.Functions {
			if strings.Contains(tt.uses, f.Symbol.Name) {
				s.Attribute(f, nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.ReservedSMemUsed})
			}
		}
		p := s.needs()
		var names []string
		got := said(func(log *diag.Log) { ReservedShared(p, log) })
		for _, line := range strings.Split(got, "\n") {
			if _, rest, ok := strings.Cut(line, "Function '"); ok {
				names = append(names, rest[:1])
			}
		}
		if strings.Join(names, " ") != tt.said {
			t.Errorf("%s: said %q, want of %q", tt.name, got, tt.said)
		}
	}
}

// TestDeleted checks references of the output to symbols that are not in it (MERGE-038, LAYOUT-025, LAYOUT-751).
func TestDeleted(t *testing.T) {
	for _, tt := range []struct {
		name string
		lost bool // constants that -r refers to
		set  func(s *fixture)
		ok   bool
	}{
		{"nothing", false, func(s *fixture) {}, true},
		{"constants", true, func(s *fixture) {}, false},
		{"a handle of a kernel", false, func(s *fixture) { s.Handle("t", cubin.SymTexture).Section = s.a.Text }, true},
		{"a handle of a dead one", false, func(s *fixture) { s.Handle("t", cubin.SymTexture).Section = s.a.Text; s.a.Dead = true }, false},
		{"slots of a kernel", false, func(s *fixture) { s.a.Text.HasSlots = true }, true},
		{"slots of a dead one", false, func(s *fixture) { s.a.Text.HasSlots, s.a.Dead = true, true }, false},
		{"parameters of a dead one", false, func(s *fixture) { s.Bank(s.a, 0, make([]byte, 8)); s.a.Dead = true }, true},
		{"parameters of another name", false, func(s *fixture) { s.Bank(s.a, 0, make([]byte, 8)).Name = ".nv.constant0.c" }, true},
		{"parameters of a dead one, of another name", false, func(s *fixture) { s.Bank(s.a, 0, make([]byte, 8)).Name, s.a.Dead = ".nv.constant0.c", true }, false},
		{"parameters of a dead one, of no name", false, func(s *fixture) { s.Bank(s.a, 0, make([]byte, 8)).Name, s.a.Dead = "", true }, false},
		{"the same with -r", false, func(s *fixture) {
			s.Options.Relocatable = true
			s.Bank(s.a, 0, make([]byte, 8)).Name, s.a.Dead = ".nv.constant0.c", true
		}, true},
	} {
		s := newFixture(t, program.Options{})
		tt.set(s)
		log := &diag.Log{}
		if ok := Deleted(s.Program.Program, tt.lost, log); ok != tt.ok || ok != (programtest.Said(log) == "") {
			t.Errorf("%s: %v, said %q", tt.name, ok, programtest.Said(log))
		}
	}
}

// TestAliases checks that an alias is live if and only if its function is (REACH-040).
func TestAliases(t *testing.T) {
	for _, tt := range []struct{ alias, function, ok bool }{{false, false, true}, {true, true, true}, {true, false, false}, {false, true, false}} {
		s := newFixture(t, program.Options{})
		s.g.Symbol.Alias = s.f.Symbol
		p := s.needs()
		s.g.Dead, s.f.Dead = tt.alias, tt.function
		log := &diag.Log{}
		if ok := Aliases(p.Reached, log); ok != tt.ok || ok != (programtest.Said(log) == "") {
			t.Errorf("alias dead %v, function dead %v: %v, said %q", tt.alias, tt.function, ok, programtest.Said(log))
		}
	}
}

// TestReportMoved checks that the first moved variable of each input ends the link. If the user accepts the
// loss, there is a warning for each variable instead (RELOC-402, RELOC-406).
func TestReportMoved(t *testing.T) {
	moved := []MovedVariable{{"a.cubin", "v"}, {"a.cubin", "w"}, {"b.cubin", "x"}}
	for accepts, want := range map[bool][]string{
		false: {
			diag.New(diag.LostRelocation, "a.cubin", "v").Text(), diag.New(diag.LostRelocation, "b.cubin", "x").Text(),
		},
		true: {
			diag.New(diag.MovedVariable, "a.cubin", "v").Text(), diag.New(diag.MovedVariable, "a.cubin", "w").Text(),
			diag.New(diag.MovedVariable, "b.cubin", "x").Text(),
		},
	} {
		log := &diag.Log{}
		ReportMoved(moved, &program.Options{AcceptLostRelocations: accepts}, log)
		var got []string
		for _, d := range log.Diagnostics {
			got = append(got, d.Text())
		}
		if !slices.Equal(got, want) {
			t.Errorf("accepted %v: messages %v, want %v", accepts, got, want)
		}
	}
}

// TestMoved checks which variables this link moves although code of an earlier -r refers to them (RELOC-402,
// E-345).
func TestMoved(t *testing.T) {
	const constant3 = cubin.SectionConstant0 + 3
	sections := []cubin.Section{{}, {Type: constant3}, {Type: cubin.SectionGlobal}}
	for _, tt := range []struct {
		name  string
		opt   program.Options
		bank  uint64 // the bank that the code reads
		was   cubin.Symbol
		y     program.Symbol
		named bool // a relocation of the input refers to it
		moved bool
	}{
		{"a constant, moved", program.Options{}, 3, cubin.Symbol{Section: 1, Value: 8}, program.Symbol{Value: 16}, false, true},
		{"a constant, where it was", program.Options{}, 3, cubin.Symbol{Section: 1, Value: 8}, program.Symbol{Value: 8}, false, false},
		{"a constant that has a relocation", program.Options{}, 3, cubin.Symbol{Section: 1, Value: 8}, program.Symbol{Value: 16}, true, false},
		{"a constant, and the code reads no bank", program.Options{}, 0, cubin.Symbol{Section: 1, Value: 8}, program.Symbol{Value: 16}, false, false},
		{"a weak constant", program.Options{}, 3, cubin.Symbol{Section: 1, Value: 8, Bind: cubin.BindWeak}, program.Symbol{Value: 16}, false, false},
		{"an absolute symbol", program.Options{}, 3, cubin.Symbol{Section: cubin.ShnAbs, Value: 8}, program.Symbol{Value: 16}, false, false},
		{"global memory", program.Options{}, 3, cubin.Symbol{Section: 2, Value: 8}, program.Symbol{Value: 16}, false, false},
		{"a shared variable", program.Options{}, 0, cubin.Symbol{Section: 2, Other: cubin.OtherShared, Size: 4}, program.Symbol{Value: 16}, false, true},
		{"a shared variable, with -r", program.Options{Relocatable: true}, 0, cubin.Symbol{Section: 2, Other: cubin.OtherShared, Size: 4}, program.Symbol{Value: 16}, false, false},
		{"an extern shared array", program.Options{}, 0, cubin.Symbol{Section: 2, Other: cubin.OtherShared}, program.Symbol{Value: 16}, false, false},
		{"a constant that was undefined", program.Options{}, 3, cubin.Symbol{Other: cubin.OtherConstant}, program.Symbol{Section: &program.Section{Bank: 3}}, false, true},
		{"and still is", program.Options{}, 3, cubin.Symbol{Other: cubin.OtherConstant}, program.Symbol{}, false, false},
		{"a texture, in bank 28", program.Options{}, 28, cubin.Symbol{Type: cubin.SymTexture}, program.Symbol{}, false, true},
		{"a texture, with -r", program.Options{Relocatable: true}, 28, cubin.Symbol{Type: cubin.SymTexture}, program.Symbol{}, false, false},
		{"a function", program.Options{}, 3, cubin.Symbol{Type: cubin.SymFunc, Section: 1}, program.Symbol{Value: 16}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFixture(t, tt.opt)
			code := make([]byte, 32)
			code[16+6], code[16+7] = byte(tt.bank<<54>>48), byte(tt.bank<<54>>56)
			s.a.Text.SetBytes(code)
			tt.was.Name = "v"
			in := program.Relinked{
				Object: &object.Object{
					Name: "r.cubin", File: fileWith(t, tt.named, sections), Symbols: []cubin.Symbol{{}, {Type: cubin.SymFunc}, tt.was},
				},
				SymbolOf: []*program.Symbol{nil, s.a.Symbol, s.Local(tt.y)},
			}
			l := layout.Memory(s.needs(), &diag.Log{})
			l.Relinked = []program.Relinked{in}
			found := FindMoved(l)
			if (len(found) > 0) != tt.moved {
				t.Fatalf("found %v, want one: %v", found, tt.moved)
			}
			got := said(func(log *diag.Log) { ReportMoved(found, &tt.opt, log) })
			if tt.moved != strings.HasPrefix(got, "Input file 'r.cubin' cannot be linked: an earlier -r has dropped the relocations of 'v'") {
				t.Errorf("said %q", got)
			}
			after := said(func(log *diag.Log) { log.Report(diag.UndefinedReference, "x", "y"); ReportMoved(found, &tt.opt, log) })
			if strings.Contains(after, "r.cubin") {
				t.Errorf("after an error: said %q", after)
			}
		})
	}
}

// fileWith returns a file with the given sections. If named is set, it has a relocation against symbol 2.
func fileWith(t *testing.T, named bool, sections []cubin.Section) *cubin.File {
	t.Helper()
	image := cubin.Image{Header: cubin.Header{ShOff: cubin.HeaderSize, ShEntSize: cubin.SectionHeaderSize, ShNum: uint32(len(sections))}}
	for _, s := range sections {
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s})
	}
	image.Size = cubin.HeaderSize + uint64(len(sections)+1)*cubin.SectionHeaderSize
	if named {
		image.Header.ShNum++
		table := cubin.Section{Type: cubin.SectionRela, Offset: image.Size, Size: cubin.RelaSize, EntSize: cubin.RelaSize}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: table, Data: cubin.AppendRela(nil, cubin.Relocation{Symbol: 2})})
		image.Size += cubin.RelaSize
	}
	data, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file, err := cubin.Open("r.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
