// Package linker links relocatable cubins into what a CUDA driver loads: the same
// bytes, messages and exit status as nvlink 13.0.88.
//
// [LinkFiles] links files as the command does, [Link] cubins in memory. The steps of a link stand in one table in link.go; each phase is a
// package of linker/internal, and docs/architecture.md is the map. docs/library.md says what
// is promised.
package linker

import (
	"context"
	"io"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/emit"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/tell"
	"github.com/culink/culink/linker/memorymap"
	"github.com/culink/culink/linker/trace"
)

// An Input is a relocatable cubin, in link order.
type Input struct {
	Name string // as messages show it: "a.cubin", "lib.a:member.o"
	Data []byte // borrowed until Link returns

	// System marks the code of libcudadevrt, which is linked only when a function
	// is missing at its place (LOAD-043).
	System bool

	checked bool              // it was loaded for the target
	idle    func(data []byte) // unmaps Data until it is read again; nil: it stays mapped
}

// Options are the options of a link, as on the command line. The zero value of each field is
// nvlink's default; Arch has none.
type Options struct {
	Arch     string // target: "sm_90a"
	ToolName string // "nvlink": in the tool note; empty, without Note: culink
	Note     string // option string of the tool note; empty: that of a command line that says the same
	Object   string // object name of the tool note, with -g
	Build    string // build of the tool note; empty: that of the toolkit

	Toolkit string // the release to stand in for, one of Toolkits or another build of one: "13.0", "13.0.88"; empty: 13.0.88

	Relocatable              bool // -r: the output is an input of another link
	Debug                    bool // -g
	SuppressDebugInfo        bool // -suppress-debug-info, with -g
	KeepRelocs               bool // --keep-relocs, culink's own: with -r, leave all relocations to the later link
	AcceptLostRelocations    bool // --accept-lost-relocations, culink's own: code may read other variables (RELOC-402)
	PreserveRelocs           bool // --preserve-relocs
	ForceRela                bool // -force-rela
	Verbose                  bool // -v
	WarningsAreErrors        bool // -Werror
	ExtraWarnings            bool // -extrawarn
	SuppressStackSizeWarning bool // -suppress-stack-size-warning
	AllowUndefinedGlobals    bool // -allow-undefined-globals
	ExtendedShared           bool // -enable-extended-smem
	NoReservedShared         bool // -disable-smem-reservation=true
	ReserveNullPointer       bool // -reserve-null-pointer, without -dont-reserve-null-pointer
	DumpCallgraph            bool // -dump-callgraph, with the names that Demangle returns
	Dot                      bool // -dot: Result.Dot is asked for
	Map                      bool // --map: Result.Map is asked for
	KeepSystem               bool // -keep-system-libraries
	ToolsPatch               bool // -astoolspatch

	Explain       []string // symbols to explain in Result.Explanations: names in the files or, with Demangle, in the source, or parts of these
	KernelsUsed   []string // -kernels-used: a kernel is kept if its name contains one of these words
	VariablesUsed []string // -variables-used

	// Host is the content of section .nv.host (-nv-host); nil for none.
	Host []byte

	// HostKernels returns a predicate for the kernels that the host launches, which stay;
	// withSystem reports whether libcudadevrt is part of the link. A nil function, or a
	// nil predicate, keeps all kernels.
	HostKernels func(withSystem bool) HostKernel

	// HostKernelsFirst says that HostKernels decides while code is merged, not after it, as
	// KernelsUsed does: for a program of -lto that libcudadevrt makes a partial one.
	HostKernelsFirst bool

	// Demangle returns the name of a symbol for people; nil leaves it as it is.
	Demangle func(string) string

	// Threads is how many goroutines work on the link together; 0 is one for each processor.
	// The result does not depend on it.
	Threads int

	// Stream leaves Result.Output empty: Result.WriteTo writes the file without holding it.
	Stream bool

	// Trace is told of every step, if it is not nil.
	Trace func(trace.Event)
}

// A HostKernel reports whether host objects refer to a kernel, by its mangled name.
// internal: its symbol is local.
type HostKernel = func(name string, internal bool) bool

// settings are the options as the phases see them. The two structs have the same fields,
// so that the compiler refuses one that is missing.
func (o Options) settings() *program.Options {
	s := program.Options(o)
	return &s
}

// A Result is the outcome of a link, good or bad.
type Result struct {
	Output []byte // the linked file; nil when there is none to write, or with Options.Stream
	Dot    []byte // the call graph for -dot, also when the link fails after merging

	// Map says where everything is, and Explanations tell of the symbols that Options.Explain
	// means, in their order. If the link fails, they hold what was known by then.
	Map          *Map
	Explanations []Explanation

	Log    diag.Log // what was said, in order
	System bool     // libcudadevrt was needed, and linked

	ended error // of the context

	output *emit.Output
}

// Linked reports whether there is a linked file.
func (r *Result) Linked() bool { return r.output != nil || r.Output != nil }

// WriteTo writes the linked file. The inputs must still be there.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	if r.output != nil {
		return r.output.WriteTo(w)
	}
	n, err := w.Write(r.Output)
	return int64(n), err
}

// A Map is the memory map of a link.
type Map = memorymap.Map

// An Explanation is what a link knows of one symbol.
type Explanation = explain.Explanation

// Err returns what ended the link: that of the context, or the first message that is an error;
// nil for a link that succeeds. A link succeeds in spite of some errors (LOAD-018).
func (r *Result) Err() error {
	if r.ended != nil {
		return r.ended
	}
	return r.Log.Err()
}

// errors are those of the log, as text.
func (r *Result) errors() (all []string) {
	for _, d := range r.Log.Diagnostics {
		if d.Severity >= diag.Error {
			all = append(all, d.Error())
		}
	}
	return all
}

// EmptyDot is the call graph of a link without functions.
func EmptyDot() []byte { return tell.Dot(&program.Program{}) }

// Link links inputs, in order, as opt says. Each has to be a relocatable cubin for the target. It does not panic, whatever the bytes
// of the inputs are, and does not change them. A link that ctx ends has no output.
func Link(ctx context.Context, opt Options, inputs []Input) *Result {
	l := newLink(opt, inputs)
	if l.run(ctx); l.restorable {
		l = newLink(opt, inputs)
		l.restored = true
		l.run(ctx)
	}
	return l.result
}

func newLink(opt Options, inputs []Input) *link {
	result := &Result{Log: diag.Log{WarningsAreErrors: opt.WarningsAreErrors}}
	return &link{options: opt.withNote(inputs).settings(), inputs: inputs, log: &result.Log, result: result}
}
