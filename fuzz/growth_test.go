package fuzz

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/race"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubintext"
)

// The time of a link must grow nearly linearly with its size (docs/security.md). Each of these links grows in one
// respect, including those in which nvlink's cost grows extremely. Four times the size may need at most ten times the
// time, and at most six times the memory. Quadratic growth would need sixteen times as much.

// A growth makes the inputs of a link of size n in the text form.
type growth struct {
	name string
	size int // size at which a link takes some ten milliseconds
	make func(n int) []string
}

// A grown is a link whose cost is measured.
type grown struct {
	inputs  []linker.Input
	explain []string
}

// one returns a function that makes the input of a link with one module.
func one(fill func(m *race.Module, n int)) func(int) []string {
	return func(n int) []string {
		var m race.Module
		fill(&m, n)
		return []string{m.String()}
	}
}

// shareAll adds n shared variables that belong to no kernel. A function refers to all of them.
func shareAll(m *race.Module, function string, n int) {
	m.More("section .nv.shared.%s size=%d\nsection .rela.text.%s\n", function, 4*n, function)
	for i := range n {
		fmt.Fprintf(&m.Symbols, "\tsymbol v%d global data .nv.shared.%s other=shared value=4 size=4\n", i, function)
		m.More("\trel 0 R_CUDA_ABS32_32 v%d\n", i)
	}
}

var growths = []growth{
	{"a chain of calls", 1000, one(func(m *race.Module, n int) {
		last := m.Kernel("k")
		for i := range n {
			next := m.Device("f%d", i)
			m.Call(last, next)
			last = next
		}
	})},
	{"layers of diamonds", 500, one(func(m *race.Module, n int) {
		last := m.Kernel("k")
		for i := range n {
			left, right, next := m.Device("l%d", i), m.Device("r%d", i), m.Device("f%d", i)
			m.Call(last, left)
			m.Call(last, right)
			m.Call(left, next)
			m.Call(right, next)
			last = next
		}
	})},
	{"a ring of calls", 1000, one(func(m *race.Module, n int) {
		first := m.Device("f")
		m.Call(m.Kernel("k"), first)
		last := first
		for i := range n {
			next := m.Device("f%d", i)
			m.Call(last, next)
			last = next
		}
		m.Call(last, first)
	})},
	{"kernels over the same functions", 300, one(func(m *race.Module, n int) {
		var shared []string
		for i := range 20 {
			shared = append(shared, m.Device("f%d", i))
		}
		for i := range n {
			k := m.Kernel("k%d", i)
			for _, f := range shared {
				m.Call(k, f)
			}
		}
	})},
	{"pointers to functions", 500, one(func(m *race.Module, n int) {
		k := m.Kernel("k")
		for i := range n {
			to, from := m.Device("t%d", i), m.Device("c%d", i)
			m.Call(k, from)
			fmt.Fprintf(&m.Taken, "\tproto %s \"#v\"\n", to)
			fmt.Fprintf(&m.Indirect, "\tproto %s \"#v\"\n", from)
		}
	})},
	{"files with the same weak functions", 100, func(n int) []string {
		var m race.Module
		for i := range 20 {
			m.Function(fmt.Sprintf("w%d", i), "weak", "", 0)
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
			var m race.Module
			for i := range n {
				m.Function(fmt.Sprintf("w%d", i), "weak", "", 0)
			}
			texts = append(texts, strings.ReplaceAll(m.String(), " 8\n", " "+registers+"\n"))
		}
		return texts
	}},
	{"files that call each other", 300, func(n int) []string {
		var texts []string
		for i := range n {
			var m race.Module
			f := m.Device("f%d", i)
			if i == 0 {
				m.Call(m.Kernel("k"), f)
			}
			m.Call(f, m.Extern("f%d", (i+1)%n))
			texts = append(texts, m.String())
		}
		return texts
	}},
	{"variables", 4000, one(func(m *race.Module, n int) {
		m.Kernel("k")
		for i := range n {
			fmt.Fprintf(&m.Symbols, "\tsymbol v%d global data .nv.global other=global value=%d size=8\n", i, 8*i)
		}
		m.More("section .nv.global size=%d align=8\n", 8*n)
	})},
	{"commons", 4000, one(func(m *race.Module, n int) {
		m.Kernel("k")
		for i := range n {
			fmt.Fprintf(&m.Symbols, "\tsymbol v%d global data common other=global value=8 size=8\n", i)
		}
	})},
	{"relocations", 8000, one(func(m *race.Module, n int) {
		fmt.Fprintf(&m.Symbols, "\tsymbol v global data .nv.global.init other=global size=8\n")
		m.Kernel("k")
		m.More("section .rela.nv.global.init\n")
		for i := range n {
			m.More("\trel %d R_CUDA_64 v +%d\n", 8*i, i)
		}
		m.More("section .nv.global.init align=8\n\tzero %d\n", 8*n)
	})},
	{"weak variables defined twice, with relocations", 1000, func(n int) []string {
		var m race.Module
		for i := range n {
			fmt.Fprintf(&m.Symbols, "\tsymbol v%d weak data .nv.global.init other=global value=%d size=8\n", i, 8*i)
		}
		m.More("section .rela.nv.global.init\n")
		for i := range n {
			m.More("\trel %d R_CUDA_64 v%d +8\n", 8*i, i)
		}
		m.More("section .nv.global.init align=8\n\tzero %d\n", 8*n)
		text := m.String()
		return []string{text, text}
	}},
	{"shared variables of a kernel", 1000, one(func(m *race.Module, n int) {
		fmt.Fprintf(&m.Symbols, "\tsymbol .nv.shared.k\n")
		for i := range n {
			fmt.Fprintf(&m.Symbols, "\tsymbol s%d local data .nv.shared.k other=shared value=4 size=4\n", i)
		}
		m.Kernel("k")
		m.More("section .rela.text.k\n")
		for i := range n {
			m.More("\trel 0 R_CUDA_ABS32_32 s%d\n", i)
		}
		m.More("section .nv.shared.k size=%d\n", 4*n)
	})},
	{"shared variables of kernels", 400, one(func(m *race.Module, n int) {
		for i := range n {
			fmt.Fprintf(&m.Symbols, "\tsymbol s%d weak data .nv.shared.k%d other=shared value=4 size=4\n", i, i)
			k := m.Kernel("k%d", i)
			m.More("section .rela.text.%s\n\trel 0 R_CUDA_ABS32_32 s%d\nsection .nv.shared.%s size=4\n", k, i, k)
		}
	})},
	{"shared variables of a device function that two kernels call", 3000, one(func(m *race.Module, n int) {
		f := m.Device("f")
		for i := range 2 {
			m.Call(m.Kernel("k%d", i), f)
		}
		shareAll(m, f, n)
	})},
	{"kernels that share variables", 200, one(func(m *race.Module, n int) {
		f := m.Device("f")
		for i := range n {
			m.Call(m.Kernel("k%d", i), f)
		}
		shareAll(m, f, 20)
	})},
	{"extern shared arrays of kernels", 300, one(func(m *race.Module, n int) {
		fmt.Fprintf(&m.Symbols, "\tsymbol s global data undef other=shared size=0\n")
		for i := range n {
			k := m.Kernel("k%d", i)
			m.More("section .rela.text.%s\n\trel 0 R_CUDA_ABS32_32 s\n", k)
		}
	})},
	{"constants of device functions that a kernel calls", 500, one(func(m *race.Module, n int) {
		k := m.Kernel("k")
		for i := range n {
			f := m.Device("f%d", i)
			m.Call(k, f)
			m.More("section .nv.constant2.%s align=4\n\tzero 8\n", f)
		}
	})},
	{"kernels over a device function with constants", 300, one(func(m *race.Module, n int) {
		f := m.Device("f")
		for i := range n {
			m.Call(m.Kernel("k%d", i), f)
		}
		m.More("section .nv.constant2.%s align=4\n\tzero 8\n", f)
	})},
	{"attributes", 8000, one(func(m *race.Module, n int) {
		m.Kernel("k")
		m.More("section .nv.info.k\n")
		for range n {
			m.More("\tattr EXIT_INSTR_OFFSETS 0\n")
		}
	})},
	{"notes", 4000, one(func(m *race.Module, n int) {
		m.Kernel("k")
		m.More("section .note.nv.tkinfo\n")
		for range n {
			m.More("\ttkinfo tool=x\n")
		}
	})},
	{"long names", 1000, one(func(m *race.Module, n int) {
		last := m.Kernel("k")
		long := strings.Repeat("n", 100)
		for i := range n {
			next := m.Device("%s%d", long, i)
			m.Call(last, next)
		}
	})},
}

func TestGrowth(t *testing.T) {
	for _, g := range growths {
		small, large := g.link(t, 1), g.link(t, 4)
		checkGrowth(t, g.name, small, large)
	}
}

// checkGrowth reports an error if a large link costs too much compared to a small one.
func checkGrowth(t *testing.T, name string, small, large grown) {
	t.Helper()
	var why string
	for range 4 { // another program may have used the CPU
		if why = compare(small, large); why == "" {
			return
		}
	}
	t.Errorf("%s: %s", name, why)
}

// The cost of explanations also grows nearly linearly. The links explain kernels, functions and variables, by their
// names, by parts of names, and by names that do not exist.
func TestGrowthOfExplanations(t *testing.T) {
	explained := growth{"explanations", 400, one(func(m *race.Module, n int) {
		for i := range n {
			f := m.Device("f%d", i)
			m.Call(m.Kernel("k%d", i), f)
			m.More("section .nv.shared.%s size=4\nsection .rela.text.%s\n\trel 0 R_CUDA_ABS32_32 s%d\n", f, f, i)
			fmt.Fprintf(&m.Symbols, "\tsymbol s%d global data .nv.shared.%s other=shared size=4\n", i, f)
		}
	})}
	link := func(times int) grown {
		made := explained.link(t, times)
		for i := range times * explained.size {
			for _, name := range []string{"k%d", "f%d", "s%d", "%d", "k%dz"} {
				made.explain = append(made.explain, fmt.Sprintf(name, i))
			}
		}
		return made
	}
	checkGrowth(t, explained.name, link(1), link(4))
}

// The link has a chain of 30,000 calls. culink follows the chain without recursion, and the link takes little time.
func TestDeepCalls(t *testing.T) {
	deep := growth{name: "deep", size: 30_000, make: growths[0].make}
	start := cpuTime()
	deep.link(t, 1)
	if took := cpuTime() - start; took > time.Minute {
		t.Errorf("a chain of 30,000 calls took %v", took)
	}
}

// link makes a link of several times its usual size. The link must succeed.
func (g growth) link(t *testing.T, times int) (made grown) {
	t.Helper()
	for i, text := range g.make(times * g.size) {
		data, err := cubintext.Parse(g.name, text)
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		made.inputs = append(made.inputs, linker.Input{Name: fmt.Sprintf("%d.cubin", i), Data: data})
	}
	if r := made.do(); r.Output == nil {
		t.Fatalf("%s: %v", g.name, said(r))
	}
	return made
}

func (g grown) do() *linker.Result {
	return linker.Link(context.Background(), linker.Options{ToolName: "culink", Arch: "sm_90", AllowUndefinedGlobals: true, Explain: g.explain}, g.inputs)
}

// compare returns the reason if the large link costs too much compared to the small one, and otherwise "".
func compare(small, large grown) string {
	one, bytes := cost(small)
	four, all := cost(large)
	if four > 10*(one+clockStep)+5*time.Millisecond {
		return fmt.Sprintf("four times as large takes %v, not four times %v", four, one)
	}
	if all > 6*bytes+1<<20 {
		return fmt.Sprintf("four times as large allocates %d bytes, not four times %d", all, bytes)
	}
	return ""
}

// cost returns the least CPU time of several runs of a link, and the allocations of one.
func cost(link grown) (time.Duration, uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // its work comes and goes
	best := time.Hour
	var before, after runtime.MemStats
	for range 2 {
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := cpuTime()
		link.do()
		best = min(best, cpuTime()-start)
		runtime.ReadMemStats(&after)
	}
	return best, after.TotalAlloc - before.TotalAlloc
}
