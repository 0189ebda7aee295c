package jitlink

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/lto"
)

// The compiler for intermediate code is the one that culink -lto asks: a program, found when a
// link first needs it, and called as docs/lto.md says (JIT-062).

// AskCompiler returns an LTOCompiler that asks the program which search finds.
func AskCompiler(search lto.Search) LTOCompiler {
	return func(ctx context.Context, inputs []lto.Input, s *Settings) (ptx []byte, said string, err error) {
		compiler, err := lto.Find(search)
		if err != nil {
			return nil, "", err
		}
		ptx, err = lto.Compile(ctx, compiler, compilerOptions(s), inputs)
		var refused *lto.RefusedError
		if errors.As(err, &refused) {
			return nil, account(refused.Said), err
		}
		return ptx, "", err
	}
}

// compilerOptions are the options of a link as a compiler takes them.
func compilerOptions(s *Settings) *lto.Options {
	o := &lto.Options{
		Arch: fmt.Sprintf("%s%d", arch.Prefixes[arch.Real], s.Target.Number), Debug: s.Debug, LineInfo: s.LineInfo, Partial: s.partial,
		SplitCompile: s.split, SplitExtended: s.extendedSplit, KernelsUsed: s.KernelsUsed, VariablesUsed: s.VariablesUsed,
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
// optimiser: nvlink says them in that order (LTO-030), the library in the other.
var optimiserStatus = regexp.MustCompile(`NVVM_ERROR_[A-Z_]+$`)

// account is what the error log says of a program that the compiler refuses.
func account(said string) string {
	status := optimiserStatus.FindString(said)
	if status == "" {
		return said + "\n"
	}
	return fmt.Sprintf("ERROR in nvvmCompileProgram: %s\n%s", status, strings.TrimSuffix(said, status))
}
