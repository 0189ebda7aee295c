package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
)

// With -lto the intermediate code of all inputs is compiled as one program after the last input is read
// (LTO-001). There are two modes. In whole-program mode nothing else is linked: the assembler makes an
// executable, which is the output. In partial mode machine code is linked too. The program then becomes a
// further cubin, "lto.cubin", in which everything that is visible outside is kept.

// LTO describes how intermediate code is compiled.
type LTO struct {
	// Find returns the compiler. Load calls Find if there is intermediate code.
	Find func() (lto.Compiler, error)
	// Provided reports whether the driver defines a function (LTO-004).
	Provided func(name string) bool
	// Options are those of the command line. Load adds the settings that depend on the inputs.
	Options    lto.Options
	Partial    bool // -force-partial-lto, -r
	Whole      bool // -force-whole-lto: libcudadevrt is not linked
	EmitPTX    bool // the output is PTX
	IgnoreHost bool // -ignore-host-info
	Steps      bool // -v2: a line for each step of the compiler (KIT-490)
}

// A Program is the output of a link when nothing is left to link.
type Program struct {
	Output []byte // an executable, or PTX
	PTX    bool
	// NoRuntime is set if libcudadevrt is missing. nvlink then writes the output and ends with an error
	// (LTO-005).
	NoRuntime bool
}

// ReportNoCode reports that a link with -lto has no intermediate code. It returns whether the link continues
// (LOAD-042).
func (l *Loaded) ReportNoCode(log *diag.Log) bool {
	if l.Optimised {
		return true
	}
	log.Report(diag.NoLTOObjects)
	if len(l.Objects) > 0 && log.Worst() >= diag.Error {
		log.Report(diag.MergeFailed)
	}
	return log.Worst() < diag.Fatal
}

// Names of the program in messages and in the table of -time.
const (
	programIR    = "lto.nvvm"
	programPTX   = "lto.ptx"
	programCubin = "lto.cubin"
)

// nvvmFile reads a file of intermediate code.
func (l *loader) nvvmFile(f *file) error {
	if l.opt.LTO == nil {
		return l.fail(diag.NVVMWithoutLTO)
	}
	return l.codeFile(f.name, f.data)
}

// codeFile adds the intermediate code of a file, whatever its architecture is (LTO-010).
func (l *loader) codeFile(name string, data []byte) error {
	if err := lto.CheckHeader(data, l.target.Profile.Version); err != nil {
		return l.failBecause(err, diag.NVVMError)
	}
	l.addCode(lto.Input{Name: name, Data: data}, lto.Flags{}, plain)
	return nil
}

// intermediateEntry adds intermediate code from a fat binary. The register file lists it only if it is from a
// host object. Only the compiler can read code that is scrambled.
func (l *loader) intermediateEntry(name string, e *fatbin.Entry, from origin) (verdict, error) {
	l.forgetFlags(e)
	if !e.Scrambled() {
		code, err := l.decodeEntry(e)
		if err == nil && e.Compression() != fatbin.Plain {
			err = l.budget.Take(limit.Decoded, decodedSize(e, code))
		}
		switch {
		case errors.Is(err, fatbin.ErrLimit):
			return ignored, l.exceeded(name, l.budget.Take(limit.Decoded, e.DecodedSize))
		case err != nil:
			return l.undecodable(name, e, err, from)
		}
		if err := lto.CheckHeader(code, l.target.Profile.Version); err != nil {
			return ignored, l.failBecause(err, diag.NVVMError)
		}
	}
	data, err := e.Alone()
	if err != nil { // nvlink reads on after the end of the file
		return ignored, l.failDamaged(name, err)
	}
	l.addCode(lto.Input{Name: name, Data: data}, lto.Flags{Text: string(e.Options), Noted: true}, from)
	if from.host < 0 {
		return ignored, nil
	}
	return taken, nil
}

// forgetFlags clears the flags of an entry that the library of the release does not know (JIT-940).
func (l *loader) forgetFlags(e *fatbin.Entry) {
	if l.inMemory && !l.target.Profile.Input.ReadsLaterFlags {
		e.Flags &^= fatbin.FlagScrambled | fatbin.FlagZstd
	}
}

// unwantedCode refuses intermediate code in a fat binary if the link is without -lto. libnvJitLink checks
// first that it is such code (JIT-064).
func (l *loader) unwantedCode(name string, e *fatbin.Entry, from origin) (verdict, error) {
	l.forgetFlags(e)
	if l.inMemory && !e.Scrambled() {
		code, err := l.decodeEntry(e)
		switch {
		case err != nil && !l.target.Profile.Input.ReadsLaterFlags: // the flags that it lacks are why (JIT-940)
			return l.undecodable(name, e, err, from)
		case err == nil && !lto.IsCode(code):
			return ignored, l.failBecause(lto.ErrNoCode, diag.NVVMError)
		}
	}
	return ignored, l.fail(diag.LTOObjects)
}

func (l *loader) addCode(code lto.Input, flags lto.Flags, from origin) {
	l.loaded.Optimised = true
	l.loaded.Objects = append(l.loaded.Objects, Object{Name: code.Name, Data: code.Data, Host: from.host, code: true, flags: flags})
}

// optimise compiles the intermediate code among the objects and replaces it with the result.
func (l *loader) optimise() error {
	var inputs []lto.Input
	var flags []lto.Flags
	last := -1 // the last host object with intermediate code
	for i, o := range l.loaded.Objects {
		if o.code {
			inputs = append(inputs, lto.Input{Name: o.Name, Data: o.Data})
			flags = append(flags, o.flags)
			if o.Host >= 0 {
				last = i
			}
		}
	}
	if inputs == nil {
		return nil
	}
	opt := l.opt.LTO.Options
	opt.Agree(flags, l.opt.PTXAS.MaxRegisters, l.log)
	if l.log.Worst() == diag.Fatal {
		return l.log.Diagnostics[len(l.log.Diagnostics)-1]
	}
	opt.Arch = fmt.Sprintf("%s%d", arch.Prefixes[arch.Real], l.target.Number)
	opt.Partial = l.opt.LTO.Partial || l.mixed
	compiler, err := l.opt.LTO.Find()
	if err != nil {
		return l.failBecause(err, diag.NeedsLTOCompiler, inputs[0].Name, l.target.Profile.Major, l.target.Profile.Minor, err)
	}
	if !opt.Partial && !l.opt.LTO.Whole && l.runtime {
		opt.Partial = l.missesFunction(compiler, opt.Arch, inputs)
		l.loaded.HostFirst = opt.Partial
	}
	if opt.Partial {
		opt.KernelsUsed, opt.VariablesUsed = nil, nil // the link applies them
	} else {
		opt.HostReferences = l.hostReferences(&opt)
		opt.DropVariables = len(opt.KernelsUsed) > 0 && len(opt.VariablesUsed) == 0
	}
	start := time.Now()
	ptx, err := l.compileCode(compiler, &opt, inputs)
	l.reportSteps(len(inputs), err)
	if err != nil {
		return l.notCompiled(err)
	}
	l.timed("cicc", programIR, time.Since(start))
	if l.opt.LTO.EmitPTX {
		l.loaded.Program = &Program{Output: ptx, PTX: true}
		return nil
	}
	if err := l.checkArguments(opt.MaxRegisters); err != nil {
		return err
	}
	var more []string
	if l.opt.PTXAS.MaxRegisters == 0 && opt.MaxRegisters > 0 {
		more = []string{"-maxrregcount", fmt.Sprint(opt.MaxRegisters)}
	}
	if opt.Partial {
		more = append(more, "-c")
	}
	cubin, err := l.assemble(programPTX, ptx, more)
	switch {
	case err != nil:
		return err
	case opt.Partial:
		l.placeProgram(cubin, last)
	default:
		l.loaded.Program = &Program{Output: cubin, NoRuntime: last >= 0 && !l.runtime}
		slices.Reverse(l.loaded.Modules) // nvlink removes the objects from its list one by one (LTO-006)
	}
	return nil
}

// placeProgram replaces the intermediate code by the cubin of the program. Releases before 13.5 link the cubin
// in the place of the last host object with such code, and drop it if there is none (LTO-002). 13.5 links it
// before all other code, as a cubin that no host code refers to (KIT-202).
func (l *loader) placeProgram(cubin []byte, last int) {
	program := Object{Name: programCubin, Data: cubin, Host: -1}
	switch {
	case l.target.Profile.Input.ProgramFirst:
		l.loaded.Objects = slices.Insert(l.loaded.Objects, 0, program)
		l.loaded.Unreferenced = l.loaded.Unreferenced || !l.loaded.HostFirst
	case last >= 0:
		l.loaded.Objects[last] = program
	}
	l.loaded.Objects = slices.DeleteFunc(l.loaded.Objects, func(o Object) bool { return o.code })
}

// missesFunction reports whether the program calls a function that neither the program nor the driver defines.
// The call may be in code that is dropped later. Such a program is linked with libcudadevrt, in partial mode
// (LTO-004). The compiler finds this out with as little work as possible. If it fails, the later compilation
// reports the reason.
func (l *loader) missesFunction(compiler lto.Compiler, target string, inputs []lto.Input) bool {
	ptx, err := l.compileCode(compiler, &lto.Options{Arch: target, Externs: true}, inputs)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(lto.Externs(ptx), func(name string) bool { return !l.opt.LTO.Provided(name) })
}

// compileCode compiles intermediate code to PTX. The PTX counts as decoded code (LIMIT-001).
func (l *loader) compileCode(compiler lto.Compiler, opt *lto.Options, inputs []lto.Input) ([]byte, error) {
	if started := l.opt.PTXAS.Started; started != nil {
		defer started()()
	}
	bounded := *opt
	bounded.MostPTX = l.budget.Left(limit.Decoded)
	ptx, err := lto.Compile(l.ctx, compiler, &bounded, inputs)
	var tooLarge *lto.SizeError
	switch {
	case errors.As(err, &tooLarge):
		return nil, cmp.Or(l.budget.Take(limit.Decoded, tooLarge.Size), err)
	case err != nil:
		return nil, err
	}
	return ptx, l.budget.Take(limit.Decoded, uint64(len(ptx)))
}

// hostReferences returns the names that host code refers to, if these names determine what is kept. They do if
// no option determines that, and all host objects list the names (LTO-003).
func (l *loader) hostReferences(opt *lto.Options) *lto.References {
	if l.opt.LTO.IgnoreHost || len(opt.KernelsUsed)+len(opt.VariablesUsed) > 0 || l.loaded.KernelFilter(0) == nil {
		return nil
	}
	r := &lto.References{}
	for _, h := range l.loaded.Hosts {
		if h.System {
			continue
		}
		e, i := h.References.External, h.References.Internal
		r.ExternalKernels = append(r.ExternalKernels, e.Kernels...)
		r.InternalKernels = append(r.InternalKernels, i.Kernels...)
		r.ExternalVariables = append(r.ExternalVariables, e.Variables...)
		r.InternalVariables = append(r.InternalVariables, i.Variables...)
		r.ExternalConstants = append(r.ExternalConstants, e.Constants...)
		r.InternalConstants = append(r.InternalConstants, i.Constants...)
	}
	return r
}

// notCompiled reports that the program does not compile, with nvlink's messages (LTO-030).
func (l *loader) notCompiled(err error) error {
	var refused *lto.RefusedError
	var exceeded *limit.Error
	switch {
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case errors.As(err, &exceeded):
		return l.exceeded(programIR, err)
	case errors.Is(err, lto.ErrNoCode):
		return l.failBecause(err, diag.NVVMError)
	case errors.Is(err, lto.ErrDamaged):
		l.failToUncompress(err)
		return l.failBecause(err, diag.ElfLinkFatbinary)
	case errors.As(err, &refused):
		l.log.Report(diag.OptimiserSaid, refused.Said)
		return l.failBecause(err, diag.JITCompileFailed)
	}
	return l.failBecause(err, diag.LTOCompilerFailed, strings.TrimSpace(err.Error()))
}
