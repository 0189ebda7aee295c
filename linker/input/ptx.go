package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/limit"
)

// nvlink contains a whole compiler for PTX. culink runs the program ptxas instead, with the options that nvlink
// uses internally. This produces the same cubin (LOAD-019).

// PTXAS describes how PTX is compiled.
type PTXAS struct {
	Path    string        // path of the program
	Find    func() string // finds the program when it is needed, if Path is empty; returns "" if there is none
	Options []string      // more options for it (-Xptxas, -g)
	// MaxRegisters is the value of -maxrregcount: the maximum number of registers of a thread. 0 means that the
	// option is absent. A negative value means that there is no limit, whatever limit the objects of -lto
	// record (LTO-020).
	MaxRegisters int
	// APIVersion is the value of -cuda-api-version, the newest driver interface that the code may need; "" if the option
	// is absent.
	APIVersion string
	// Started, if set, is called before a compiler and its folder are created. The function that it returns is
	// called when both are gone. Whoever cancels a load can wait for that call, so that nothing is left over.
	Started func() (ended func())
	// Library, if set, describes how libnvJitLink calls its compiler (JIT-050).
	Library *LibraryCompiler
	// Compile, if set, makes the cubin instead of the program. The arguments are those of ptxas without the
	// files. said is the text that the compiler prints.
	Compile func(ctx context.Context, arguments []string, ptx []byte) (cubin []byte, said string, err error)
}

// exists reports whether a compiler is available.
func (p *PTXAS) exists() bool { return p.Compile != nil || p.path() != "" }

// path returns the path of the program, or "" if there is none.
func (p *PTXAS) path() string {
	if p.Path == "" && p.Find != nil {
		p.Path, p.Find = p.Find(), nil
	}
	return p.Path
}

// A LibraryCompiler describes how libnvJitLink calls its compiler, where this differs from nvlink.
type LibraryCompiler struct {
	Arch  string // the target as typed; if empty, the compiler uses its default
	Build string // the build in the tool note of the compiled cubin
}

// arguments returns the compiler's arguments without options and files.
func (p *PTXAS) arguments(target arch.Target) []string {
	switch {
	case p.Library == nil:
		name := strings.TrimSuffix(target.SM(), "f") // nvlink compiles for the plain architecture
		return []string{"-arch=" + name, "-m64"}
	case p.Library.Arch == "":
		return nil
	}
	return []string{"-arch=" + p.Library.Arch}
}

// PTXASVariable is the name of the environment variable that holds the path of the compiler.
const PTXASVariable = "CULINK_PTXAS"

// FindPTXAS returns the path of the compiler, or "" if there is none (OPT-504). It is the first of the
// following that is given: path itself; the path in the environment variable; the ptxas in the folder of this
// program, with symbolic links resolved; and the ptxas in the search path. Relative folders of the search path
// are ignored.
func FindPTXAS(path string) string {
	if path == "" {
		path = os.Getenv(PTXASVariable)
	}
	if path != "" {
		return path
	}
	var beside []string
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside = []string{filepath.Dir(self)}
		}
	}
	return helper.Find("ptxas", beside...)
}

// ptxFile reads a file named .ptx. It normally contains PTX, but nvlink also accepts a cubin or a fat binary.
// Below sm_90 nvlink compiles it to a whole program, so that there is nothing to link (LOAD-019). Releases
// before 13.0 link the contents; a cubin is then linked as if its name had the usual suffix (KIT-204).
func (l *loader) ptxFile(f *file) error {
	from := plainFile(f)
	from.contained, from.whole = true, !l.target.PTXIsAUnit()
	chooses := l.target.Profile.Input.WholePTX
	if !isPTX(f.data) { // [loader.ptx] looks for errors after the options
		if err := l.afterError(diag.ElfLinkFatbinary); err != nil {
			return err
		}
	}
	var v verdict
	var err error
	switch {
	case fatbin.IsFatbin(f.data):
		v, err = l.fatbin(f.name, f.data, from)
	case hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine && !chooses:
		v, err = l.cubin(f.name, f.data, origin{host: -1, asPTX: true, system: from.system})
	case hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine:
		v, err = l.cubinAsPTX(f, from)
	case isPTX(f.data):
		if err := l.checkArguments(l.opt.PTXAS.MaxRegisters); err != nil {
			return err
		}
		v, err = l.ptx(f.name, f.data, nil, from)
	default:
		l.unknownBinary()
		return l.fail(diag.ElfLinkFatbinary)
	}
	switch {
	case err == nil && v == notForTarget && chooses && !from.whole && !l.target.Mercury(): // damage, whatever nvlink does (LOAD-026)
		if l.target.Profile.Input.RefusesUnsound {
			return l.fail(diag.ElfLinkInternal)
		}
		return l.fail(diag.DamagedInput, f.name, "it holds no code for the target")
	case v == taken:
		l.registerPlain(l.fileModule(f.name), from)
	}
	return err
}

// cubinAsPTX reads a cubin in a file named .ptx. nvlink treats it like a cubin in a fat binary: code for
// another target is skipped with a warning (LOAD-052).
func (l *loader) cubinAsPTX(f *file, from origin) (verdict, error) {
	if f.data[offClass] != class64 {
		l.log.Report(diag.UnknownArch, "")
		return ignored, l.fail(diag.ElfLinkFatbinary)
	}
	opened, ok := l.openELF(f.data, nil)
	h, target := readCubinHeader(l.target.Profile, f.data, opened), l.target
	specific := h.specific && h.sm < arch.MinMercury && target.Suffix != 'a'
	if !target.Accepts(h.sm, 0) || specific || h.sm >= arch.MinMercury && h.sm != target.Number && !h.portable {
		return l.archNotFound(f.name, from), nil
	}
	switch {
	case !ok: // damage, whatever nvlink does (LOAD-026)
		return ignored, l.damagedHeader(f.name, "its tables do not lie inside the file", 0, len(f.data))
	case from.whole:
		return ignored, nil
	}
	return l.cubin(f.name, f.data, from)
}

// maxRegisterCount is the largest count that nvlink can pass to its compiler, and maxVersionSize the size of the longest
// version, in bytes. Its buffers have no room for more.
const (
	maxRegisterCount = 999
	maxVersionSize   = 4 // two digits, a dot, one digit
)

// checkArguments refuses values that are too long for the compiler: a count of registers above maxRegisterCount, and a
// version, as it was typed, of more than maxVersionSize bytes. nvlink does so where it writes them down: for PTX, and for
// code in a fat binary, whether that is compiled or not (LOAD-047, LOAD-967).
func (l *loader) checkArguments(registers int) error {
	if !l.target.Profile.Input.LimitsArguments {
		return nil
	}
	if registers > maxRegisterCount {
		return l.fail(diag.InvalidArgument, "-maxrregcount")
	}
	if len(l.opt.PTXAS.APIVersion) > maxVersionSize {
		return l.fail(diag.InvalidArgument, "-cuda-api-version")
	}
	return nil
}

// unknownBinary reports a file that is of none of the kinds that its suffix allows (KIT-034).
func (l *loader) unknownBinary() {
	if l.target.Profile.Input.NamesBinaryKind {
		l.log.Report(diag.UnknownBinaryKind)
		return
	}
	l.log.Report(diag.UnknownBinaryFormat)
}

// isPTX reports whether data is PTX. It looks for the first directive, after blanks and comments.
func isPTX(data []byte) bool {
	for {
		data = bytes.TrimLeft(data, " \t\r\n\v\f")
		var end string
		switch {
		case bytes.HasPrefix(data, []byte("//")):
			end = "\n"
		case bytes.HasPrefix(data, []byte("/*")):
			end = "*/"
		default:
			return bytes.HasPrefix(data, []byte(".version"))
		}
		_, data, _ = bytes.Cut(data[2:], []byte(end))
	}
}

// ptx compiles PTX for the target and adds the cubin to the objects. options are those of the fat binary's
// entry. A link without output needs no compiler.
func (l *loader) ptx(name string, text, options []byte, from origin) (verdict, error) {
	if err := l.afterError(diag.ElfLinkFatbinary); err != nil {
		return ignored, err
	}
	var data []byte
	switch {
	case l.opt.PTXAS.exists():
		text, _, _ = bytes.Cut(text, []byte{0})
		options, _, _ = bytes.Cut(options, []byte{0})
		var err error
		words := strings.Fields(string(options))
		if err := CheckPTXOptions(words); err != nil {
			return ignored, l.failBecause(err, diag.PTXASFailed, name, err)
		}
		// A whole program is not used any further. With -c, the compiler does not complain about its externs.
		if data, err = l.assemble(name, text, append([]string{"-c"}, words...)); err != nil {
			return ignored, err
		}
	case !l.virtual():
		return ignored, l.needsPTXAS(name)
	}
	switch {
	case from.whole:
		return ignored, nil
	case !l.opt.PTXAS.exists() && l.target.Mercury():
		return ignored, l.fail(diag.ArchNameTooLong) // as of its cubin
	case !l.opt.PTXAS.exists():
		l.announce(name, from)
		return taken, nil
	case len(data) < minSize:
		return ignored, l.fail(diag.PTXASFailed, name, "its output is no cubin")
	}
	from.contained = true
	return l.cubin(name, data, from)
}

func (l *loader) needsPTXAS(name string) error {
	return l.fail(diag.NeedsPTXAS, name, l.target.Profile.Major, l.target.Profile.Minor)
}

// assemble compiles PTX for the target, reports the compiler's messages, and returns the cubin. options precede
// those of the command line. A run of nvlink's compiler cancels -Werror and -disable-infos for everything that
// follows (LOAD-046).
func (l *loader) assemble(name string, text []byte, options []string) ([]byte, error) {
	if !l.opt.PTXAS.exists() {
		return nil, l.needsPTXAS(name)
	}
	start := time.Now()
	data, said, err := l.compile(text, options)
	l.log.ForgetSettings()
	l.loaded.Compiled = true
	for _, message := range compilerMessages(said) {
		l.log.Report(diag.PTXASSaid, message)
	}
	switch {
	case l.ctx.Err() != nil:
		return nil, l.ctx.Err()
	case err != nil && strings.Contains(said, "fatal   :"): // the compiler's own messages describe the error
		return nil, l.failBecause(err, diag.ElfLinkFatbinary)
	case err != nil && said != "":
		return nil, l.failBecause(err, diag.JITCompileFailed)
	case err != nil:
		return nil, l.failBecause(err, diag.PTXASFailed, name, err)
	}
	l.timed("ptxas", name, time.Since(start))
	return data, nil
}

// timed reports the duration of a compiler run.
func (l *loader) timed(compiler, name string, took time.Duration) {
	if l.opt.Timed != nil {
		l.opt.Timed(compiler, name, took)
	}
}

// compilerMessages splits the output of the compiler into messages. Indented lines continue a message.
func compilerMessages(said string) (messages []string) {
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if last := len(messages) - 1; last >= 0 && strings.HasPrefix(line, " ") {
			messages[last] += "\n" + line
		} else {
			messages = append(messages, line)
		}
	}
	return messages
}

// abortedLine is the last line that ptxas prints after an error in PTX.
const abortedLine = "ptxas fatal   : Ptx assembly aborted due to errors"

// compile runs the compiler. said is the compiler's output, in which the file name is the one that nvlink uses.
func (l *loader) compile(text []byte, options []string) (data []byte, said string, err error) {
	arguments := slices.Concat(l.opt.PTXAS.arguments(l.target), options, l.opt.PTXAS.Options)
	if n := l.opt.PTXAS.MaxRegisters; n > 0 {
		arguments = append(arguments, "-maxrregcount", strconv.Itoa(n))
	}
	if l.opt.PTXAS.APIVersion != "" {
		version, _, _ := strings.Cut(l.opt.PTXAS.APIVersion, " ") // earlier releases do not quote it
		arguments = append(arguments, "--cuda-api-version", version)
	}
	if l.opt.PTXAS.Compile != nil {
		return l.opt.PTXAS.Compile(l.ctx, arguments, text)
	}
	return l.runPTXAS(text, arguments)
}

// runPTXAS runs the program in a temporary folder.
func (l *loader) runPTXAS(text []byte, arguments []string) (data []byte, said string, err error) {
	if started := l.opt.PTXAS.Started; started != nil {
		defer started()()
	}
	dir, err := helper.TemporaryFolder()
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, compiledInput), filepath.Join(dir, compiledOutput)
	if err := os.WriteFile(in, text, 0o600); err != nil {
		return nil, "", err
	}
	printed, err := helper.Command{Path: l.opt.PTXAS.path(), Args: append(arguments, in, "-o", out)}.Run(l.ctx)
	if errors.Is(err, helper.ErrPrinted) {
		return nil, "", fmt.Errorf("%s: %w", l.opt.PTXAS.Path, err)
	}
	said = strings.ReplaceAll(string(printed), in, "application ptx input")
	if before, _, ok := strings.Cut(said, abortedLine); ok && strings.Contains(said, ": Unsupported .version ") {
		said = before // nvlink's compiler stops without this line
	}
	if err != nil {
		return nil, said, fmt.Errorf("%s: %w", l.opt.PTXAS.Path, err)
	}
	info, err := os.Lstat(out)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s wrote no file of code: %s", l.opt.PTXAS.Path, info.Mode().Type())
	case err == nil && uint64(info.Size()) > l.budget.Left(limit.Decoded):
		err = &limit.Error{Kind: limit.Decoded, Most: l.budget.Limits.Most(limit.Decoded)}
	}
	if err != nil {
		return nil, said, err
	}
	if data, err = os.ReadFile(out); err == nil {
		err = l.budget.Take(limit.Decoded, uint64(len(data)))
		data = l.opt.PTXAS.ownNote(data, tableAlign(l.target))
	}
	return data, said, err
}

// Names of the compiler's files.
const (
	compiledInput  = "input.ptx"
	compiledOutput = "output.cubin"
)
