package reach

import (
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// A graph is a program as text. "k: f g" is a kernel k that calls f and g. "f = h" is a device function f that
// calls h. A callee that begins with '*' is a call through a pointer of that prototype. "&P" among the callees
// takes the function's address as that prototype. "f ?" is an undefined function.
type graph []string

func (g graph) build(t *testing.T, opt program.Options) (*programtest.Program, map[string]*program.Function) {
	t.Helper()
	p := programtest.New(t, opt)
	named := map[string]*program.Function{}
	for _, line := range g {
		switch name, kind := strings.Fields(line)[0], strings.Fields(line + " .")[1]; {
		case strings.HasSuffix(name, ":"):
			name = strings.TrimSuffix(name, ":")
			named[name] = p.Kernel(name)
		case kind == "?":
			named[name] = p.Undefined(name)
		default:
			named[name] = p.Device(name)
		}
	}
	for _, line := range g {
		words := strings.Fields(line)
		f := named[strings.TrimSuffix(words[0], ":")]
		for _, w := range words[1:] {
			switch {
			case w == "=" || w == "?":
			case w[0] == '*':
				f.CallsVia.Push(w[1:])
			case w[0] == '&':
				p.Take(f, w[1:])
			default:
				p.Call(f, named[w])
			}
		}
	}
	return p, named
}

// TestDeadCode checks which functions a link drops (REACH-003, REACH-004, REACH-005, REACH-010).
func TestDeadCode(t *testing.T) {
	for _, tt := range []struct {
		name  string
		graph graph
		opt   program.Options
		dead  string
	}{
		{"called", graph{"k: f", "f ="}, program.Options{}, ""},
		{"called from a callee", graph{"k: f", "f = g", "g ="}, program.Options{}, ""},
		{"not called", graph{"k:", "f ="}, program.Options{}, "f"},
		{"called from dead code only", graph{"k:", "f = g", "g ="}, program.Options{}, "f g"},
		{"called by a pointer", graph{"k: *P", "f = &P"}, program.Options{}, ""},
		{"its address is taken, nobody calls", graph{"k:", "f = &P"}, program.Options{}, ""},
		{"called from such a function only", graph{"k:", "f = g &P", "g ="}, program.Options{}, "g"},
		{"called by a pointer of another prototype", graph{"k: *Q", "f = &P"}, program.Options{}, ""},
		{"undefined, called from code that stays", graph{"k: f", "f ?"}, program.Options{}, ""},
		{"undefined, called from what only its address keeps", graph{"k:", "f = g &P", "g ?"}, program.Options{}, ""},
		{"undefined, called from dead code", graph{"k:", "f = g", "g ?"}, program.Options{}, "f g"},
		{"in a circle", graph{"k: f", "f = g", "g = f", "a = b", "b = a"}, program.Options{}, "a b"},
		{"with -g", graph{"k:", "f ="}, program.Options{Debug: true}, ""},
		{"with -r", graph{"k:", "f ="}, program.Options{Relocatable: true}, ""},
		{"with --preserve-relocs", graph{"k:", "f ="}, program.Options{PreserveRelocs: true}, ""},
		{"kernels by name", graph{"ka: f", "kb: g", "f =", "g ="}, program.Options{KernelsUsed: []string{"a"}}, "kb g"},
		{"kernels by a part of the name", graph{"first:", "fir:", "other:"}, program.Options{KernelsUsed: []string{"fir"}}, "other"},
		{"variables by name choose no kernel", graph{"k: f", "f ="}, program.Options{VariablesUsed: []string{"v"}}, "k f"},
		{"a kernel whose address is taken beside two chosen ones", graph{"a1:", "a2:", "b: f &P", "f ="}, program.Options{KernelsUsed: []string{"a"}}, ""},
		{"and beside a lone one", graph{"a:", "b: f &P", "f ="}, program.Options{KernelsUsed: []string{"a"}}, "f"},
		{"host code names one kernel", graph{"ka: f", "kb: g", "f =", "g ="}, program.Options{HostKernels: hostKernels("kb")}, "ka f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := tt.graph.build(t, tt.opt)
			r := Functions(p.Finish())
			var dead []*program.Function
			for _, f := range r.Functions {
				if f.Dead {
					dead = append(dead, f)
				}
				if f.Dead && (!f.Symbol.Hidden || !f.Symbol.Unnamed) {
					t.Errorf("%s is dead, and the symbol table has it", f.Symbol.Name)
				}
			}
			if got := programtest.Names(dead); got != tt.dead {
				t.Errorf("dead: %q, want %q", got, tt.dead)
			}
		})
	}
}

func hostKernels(name string) func(int) func(string, bool) bool {
	return func(int) func(string, bool) bool { return func(n string, _ bool) bool { return n == name } }
}

// TestUncalled checks that a function is recorded if only its address keeps it (REACH-022).
func TestUncalled(t *testing.T) {
	for _, tt := range []struct {
		name     string
		graph    graph
		uncalled string
	}{
		{"not called", graph{"k:", "f = &P"}, "f"},
		{"called directly", graph{"k: f", "f = &P"}, ""},
		{"called by a pointer", graph{"k: *P", "f = &P"}, ""},
		{"another prototype", graph{"k: *Q", "f = &P", "g = &Q"}, "f"},
		{"a chosen kernel", graph{"k: &P"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := tt.graph.build(t, program.Options{})
			r := Functions(p.Finish())
			var uncalled []*program.Function
			for _, f := range r.Functions {
				if f.Uncalled {
					uncalled = append(uncalled, f)
				}
			}
			if got := programtest.Names(uncalled); got != tt.uncalled {
				t.Errorf("uncalled: %q, want %q", got, tt.uncalled)
			}
		})
	}
}

// TestReachable checks which functions each kernel reaches. The first of them is the kernel itself (REACH-007,
// REACH-031).
func TestReachable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		graph   graph
		opt     program.Options
		reached []string // by live kernel; "-" marks one that is left out
		lone    string
	}{
		{"chain", graph{"k: f", "f = g", "g ="}, program.Options{}, []string{"k f g"}, "k"},
		{"the last pushed is the first seen", graph{"k: f g", "f =", "g ="}, program.Options{}, []string{"k g f"}, "k"},
		{"depth first", graph{"k: f g", "f =", "g = h", "h ="}, program.Options{}, []string{"k g h f"}, "k"},
		{"twice called, once listed", graph{"k: f g", "f = h", "g = h", "h ="}, program.Options{}, []string{"k g h f"}, "k"},
		{"recursion ends", graph{"k: f", "f = f"}, program.Options{}, []string{"k f"}, "k"},
		{"a pointer to several", graph{"k: *P", "f = &P", "g = &P", "h = &Q"}, program.Options{}, []string{"k g f"}, "k"},
		{"two kernels with one function", graph{"a: f", "b: f", "f ="}, program.Options{}, []string{"a f", "b f"}, ""},
		{"two kernels apart", graph{"a: f", "b: g", "f =", "g ="}, program.Options{}, []string{"a f", "b g"}, ""},
		{"dropped kernel has no entry", graph{"a: f", "b: f", "f ="}, program.Options{KernelsUsed: []string{"a"}}, []string{"a f"}, "a"},
		{"taken kernel beside a lone one is left out", graph{"a:", "b: f &P", "f ="}, program.Options{KernelsUsed: []string{"a"}}, []string{"a", "-b"}, "a"},
		{"taken kernel beside two", graph{"a1:", "a2:", "b: f &P", "f ="}, program.Options{KernelsUsed: []string{"a"}}, []string{"a1", "a2", "b f"}, ""},
		{"with -r all are walked", graph{"a: f", "b: f", "f ="}, program.Options{Relocatable: true, KernelsUsed: []string{"a"}}, []string{"a f", "b f"}, "a"},
		{"kept for --preserve-relocs, but left out", graph{"a: f", "b: f", "f ="}, program.Options{PreserveRelocs: true, KernelsUsed: []string{"a"}}, []string{"a f", "-b"}, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := tt.graph.build(t, tt.opt)
			r := Functions(p.Finish())
			var got []string
			for _, e := range r.Entries {
				names := programtest.Names(e.Reachable())
				if e.LeftOut {
					names = "-" + names
				}
				got = append(got, names)
				if r.EntryOf(e.Fn) != e {
					t.Errorf("EntryOf[%s] is another entry", e.Fn.Symbol.Name)
				}
			}
			if !slices.Equal(got, tt.reached) {
				t.Errorf("reached %q, want %q", got, tt.reached)
			}
			lone := ""
			if r.Lone != nil {
				lone = r.Lone.Fn.Symbol.Name
			}
			if lone != tt.lone {
				t.Errorf("lone kernel %q, want %q", lone, tt.lone)
			}
		})
	}
}

// TestCallGraph checks that a prototype is one node for all its callers and callees (REACH-007).
func TestCallGraph(t *testing.T) {
	p, _ := graph{"a: *P *Q", "b: *P", "f = &P", "g = &P", "h = &Q"}.build(t, program.Options{})
	g := buildCallGraph(p.Finish())
	if g.Count != 5 || len(g.Calls) != 7 {
		t.Fatalf("%d functions and %d nodes, want 5 and 7", g.Count, len(g.Calls))
	}
	if g.Calls[0][0] != g.Calls[1][0] {
		t.Errorf("kernels a and b call prototype P by nodes %d and %d", g.Calls[0][0], g.Calls[1][0])
	}
	if got := g.Calls[g.Calls[0][0]]; !slices.Equal(got, []int32{2, 3}) {
		t.Errorf("prototype P leads to %v, want f and g", got)
	}
	if got := g.Calls[g.Calls[0][1]]; !slices.Equal(got, []int32{4}) {
		t.Errorf("prototype Q leads to %v, want h", got)
	}
}

// TestCallers checks which kernels reach a function, the last created first. Kernels that are left out do not
// count.
func TestCallers(t *testing.T) {
	p, named := graph{"a: f", "b: f", "c: f g", "f =", "g ="}.build(t, program.Options{})
	r := Functions(p.Finish())
	r.EntryOf(named["b"]).LeftOut = true
	for name, want := range map[string]string{"f": "c a", "g": "c", "a": "a", "b": ""} {
		var got []*program.Function
		for e := range r.Callers().Of(named[name]) {
			got = append(got, e.Fn)
		}
		if programtest.Names(got) != want {
			t.Errorf("callers of %s: %q, want %q", name, programtest.Names(got), want)
		}
	}
}

// TestNeeds checks that a kernel gets registers and stack from the functions that it reaches (STACK-002,
// INFO-043).
func TestNeeds(t *testing.T) {
	const unknown = StackUnknown
	for _, tt := range []struct {
		name      string
		graph     graph
		frames    string // of the functions in order
		counts    string // registers; "-": only in the header of the code, where it is 8
		registers uint32
		stack     uint64
	}{
		{"alone", graph{"k:"}, "16", "20", 20, 16},
		{"the header counts without an attribute", graph{"k:"}, "0", "-", 8, 0},
		{"an attribute counts before the header", graph{"k:"}, "0", "4", 4, 0},
		{"a function needs more", graph{"k: f", "f ="}, "16 8", "20 32", 32, 24},
		{"a function needs less", graph{"k: f", "f ="}, "0 8", "20 10", 20, 8},
		{"the deeper path", graph{"k: f g", "f = h", "g =", "h ="}, "1 2 32 16", "8 8 8 8", 8, 33},
		{"the longer path", graph{"k: f g", "f = h", "g =", "h ="}, "1 20 32 16", "8 8 8 40", 40, 37},
		{"a pointer", graph{"k: *P", "f = &P", "g = &P"}, "1 2 4", "8 9 10", 10, 5},
		{"recursion", graph{"k: f", "f = f"}, "1 2", "8 8", 8, unknown},
		{"recursion further below", graph{"k: f", "f = g", "g = h", "h = g"}, "1 2 3 4", "8 8 8 8", 8, unknown},
		{"recursion elsewhere", graph{"k: f", "f =", "b: b"}, "1 2 4", "8 8 99", 8, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, named := tt.graph.build(t, program.Options{})
			frames, counts := strings.Fields(tt.frames), strings.Fields(tt.counts)
			for i, f := range p.Functions {
				p.About(f, nvinfo.FrameSize, number(frames[i]))
				if counts[i] != "-" {
					p.About(f, nvinfo.RegCount, number(counts[i]))
				}
			}
			needs := Kernels(Functions(p.Finish()))
			n := needs.Needs(needs.EntryOf(named["k"]))
			if n.Registers != tt.registers {
				t.Errorf("registers %d, want %d", n.Registers, tt.registers)
			}
			if n.Stack != tt.stack {
				t.Errorf("stack %#x, want %#x", n.Stack, tt.stack)
			}
		})
	}
}

func number(digits string) (n uint32) {
	for _, d := range digits {
		n = 10*n + uint32(d-'0')
	}
	return n
}

// TestStackOfLeftOut checks that a kernel that the options leave out needs only its own frame. The stack size
// is computed modulo 2^32.
func TestStackOfLeftOut(t *testing.T) {
	p, named := graph{"k: f", "f ="}.build(t, program.Options{})
	p.About(named["k"], nvinfo.FrameSize, 1<<31)
	p.About(named["f"], nvinfo.FrameSize, 1<<31+5)
	r := Functions(p.Finish())
	if got := Kernels(r).Needs(r.Entries[0]).Stack; got != 5 {
		t.Errorf("stack of two large frames %#x, want 5", got)
	}
	r.Entries[0].LeftOut = true
	if got := Kernels(r).Needs(r.Entries[0]).Stack; got != 1<<31 {
		t.Errorf("stack of a kernel that is left out %#x, want its frame", got)
	}
}

// TestRegisterCounts checks that the last record about a function counts, and that said reports whether there
// is one.
func TestRegisterCounts(t *testing.T) {
	p, named := graph{"k:", "f ="}.build(t, program.Options{})
	named["k"].RegInfo = 12
	p.About(named["f"], nvinfo.RegCount, 30)
	p.About(named["f"], nvinfo.RegCount, 31)
	p.About(named["f"], nvinfo.FrameSize, 99)
	counts, said := Functions(p.Finish()).RegisterCounts()
	if !slices.Equal(counts, []uint32{12, 31}) || !slices.Equal(said, []bool{false, true}) {
		t.Errorf("counts %v, said %v", counts, said)
	}
}

// TestTraceOfDeadCode checks the trace steps about a dead function.
func TestTraceOfDeadCode(t *testing.T) {
	var events []string
	p, named := graph{"k:", "f ="}.build(t, program.Options{Trace: func(e trace.Event) {
		if e.Message == trace.RemovesSection || e.Message == trace.DeadConstantsElsewhere {
			events = append(events, e.Args[0].(string))
		}
	}})
	p.Bank(named["f"], 2, make([]byte, 4))
	other := p.AddSection(&program.Section{Side: program.Side{Name: ".nv.constant2.f"}})
	Functions(p.Finish())
	if want := []string{".text.f", other.Name}; !slices.Equal(events, want) {
		t.Errorf("told of %v, want %v", events, want)
	}
}
