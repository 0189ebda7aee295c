// Package linker links relocatable cubins into a file that a CUDA driver loads. It has the same bytes, messages and exit
// status as nvlink 13.0.88.
//
// [LinkFiles] links files as the command does, and [Link] links cubins in memory. The steps of a link are a table in
// link.go. Each phase is a package of linker/internal. docs/architecture.md describes them, and docs/library.md lists what
// is promised.
package linker

import (
	"context"
	"io"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/input"
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

	// System marks the code of libcudadevrt. It is linked only if a function is undefined where libcudadevrt comes in the
	// order of the inputs (LOAD-043).
	System bool

	// SystemBefore is the number of objects of libcudadevrt between this input and the one before that have no code for
	// the target. Each has its place in the order (LOAD-960).
	SystemBefore int

	checked bool         // loaded for the target
	pages   *input.Pages // memory of Data; nil: it stays
}

// Options are the options of a link, as on the command line. The zero value of each field is nvlink's default. Arch has no
// default.
type Options struct {
	Arch     string // target: "sm_90a"
	ToolName string // "nvlink": in the tool note; empty, without Note: culink
	Note     string // option string of the tool note; empty: the one of a command line with the same options
	Object   string // object name of the tool note, with -g
	Build    string // build in the tool note; empty: the one of the toolkit

	Toolkit string // the release to act as, one of Toolkits or another build of one: "13.0", "13.0.88"; empty: 13.0.88

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
	Specific                 bool // the flags of the file mark Arch like a name that ends in 'a', as only a libnvJitLink does (KIT-165)
	ReserveNullPointer       bool // -reserve-null-pointer, without -dont-reserve-null-pointer
	DumpCallgraph            bool // -dump-callgraph, with the names that Demangle returns
	Dot                      bool // -dot: make Result.Dot
	Map                      bool // --map: make Result.Map
	KeepSystem               bool // -keep-system-libraries
	ToolsPatch               bool // -astoolspatch

	// MaxAPI is the newest driver interface that code may need (-cuda-api-version), as major*10+minor. 0 allows
	// every interface.
	MaxAPI uint32

	Explain       []string // symbols to explain in Result.Explanations: names in the files or, with Demangle, in the source, or parts of such names
	KernelsUsed   []string // -kernels-used: a kernel is kept if its name contains one of these words
	VariablesUsed []string // -variables-used

	// Host is the content of section .nv.host (-nv-host), or nil if there is none.
	Host []byte

	// HostKernels returns a function that reports which kernels the host launches. Only these are kept. systemParts
	// is as in Result. If HostKernels or its result is nil, all kernels are kept.
	HostKernels func(systemParts int) HostKernel

	// HostKernelsFirst applies HostKernels while code is merged, as KernelsUsed does, and not after that. It is for a
	// program of -lto that is linked with other code because it needs libcudadevrt.
	HostKernelsFirst bool

	// Demangle returns the readable name of a symbol, for the call graph, maps and the message of DIAG-106.2. If it is
	// nil, names are shown as they are in the files.
	Demangle func(string) string

	// Threads is the number of goroutines that work on the link. 0 means one for each processor. The result does not
	// depend on it.
	Threads int

	// Stream leaves Result.Output empty. Result.WriteTo then writes the file without holding all of it in memory.
	Stream bool

	// Trace is called for every step, if it is not nil.
	Trace func(trace.Event)
}

// A HostKernel reports whether host objects refer to a kernel with this mangled name. internal means that its symbol is
// local.
type HostKernel = func(name string, internal bool) bool

// settings returns the options in the form that the phases use. The two structs have the same fields, so that a missing
// field is a compile error.
func (o Options) settings() *program.Options {
	s := program.Options(o)
	return &s
}

// A Result is the outcome of a link, whether it succeeded or failed.
type Result struct {
	Output []byte // the linked file; nil if the link failed, or with Options.Stream
	Dot    []byte // the call graph for -dot, also if the link fails after merging

	// Map shows where everything is. Explanations are about the symbols that Options.Explain selects, in their order. If
	// the link fails, both hold what was known by then.
	Map          *Map
	Explanations []Explanation

	Log    diag.Log // the messages, in order
	System bool     // libcudadevrt was needed and is linked

	// SystemParts is the number of objects of libcudadevrt that are linked, or would be if they had code for the target
	// (LOAD-043). It is the largest number if further ones after all inputs would be.
	SystemParts int

	ended error // the error of the context

	output *emit.Output
}

// Linked reports whether there is a linked file.
func (r *Result) Linked() bool { return r.output != nil || r.Output != nil }

// WriteTo writes the linked file. With Options.Stream it reads the Data of the inputs again, which must not have changed.
func (r *Result) WriteTo(w io.Writer) (int64, error) {
	if r.output != nil {
		return r.output.WriteTo(w)
	}
	n, err := w.Write(r.Output)
	return int64(n), err
}

// A Map is the memory map of a link.
type Map = memorymap.Map

// An Explanation holds what a link knows about one symbol.
type Explanation = explain.Explanation

// Err returns the error that ended the link: the error of the context, or the first message that is an error. It returns
// nil if the link succeeded. A link can succeed in spite of some errors (LOAD-018).
func (r *Result) Err() error {
	if r.ended != nil {
		return r.ended
	}
	return r.Log.Err()
}

// errors returns the errors of the log as text.
func (r *Result) errors() (all []string) {
	for _, d := range r.Log.Diagnostics {
		if d.Severity >= diag.Error {
			all = append(all, d.Error())
		}
	}
	return all
}

// EmptyDot returns the call graph of a link without functions.
func EmptyDot() []byte { return tell.Dot(&program.Program{}) }

// Link links inputs, in order, with the options opt. Each input must be a relocatable cubin for the target. Link never
// panics, whatever bytes the inputs hold, and does not change the inputs. If ctx ends the link, there is no output.
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
