package linker

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/limit"
)

// The functions below load files as the culink command does. They recognise the kind of a file by its name and contents,
// open archives, host objects and fat binaries, choose the code for the target in them, and compile PTX.

// LinkFiles links files in order, as the command does: cubins, host objects, fat binaries, archives, PTX. PTX
// is compiled by the ptxas that [input.FindPTXAS] finds.
func LinkFiles(ctx context.Context, opt Options, paths ...string) *Result {
	return LoadAndLink(ctx, opt, input.Options{Files: paths, Copy: true})
}

// LoadAndLink is LinkFiles with more options for files, such as libraries, their search paths, and the
// compilers of PTX and intermediate code. The target is that of opt.
func LoadAndLink(ctx context.Context, opt Options, files input.Options) *Result {
	log := diag.Log{WarningsAreErrors: opt.WarningsAreErrors}
	if _, ok := opt.profile().Parse(opt.Arch); ok && len(files.Files) == 0 {
		log.Report(diag.NoInputFiles)
		return &Result{Log: log}
	}
	files.Arch, files.Toolkit = opt.Arch, opt.Toolkit
	if files.PTXAS.Path == "" && files.PTXAS.Compile == nil {
		files.PTXAS.Find = func() string { return input.FindPTXAS("") }
	}
	loaded, err := input.Load(ctx, files, &log)
	if err != nil || log.Worst() >= diag.Error {
		return &Result{Log: log, ended: err}
	}
	if files.LTO != nil && !loaded.ReportNoCode(&log) {
		return &Result{Log: log}
	}
	result := LinkLoaded(ctx, opt, loaded)
	log.Append(&result.Log)
	result.Log = log
	return result
}

// LinkLoaded links what package input has loaded for the target of opt. Kernels that host code does not launch
// are removed, unless opt.HostKernels selects the kernels. A link for a virtual target has no output. A program
// of -lto is linked already, and its output is returned unchanged (LTO-005).
func LinkLoaded(ctx context.Context, opt Options, loaded *input.Loaded) *Result {
	if p := loaded.Program; p != nil {
		result := &Result{Output: p.Output, Dot: EmptyDot(), System: opt.KeepSystem}
		if opt.KeepSystem {
			result.SystemParts = math.MaxInt
		}
		if p.NoRuntime && !opt.KeepSystem {
			result.Log.Report(diag.NoDeviceRuntime)
		}
		return result
	}
	if target, ok := opt.profile().Parse(opt.Arch); ok && target.Kind != arch.Real {
		return &Result{Dot: EmptyDot(), System: true, SystemParts: math.MaxInt}
	}
	inputs, pages := make([]Input, len(loaded.Objects)), loaded.Pages()
	for i, o := range loaded.Objects {
		inputs[i] = Input{Name: o.Name, Data: o.Data, System: o.System, SystemBefore: o.SystemBefore, checked: true, pages: pages[i]}
	}
	if opt.HostKernels == nil && len(opt.KernelsUsed)+len(opt.VariablesUsed) == 0 {
		opt.HostKernels = hostKernels(loaded)
	}
	opt.HostKernelsFirst = loaded.HostFirst
	opt.WarningsAreErrors = opt.WarningsAreErrors && !loaded.Compiled // LOAD-046
	result := Link(ctx, opt, inputs)
	if exceeded := (*limit.Error)(nil); errors.As(loaded.Exceeded(), &exceeded) {
		result.Output = nil
		result.Log.Add(diag.New(diag.LimitReached, loaded.Hosts[0].Name, exceeded.Error(), exceeded.Name()).Because(exceeded))
	}
	return result
}

// hostKernels returns a function that reports which kernels host objects refer to (REACH-010).
func hostKernels(loaded *input.Loaded) func(systemParts int) HostKernel {
	return func(systemParts int) HostKernel {
		if f := loaded.KernelFilter(systemParts); f != nil {
			return f.Keeps
		}
		return nil
	}
}

// AllKernels is a value for Options.HostKernels that keeps every kernel (-ignore-host-info).
func AllKernels(int) HostKernel { return nil }

// profile returns the release of the link. If no release has the given name, it returns the default one; Link
// reports the error.
func (o *Options) profile() *arch.Profile {
	if p, err := profile(o.Toolkit); err == nil {
		return p
	}
	return arch.Default
}

// check returns an error if the input cannot be linked for the target of opt, because it is for another target
// or is an executable. Loading files makes the same check.
func (in *Input) check(opt *program.Options) error {
	if in.checked {
		return nil
	}
	relocatable, err := input.CheckCubin(input.Options{Arch: opt.Arch, Toolkit: opt.Toolkit}, in.Name, in.Data)
	if err == nil && !relocatable {
		const fileTypeAt = 16
		place := &cubin.FormatError{File: in.Name, Part: "ELF header", Offset: fileTypeAt, Msg: "no relocatable cubin", Value: binary.LittleEndian.Uint16(in.Data[fileTypeAt:])}
		err = diag.Damaged(in.Name, place)
	}
	return err
}
