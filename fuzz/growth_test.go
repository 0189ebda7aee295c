package fuzz

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubintext"
)

// Near-linear time (docs/security.md): programs that grow in one direction each, the
// ones on which nvlink explodes among them. Four times the program may take at most
// ten times the time, where quadratic growth takes sixteen, and at most six times the
// memory.

// A growth makes the inputs of a link of size n, in the text form.
type growth struct {
	name string
	size int // so that a link takes some ten milliseconds
	make func(n int) []string
}

// A module writes a cubin as text: functions and variables are added one by one.
type module struct {
	symbols, info, calls, taken, indirect, sections strings.Builder
}

func (m *module) function(name, binding, other string) {
	fmt.Fprintf(&m.symbols, "\tsymbol %s %s func .text.%s%s\n", name, binding, name, other)
	fmt.Fprintf(&m.info, "\tattr REGCOUNT @%s 8\n\tattr FRAME_SIZE @%s 8\n", name, name)
	fmt.Fprintf(&m.sections, "section .text.%s\n\tu64 0x0000000002007950 0x000fea0003e00000\n", name)
}

func (m *module) device(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	m.function(name, "global", "")
	return name
}

func (m *module) kernel(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	m.function(name, "global", " other=entry")
	return name
}

func (m *module) call(from, to string) { fmt.Fprintf(&m.calls, "\tedge %s %s\n", from, to) }

// more adds sections, which may refer to the symbols.
func (m *module) more(format string, args ...any) { fmt.Fprintf(&m.sections, format, args...) }

func (m *module) String() string {
	return "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n" + m.symbols.String() +
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n" + m.info.String() +
		"section .nv.callgraph\n\tcalls direct\n" + m.calls.String() + "\tcalls taken\n" + m.taken.String() +
		"\tcalls indirect\n" + m.indirect.String() + m.sections.String()
}

// one makes a link of one module.
func one(fill func(m *module, n int)) func(int) []string {
	return func(n int) []string {
		var m module
		fill(&m, n)
		return []string{m.String()}
	}
}

var growths = []growth{
	{"a chain of calls", 1000, one(func(m *module, n int) {
		last := m.kernel("k")
		for i := range n {
			next := m.device("f%d", i)
			m.call(last, next)
			last = next
		}
	})},
	{"layers of diamonds", 500, one(func(m *module, n int) {
		last := m.kernel("k")
		for i := range n {
			left, right, next := m.device("l%d", i), m.device("r%d", i), m.device("f%d", i)
			m.call(last, left)
			m.call(last, right)
			m.call(left, next)
			m.call(right, next)
			last = next
		}
	})},
	{"a ring of calls", 1000, one(func(m *module, n int) {
		first := m.device("f")
		m.call(m.kernel("k"), first)
		last := first
		for i := range n {
			next := m.device("f%d", i)
			m.call(last, next)
			last = next
		}
		m.call(last, first)
	})},
	{"kernels over the same functions", 300, one(func(m *module, n int) {
		var shared []string
		for i := range 20 {
			shared = append(shared, m.device("f%d", i))
		}
		for i := range n {
			k := m.kernel("k%d", i)
			for _, f := range shared {
				m.call(k, f)
			}
		}
	})},
	{"pointers to functions", 500, one(func(m *module, n int) {
		k := m.kernel("k")
		for i := range n {
			to, from := m.device("t%d", i), m.device("c%d", i)
			m.call(k, from)
			fmt.Fprintf(&m.taken, "\tproto %s \"#v\"\n", to)
			fmt.Fprintf(&m.indirect, "\tproto %s \"#v\"\n", from)
		}
	})},
	{"files with the same weak functions", 100, func(n int) []string {
		var m module
		for i := range 20 {
			m.function(fmt.Sprintf("w%d", i), "weak", "")
		}
		text := m.String()
		texts := make([]string, n)
		for i := range texts {
			texts[i] = text
		}
		return texts
	}},
	{"weak functions that give way", 500, func(n int) []string {
		var texts []string
		for _, registers := range []string{"16", "8"} {
			var m module
			for i := range n {
				m.function(fmt.Sprintf("w%d", i), "weak", "")
			}
			texts = append(texts, strings.ReplaceAll(m.String(), " 8\n", " "+registers+"\n"))
		}
		return texts
	}},
	{"files that call each other", 300, func(n int) []string {
		var texts []string
		for i := range n {
			var m module
			f := m.device("f%d", i)
			if i == 0 {
				m.call(m.kernel("k"), f)
			}
			fmt.Fprintf(&m.symbols, "\tsymbol f%d global func undef\n", (i+1)%n)
			m.call(f, fmt.Sprintf("f%d", (i+1)%n))
			texts = append(texts, m.String())
		}
		return texts
	}},
	{"variables", 4000, one(func(m *module, n int) {
		m.kernel("k")
		for i := range n {
			fmt.Fprintf(&m.symbols, "\tsymbol v%d global data .nv.global other=global value=%d size=8\n", i, 8*i)
		}
		m.more("section .nv.global size=%d align=8\n", 8*n)
	})},
	{"commons", 4000, one(func(m *module, n int) {
		m.kernel("k")
		for i := range n {
			fmt.Fprintf(&m.symbols, "\tsymbol v%d global data common other=global value=8 size=8\n", i)
		}
	})},
	{"relocations", 8000, one(func(m *module, n int) {
		fmt.Fprintf(&m.symbols, "\tsymbol v global data .nv.global.init other=global size=8\n")
		m.kernel("k")
		m.more("section .rela.nv.global.init\n")
		for i := range n {
			m.more("\trel %d R_CUDA_64 v +%d\n", 8*i, i)
		}
		m.more("section .nv.global.init align=8\n\tzero %d\n", 8*n)
	})},
	{"weak variables defined twice, with relocations", 1000, func(n int) []string {
		var m module
		for i := range n {
			fmt.Fprintf(&m.symbols, "\tsymbol v%d weak data .nv.global.init other=global value=%d size=8\n", i, 8*i)
		}
		m.more("section .rela.nv.global.init\n")
		for i := range n {
			m.more("\trel %d R_CUDA_64 v%d +8\n", 8*i, i)
		}
		m.more("section .nv.global.init align=8\n\tzero %d\n", 8*n)
		text := m.String()
		return []string{text, text}
	}},
	{"shared variables of a kernel", 1000, one(func(m *module, n int) {
		fmt.Fprintf(&m.symbols, "\tsymbol .nv.shared.k\n")
		for i := range n {
			fmt.Fprintf(&m.symbols, "\tsymbol s%d local data .nv.shared.k other=shared value=4 size=4\n", i)
		}
		m.kernel("k")
		m.more("section .rela.text.k\n")
		for i := range n {
			m.more("\trel 0 R_CUDA_ABS32_32 s%d\n", i)
		}
		m.more("section .nv.shared.k size=%d\n", 4*n)
	})},
	{"shared variables of kernels", 400, one(func(m *module, n int) {
		for i := range n {
			fmt.Fprintf(&m.symbols, "\tsymbol s%d weak data .nv.shared.k%d other=shared value=4 size=4\n", i, i)
			k := m.kernel("k%d", i)
			m.more("section .rela.text.%s\n\trel 0 R_CUDA_ABS32_32 s%d\nsection .nv.shared.%s size=4\n", k, i, k)
		}
	})},
	{"attributes", 8000, one(func(m *module, n int) {
		m.kernel("k")
		m.more("section .nv.info.k\n")
		for range n {
			m.more("\tattr EXIT_INSTR_OFFSETS 0\n")
		}
	})},
	{"notes", 4000, one(func(m *module, n int) {
		m.kernel("k")
		m.more("section .note.nv.tkinfo\n")
		for range n {
			m.more("\ttkinfo tool=x\n")
		}
	})},
	{"long names", 1000, one(func(m *module, n int) {
		last := m.kernel("k")
		long := strings.Repeat("n", 100)
		for i := range n {
			next := m.device("%s%d", long, i)
			m.call(last, next)
		}
	})},
}

func TestGrowth(t *testing.T) {
	for _, g := range growths {
		small, large := g.inputs(t, 1), g.inputs(t, 4)
		var why string
		for range 4 { // another program may have taken the time
			if why = compare(small, large); why == "" {
				break
			}
		}
		if why != "" {
			t.Errorf("%s: %s", g.name, why)
		}
	}
}

// TestDeepCalls links a chain of 30,000 calls: nothing recurses on the stack by it, and
// it ends soon.
func TestDeepCalls(t *testing.T) {
	deep := growth{name: "deep", size: 30_000, make: growths[0].make}
	start := cpuTime()
	deep.inputs(t, 1)
	if took := cpuTime() - start; took > time.Minute {
		t.Errorf("a chain of 30,000 calls took %v", took)
	}
}

// inputs makes a link of times its size, which must succeed.
func (g growth) inputs(t *testing.T, times int) []linker.Input {
	t.Helper()
	var inputs []linker.Input
	for i, text := range g.make(times * g.size) {
		data, err := cubintext.Parse(g.name, text)
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		inputs = append(inputs, linker.Input{Name: fmt.Sprintf("%d.cubin", i), Data: data})
	}
	if r := linkGrown(inputs); r.Output == nil {
		t.Fatalf("%s: %v", g.name, said(r))
	}
	return inputs
}

func linkGrown(inputs []linker.Input) *linker.Result {
	return linker.Link(context.Background(), linker.Options{ToolName: "culink", Arch: "sm_90", AllowUndefinedGlobals: true}, inputs)
}

// compare tells how the large link costs too much for four small ones; "" if it does
// not.
func compare(small, large []linker.Input) string {
	one, bytes := cost(small)
	four, all := cost(large)
	if four > 10*one+5*time.Millisecond {
		return fmt.Sprintf("four times as large takes %v, not four times %v", four, one)
	}
	if all > 6*bytes+1<<20 {
		return fmt.Sprintf("four times as large allocates %d bytes, not four times %d", all, bytes)
	}
	return ""
}

// cost is the least work of some links, and what one of them allocates.
func cost(inputs []linker.Input) (time.Duration, uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // its work comes and goes
	best := time.Hour
	var before, after runtime.MemStats
	for range 2 {
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := cpuTime()
		linkGrown(inputs)
		best = min(best, cpuTime()-start)
		runtime.ReadMemStats(&after)
	}
	return best, after.TotalAlloc - before.TotalAlloc
}
