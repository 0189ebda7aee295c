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

// The compiler for intermediate code is that of culink -lto. It is a program that is searched for when a link
// first needs it, and that is called as docs/lto.md describes (JIT-062).

// AskCompiler returns an LTOCompiler that runs the program that search finds.
func AskCompiler(search lto.Search) LTOCompiler {
	return func(ctx context.Context, inputs []lto.Input, s *Settings) (made LTOProgram, err error) {
		compiler, err := lto.Find(search)
		if err != nil {
			return made, err
		}
		o := compilerOptions(s)
		if s.partial { // the link applies them
			o.KernelsUsed, o.VariablesUsed = nil, nil
		}
		o.Partial = s.partial && (s.Relocatable && s.dialect.partialByR || needsOthers(ctx, compiler, o.Arch, inputs))
		program, err := lto.CompileProgram(ctx, compiler, o, inputs, s.dialect.linked != "")
		made = LTOProgram{PTX: program.PTX, Code: program.Code, Said: program.Said}
		var refused *lto.RefusedError
		if errors.As(err, &refused) {
			made.Said = s.dialect.account(refused.Said)
		}
		return made, err
	}
}

// needsOthers reports whether a program must be compiled as a part of a program with other code. It must if it
// has no kernel, or if it calls a function that neither it nor the driver defines. The call may be in code
// that is dropped later. Any other program is compiled as a whole. Functions that none of its kernels needs
// are then dropped, whatever the other code calls (JIT-110).
func needsOthers(ctx context.Context, compiler lto.Compiler, target string, inputs []lto.Input) bool {
	ptx, err := lto.Compile(ctx, compiler, &lto.Options{Arch: target, Externs: true}, inputs)
	if err != nil { // the later compilation reports the reason
		return false
	}
	missing := func(name string) bool { return !linker.ProvidedByDriver(name) }
	return !kernelWord.Match(ptx) || slices.ContainsFunc(lto.Externs(ptx), missing)
}

// kernelWord matches the start of a kernel definition in PTX.
var kernelWord = regexp.MustCompile(`(?m)^\s*(\.visible |\.weak )?\.entry\b`)

// compilerOptions returns the options of a link for a compiler.
func compilerOptions(s *Settings) *lto.Options {
	o := &lto.Options{
		Arch: fmt.Sprintf("%s%d", arch.Prefixes[arch.Real], s.Target.Number), Debug: s.Debug, LineInfo: s.LineInfo,
		SplitCompile: s.split, SplitExtended: s.extendedSplit, KernelsUsed: s.KernelsUsed, VariablesUsed: s.VariablesUsed,
		NVVMVersion: s.nvvm, JumpTables: s.jumpTables,
	}
	if s.kind != arch.LTO {
		for range s.targets[1:] { // the optimiser gets all of them and uses one (JIT-107)
			o.OptimiserFlags = append(o.OptimiserFlags, fmt.Sprintf("-arch=%s%d", arch.Prefixes[arch.Virtual], s.Target.Number))
		}
	}
	seen := map[string]bool{}
	for _, word := range s.Words {
		s.compilerOption(o, word, seen)
	}
	return o
}

// compilerOption adds an option of the link to those of a compiler. seen holds the names of earlier ones. The optimiser
// refuses most options that it gets twice, and it gets them as often as they were given.
func (s *Settings) compilerOption(o *lto.Options, word string, seen map[string]bool) {
	name, value, _ := strings.Cut(word, "=")
	again := seen[optimiserNames[name]]
	seen[optimiserNames[name]] = true
	switch name {
	case "-g", "-lineinfo", "-Ofc", "--Ofast-compile":
		if again {
			o.OptimiserFlags = append(o.OptimiserFlags, strings.TrimSuffix(optimiserNames[name]+"="+value, "="))
		} else if value != "" {
			o.FastCompile = value
		}
	case "-ftz", "-prec-div", "-prec-sqrt", "-fma":
		o.OptimiserFlags = append(o.OptimiserFlags, word) // independent of the inputs
	case "-Xnvvm":
		o.OptimiserFlags = append(o.OptimiserFlags, value)
	case "-maxrregcount":
		n, _ := atoi(value)
		if o.MaxRegisters != 0 {
			o.OptimiserFlags = append(o.OptimiserFlags, fmt.Sprintf("-maxreg=%d", n))
		}
		o.MaxRegisters = int(n)
	case "-O0", "-O3":
		if level := name[len("-O"):]; !s.dialect.oneLevel || level == s.level && !seen[name] {
			seen[name] = true
			o.OptimiserFlags = append(o.OptimiserFlags, "-opt="+level)
		}
	case "-optimize-unused-variables":
		o.DropVariables = true
	}
}

// optimiserNames maps options to those of the optimiser, if lto.Options has the first of each.
var optimiserNames = map[string]string{
	"-g": "-g", "-lineinfo": "-generate-line-info", "-Ofc": "-Ofast-compile", "--Ofast-compile": "-Ofast-compile",
}

// optimiserStatus matches the status at the end of a compiler's message about a program that it refuses. The
// status follows the text of the optimiser. nvlink prints both in this order (LTO-030), the library in the
// order of its release (JIT-101).
var optimiserStatus = regexp.MustCompile(`NVVM_ERROR_[A-Z_]+$`)

// account returns the text in the error log for a program that the compiler refuses.
func (d *dialect) account(said string) string {
	status := optimiserStatus.FindString(said)
	if status == "" {
		return said + "\n"
	}
	return d.refused(status, strings.TrimSuffix(said, status))
}

// statuses are those of the public header nvvm.h, by number.
var statuses = []string{
	"NVVM_SUCCESS", "NVVM_ERROR_OUT_OF_MEMORY", "NVVM_ERROR_PROGRAM_CREATION_FAILURE", "NVVM_ERROR_IR_VERSION_MISMATCH",
	"NVVM_ERROR_INVALID_INPUT", invalidProgram, "NVVM_ERROR_INVALID_IR", invalidOption,
	"NVVM_ERROR_NO_MODULE_IN_PROGRAM", "NVVM_ERROR_COMPILATION", "NVVM_ERROR_CANCELLED",
}

const (
	invalidOption  = "NVVM_ERROR_INVALID_OPTION"
	invalidProgram = "NVVM_ERROR_INVALID_PROGRAM"

	laterFailed = "Error encountered while compiling\n" // text of the optimiser for sm_100 and later
)

// withoutProgram returns the text in the error log for a link without a program. compiled reports whether the
// compiler of PTX was started before (JIT-015).
func (d *dialect) withoutProgram(compiled bool) string {
	log := d.noLog
	if d.failsLate {
		log = strings.Replace(log, "5 in", "1 in", 1)
	}
	text := d.refused(invalidProgram, log)
	if d.callbackBeforePTX && !compiled {
		text = strings.TrimSuffix(text, "\n") + " callback\n"
	}
	return text
}

// refused returns the text in the error log for a status of the optimiser and its message.
func (d *dialect) refused(status, words string) string {
	number, callback := strconv.Itoa(slices.Index(statuses, status)), " callback"
	if status == invalidOption || strings.HasSuffix(words, laterFailed) {
		callback = ""
	}
	return strings.NewReplacer("$STATUS", status, "$NUMBER", number, "$WORDS", words, "$CALLBACK", callback).Replace(d.optimiserRefuses)
}
