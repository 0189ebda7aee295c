package race

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubintext"
)

// A workload is a link of a chosen size. Each workload is large in one respect: many files, many functions, much data,
// copies of weak functions, paths through a call graph, relocations, debug information, shared memory, or kernels.
// Workloads are written in the text form, so that no compiler is needed, and contain only what a linker reads.

// A Workload makes the inputs of a link.
type Workload struct {
	Name  string
	About string
	Size  int      // the default size of a race
	Flags []string // options of the link, in addition to the architecture
	SM    int      // the target; 0 for that of the race
	// Grows is the largest factor of Size up to which the growth is measured.
	Grows int
	make  func(sm, n int, add func(name string, m *Module))
	// files adds the files of a workload that do not all come from modules.
	files func(sm, n int, add func(name string, data []byte) error) error
}

// Workloads lists the links of a race.
var Workloads = []Workload{
	{Name: "objects", About: "files with a kernel, a function that calls two others, and a variable", Size: 1000, Grows: 16, make: objects},
	{Name: "functions", About: "functions that call each other, 5,000 in a file", Size: 10_000, Grows: 16, make: functions},
	{Name: "data", About: "files with a variable of one MiB", Size: 32, Grows: 4, make: data},
	{Name: "weak", About: "files with the same 200 weak functions", Size: 200, Grows: 4, make: weak},
	{Name: "diamonds", About: "layers of eight functions that call two of the next", Size: 20, Grows: 1, make: diamonds},
	{Name: "relocations", About: "thousands of addresses in tables", Size: 100, Grows: 16, make: relocations},
	{Name: "debug", About: "files with 100 KiB for debuggers, a relocation every 64 bytes", Size: 60, Flags: []string{"-g"}, Grows: 16, make: debugInfo},
	{Name: "shared", About: "files with eight kernels over eight shared variables", Size: 100, Grows: 16, make: shared},
	{Name: "kernels", About: "kernels over the same 100 functions", Size: 400, Grows: 4, make: kernels},
	{Name: "small", About: "two small files", Size: 2, Grows: 1, make: objects},
	{Name: "archive", About: "an archive of files with a kernel each", Size: 500, Grows: 16, files: archived},
	{Name: "mercury", About: "files with two kernels for the finalizer", Size: 40, SM: 100, Grows: 4, files: mercury},
	{Name: "mercury-small", About: "one such file", Size: 1, SM: 100, Grows: 1, files: mercury},
}

// Target returns the target of the workload in a race for sm.
func (w *Workload) Target(sm int) int { return cmp.Or(w.SM, sm) }

// Inputs makes the inputs of the workload at size n, in link order.
func (w *Workload) Inputs(sm, n int, add func(name string, data []byte) error) error {
	if sm = w.Target(sm); w.files != nil {
		return w.files(sm, n, add)
	}
	var failed error
	w.make(sm, n, func(name string, m *Module) {
		if failed != nil {
			return
		}
		m.SM = sm
		cubin, err := m.Build(name)
		if err == nil {
			err = add(name, cubin)
		}
		failed = err
	})
	return failed
}

// archived puts objects into one archive.
func archived(sm, n int, add func(name string, data []byte) error) error {
	whole := []byte("!<arch>\n")
	w := Workload{make: objects}
	err := w.Inputs(sm, n, func(name string, data []byte) error {
		whole = append(fmt.Appendf(whole, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", name+"/", 0, 0, 0, "100644", len(data)), data...)
		if len(data)%2 != 0 {
			whole = append(whole, '\n')
		}
		return nil
	})
	if err != nil {
		return err
	}
	return add("lib.a", whole)
}

// mercury adds an input of the corpus several times, each time with other names of the same length.
func mercury(sm, n int, add func(name string, data []byte) error) error {
	data, err := corpus.Files.ReadFile(fmt.Sprintf("mercury/hints/sm_%d/in/a.cubin", sm))
	if err != nil {
		return err
	}
	text := cubintext.Format(data)
	for i := range n {
		data, err := cubintext.Parse(file(i), strings.ReplaceAll(text, "product", fmt.Sprintf("%07d", i)))
		if err == nil {
			err = add(file(i), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file is the name of input i.
func file(i int) string { return fmt.Sprintf("o%05d.cubin", i) }

// parameters adds the constant bank of a kernel with its parameters.
func (m *Module) parameters(kernel string) {
	m.More("section .nv.constant0.%s align=4\n\tzero 0x220\n", kernel)
}

func objects(_, n int, add func(string, *Module)) {
	for i := range n {
		m := &Module{}
		k, f := m.Kernel("kn_%d", i), m.Device("fn_%d", i)
		m.parameters(k)
		m.Call(k, f)
		if left, right := (i-1)/2, (i-1)/3; i > 0 && left != right && left != i {
			m.Call(f, m.Extern("fn_%d", left))
			m.Call(f, m.Extern("fn_%d", right))
		}
		fmt.Fprintf(&m.Symbols, "\tsymbol gv_%d global data .nv.global.init other=global size=4\n", i)
		m.More("section .rela.text.%s\n\trel 0 R_CUDA_ABS32_LO_32 gv_%d\n\trel 0 R_CUDA_ABS32_HI_32 gv_%d\n", f, i, i)
		m.More("section .nv.global.init align=4\n\tu32 42\n")
		add(file(i), m)
	}
}

func functions(_, n int, add func(string, *Module)) {
	const perFile = 5000
	for i := 0; n > 0; i++ {
		m := &Module{}
		here := min(n, perFile)
		for j := range here {
			m.Function(fmt.Sprintf("fn_%d_%d", i, j), "global", "", 12)
			for _, callee := range []int{2*j + 1, 2*j + 2} {
				if callee < here {
					m.Call(fmt.Sprintf("fn_%d_%d", i, j), fmt.Sprintf("fn_%d_%d", i, callee))
				}
			}
		}
		m.Call(m.Kernel("kn_%d", i), fmt.Sprintf("fn_%d_0", i))
		add(file(i), m)
		n -= here
	}
}

func data(_, n int, add func(string, *Module)) {
	const size = 1 << 20
	for i := range n {
		m := &Module{}
		m.Kernel("kn_%d", i)
		fmt.Fprintf(&m.Symbols, "\tsymbol gv_%d global data .nv.global.init other=global size=%d\n", i, size)
		m.More("section .nv.global.init align=16\n")
		noise := rand.New(rand.NewPCG(uint64(i), 1))
		for range 512 {
			m.More("\tu64 %#x\n", noise.Uint64())
		}
		m.More("\tzero %d\n", size-8*512)
		add(file(i), m)
	}
}

func weak(_, n int, add func(string, *Module)) {
	const copies = 200
	for i := range n {
		m := &Module{}
		for j := range copies {
			m.Function(fmt.Sprintf("common_%d", j), "weak", "", 12)
			for _, callee := range []int{2*j + 1, 2*j + 2} {
				if callee < copies {
					m.Call(fmt.Sprintf("common_%d", j), fmt.Sprintf("common_%d", callee))
				}
			}
		}
		m.Call(m.Kernel("kn_%d", i), "common_0")
		add(file(i), m)
	}
}

func diamonds(_, n int, add func(string, *Module)) {
	const width = 8
	m := &Module{}
	k := m.Kernel("k")
	for layer := range n {
		for j := range width {
			m.Device("fn_%d_%d", layer, j)
			if layer == 0 {
				m.Call(k, fmt.Sprintf("fn_0_%d", j))
			} else {
				caller := fmt.Sprintf("fn_%d_%d", layer-1, j)
				m.Call(caller, fmt.Sprintf("fn_%d_%d", layer, 7*j%width))
				m.Call(caller, fmt.Sprintf("fn_%d_%d", layer, (7*j+3)%width))
			}
		}
	}
	add(file(0), m)
}

func relocations(_, n int, add func(string, *Module)) {
	const variables, perFile = 500, 10_000
	m := &Module{}
	for i := range variables {
		fmt.Fprintf(&m.Symbols, "\tsymbol gv_%d global data .nv.global.init other=global value=%d size=4\n", i, 4*i)
	}
	m.More("section .nv.global.init align=4\n\tzero %d\n", 4*variables)
	add(file(0), m)
	for i := 1; n > 0; i++ {
		here := min(1000*n, perFile)
		m := &Module{}
		m.Kernel("kn_%d", i)
		fmt.Fprintf(&m.Symbols, "\tsymbol table_%d global data .nv.global.init other=global size=%d\n", i, 8*here)
		for j := range min(variables, here) {
			fmt.Fprintf(&m.Symbols, "\tsymbol gv_%d global data undef other=global size=4\n", j)
		}
		m.More("section .rela.nv.global.init\n")
		for j := range here {
			m.More("\trel %d R_CUDA_64 gv_%d\n", 8*j, 13*j%variables)
		}
		m.More("section .nv.global.init align=8\n\tzero %d\n", 8*here)
		add(file(i), m)
		n -= perFile / 1000
	}
}

func debugInfo(_, n int, add func(string, *Module)) {
	const entries, bytes = 800, 64
	for i := range n {
		m := &Module{}
		var functions []string
		for j := range 24 {
			m.Function(fmt.Sprintf("fn_%d_%d", i, j), "global", "", 30)
			functions = append(functions, fmt.Sprintf("fn_%d_%d", i, j))
		}
		m.Call(m.Kernel("kn_%d", i), functions[0])
		for _, section := range []string{".debug_info", ".debug_loc"} {
			m.More("section .rela%s\n", section)
			for j := range entries {
				m.More("\trel %d R_CUDA_64 %s +%d\n", bytes*j+16, functions[j%len(functions)], 16*(j%30))
			}
			m.More("section %s\n\tzero %d\n", section, entries*bytes)
		}
		add(file(i), m)
	}
}

func shared(_, n int, add func(string, *Module)) {
	const each = 8
	for i := range n {
		m := &Module{}
		var texts strings.Builder
		for j := range each {
			fmt.Fprintf(&m.Symbols, "\tsymbol sh_%d_%d global data .nv_debug.shared other=shared value=4 size=16\n", i, j)
			f := m.Device("fn_%d_%d", i, j)
			fmt.Fprintf(&texts, "section .rela.text.%s\n\trel 0 R_CUDA_ABS32_HI_32 sh_%d_%d\n", f, i, j)
		}
		for j := range each {
			k := m.Kernel("kn_%d_%d", i, j)
			for callee := range each {
				m.Call(k, fmt.Sprintf("fn_%d_%d", i, callee))
			}
		}
		m.More("section .nv_debug.shared align=4 size=%d\n%s", 16*each, texts.String())
		add(file(i), m)
	}
}

func kernels(_, n int, add func(string, *Module)) {
	m := &Module{}
	last := m.Device("fn_0")
	for i := 1; i < 100; i++ {
		next := m.Device("fn_%d", i)
		m.Call(last, next)
		last = next
	}
	for i := range n {
		m.Call(m.Kernel("kn_%d", i), "fn_0")
	}
	add(file(0), m)
}
