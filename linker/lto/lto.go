// Package lto turns code for link-time optimisation into PTX, by asking a compiler.
//
// nvcc -dlto leaves intermediate code in an object in the place of machine code. All
// such code of a link becomes one program, which is optimised as a whole: functions of
// one file are inlined into another, and what nothing uses goes. The compiler for that
// is no part of culink. It is another program, called as docs/lto.md says: the code and
// the options go in, and PTX comes out. [Find] finds the usual one, NVIDIA's libnvJitLink
// in a process of its own; [Compile] runs it. What becomes of the PTX is not decided
// here: package input has it assembled, and links it like any other input.
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
	Name string // as messages show it: "a.o", "lib.a:member.o"
	// Data is a file of intermediate code (nvcc -ltoir), or a fat binary with one entry,
	// which is such a file, compressed or not. The compiler tells them apart by their first
	// four bytes.
	Data []byte
}

// Options say how the program is compiled. The zero value of each field but Arch is the
// compiler's usual behaviour.
type Options struct {
	Arch string // "sm_90": always the plain name of an architecture (LTO-011)

	// Partial says that other code is linked to the program later, so that all that is
	// visible stays.
	Partial bool

	// Externs asks only which functions the program calls and does not define: the PTX
	// declares them, and is not looked at otherwise.
	Externs bool

	Debug    bool // full debug information
	LineInfo bool // line numbers

	Arithmetic []string // how all objects were compiled: "-ftz=1", "-prec-div=0" (LTO-020)

	MaxRegisters   int      // for each thread; 0: no limit
	FastCompile    string   // "0", "min", "mid", "max"; "": not asked for
	SplitCompile   int      // threads; up to 1: one
	SplitExtended  int      // threads that also assemble; up to 1: one
	OptimiserFlags []string // passed on as they are (-Xnvvm)
	NVVMVersion    string   // "nvvm-latest", "nvvm70": the kind of intermediate code in which the program is linked; "": the target's
	JumpTables     string   // density from which on a switch becomes a jump table; "": not asked for
	KernelsUsed    []string // parts of names of kernels that stay; empty: all
	VariablesUsed  []string // the same for variables
	DropVariables  bool     // variables that no code uses go, whatever their linkage
	HostReferences *References

	MostPTX uint64 // size in bytes of the largest PTX that is read; 0: MaxPTX
}

// References are the names of what host code refers to, with '*' for any text. A program
// that has them keeps only that, and what it needs.
type References struct {
	ExternalKernels, InternalKernels     []string
	ExternalVariables, InternalVariables []string
	ExternalConstants, InternalConstants []string
}

// Args are the options as a compiler takes them (docs/lto.md).
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
	ExitRefused  = 1 // the program cannot be compiled; stderr says why
	ExitFailed   = 2 // the compiler cannot run
	ExitNoCode   = 3 // an input is no intermediate code, or of an unknown version
	ExitDamaged  = 4 // the contents of a fat binary do not decode
)

// What is wrong with an input.
var (
	ErrNoCode       = errors.New("not intermediate code that the compiler reads")
	ErrOtherVersion = fmt.Errorf("%w: another version", ErrNoCode)
	ErrDamaged      = errors.New("the contents of a fat binary do not decode")
)

// A RefusedError is the compiler's own account of what is wrong with the program.
type RefusedError struct{ Said string }

func (e *RefusedError) Error() string { return e.Said }

// A SizeError tells that a compiler wrote more PTX than it may. The PTX was not read.
type SizeError struct {
	Compiler Compiler
	Size     uint64 // in bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s wrote %d bytes of PTX", e.Compiler, e.Size)
}

// MaxPTX is the size in bytes of the largest PTX that a compiler may write.
const MaxPTX = 1 << 30

// maxSaid bounds what is kept of a compiler's messages, in bytes.
const maxSaid = 1 << 20

// Compile makes one program of the inputs, in their order, and returns its PTX. The error
// wraps [ErrNoCode] or [ErrDamaged], is a [RefusedError], or says why the compiler could not do its work.
func Compile(ctx context.Context, compiler Compiler, opt *Options, inputs []Input) ([]byte, error) {
	dir, err := os.MkdirTemp("", "culink-lto")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return compileIn(ctx, dir, compiler, opt.Args(), inputs, opt.MostPTX)
}

// CompileAndLink compiles as [Compile] does, and also returns the code of all inputs as one file of intermediate code, linked
// and not optimised. There may be such code where the program cannot be compiled; it is nil where the compiler returns none.
func CompileAndLink(ctx context.Context, compiler Compiler, opt *Options, inputs []Input) (ptx, code []byte, err error) {
	dir, err := os.MkdirTemp("", "culink-lto")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	linked := filepath.Join(dir, "program.ltoir")
	ptx, err = compileIn(ctx, dir, compiler, append(opt.Args(), "-linked", linked), inputs, opt.MostPTX)
	if info, missing := os.Lstat(linked); missing != nil || !info.Mode().IsRegular() || info.Size() > MaxPTX {
		return ptx, nil, err
	}
	code, unread := os.ReadFile(linked)
	return ptx, code, cmp.Or(err, unread)
}

// compileIn runs a compiler with a folder for its files. The PTX may have most bytes; 0: MaxPTX.
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
		return nil, fmt.Errorf("%s: %w: %s", compiler, err, text)
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

// Externs are the names of the functions that PTX declares and leaves to others, in the
// order of their first declarations.
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
