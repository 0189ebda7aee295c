package tell

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/memorymap"
	"github.com/culink/culink/linker/nvinfo"
)

// A fixture is a program with the kernels a and b. Both call f. Only b calls g, and g calls h. The frames of a,
// b, f, g and h are 8, 16, 32, 64 and 128 bytes.
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
	for i, f := range p.Functions {
		p.About(f, nvinfo.FrameSize, 8<<i)
		p.About(f, nvinfo.RegCount, uint32(10+i))
	}
	p.Origins = []nvinfo.Origin{{Virtual: 80}}
	return s
}

func (s *fixture) needs() *reach.Propagated { return reach.Kernels(reach.Functions(s.Finish())) }

func (s *fixture) placed(t *testing.T) *layout.Placed {
	t.Helper()
	log := &diag.Log{}
	l := layout.Memory(s.needs(), log)
	if said := programtest.Said(log); said != "" {
		t.Fatal(said)
	}
	return l
}

// TestDot checks that the graph has an edge for each way of calling a function (REACH-021).
func TestDot(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(s *fixture)
		want string
	}{
		{"direct calls, the last first", func(*fixture) {}, "a->f b->g b->f g->h"},
		{"a pointer to two functions", func(s *fixture) { s.a.CallsVia.Push("P"); s.Take(s.g, "P"); s.Take(s.h, "P") }, "a->h a->g a->f b->g b->f g->h"},
		{"twice", func(s *fixture) { s.Call(s.a, s.f) }, "a->f a->f b->g b->f g->h"},
		{"two prototypes, the first pushed shows first", func(s *fixture) {
			s.h.CallsVia.Push("P")
			s.h.CallsVia.Push("Q")
			s.Take(s.f, "P")
			s.Take(s.g, "Q")
		}, "a->f b->g b->f g->h h->f h->g"},
		{"without dead ones", func(s *fixture) { s.g.Dead = true }, "a->f b->f"},
	} {
		s := newFixture(t, program.Options{})
		tt.set(s)
		text := string(Dot(s.Finish()))
		body, ok := strings.CutPrefix(text, "digraph callgraph {\n")
		body, end := strings.CutSuffix(body, "}\n")
		got := strings.TrimSpace(strings.NewReplacer(" -> ", "->", ";\n", " ").Replace(body))
		if !ok || !end || got != tt.want {
			t.Errorf("%s: %q, want %s", tt.name, text, tt.want)
		}
	}
	if got := string(Dot(&program.Program{})); got != "digraph callgraph {\n}\n" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestCallGraph checks that the text has a line for each function, with its registers and the functions that it
// may call (REACH-020).
func TestCallGraph(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opt   program.Options
		set   func(s *fixture)
		lines []string // after the legend
	}{
		{"not asked for", program.Options{}, func(*fixture) {}, nil},
		{"-r", program.Options{DumpCallgraph: true, Relocatable: true}, func(*fixture) {}, nil},
		{"plain", program.Options{DumpCallgraph: true}, func(*fixture) {}, []string{"1: ^a [10] -> 3", "2: ^b [11] -> 4 3", "3: f [12] ->", "4: g [13] -> 5", "5: h [14] ->"}},
		{"a function whose address is taken", program.Options{DumpCallgraph: true}, func(s *fixture) { s.Take(s.h, "P"); s.a.CallsVia.Push("P") },
			[]string{"1: ^a [10] -> 5 3", "2: ^b [11] -> 4 3", "3: f [12] ->", "4: g [13] -> 5", "5: &h [14] ->"}},
		{"a dead one is an empty line", program.Options{DumpCallgraph: true}, func(s *fixture) { s.b.Calls = nil },
			[]string{"1: ^a [10] -> 3", "2: ^b [11] ->", "3: f [12] ->", "4: ", "5: "}},
		{"an undefined one has no registers", program.Options{DumpCallgraph: true}, func(s *fixture) { s.Call(s.h, s.Undefined("u")) },
			[]string{"1: ^a [10] -> 3", "2: ^b [11] -> 4 3", "3: f [12] ->", "4: g [13] -> 5", "5: h [14] -> 6", "6: u ->"}},
		{"names for people", program.Options{DumpCallgraph: true, Demangle: strings.ToUpper}, func(*fixture) {}, []string{"1: ^A [10] -> 3", "2: ^B [11] -> 4 3", "3: F [12] ->", "4: G [13] -> 5", "5: H [14] ->"}},
	} {
		s := newFixture(t, tt.opt)
		tt.set(s)
		log := &diag.Log{}
		CallGraph(s.needs(), log)
		var lines []string
		for _, d := range log.Diagnostics {
			lines = append(lines, d.Text())
		}
		if len(lines) > 0 {
			if !strings.HasPrefix(lines[0], "callgraph for sm_80:\n# A: s -> B") {
				t.Errorf("%s: begins with %q", tt.name, lines[0])
			}
			lines = lines[1:]
		}
		if strings.Join(lines, "\n") != strings.Join(tt.lines, "\n") {
			t.Errorf("%s: %q, want %q", tt.name, lines, tt.lines)
		}
	}
	s := newFixture(t, program.Options{DumpCallgraph: true})
	s.Origins = nil
	log := &diag.Log{}
	CallGraph(s.needs(), log)
	if got := programtest.Said(log); got != "No relocatable objects found. Did not generate callgraph." {
		t.Errorf("without inputs: %q", got)
	}
}

// TestResources checks the lines of -v (INFO-040, INFO-041, MERC-221).
func TestResources(t *testing.T) {
	verbose := program.Options{Verbose: true}
	const used = "used %d registers, used %d barriers, %d stack, %d bytes smem%s, %d bytes lmem%s"
	for _, tt := range []struct {
		name   string
		opt    program.Options
		set    func(s *fixture)
		memory string
		b, a   string // of kernel b, and of kernel a
	}{
		{"registers and stack of what it reaches", verbose, func(*fixture) {}, "0 bytes gmem",
			fmt.Sprintf(used, 14, 0, 16+64+128, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 8+32, 0, "", 0, "")},
		{"-r knows its own only", program.Options{Verbose: true, Relocatable: true}, func(s *fixture) {
			s.b.RegCount, s.b.Counted = 7, true
			s.a.RegInfo = 9 // no attribute has its count
		}, "0 bytes gmem",
			fmt.Sprintf(used, 7, 0, 0, 0, "", 0, ""), fmt.Sprintf(used, 9, 0, 0, 0, "", 0, "")},
		{"of a recursion the own frame", verbose, func(s *fixture) { s.Call(s.h, s.h) }, "0 bytes gmem",
			fmt.Sprintf(used, 14, 0, 16, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, "", 0, "")},
		{"the most barriers", verbose, func(s *fixture) { barriers(s, s.f, 2); barriers(s, s.h, 5); barriers(s, s.b, 3) }, "0 bytes gmem",
			fmt.Sprintf(used, 14, 5, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 2, 40, 0, "", 0, "")},
		{"memory", verbose, func(s *fixture) {
			s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12))
			s.GlobalSection().Size = 8
			s.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 20))
		}, "20 bytes gmem, 20 bytes cmem[3]", fmt.Sprintf(used, 14, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, "", 0, "")},
		{"banks of a kernel, the lowest first", verbose, func(s *fixture) { s.Bank(s.b, 2, make([]byte, 4)); s.Bank(s.b, 0, make([]byte, 0x168)) }, "0 bytes gmem",
			fmt.Sprintf(used, 14, 0, 208, 0, ", 360 bytes cmem[0], 4 bytes cmem[2]", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, "", 0, "")},
		{"the name of a bank tells whose it is", verbose, func(s *fixture) {
			for _, name := range []string{".nv.constant1", ".nv.constant6", ".nv.constant7", ".nv.constant3.a", ".nv.constant7.a", ".nv.constant7.a", ".nv.constant2.other"} {
				s.Data(name, cubin.SectionConstant0, make([]byte, 8))
			}
			s.Data(".nv.constant4", cubin.SectionConstant0+4, nil)
		}, "0 bytes gmem, 8 bytes cmem[1], 8 bytes cmem[6]",
			fmt.Sprintf(used, 14, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, ", 16 bytes cmem[7]", 0, "")},
		{"the first of several counts", verbose, func(s *fixture) { s.About(s.b, nvinfo.RegCount, 40) }, "0 bytes gmem",
			fmt.Sprintf(used, 11, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, "", 0, "")},
		{"shared memory", verbose, func(s *fixture) { s.OwnShared(s.a, "v", 24, 4) }, "0 bytes gmem",
			fmt.Sprintf(used, 14, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 24, "", 0, "")},
		{"local memory", verbose, func(s *fixture) {
			s.a.Bind(&program.Section{Side: program.Side{Name: ".nv.local.a", Size: 6}, Bank: program.NoBank})
		}, "0 bytes gmem", fmt.Sprintf(used, 14, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, "", 6, "")},
		{"handles", verbose, func(s *fixture) {
			s.Bank(s.a, 0, make([]byte, 0x160))
			for _, typ := range []cubin.SymbolType{cubin.SymTexture, cubin.SymSampler, cubin.SymTexture, cubin.SymSurface} {
				s.a.Text.Relocations = append(s.a.Text.Relocations, program.Relocation{Type: 64, Symbol: s.Handle("h", typ)})
			}
		}, "0 bytes gmem", fmt.Sprintf(used, 14, 0, 208, 0, "", 0, ""), fmt.Sprintf(used, 12, 0, 40, 0, ", 368 bytes cmem[0]", 0, ", 2 textures, 1 surfaces, 1 samplers")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFixture(t, tt.opt)
			tt.set(s)
			log := &diag.Log{}
			Resources(s.placed(t), 0, log)
			want := []string{tt.memory, "Function properties for 'b':", tt.b, "Function properties for 'a':", tt.a}
			if got := programtest.Said(log); got != strings.Join(want, "\n") {
				t.Errorf("said\n%s\nwant\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
	s, log := newFixture(t, program.Options{}), &diag.Log{}
	if Resources(s.placed(t), 0, log); len(log.Diagnostics) > 0 {
		t.Error("without -v something is said")
	}
}

func barriers(s *fixture, f *program.Function, n uint16) {
	s.Attribute(f, nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: n})
}

// TestMercuryResources checks a program with a Mercury half: -v reports the resources as they are before the
// finalizer runs (MERC-221).
func TestMercuryResources(t *testing.T) {
	s := newFixture(t, program.Options{Arch: "sm_100", Verbose: true})
	s.Form = program.BothHalves
	s.Bank(s.a, 2, make([]byte, 4))
	s.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 20))
	s.OwnShared(s.a, "v", 24, 4)
	log := &diag.Log{}
	Resources(s.placed(t), 0, log)
	if got := programtest.Said(log); strings.Contains(got, "cmem") || !strings.Contains(got, "24 bytes smem") {
		t.Errorf("said %s", got)
	}
}

// words returns a path as text.
func words(path explain.Path) string {
	var b strings.Builder
	for _, step := range path {
		if step.ByPointer {
			b.WriteByte('*')
		}
		b.WriteString(step.Name + " ")
	}
	return strings.TrimSpace(b.String())
}

// TestPaths checks that an explanation shows the shortest path, from the nearest kernel (REACH-501).
func TestPaths(t *testing.T) {
	s := newFixture(t, program.Options{Debug: true})
	lost := s.Device("lost")
	s.a.CallsVia.Push("P")
	s.Take(s.h, "P")
	l := s.placed(t)
	p := pathsFromKernels(l)
	for _, tt := range []struct {
		f      *program.Function
		length int32
		text   string
	}{{s.a, 0, "a"}, {s.f, 1, "a f"}, {s.g, 1, "b g"}, {s.h, 2, "a *h"}} {
		if p.length(tt.f) != tt.length || words(p.to(tt.f)) != tt.text {
			t.Errorf("to %s: %d calls, %s; want %d, %s", tt.f.Symbol.Name, p.length(tt.f), words(p.to(tt.f)), tt.length, tt.text)
		}
	}
	if p.length(lost) != -1 {
		t.Errorf("%d calls to what nothing calls", p.length(lost))
	}
	if got := words(pathsFrom(l, s.b).to(s.h)); got != "b g h" {
		t.Errorf("from b: %s", got)
	}
	first := programtest.New(t, program.Options{Debug: true})
	alone, kernel := first.Device("alone"), first.Kernel("kernel")
	first.Call(alone, alone)
	log := &diag.Log{}
	l = layout.Memory(reach.Kernels(reach.Functions(first.Finish())), log)
	if p := pathsFromKernels(l); p.length(alone) != -1 || p.length(kernel) != 0 {
		t.Errorf("%d calls to the first function, %d to a kernel", p.length(alone), p.length(kernel))
	}
	if p := pathsFrom(l, alone); p.length(alone) != 0 || words(p.to(alone)) != "alone" {
		t.Errorf("%d calls from itself", p.length(alone))
	}
	if got := words(recursion(l, alone)); got != "alone alone" {
		t.Errorf("recursion %q", got)
	}
}

// TestRecursionAndDeepest checks that an explanation shows why a kernel needs its stack (REACH-502).
func TestRecursionAndDeepest(t *testing.T) {
	for _, tt := range []struct {
		name      string
		set       func(s *fixture)
		recursion string
		deepest   string
	}{
		{"a path", func(*fixture) {}, "", "b g h [16 64 128]"},
		{"a loop of one", func(s *fixture) { s.Call(s.h, s.h) }, "b g h h", ""},
		{"a loop of two", func(s *fixture) { s.Call(s.h, s.g) }, "b g h g", ""},
		{"by a pointer", func(s *fixture) { s.g.CallsVia.Push("P"); s.Take(s.g, "P"); s.g.Calls = nil }, "b g *g", ""},
		{"nothing below", func(s *fixture) { s.b.Calls = nil }, "", "b [16]"},
		{"what is called twice", func(s *fixture) { s.Call(s.g, s.f); s.Call(s.f, s.h) }, "", "b g f h [16 64 32 128]"},
		{"no frame below", func(s *fixture) { s.About(s.h, nvinfo.FrameSize, 0) }, "", "b g [16 64]"},
		{"the deepest by a pointer", func(s *fixture) { s.g.CallsVia.Push("P"); s.Take(s.h, "P"); s.g.Calls = nil }, "", "b g *h [16 64 128]"},
	} {
		s := newFixture(t, program.Options{})
		tt.set(s)
		l := s.placed(t)
		if got := words(recursion(l, s.b)); got != tt.recursion {
			t.Errorf("%s: recursion %q, want %q", tt.name, got, tt.recursion)
		}
		if l.Needs(l.EntryOf(s.b)).Stack == reach.StackUnknown {
			continue
		}
		path, frames := deepestPath(l, s.b)
		if got := fmt.Sprint(words(path), " ", frames); got != tt.deepest {
			t.Errorf("%s: deepest %q, want %q", tt.name, got, tt.deepest)
		}
	}
}

// facts returns the facts about one symbol, each as "topic: text".
func facts(t *testing.T, s *fixture, name string) string {
	t.Helper()
	all := Explain(s.placed(t))
	if len(all) != 1 || all[0].Symbol != name {
		t.Fatalf("%d explanations for %s", len(all), name)
	}
	for _, p := range all[0].Places {
		if p.Why == "" {
			t.Errorf("a place without a reason: %+v", p)
		}
	}
	lines := []string{string(all[0].Kind)}
	for _, f := range all[0].Facts(func(name string) string { return name }) {
		lines = append(lines, f.Topic+": "+f.Text)
	}
	return strings.Join(lines, "\n")
}

// TestExplain checks the facts about a symbol. Each case is a row of the table (REACH-500 to REACH-502,
// LAYOUT-501).
func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    program.Options
		symbol string
		set    func(s *fixture)
		has    []string
		hasNot []string
	}{
		{"a kernel", program.Options{}, "b", func(*fixture) {}, []string{
			"kernel\n", "defined in: in.cubin", "stays: as a kernel", "registers: 14, raised from 11 by h: b -> g -> h",
			"stack: 208 bytes on the path b -> g -> h: 16 + 64 + 128", "reaches: g, h, f",
		}, []string{"reached by", "shared"}},
		{"a function of two kernels", program.Options{}, "f", func(*fixture) {}, []string{
			"function\n", "reached by: a -> f", "reached by: 2 kernels: a, b", "registers: 12", "registers: raises to 12: a", "stack: 32 bytes of its own, 32 with what it calls",
		}, []string{"stays"}},
		{"a function of one kernel", program.Options{}, "g", func(*fixture) {}, []string{"reached by: b -> g", "stack: 64 bytes of its own, 192 with what it calls"}, []string{"2 kernels", "raises"}},
		{"the second of two that need most", program.Options{}, "h", func(s *fixture) { s.About(s.f, nvinfo.RegCount, 14) }, []string{"registers: 14"}, []string{"raises"}},
		{"the first of them", program.Options{}, "f", func(s *fixture) { s.About(s.f, nvinfo.RegCount, 14) }, []string{"registers: raises to 14: a, b"}, nil},
		{"a recursive one", program.Options{}, "g", func(s *fixture) { s.Call(s.h, s.h) }, []string{"64 bytes of its own, unknown with what it calls: g -> h -> h, and so on"}, nil},
		{"a dead one", program.Options{}, "dead", func(s *fixture) { s.Device("dead") }, []string{"dropped: no kernel reaches it"}, []string{"registers"}},
		{"a dead kernel", program.Options{KernelsUsed: []string{"b"}}, "a", func(*fixture) {}, []string{"dropped: the options or the host code leave this kernel out"}, []string{"stays"}},
		{"only its address is taken", program.Options{}, "x", func(s *fixture) { s.Take(s.Device("x"), "P") }, []string{"stays: because its address is taken", "address: is taken"}, []string{"dropped", "with what it calls"}},
		{"a kernel of a recursion", program.Options{}, "b", func(s *fixture) { s.Call(s.h, s.h) }, []string{"stack: unknown: b -> g -> h -> h, and so on"}, []string{"bytes"}},
		{"the most barriers of a function", program.Options{}, "f", func(s *fixture) {
			barriers(s, s.f, 0x105)
			s.Attribute(s.f, nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.MaxRegCount, Value: 9})
			barriers(s, s.f, 3)
		}, []string{"barriers: 5\n"}, nil},
		{"kept by the options", program.Options{Debug: true}, "x", func(s *fixture) { s.Device("x") }, []string{"stays: because the options drop nothing"}, []string{"dropped"}},
		{"weak, with a copy that lost", program.Options{}, "f", func(s *fixture) {
			s.f.Symbol.Bind = cubin.BindWeak
			s.NoteUnused(s.f.Symbol, "other.cubin")
		}, []string{"defined in: in.cubin, weak", "unused in: other.cubin"}, nil},
		{"an alias", program.Options{}, "f", func(s *fixture) { s.f.Symbol.Alias = s.g.Symbol }, []string{"the code of g, of which it is a second name"}, nil},
		{"the driver's", program.Options{}, "vprintf", func(s *fixture) { s.Call(s.a, s.Undefined("vprintf")) }, []string{"defined in: the driver; first named in in.cubin"}, nil},
		{"nowhere defined", program.Options{}, "u", func(s *fixture) { s.Call(s.a, s.Undefined("u")) }, []string{"defined in: no input; first named in in.cubin"}, nil},
		{"barriers, shared memory and banks", program.Options{}, "a", func(s *fixture) {
			barriers(s, s.a, 3)
			s.OwnShared(s.a, "v", 24, 4)
			s.Bank(s.a, 0, make([]byte, 0x168))
		}, []string{"barriers: 3", "shared: 24 bytes", "constants: 360 bytes in bank 0"}, nil},
		{"constants of the compiler", program.Options{Relocatable: true}, "f", func(s *fixture) {
			s.Bank(s.f, cubin.CompilerBankNumber, make([]byte, 1))
		}, []string{"constants: 1 bytes in bank 2"}, nil},
		{"constants of the compiler, none", program.Options{Relocatable: true}, "f", func(s *fixture) {
			s.Bank(s.f, cubin.CompilerBankNumber, nil)
		}, nil, []string{"constants"}},
		{"a constant that another link defines", program.Options{}, "v", func(s *fixture) {
			s.Global(program.Symbol{Name: "v", Type: cubin.SymObject, Input: cubin.OtherConstant | 3, Mentioned: "in.cubin"})
		}, []string{"constant\n"}, nil},
		{"a variable that a kernel names", program.Options{}, "v", func(s *fixture) {
			v := s.Variable("v", s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12)), 8, 4)
			s.f.Text.Relocations = []program.Relocation{{Symbol: v}}
			s.b.Text.Relocations = s.f.Text.Relocations
		}, []string{"reached by: b -> v", "named in: code of b, f"}, nil},
		{"a variable that two functions name that are as near", program.Options{}, "v", func(s *fixture) {
			v := s.Variable("v", s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12)), 8, 4)
			s.f.Text.Relocations = []program.Relocation{{Symbol: v}}
			s.g.Text.Relocations = s.f.Text.Relocations
		}, []string{"reached by: a -> f -> v", "named in: code of f, g"}, nil},
		{"a variable that debug information and dead code name", program.Options{}, "v", func(s *fixture) {
			v := s.Variable("v", s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12)), 8, 4)
			s.Data(".debug_info", cubin.SectionProgBits, make([]byte, 8)).Relocations = []program.Relocation{{Symbol: v}}
			s.Device("dead").Text.Relocations = []program.Relocation{{Symbol: v}}
		}, []string{"reached by: nothing names it"}, []string{"named in", "dead"}},
		{"a variable", program.Options{}, "v", func(s *fixture) {
			v := s.Variable("v", s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12)), 8, 4)
			s.h.Text.Relocations = []program.Relocation{{Symbol: v}}
		}, []string{"global variable\n", "reached by: b -> g -> h -> v", "place: offset 0x8 of .nv.global.init, 4 bytes"}, []string{"named in"}},
		{"a variable that two functions and data name", program.Options{}, "v", func(s *fixture) {
			data := s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12))
			v := s.Variable("v", data, 8, 4)
			data.Relocations = []program.Relocation{{Symbol: v}}
			s.h.Text.Relocations, s.f.Text.Relocations = data.Relocations, data.Relocations
		}, []string{"reached by: a -> f -> v", "named in: code of f, h", "named in: .nv.global.init"}, nil},
		{"a variable that nothing names", program.Options{}, "v", func(s *fixture) {
			s.Variable("v", s.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 12)), 8, 4)
		}, []string{"constant\n", "reached by: nothing names it", "constants: 4 bytes in bank 3 of all kernels"}, nil},
		{"a texture", program.Options{}, "t", func(s *fixture) {
			s.Bank(s.a, 0, make([]byte, 0x160))
			s.a.Text.Relocations = []program.Relocation{{Type: 64, Symbol: s.Handle("t", cubin.SymTexture)}}
		}, []string{"texture\n", "defined in: the program that loads it", "place: slot at 0x160 of constant bank 0"}, nil},
		{"a shared variable of one kernel", program.Options{Arch: "sm_90"}, "v", func(s *fixture) { s.Use(s.g, s.Shared("v", 8, 8)) },
			[]string{"shared variable\n", "place: offset 0x400, 8 bytes: only kernel b reaches it"}, nil},
		{"of two", program.Options{}, "v", func(s *fixture) { s.Use(s.f, s.Shared("v", 8, 8)) }, []string{"offset 0x0, 8 bytes: one place in the kernels that reach it: a, b"}, []string{"shares bytes"}},
		{"a shared variable, and who names it", program.Options{}, "v", func(s *fixture) {
			v := s.Shared("v", 8, 8)
			s.Use(s.f, v)
			s.f.Text.Relocations = []program.Relocation{{Symbol: v.Symbol}}
		}, []string{"reached by: a -> f -> v"}, []string{"nothing names it"}},
		{"of two, with a neighbour", program.Options{}, "v", func(s *fixture) { s.Use(s.f, s.Shared("v", 8, 8), s.Shared("w", 8, 8)) }, []string{"one place in the kernels that reach it: a, b"}, []string{"shares bytes"}},
		{"the neighbour", program.Options{}, "w", func(s *fixture) { s.Use(s.f, s.Shared("v", 8, 8), s.Shared("w", 8, 8)) }, []string{"one place in the kernels that reach it: a, b"}, []string{"shares bytes"}},
		{"behind one of all kernels", program.Options{}, "w", func(s *fixture) {
			c, d := s.Kernel("c"), s.Kernel("d")
			of, v, w := s.Shared("all", 64, 16), s.Shared("v", 8, 8), s.Shared("w", 8, 8)
			s.Use(s.f, of, v)
			s.Use(c, of, w)
			s.Use(d, of, w)
		}, []string{"offset 0x40, 8 bytes: one place in the kernels that reach it: c, d", "shares bytes with v"}, []string{"shares bytes with all"}},
		{"not defined yet", program.Options{}, "v", func(s *fixture) { o := s.Shared("v", 8, 8); o.Missing = true }, nil, []string{"place", "dropped"}},
		{"a texture of no kernel", program.Options{}, "t", func(s *fixture) { s.Handle("t", cubin.SymTexture) }, []string{"texture\n"}, []string{"place"}},
		{"of none", program.Options{}, "v", func(s *fixture) { s.Shared("v", 8, 8) }, []string{"dropped: no kernel reaches code that names it"}, nil},
		{"a kernel's own", program.Options{}, "v", func(s *fixture) { s.OwnShared(s.a, "v", 8, 8) }, []string{"offset 0x0, 8 bytes: a variable of kernel a"}, nil},
		{"a dead kernel's own", program.Options{KernelsUsed: []string{"b"}}, "v", func(s *fixture) { s.OwnShared(s.a, "v", 8, 8) }, []string{"dropped: with kernel a"}, nil},
		{"with -r", program.Options{Relocatable: true}, "v", func(s *fixture) { s.Shared("v", 8, 4) }, []string{"8 bytes, alignment 4: the last link places it"}, []string{"dropped"}},
		{"an extern array", program.Options{}, "x", func(s *fixture) { s.Use(s.f, s.ExternShared("x")) },
			[]string{"extern shared array\n", "defined in: each launch of a kernel", "offset 0x0 in the code of f", "each kernel that reaches it: a, b"}, []string{"dropped", "code of g"}},
		{"an extern array, with debug information", program.Options{Debug: true}, "x", func(s *fixture) { s.Use(s.f, s.ExternShared("x")) },
			[]string{"offset 0x0 in the code of f"}, []string{"code of g", "code of a", "code of h"}},
		{"an extern array that dead code names", program.Options{Arch: "sm_90"}, "x", func(s *fixture) {
			x := s.ExternShared("x")
			s.Use(s.f, x, s.Shared("v", 8, 8))
			s.Use(s.Device("dead"), x)
		},
			[]string{"offset 0x410 in the code of f"}, []string{"code of dead", "dropped"}},
		{"that got a size", program.Options{}, "x", func(s *fixture) {
			o := s.ExternShared("x")
			o.Late, o.Symbol.DefinedIn = true, "late.cubin"
		}, []string{"place: none: it was an extern array before late.cubin gave it a size"}, []string{"dropped"}},
		{"unknown", program.Options{}, "nobody", func(*fixture) {}, []string{"unknown\ndefined in: no input names it"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Explain = []string{tt.symbol}
			s := newFixture(t, tt.opt)
			tt.set(s)
			got := facts(t, s, tt.symbol)
			for _, want := range tt.has {
				if !strings.Contains(got+"\n", want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			for _, not := range tt.hasNot {
				if strings.Contains(got, not) {
					t.Errorf("%q in\n%s", not, got)
				}
			}
		})
	}
}

// TestMapInputs checks the map before the layout. It has each input with the sizes of its sections and
// functions. The Mercury half does not count, because it contains the same functions again. Neither does
// anything that cannot be read.
func TestMapInputs(t *testing.T) {
	file := &cubin.File{Sections: []cubin.Section{
		{}, {Type: cubin.SectionProgBits, Flags: cubin.FlagAlloc | cubin.FlagExec, Size: 0x20}, {Type: cubin.SectionGlobal, Flags: cubin.FlagAlloc, Size: 8},
		{Type: cubin.SectionShared, Size: 4}, {Type: cubin.SectionConstant0 + 3, Size: 2}, {Type: cubin.SectionProgBits, Size: 1},
		{Type: cubin.SectionGlobal, Flags: cubin.FlagAlloc | cubin.FlagMercury, Size: 0x10},
	}}
	symbols := []cubin.Symbol{
		{}, {Name: "k", Type: cubin.SymFunc, Section: 1, Other: cubin.OtherEntry, Index: 1}, {Name: "f", Type: cubin.SymFunc, Index: 2},
		{Name: "v", Type: cubin.SymData, Section: 2, Index: 3},
	}
	m := MapInputs("sm_80", []*object.Object{
		{Name: "a.cubin", File: file, Symbols: symbols, RegCounts: []object.RegCount{1: {Number: 24, Said: true}}},
		{Name: "b.cubin", File: file, Unreadable: "symsec not found"},
	})
	sizes := map[memorymap.SpaceName]uint64{}
	for _, s := range m.Spaces {
		sizes[s.Name] = s.Size
	}
	want := map[memorymap.SpaceName]uint64{memorymap.Code: 0x20, memorymap.Global: 8, memorymap.Shared: 4, memorymap.Constant: 2}
	for name, size := range sizes {
		if size != want[name] {
			t.Errorf("%s: %d bytes, want %d", name, size, want[name])
		}
	}
	if len(m.Inputs) != 1 || m.Inputs[0].Name != "a.cubin" || !m.Unplaced {
		t.Errorf("%+v", m.Inputs)
	}
	if f := (memorymap.Function{Name: "k", Input: "a.cubin", Kernel: true, Code: 0x20, Registers: 24}); len(m.Functions) != 1 || !reflect.DeepEqual(m.Functions[0], f) {
		t.Errorf("%+v", m.Functions)
	}
}

// TestExplainInputs checks the explanation after a failed link. It has what the inputs contain under that name,
// and nothing about other names (REACH-500).
func TestExplainInputs(t *testing.T) {
	function := func(name string, section uint32, bind cubin.Binding) cubin.Symbol {
		return cubin.Symbol{Name: name, Type: cubin.SymFunc, Section: section, Bind: bind}
	}
	objects := []*object.Object{
		{Name: "a.cubin", File: &cubin.File{}, Symbols: []cubin.Symbol{{}, function("f", 0, cubin.BindGlobal), function("g", 1, cubin.BindGlobal)}},
		{Name: "b.cubin", File: &cubin.File{}, Symbols: []cubin.Symbol{{}, function("h", 1, cubin.BindGlobal), function("f", 2, cubin.BindWeak)}},
		{Name: "c.cubin", File: &cubin.File{}, Symbols: []cubin.Symbol{{}, function("f", 1, cubin.BindGlobal)}},
	}
	all := ExplainInputs([]string{"f", "g", "nobody"}, objects)
	want := []explain.Definition{
		{By: explain.ByInput, Input: "b.cubin", Weak: true, Unused: []string{"c.cubin"}},
		{By: explain.ByInput, Input: "a.cubin"},
		unknown("nobody").Definition,
	}
	for i, x := range all {
		if !reflect.DeepEqual(x.Definition, want[i]) || (x.Kind == explain.Function) != x.Unplaced || x.Unplaced != (i < 2) {
			t.Errorf("%s: %+v, want %+v", x.Symbol, x, want[i])
		}
	}
}

// TestSharesBytes checks that two common variables that no kernel reaches together share their bytes.
func TestSharesBytes(t *testing.T) {
	s := newFixture(t, program.Options{Explain: []string{"v"}})
	c, d := s.Kernel("c"), s.Kernel("d")
	v, w := s.Shared("v", 8, 8), s.Shared("w", 8, 8)
	s.Use(s.f, v)
	s.Use(c, w)
	s.Use(d, w)
	if got := facts(t, s, "v"); !strings.Contains(got, "shares bytes with w, which no kernel reaches together with it") {
		t.Error(got)
	}
}

// linesOf returns the lines of the map's text, without indentation and with single blanks.
func linesOf(l *layout.Placed) []string {
	var text strings.Builder
	Map(l).WriteText(&text, false)
	var lines []string
	for _, line := range strings.Split(text.String(), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}

// TestMap checks that the map has the sections by memory space, the parts of the inputs in them, and the sums
// (LAYOUT-500).
func TestMap(t *testing.T) {
	s := newFixture(t, program.Options{Arch: "sm_90"})
	global := s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	global.Add(program.Piece{Origin: "two.cubin", Offset: 16, Size: 4, Data: make([]byte, 4)})
	global.Size = 20
	s.Variable("second", global, 4, 4)
	s.Variable("first", global, 0, 4)
	s.Variable("third", global, 16, 4)
	common := s.Global(program.Symbol{Name: "common", Common: true, Size: 4, Value: 4, DefinedIn: "two.cubin"})
	s.Commons = append(s.Commons, common)
	s.OwnShared(s.a, "own", 8, 8)
	s.Use(s.f, s.Shared("both", 4, 4))
	lines := linesOf(s.placed(t))
	text := strings.Join(lines, "\n") + "\n"
	for _, want := range []string{
		"memory map of sm_90, in bytes\n",
		"code: 0xa0\n", ".text.a: 0x20, alignment 128\n0x0 0x20 in.cubin\n0x0 0x20 a\n",
		"global: 0x18\n",
		".nv.global.init: 0x14, alignment 4\n0x0 0x8 in.cubin\n0x0 0x4 first\n0x4 0x4 second\n0x10 0x4 two.cubin\n0x10 0x4 third\n",
		".nv.global: 0x4, alignment 4\n0x0 0x4 two.cubin common\n0x0 0x4 common\n",
		"constant: 0x0\n",
		".nv.shared.a: 0x410, alignment 8\n0x0 0x400 (linker) reserved\n0x400 0x4 in.cubin both (common)\n0x408 0x8 in.cubin own\n",
		".nv.shared.b: 0x404, alignment 4\n0x0 0x400 (linker) reserved\n0x400 0x4 in.cubin both (common)\n",
		"by input:\ncode global constant shared local none input\n",
		"0xa0 0x8 0x0 0x10 0x0 0x0 in.cubin\n0x0 0x8 0x0 0x0 0x0 0x0 two.cubin\n0x0 0x8 0x0 0x804 0x0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no\n%s\nin\n%s", want, text)
		}
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "(linker)") {
		t.Errorf("the last line is %q", last)
	}
}

// TestMapSums checks that the bytes that the inputs use add up to the sizes of the memory spaces.
func TestMapSums(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_90"} {
		s := newFixture(t, program.Options{Arch: arch})
		s.Bank(s.a, 0, make([]byte, 0x168))
		s.Bank(s.f, 2, make([]byte, 12))
		s.a.Text.Relocations = []program.Relocation{{Type: 64, Symbol: s.Handle("t", cubin.SymTexture)}}
		s.Use(s.f, s.Shared("both", 4, 4), s.ExternShared("array"))
		m := Map(s.placed(t))
		for i, space := range m.Spaces {
			var sum uint64
			for _, in := range m.Inputs {
				sum += in.Bytes[i]
			}
			if sum != space.Size {
				t.Errorf("%s: the inputs use %#x of %#x %s", arch, sum, space.Size, space.Name)
			}
		}
	}
}

// TestMapKernels checks that the map has what each kernel needs, with the path of the largest frames, and the
// function that raises its registers (LAYOUT-503).
func TestMapKernels(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  program.Options
		set  func(s *fixture)
		want string // of kernel b: registers, the function that raises them, stack, deepest path
	}{
		{"a path", program.Options{}, func(*fixture) {}, "14 by h, 208 bytes: b g h"},
		{"enough registers of its own", program.Options{}, func(s *fixture) { s.About(s.b, nvinfo.RegCount, 40) }, "40, 208 bytes: b g h"},
		{"recursion", program.Options{}, func(s *fixture) { s.Call(s.h, s.g) }, "14 by h, unknown:"},
		{"by a pointer", program.Options{}, func(s *fixture) { s.g.CallsVia.Push("P"); s.Take(s.h, "P"); s.g.Calls = nil }, "14 by h, 208 bytes: b g h"},
		{"with -r nobody knows", program.Options{Relocatable: true}, func(*fixture) {}, "8, unknown:"},
	} {
		s := newFixture(t, tt.opt)
		tt.set(s)
		m := Map(s.placed(t))
		for _, k := range m.Kernels {
			if m.Functions[k.Function].Name != "b" {
				continue
			}
			got := fmt.Sprint(k.Registers)
			if k.RaisedBy < -1 || m.Functions[k.Function].Registers != k.Registers {
				t.Errorf("%s: raised by %d, %d registers", tt.name, k.RaisedBy, m.Functions[k.Function].Registers)
			}
			if k.RaisedBy >= 0 {
				got += " by " + m.Functions[k.RaisedBy].Name
			}
			if k.Stack == nil {
				got += ", unknown:"
			} else {
				got += fmt.Sprintf(", %d bytes:", *k.Stack)
			}
			for _, i := range k.Deepest {
				got += " " + m.Functions[i].Name
			}
			if got != tt.want {
				t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
			}
		}
		if len(m.Kernels) != 2 || !m.Functions[0].Kernel || !m.Functions[1].Kernel || len(m.Calls) == 0 {
			t.Errorf("%s: %d kernels, %d calls", tt.name, len(m.Kernels), len(m.Calls))
		}
	}
}

// TestMapCountsOnce checks that a byte that several parts have counts for the first of them.
func TestMapCountsOnce(t *testing.T) {
	s := newFixture(t, program.Options{})
	data := s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	data.Add(program.Piece{Origin: "second.cubin", Offset: 4, Size: 6, Data: make([]byte, 6)})
	data.Size = 12
	table := strings.Join(linesOf(s.placed(t)), "\n") + "\n"
	for _, want := range []string{"0xa0 0x8 0x0 0x0 0x0 0x0 in.cubin\n", "0x0 0x2 0x0 0x0 0x0 0x0 second.cubin\n", "0x0 0x2 0x0 0x0 0x0 0xac (linker)\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

// TestMapLeavesTheProgram checks that making a map does not change the program.
func TestMapLeavesTheProgram(t *testing.T) {
	l := newFixture(t, program.Options{}).placed(t)
	if first, again := Map(l), Map(l); !reflect.DeepEqual(first, again) {
		t.Errorf("%+v\nand then\n%+v", first, again)
	}
}

// An explanation lists how much stack a function and a kernel need, frame by frame (REACH-502).
func TestStackOfFunction(t *testing.T) {
	s := newFixture(t, program.Options{Explain: []string{"g", "b"}})
	all := Explain(s.placed(t))
	for i, want := range []struct {
		frame  uint32
		path   string
		frames []uint32
	}{{64, "g h", []uint32{64, 128}}, {16, "b g h", []uint32{16, 64, 128}}} {
		if got := all[i].Needs.Stack; got.Frame != want.frame || words(got.Path) != want.path || !reflect.DeepEqual(got.Frames, want.frames) {
			t.Errorf("%s: %+v", all[i].Symbol, got)
		}
	}
}

// TestMapLeavesOut checks that the map has no line for sections that are empty or not kept. Gaps of a byte
// count for the linker. So do parts without an origin, except code.
func TestMapLeavesOut(t *testing.T) {
	s := newFixture(t, program.Options{Arch: "sm_80"})
	s.Device("dead")
	s.Data(".nv.one", cubin.SectionProgBits, make([]byte, 1))
	s.Data(".nv.empty", cubin.SectionGlobalInit, nil)
	s.Data(".nv.gone", cubin.SectionGlobalInit, make([]byte, 4)).State = program.Gone
	three := s.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 3))
	three.Size, three.Align = 4, 0
	three.Add(program.Piece{Origin: "nothing.cubin", Offset: 3})
	s.Local(program.Symbol{Name: "section", Type: cubin.SymSection, IsSection: true, Section: three})
	s.a.Bind(s.AddSection(&program.Section{Side: program.Side{Name: ".nv.local.a", Type: cubin.SectionLocal, Size: 6}, Bank: program.NoBank, State: program.Kept}))
	s.a.Text.Pieces[0].Origin = ""
	s.OwnShared(s.a, "own", 8, 8)
	text := strings.Join(linesOf(s.placed(t)), "\n") + "\n"
	for _, want := range []string{
		".nv.global.init: 0x4, alignment 1\n0x0 0x3 in.cubin\n0x3 0x0 nothing.cubin\n",
		"local: 0x6\n.nv.local.a: 0x6, ", ".nv.one: 0x1, ", ".text.a: 0x20, alignment 128\n0x0 0x20 in.cubin\n",
		".nv.shared.a: 0x8, alignment 8\n0x0 0x8 in.cubin own\n", "0xa0 0x3 0x0 0x8 0x0 0x1 in.cubin\n0x0 0x1 0x0 0x0 0x6 ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no\n%s\nin\n%s", want, text)
		}
	}
	for _, not := range []string{"dead", ".nv.empty", ".nv.gone", " section\n", "reserved", "0x0 nothing.cubin\n0xa0"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
	if table := text[strings.Index(text, "by input"):]; strings.Contains(table, "nothing.cubin") {
		t.Errorf("an input that uses nothing is in the table:\n%s", table)
	}
}

// TestMapOfReserved checks a kernel whose only shared memory is an extern array. The map has the memory that is
// reserved for the system, and no more.
func TestMapOfReserved(t *testing.T) {
	s := newFixture(t, program.Options{Arch: "sm_90"})
	s.Use(s.a, s.ExternShared("x"))
	text := strings.Join(linesOf(s.placed(t)), "\n") + "\n"
	if want := ".nv.shared.a: 0x400, alignment 16\n0x0 0x400 (linker) reserved\n"; !strings.Contains(text, want) {
		t.Errorf("no\n%s\nin\n%s", want, text)
	}
}

// TestMapOfRelocatable checks that with -r shared variables get no place, and that the map has each definition
// once. Common variables follow those with contents.
func TestMapOfRelocatable(t *testing.T) {
	s := newFixture(t, program.Options{Arch: "sm_90", Relocatable: true})
	v := s.Shared("v", 8, 8)
	s.SharedObjects = append(s.SharedObjects, &program.SharedObject{Symbol: v.Symbol, Size: 8})
	s.Shared("w", 4, 4).Symbol.Section = nil
	s.OwnShared(s.a, "own", 0x800, 8)
	text := strings.Join(linesOf(s.placed(t)), "\n") + "\n"
	for _, want := range []string{".nv_debug.shared: 0x14, alignment 8\n0x0 0x8 in.cubin v\nlocal: ", "0x0 0x800 in.cubin own\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no\n%s\nin\n%s", want, text)
		}
	}
	if strings.Contains(text, "reserved") {
		t.Errorf("reserved memory in\n%s", text)
	}
	s = newFixture(t, program.Options{})
	global := s.GlobalSection()
	programtest.Fill(global, make([]byte, 8))
	s.Variable("own", global, 4, 4)
	common := s.Global(program.Symbol{Name: "common", Common: true, Size: 4, Value: 4, DefinedIn: "two.cubin"})
	s.Commons = append(s.Commons, common)
	text = strings.Join(linesOf(s.placed(t)), "\n") + "\n"
	if want := "0x0 0x8 in.cubin\n0x4 0x4 own\n0x8 0x4 two.cubin common\n"; !strings.Contains(text, want) {
		t.Errorf("no\n%s\nin\n%s", want, text)
	}
}

// TestMapLimits checks that the map has the memory that only one kernel uses, and the limit of the kernel's
// registers if there is one.
func TestMapLimits(t *testing.T) {
	s := newFixture(t, program.Options{})
	s.OwnShared(s.a, "own", 24, 8)
	limit := func(f *program.Function, code nvinfo.Code, n uint16) {
		s.Attribute(f, nvinfo.Record{Format: nvinfo.Half, Code: code, Value: n})
	}
	limit(s.a, nvinfo.MaxRegCount, 40)
	limit(s.a, nvinfo.NumBarriers, 3)
	limit(s.b, nvinfo.MaxRegCount, 255)
	m := Map(s.placed(t))
	for _, k := range m.Kernels {
		shared, registers := uint64(24), uint32(40)
		if m.Functions[k.Function].Name == "b" {
			shared, registers = 0, 0
		}
		if k.Shared != shared || k.MaxRegisters != registers {
			t.Errorf("%+v", k)
		}
	}
}

// TestMeant checks which symbols a word stands for: those of that name; if there are none, those with that name
// in the source; otherwise those whose name contains the word (REACH-503).
func TestMeant(t *testing.T) {
	sources := map[string]string{"_Z1fi": "f(int)", "_Z1fv": "f()", "_Z2gfi": "gf(int)"}
	demangle := func(name string) string {
		if source, ok := sources[name]; ok {
			return source
		}
		return name
	}
	of := func(names ...string) *object.Object {
		o := &object.Object{Symbols: []cubin.Symbol{{}, {Name: "p.section", Type: cubin.SymSection}}}
		for _, name := range names {
			o.Symbols = append(o.Symbols, cubin.Symbol{Name: name, Type: cubin.SymFunc})
		}
		return o
	}
	var many []string
	for i := range 13 {
		many = append(many, fmt.Sprint("p", i))
	}
	objects := []*object.Object{of(append([]string{"_Z1fi", "_Z1fv", "_Z2gfi"}, many[:6]...)...), of(append(many, "_Z1fi")...)}
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"_Z1fv"}, "_Z1fv"},
		{[]string{"f"}, "_Z1fi _Z1fv"},
		{[]string{"f(int)"}, "_Z1fi"},
		{[]string{"f(int"}, "_Z1fi _Z2gfi"},
		{[]string{"Z2"}, "_Z2gfi"},
		{[]string{"p"}, strings.Join(many[:12], " ")},
		{[]string{"p12", "f", "nobody", "_Z1fv"}, "p12 _Z1fi _Z1fv nobody"},
	} {
		if got := strings.Join(Meant(tt.words, objects, demangle), " "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.words, got, tt.want)
		}
	}
	if got := Meant([]string{"Z2"}, objects, nil); len(got) != 1 || got[0] != "_Z2gfi" {
		t.Errorf("by the names of the files: %q", got)
	}
}

// TestNamedIn checks that an explanation describes what a symbol of an input is, and which code and data refer
// to it. Debug information does not count.
func TestNamedIn(t *testing.T) {
	data, err := cubintext.Parse("k.txt", `cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol v global data .nv.global other=global size=4
	symbol c global data .nv.constant3 other=constant size=4
	symbol t global texture undef
	symbol sa global sampler undef
	symbol su global surface undef
	symbol sh global data undef other=shared
	symbol f global func .text.f
	symbol k global func .text.k other=entry
section .debug_info
	u64 0 0
section .nv.constant3
	u64 0 0 0
section .rela.text.k
	rel 0x0 R_CUDA_ABS32_LO_32 v
	rel 0x10 R_CUDA_ABS32_HI_32 v
section .rela.text.f
	rel 0x0 R_CUDA_ABS32_LO_32 c
section .rela.nv.constant3
	rel 0x0 R_CUDA_64 v
	rel 0x8 R_CUDA_64 c
section .rela.debug_info
	rel 0x0 R_CUDA_64 v
	rel 0x8 R_CUDA_64 k
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000 0 0
section .text.f regs=8
	u64 0x000000000000794d 0x000fea0003800000 0 0
section .nv.global size=4
`)
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.Open("a.cubin", data, false, arch.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]explain.Explanation{
		"k":  {Kind: explain.Kernel},
		"f":  {Kind: explain.Function},
		"v":  {Kind: explain.GlobalVariable, Reach: explain.Reach{Code: []string{"k"}, Data: []string{".nv.constant3"}}},
		"c":  {Kind: explain.Constant, Reach: explain.Reach{Code: []string{"f"}, Data: []string{".nv.constant3"}}},
		"t":  {Kind: explain.Texture},
		"sa": {Kind: explain.Sampler},
		"su": {Kind: explain.Surface},
		"sh": {Kind: explain.SharedVariable},
	} {
		for times := 1; times <= 2; times++ { // the same names once more
			objects := []*object.Object{o, o}[:times]
			got := ExplainInputs([]string{name}, objects)[0]
			if got.Kind != want.Kind || !reflect.DeepEqual(got.Reach, want.Reach) {
				t.Errorf("%s in %d: %s, %+v", name, times, got.Kind, got.Reach)
			}
		}
	}
}
