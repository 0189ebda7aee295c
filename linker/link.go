// Package linker links relocatable cubins into what a CUDA driver loads: the same
// bytes, messages and exit status as nvlink 13.0.88.
//
// [Link] is the whole of it. Its phases are one file each, named after what they
// do; docs/architecture.md is the map.
package linker

import (
	"context"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/mercury"
)

// Options are what the command line says about a link.
type Options struct {
	ToolName string // "nvlink", "culink": in messages and in the tool note
	Arch     string // target as typed: "sm_90a"
	Note     string // option string of the tool note, made by package option
	Object   string // object name of the tool note, with -g

	Relocatable              bool // -r: the output is an input of another link
	Debug                    bool // -g
	SuppressDebugInfo        bool // -suppress-debug-info, with -g
	KeepRelocs               bool // --keep-relocs, culink's own: with -r, leave all relocations to the later link
	PreserveRelocs           bool // --preserve-relocs
	ForceRela                bool // -force-rela
	Verbose                  bool // -v
	WarningsAreErrors        bool // -Werror
	ExtraWarnings            bool // -extrawarn
	SuppressStackSizeWarning bool
	AllowUndefinedGlobals    bool
	ExtendedShared           bool     // -enable-extended-smem
	NoReservedShared         bool     // -disable-smem-reservation=true
	ReserveNullPointer       bool     // -reserve-null-pointer, without -dont-reserve-null-pointer
	DumpCallgraph            bool     // -dump-callgraph, with the names that Demangle gives
	Dot                      bool     // -dot: Result.Dot is asked for
	Map                      bool     // Result.Map is asked for
	Explain                  []string // symbols that Result.Explanations tells of
	KernelsUsed              []string
	VariablesUsed            []string

	// Finalizer makes the machine code of one function for a link with a Mercury half;
	// nil is mercury.Finalize.
	Finalizer func(mercury.Function) (mercury.Result, error)

	// Trace is told of every step, if it is not nil.
	Trace func(TraceEvent)

	// Demangle gives the name of a symbol for people; nil leaves it as it is.
	Demangle   func(string) string
	KeepSystem bool   // -keep-system-libraries
	Host       []byte // content of section .nv.host (-nv-host); nil for none
	// HostKernels gives what tells whether host objects refer to a kernel, so that it
	// stays; withSystem: libcudadevrt is part of the link. Nil, or nothing given, keeps
	// all kernels.
	HostKernels func(withSystem bool) HostKernel
}

// A HostKernel tells whether host objects refer to a kernel, by its mangled name;
// internal: its symbol is local.
type HostKernel func(name string, internal bool) bool

// A Result is the outcome of a link, good or bad.
type Result struct {
	Output []byte // the linked file; nil when there is none to write
	Dot    []byte // the call graph for -dot, also when the link fails after merging
	Map    []byte // where everything is, for a link that succeeds
	// Explanations of the symbols in Options.Explain, in their order, also when the
	// link fails after the layout.
	Explanations []Explanation
	Log          diag.Log // what was said, in order
	System       bool     // libcudadevrt was needed, and linked
}

// Link links inputs, in order, as opt says. It does not panic, whatever the bytes
// of the inputs are, and does not change them.
func Link(ctx context.Context, opt Options, inputs []Input) *Result {
	result := &Result{Log: diag.Log{WarningsAreErrors: opt.WarningsAreErrors}}
	log := &result.Log
	target, ok := arch.Parse(opt.Arch)
	if !ok {
		log.Report(diag.UnknownArch, opt.Arch)
		return result
	}
	watch := opt.stopwatch()
	objects, ok := load(inputs, log)
	if !ok {
		return result
	}
	watch.lap("load")
	program, ok := merge(objects, &opt, target, log)
	if !ok || ctx.Err() != nil {
		return result
	}
	result.System = program.system
	watch.lap("merge")
	lost := opt.Relocatable && program.keepsLostConstants()
	reached := reach(program)
	if opt.Dot {
		result.Dot = dotCallGraph(program)
	}
	watch.lap("reach")
	needs := propagate(reached)
	reportStacks(needs, log)
	reportUncalled(program, log)
	sizes := &diag.Log{WarningsAreErrors: opt.WarningsAreErrors}
	placed := layout(needs, sizes)
	watch.lap("layout")
	if sizes.Worst() == diag.Fatal {
		log.Append(sizes)
		return result
	}
	result.Explanations = explain(placed)
	moved := findMoved(placed)
	if !finalize(placed, log) {
		return result
	}
	watch.lap("finalize")
	fixed, ok := relocate(placed, log)
	watch.lap("relocate")
	if !ok || ctx.Err() != nil {
		return result
	}
	log.Append(sizes)
	if !opt.Relocatable {
		undefined(program, log)
	}
	if !checkAliases(reached, log) {
		return result
	}
	dumpCallGraph(needs, log)
	checkStacks(needs, log)
	checkRequirements(needs, log)
	if !checkRegisters(needs, log) {
		return result
	}
	checkReservedShared(needs, log)
	if fixed.unwritable != nil {
		log.Add(fixed.unwritable.diagnostic())
		return result
	}
	if lost || program.losesHandle() {
		log.Report(diag.InternalError, "reference to deleted section") // MERGE-038, LAYOUT-025
		return result
	}
	reportMoved(moved, log)
	reportResources(placed, log)
	if log.Worst() >= diag.Error {
		return result
	}
	output, err := emit(fixed)
	if err != nil {
		log.Add(diag.New(diag.InternalError, "output").Because(err))
		return result
	}
	watch.lap("emit")
	result.Output = output
	if opt.Map {
		result.Map = memoryMap(placed)
	}
	return result
}
