package jitlink

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/lto"
)

// The compiler for intermediate code is the one that culink -lto asks: a program, found when a
// link first needs it, and called as docs/lto.md says (JIT-062).

// AskCompiler returns an LTOCompiler that asks the program which search finds.
func AskCompiler(search lto.Search) LTOCompiler {
	return func(ctx context.Context, inputs []lto.Input, s *Settings) (made LTOProgram, err error) {
		compiler, err := lto.Find(search)
		if err != nil {
			return made, err
		}
		o := compilerOptions(s)
		if s.partial { // the link sees to that
			o.KernelsUsed, o.VariablesUsed = nil, nil
		}
		o.Partial = s.partial && (s.Relocatable && s.dialect.partialByR || needsOthers(ctx, compiler, o.Arch, inputs))
		if s.dialect.linked == "" {
			made.PTX, err = lto.Compile(ctx, compiler, o, inputs)
		} else {
			made.PTX, made.Code, err = lto.CompileAndLink(ctx, compiler, o, inputs)
		}
		var refused *lto.RefusedError
		if errors.As(err, &refused) {
			made.Said = s.dialect.account(refused.Said)
		}
		return made, err
	}
}

// needsOthers reports whether a program is compiled as a part of one where there is other code: it has no kernel, or
// it calls a function that it does not define and the driver does not provide, in code that may go later. Any other
// program is whole, and functions go that none of its kernels needs, whatever the other code calls (JIT-110).
func needsOthers(ctx context.Context, compiler lto.Compiler, target string, inputs []lto.Input) bool {
	ptx, err := lto.Compile(ctx, compiler, &lto.Options{Arch: target, Externs: true}, inputs)
	if err != nil { // the compilation that follows says why
		return false
	}
	missing := func(name string) bool { return !linker.ProvidedByDriver(name) }
	return !kernelWord.Match(ptx) || slices.ContainsFunc(lto.Externs(ptx), missing)
}

// kernelWord begins the definition of a kernel in PTX.
var kernelWord = regexp.MustCompile(`(?m)^\s*(\.visible |\.weak )?\.entry\b`)

// compilerOptions are the options of a link as a compiler takes them.
func compilerOptions(s *Settings) *lto.Options {
	o := &lto.Options{
		Arch: fmt.Sprintf("%s%d", arch.Prefixes[arch.Real], s.Target.Number), Debug: s.Debug, LineInfo: s.LineInfo,
		SplitCompile: s.split, SplitExtended: s.extendedSplit, KernelsUsed: s.KernelsUsed, VariablesUsed: s.VariablesUsed,
		NVVMVersion: s.nvvm, JumpTables: s.jumpTables,
	}
	if s.kind != arch.LTO {
		for range s.targets[1:] { // the optimiser is told of all, and takes one (JIT-107)
			o.OptimiserFlags = append(o.OptimiserFlags, fmt.Sprintf("-arch=%s%d", arch.Prefixes[arch.Virtual], s.Target.Number))
		}
	}
	for _, word := range s.Words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "-ftz", "-prec-div", "-prec-sqrt", "-fma":
			o.OptimiserFlags = append(o.OptimiserFlags, word) // whatever the inputs say
		case "-Xnvvm":
			o.OptimiserFlags = append(o.OptimiserFlags, value)
		case "-maxrregcount":
			n, _ := atoi(value)
			if o.MaxRegisters != 0 { // the optimiser is told of all, as of targets
				o.OptimiserFlags = append(o.OptimiserFlags, fmt.Sprintf("-maxreg=%d", n))
			}
			o.MaxRegisters = int(n)
		case "-Ofc", "--Ofast-compile":
			o.FastCompile = value
		case "-O0":
			o.OptimiserFlags = append(o.OptimiserFlags, "-opt=0")
		case "-optimize-unused-variables":
			o.DropVariables = true
		}
	}
	return o
}

// optimiserStatus ends what a compiler says of a program that it refuses, after the words of the
// optimiser: nvlink says them in that order (LTO-030), the library as its release does (JIT-101).
var optimiserStatus = regexp.MustCompile(`NVVM_ERROR_[A-Z_]+$`)

// account is what the error log says of a program that the compiler refuses.
func (d *dialect) account(said string) string {
	status := optimiserStatus.FindString(said)
	if status == "" {
		return said + "\n"
	}
	return d.refused(status, strings.TrimSuffix(said, status))
}

// statuses are those of the public header nvvm.h, by their numbers.
var statuses = []string{
	"NVVM_SUCCESS", "NVVM_ERROR_OUT_OF_MEMORY", "NVVM_ERROR_PROGRAM_CREATION_FAILURE", "NVVM_ERROR_IR_VERSION_MISMATCH",
	"NVVM_ERROR_INVALID_INPUT", "NVVM_ERROR_INVALID_PROGRAM", "NVVM_ERROR_INVALID_IR", invalidOption,
	"NVVM_ERROR_NO_MODULE_IN_PROGRAM", "NVVM_ERROR_COMPILATION", "NVVM_ERROR_CANCELLED",
}

const invalidOption = "NVVM_ERROR_INVALID_OPTION"

// refused is what the error log says of a status of the optimiser, and of its words.
func (d *dialect) refused(status, words string) string {
	number, callback := strconv.Itoa(slices.Index(statuses, status)), " callback"
	if status == invalidOption {
		callback = ""
	}
	return strings.NewReplacer("$STATUS", status, "$NUMBER", number, "$WORDS", words, "$CALLBACK", callback).Replace(d.optimiserRefuses)
}
