package jitlink

import (
	"context"
	"slices"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/lto"
)

// With -lto, inputs may contain intermediate code. When the link completes, all of it is compiled to one PTX
// text. If there are no other inputs, the PTX is compiled to a whole program. Otherwise it is compiled to a
// cubin, which is linked after the other inputs (JIT-060, KIT-209, JIT-110). The compiler of intermediate code
// is not part of this package.
//
// The intermediate code is kept until its cubin exists. If Complete failed before that, it may be called
// again.

// An LTOCompiler compiles the intermediate code of inputs to one program. inputs are those of a link, in
// order.
type LTOCompiler func(ctx context.Context, inputs []lto.Input, settings *Settings) (LTOProgram, error)

// An LTOProgram is the result of an LTOCompiler.
type LTOProgram struct {
	PTX []byte
	// Code is the linked intermediate code of all inputs, or nil if the release does not return it. It may
	// exist even if there is an error.
	Code []byte
	// Said is the output of the compiler, for the error log. If there is an error, Said replaces it there.
	Said string
}

// ltoName is the name of the text in messages of the compiler of PTX.
const ltoName = "ltoPtx"

// compileLTO compiles the LTO inputs to PTX.
func (k *link) compileLTO() Result {
	k.settings.partial = k.others || k.settings.Relocatable && k.settings.dialect.partialByR
	switch {
	case k.settings.PTX && k.settings.partial:
		k.errors.printf("ERROR: -ptx requires that all inputs have LTOIR\n")
		return IncorrectInputType
	case k.noProgram:
		return k.withoutProgram()
	case len(k.lto) == 0:
		k.errors.printf("%s", k.settings.dialect.noModule)
		return NVVMCompile
	case k.library.CompileLTO == nil:
		k.errors.printf("fatal   : Input '%s' holds code for link-time optimisation, and no compiler for it is here\n", k.lto[0].Name)
		k.errors.printf("ERROR in nvvmCompileProgram: %v\n", NVVMCompile)
		return NVVMCompile
	}
	began := time.Now()
	program, err := k.library.CompileLTO(k.library.context(), k.lto, k.settings)
	k.ended = k.settings.dialect.completesOnce && (err == nil || program.Code != nil)
	if k.code = program.Code; k.code != nil {
		form := "NVVM70"
		if lto.IsLatest(k.code) {
			form = "Solid"
		}
		k.infos.printf(k.settings.dialect.linked, form, len(k.code))
	}
	switch {
	case k.settings.isForCode() && k.code != nil: // it is not optimised
		return Success
	case err != nil && program.Said != "":
		k.errors.printf("%s", program.Said)
		return NVVMCompile
	case err != nil:
		k.errors.printf("ERROR in nvvmCompileProgram: %v\n", err)
		return NVVMCompile
	case k.settings.isForCode():
		k.errors.printf("fatal   : -arch=%s asks for linked intermediate code, which the compiler does not return\n", k.settings.named)
		return NVVMCompile
	}
	text := program.PTX
	k.errors.printf("%s", program.Said) // also if the program was compiled (JIT-062)
	if k.settings.PTX {
		k.ptx = append(text[:len(text):len(text)], 0)
		return Success
	}
	k.timed("nvJitLinkComplete time to create PTX", began) // not if the PTX is the result (JIT-014)
	cubin, r := k.compile(ltoName, text, !k.settings.partial)
	if r != Success {
		return r
	}
	k.lto = nil
	if k.settings.partial {
		k.objects = append(k.objects, input.Object{Name: ltoName, Data: cubin, Host: -1})
		if k.settings.dialect.timesCubins {
			k.timed(timeOfCubin, k.began)
		}
	} else {
		k.image = cubin
	}
	return Success
}

// compile compiles PTX to a cubin. If whole is set, the result is a whole program, otherwise a cubin to be
// linked.
func (k *link) compile(name string, text []byte, whole bool) ([]byte, Result) {
	var log diag.Log
	cubin, err := input.Compile(k.library.context(), k.inputOptions(), name, text, whole, &log)
	said := func(d diag.Diagnostic) bool { return d.ID == diag.PTXASSaid }
	switch {
	case err != nil && k.settings.kind != arch.Real && !slices.ContainsFunc(log.Diagnostics, said):
		return nil, k.fail(k.noCubin(name))
	case err != nil:
		k.report(errorsOf(log.Diagnostics))
		return nil, k.fail(k.notCompiled(name, log.Diagnostics))
	}
	k.report(log.Diagnostics)
	return cubin, Success
}
