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

	// Trace is told of every step, if it is not nil.
	Trace func(TraceEvent)

	// Demangle gives the name of a symbol for people; nil leaves it as it is.
	Demangle   func(string) string
	KeepSystem bool // -keep-system-libraries
	// HostKernel tells whether host objects refer to a kernel, by its mangled name,
	// so that it stays; internal: its symbol is local; withSystem: libcudadevrt is
	// part of the link. Nil keeps all.
	HostKernel func(name string, internal, withSystem bool) bool
}

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
	if target.Mercury() {
		log.Report(diag.NotYet, opt.Arch)
		return result
	}
	objects, err := load(inputs)
	if err != nil {
		log.Add(damagedInput(err))
		return result
	}
	program, ok := merge(objects, &opt, target, log)
	if !ok || ctx.Err() != nil {
		return result
	}
	result.System = program.system
	reached := reach(program)
	if opt.Dot {
		result.Dot = dotCallGraph(program)
	}
	needs := propagate(reached)
	reportStacks(needs, log)
	reportUncalled(program, log)
	placed := layout(needs, log)
	if !opt.Relocatable {
		undefined(program, log)
	}
	dumpCallGraph(needs, log)
	checkStacks(needs, log)
	checkRequirements(needs, log)
	checkRegisters(needs, log)
	checkReservedShared(needs, log)
	if log.Worst() < diag.Error && !checkAliases(reached, log) {
		return result
	}
	reportResources(placed, log)
	result.Explanations = explain(placed)
	if log.Worst() >= diag.Error {
		return result
	}
	fixed, ok := relocate(placed, log)
	if !ok || ctx.Err() != nil {
		return result
	}
	output, err := emit(fixed)
	if err != nil {
		log.Add(diag.New(diag.InternalError, "output").Because(err))
		return result
	}
	result.Output = output
	if opt.Map {
		result.Map = memoryMap(placed)
	}
	return result
}
