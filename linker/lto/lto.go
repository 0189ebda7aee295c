// Package lto compiles code for link-time optimisation to PTX by running a compiler.
//
// nvcc -dlto writes intermediate code instead of machine code to an object. All such code of a link becomes one
// program, which is optimised as a whole: functions are inlined across files, and unused code is dropped. The
// compiler is not part of culink. It is a separate program that is called as docs/lto.md describes. Code and
// options are its input, and PTX is its output. [Find] finds the usual compiler, NVIDIA's libnvJitLink in a
// separate process, and [Compile] runs it. Package input then assembles the PTX and links the result like any
// other input.
package lto

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/helper"
)

// An Input is the code of one object.
type Input struct {
	Name string // as shown in messages: "a.o", "lib.a:member.o"
	// Data is a file of intermediate code (nvcc -ltoir), or a fat binary with one entry that contains such a
	// file. The entry may be compressed. The compiler distinguishes the two by the first four bytes.
	Data []byte
}

// Options are the compiler options of the program. The zero value of each field except Arch selects the
// compiler's default.
type Options struct {
	Arch string // "sm_90": always the plain name of an architecture (LTO-011)

	// Partial is set if other code is linked to the program later. All visible symbols are then kept.
	Partial bool

	// Externs requests only the functions that the program calls and does not define. The PTX declares them.
	// The rest of the PTX is not used.
	Externs bool

	Debug    bool // full debug information
	LineInfo bool // line numbers

	Arithmetic []string // options common to all objects: "-ftz=1", "-prec-div=0" (LTO-020)

	MaxRegisters   int      // maximum for each thread; 0: no limit
	FastCompile    string   // "0", "min", "mid", "max"; "": not given
	SplitCompile   int      // number of threads; 0 and 1 mean one
	SplitExtended  int      // number of threads that also assemble; 0 and 1 mean one
	OptimiserFlags []string // passed on unchanged (-Xnvvm)
	NVVMVersion    string   // "nvvm-latest", "nvvm70": the format of intermediate code for the link; "": the target's
	JumpTables     string   // density from which a switch becomes a jump table; "": not given
	KernelsUsed    []string // substrings of the names of kernels that stay; empty: all
	VariablesUsed  []string // the same for variables
	DropVariables  bool     // drop variables that no code uses, whatever their linkage
	HostReferences *References

	MostPTX uint64 // size in bytes of the largest PTX that is accepted; 0: MaxPTX
}

// References are the names that host code refers to. In a name '*' matches any text. A program with references
// keeps only these names and what they need.
type References struct {
	ExternalKernels, InternalKernels     []string
	ExternalVariables, InternalVariables []string
	ExternalConstants, InternalConstants []string
}

// Args returns the options as compiler arguments (docs/lto.md).
func (o *Options) Args() []string {
	args := []string{"-arch=" + o.Arch}
	flag := func(given bool, text string) {
		if given {
			args = append(args, text)
		}
	}
	number := func(name string, n, usual int) {
		flag(n > usual, name+strconv.Itoa(n))
	}
	list := func(name string, words []string) {
		flag(len(words) > 0, name+strings.Join(words, ","))
	}
	flag(o.Partial, "-partial")
	flag(o.Externs, "-externs")
	flag(o.Debug, "-g")
	flag(o.LineInfo, "-lineinfo")
	args = append(args, o.Arithmetic...)
	number("-maxrregcount=", o.MaxRegisters, 0)
	flag(o.FastCompile != "", "-Ofc="+o.FastCompile)
	number("-split-compile=", o.SplitCompile, 1)
	number("-split-compile-extended=", o.SplitExtended, 1)
	for _, word := range o.OptimiserFlags {
		args = append(args, "-Xnvvm="+word)
	}
	flag(o.NVVMVersion != "", "-nvvm-version="+o.NVVMVersion)
	flag(o.JumpTables != "", "-jump-table-density="+o.JumpTables)
	list("-kernels-used=", o.KernelsUsed)
	list("-variables-used=", o.VariablesUsed)
	flag(o.DropVariables, "-optimize-unused-variables")
	if r := o.HostReferences; r != nil {
		list("-host-ref-ek=", r.ExternalKernels)
		list("-host-ref-ik=", r.InternalKernels)
		list("-host-ref-eg=", r.ExternalVariables)
		list("-host-ref-ig=", r.InternalVariables)
		list("-host-ref-ec=", r.ExternalConstants)
		list("-host-ref-ic=", r.InternalConstants)
	}
	return args
}

// Exit statuses of a compiler (docs/lto.md).
const (
	ExitCompiled = 0
	ExitRefused  = 1 // the program cannot be compiled; stderr has the reason
	ExitFailed   = 2 // the compiler cannot run
	ExitNoCode   = 3 // an input is not intermediate code, or of an unknown version
	ExitDamaged  = 4 // the contents of a fat binary cannot be decoded
)

// Errors of an input.
var (
	ErrNoCode       = errors.New("not intermediate code that the compiler reads")
	ErrOtherVersion = fmt.Errorf("%w: another version", ErrNoCode)
	ErrDamaged      = errors.New("the contents of a fat binary do not decode")
)

// A RefusedError contains the compiler's message about an invalid program.
type RefusedError struct{ Said string }

func (e *RefusedError) Error() string { return e.Said }

// A SizeError reports that a compiler wrote more PTX than allowed. The PTX was not read.
type SizeError struct {
	Compiler Compiler
	Size     uint64 // in bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s wrote %d bytes of PTX", e.Compiler, e.Size)
}

// MaxPTX is the default maximum size in bytes of a compiler's PTX.
const MaxPTX = 1 << 30

// maxSaid is the maximum number of bytes kept of a compiler's messages.
const maxSaid = 1 << 20

// Compile compiles the inputs, in order, to one program and returns its PTX. The error wraps [ErrNoCode] or
// [ErrDamaged], is a [RefusedError], or describes why the compiler could not run.
func Compile(ctx context.Context, compiler Compiler, opt *Options, inputs []Input) ([]byte, error) {
	dir, err := helper.TemporaryFolder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return compileIn(ctx, dir, compiler, opt.Args(), inputs, opt.MostPTX)
}

// A Program is everything that a compiler returns for a link.
type Program struct {
	PTX []byte
	// Code is the code of all inputs as one file of intermediate code, linked but not optimised. It may exist even
	// if the program cannot be compiled. It is nil if the compiler returns none.
	Code []byte
	Said string // messages about a program that was compiled
}

// CompileProgram is [Compile], but also returns the messages, and the linked intermediate code if linked is set.
func CompileProgram(ctx context.Context, compiler Compiler, opt *Options, inputs []Input, linked bool) (p Program, err error) {
	dir, err := helper.TemporaryFolder()
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	code, log := filepath.Join(dir, "program.ltoir"), filepath.Join(dir, "program.log")
	args := append(opt.Args(), "-log", log)
	if linked {
		args = append(args, "-linked", code)
	}
	p.PTX, err = compileIn(ctx, dir, compiler, args, inputs, opt.MostPTX)
	said, unread := readMost(log, maxSaid)
	p.Said = string(said)
	err = cmp.Or(err, unread)
	p.Code, unread = readMost(code, MaxPTX)
	return p, cmp.Or(err, unread)
}

// readMost returns the contents of a file that a compiler may have written, or nil if it is missing, not a regular file,
// or larger than most bytes.
func readMost(name string, most int64) ([]byte, error) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, nil
	}
	return os.ReadFile(name)
}

// compileIn runs a compiler. dir is the folder for its files. most is the maximum size of the PTX in bytes; 0
// stands for MaxPTX.
func compileIn(ctx context.Context, dir string, compiler Compiler, options []string, inputs []Input, most uint64) ([]byte, error) {
	out := filepath.Join(dir, "program.ptx")
	args := append(append([]string{}, compiler.Command[1:]...), options...)
	args = append(args, "-o", out)
	for i, input := range inputs {
		name := filepath.Join(dir, fmt.Sprintf("%d.code", i+1))
		if err := os.WriteFile(name, input.Data, 0o600); err != nil {
			return nil, err
		}
		args = append(args, "-input", input.Name, name)
	}
	said, err := helper.Command{Path: compiler.Command[0], Args: args}.Run(ctx)
	text := strings.TrimSuffix(string(said[:min(len(said), maxSaid)]), "\n")
	var exit *helper.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit) && exit.Status == ExitRefused:
		return nil, &RefusedError{text}
	case errors.As(err, &exit) && exit.Status == ExitNoCode:
		return nil, fmt.Errorf("%w: %s", ErrNoCode, text)
	case errors.As(err, &exit) && exit.Status == ExitDamaged:
		return nil, fmt.Errorf("%w: %s", ErrDamaged, text)
	case err != nil && text != "":
		reason, _, _ := strings.Cut(text, "\n\n") // a compiler that crashes prints its stack after that
		return nil, fmt.Errorf("%s: %w: %s", compiler, err, reason)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", compiler, err)
	}
	info, err := os.Lstat(out)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s wrote no PTX: %w", compiler, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s wrote no file of PTX: %s", compiler, info.Mode().Type())
	case info.Size() == 0:
		return nil, fmt.Errorf("%s wrote 0 bytes of PTX", compiler)
	case info.Size() > MaxPTX, most > 0 && uint64(info.Size()) > most:
		return nil, &SizeError{compiler, uint64(info.Size())}
	}
	return os.ReadFile(out)
}

// Externs returns the names of the functions that PTX declares and does not define, in the order of their first
// declarations.
func Externs(ptx []byte) []string {
	var names []string
	for line := range bytes.Lines(ptx) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(".extern .func"))
		if !ok {
			continue
		}
		rest = bytes.TrimSpace(rest)
		if bytes.HasPrefix(rest, []byte("(")) { // the result
			_, rest, _ = bytes.Cut(rest, []byte(")"))
		}
		rest = bytes.TrimSpace(rest)
		if end := bytes.IndexAny(rest, " \t(;"); end >= 0 {
			rest = rest[:end]
		}
		if len(rest) > 0 {
			names = append(names, string(rest))
		}
	}
	return names
}
