package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink holds a whole compiler for PTX; culink calls the program ptxas with the
// options that nvlink uses inside, which gives the same cubin (LOAD-019).

// PTXAS says how PTX is compiled.
type PTXAS struct {
	Path    string   // of the program; "" when there is none
	Options []string // more options for it (-Xptxas, -maxrregcount, -g)
	// Running, when set, counts the compilers that run, their folders included: who cancels
	// a load waits for it to leave nothing behind.
	Running *sync.WaitGroup
}

// PTXASVariable is the environment variable that names the compiler.
const PTXASVariable = "CULINK_PTXAS"

// FindPTXAS gives the path of the compiler: path itself, else what the
// environment names, else ptxas of the search path, else "".
func FindPTXAS(path string) string {
	if path == "" {
		path = os.Getenv(PTXASVariable)
	}
	if path == "" {
		path = helper.Find("ptxas")
	}
	return path
}

// ptxFile reads a file named .ptx: PTX, but nvlink takes a cubin or a fat binary
// there too.
func (l *loader) ptxFile(f *file) error {
	var v verdict
	var err error
	switch {
	case fatbin.IsFatbin(f.data):
		v, err := l.plainFatbin(f)
		if v == notForTarget { // nvlink crashes
			return l.fail(diag.DamagedInput, f.name, "it holds no code for the target")
		}
		return err
	case hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine:
		v, err = l.cubin(f.name, f.data, origin{host: -1, contained: true})
	case isPTX(f.data):
		v, err = l.ptx(f.name, f.data, nil, origin{host: -1, whole: l.opt.Target.Number < firstRelocatablePTX})
	default:
		l.log.Report(diag.UnknownBinaryFormat)
		return l.fail(diag.ElfLinkFatbinary)
	}
	if v == taken {
		l.register(Module{ID: fileModule(f.name)})
	}
	return err
}

// firstRelocatablePTX is the first target number for which nvlink compiles a
// .ptx file to a relocatable cubin. For others it makes a whole program, and
// then has nothing to link (LOAD-019).
const firstRelocatablePTX = 90

// isPTX tells PTX by its first directive, behind blanks and comments.
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

// ptx compiles PTX for the target and takes the cubin. options are those of a
// fat binary's entry. A link that writes nothing is content without a compiler.
func (l *loader) ptx(name string, text, options []byte, from origin) (verdict, error) {
	var data []byte
	switch {
	case l.opt.PTXAS.Path != "":
		text, _, _ = bytes.Cut(text, []byte{0})
		options, _, _ = bytes.Cut(options, []byte{0})
		var said string
		var err error
		words := strings.Fields(string(options))
		if err := CheckPTXOptions(words); err != nil {
			return ignored, l.failBecause(err, diag.PTXASFailed, name, err)
		}
		start := time.Now()
		data, said, err = l.compile(text, words)
		for _, message := range compilerMessages(said) {
			l.log.Report(diag.PTXASSaid, message)
		}
		switch {
		case l.ctx.Err() != nil:
			return ignored, l.ctx.Err()
		case err != nil && said != "": // the compiler's own message says what is wrong
			return ignored, l.failBecause(err, diag.ElfLinkFatbinary)
		case err != nil:
			return ignored, l.failBecause(err, diag.PTXASFailed, name, err)
		}
		if l.opt.Compiled != nil {
			l.opt.Compiled(name, time.Since(start))
		}
	case !l.virtual():
		return ignored, l.fail(diag.NeedsPTXAS, name, l.opt.Toolkit.Major, l.opt.Toolkit.Minor)
	}
	switch {
	case from.whole:
		return ignored, nil
	case l.opt.PTXAS.Path == "" && l.opt.Target.Mercury():
		return ignored, l.fail(diag.ArchNameTooLong) // as of its cubin
	case l.opt.PTXAS.Path == "":
		return taken, nil
	case len(data) < minSize:
		return ignored, l.fail(diag.PTXASFailed, name, "its output is no cubin")
	}
	from.contained = true
	return l.cubin(name, data, from)
}

// compilerMessages splits what the compiler printed. A message goes on in the lines
// behind it that are indented.
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

// abortedLine is the last line of ptxas after an error in PTX.
const abortedLine = "ptxas fatal   : Ptx assembly aborted due to errors"

// compile runs ptxas in a folder of its own. said is what it printed, the file
// named as nvlink names it.
func (l *loader) compile(text []byte, options []string) (data []byte, said string, err error) {
	if running := l.opt.PTXAS.Running; running != nil {
		running.Add(1)
		defer running.Done()
	}
	dir, err := os.MkdirTemp("", "culink")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, compiledInput), filepath.Join(dir, compiledOutput)
	if err := os.WriteFile(in, text, 0o600); err != nil {
		return nil, "", err
	}
	// What becomes a whole program is not used; -c keeps its externs from being missed.
	name := strings.TrimSuffix(l.opt.Target.SM(), "f") // nvlink compiles for the plain architecture
	args := append([]string{"-arch=" + name, "-m64", "-c"}, options...)
	args = append(args, l.opt.PTXAS.Options...)
	printed, err := helper.Command{Path: l.opt.PTXAS.Path, Args: append(args, in, "-o", out)}.Run(l.ctx)
	if errors.Is(err, helper.ErrPrinted) {
		return nil, "", fmt.Errorf("%s: %w", l.opt.PTXAS.Path, err)
	}
	said = strings.ReplaceAll(string(printed), in, "application ptx input")
	if before, _, ok := strings.Cut(said, abortedLine); ok && strings.Contains(said, ": Unsupported .version ") {
		said = before // nvlink's compiler stops without it
	}
	if err != nil {
		return nil, said, fmt.Errorf("%s: %w", l.opt.PTXAS.Path, err)
	}
	info, err := os.Lstat(out)
	if err == nil && (!info.Mode().IsRegular() || uint64(info.Size()) > l.budget.Left(limit.Decoded)) {
		err = &limit.Error{Kind: limit.Decoded, Most: l.budget.Limits.Most(limit.Decoded)}
	}
	if err != nil {
		return nil, said, err
	}
	if data, err = os.ReadFile(out); err == nil {
		data = withoutFiles(data)
		err = l.budget.Take(limit.Decoded, uint64(len(data)))
	}
	return data, said, err
}

// withoutFiles lets the tool note of a cubin, which with -g names the files of the
// compiler, say what that of nvlink's own compiler does (LOAD-019).
func withoutFiles(data []byte) []byte {
	f, err := cubin.Open(compiledOutput, data)
	if err != nil {
		return data
	}
	i := slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Name == ".note.nv.tkinfo" })
	if i < 0 {
		return data
	}
	notes, err := f.Notes(uint32(i))
	if err != nil || len(notes) != 1 {
		return data
	}
	tool, err := nvinfo.DecodeToolInfo(notes[0].Desc)
	if err != nil || tool.Object == "" {
		return data
	}
	tool.Object = "elf.o"
	tool.Options = strings.TrimPrefix(tool.Options, compiledInput+" ")
	tool.Options = strings.Replace(tool.Options, "-o "+compiledOutput+" ", "", 1)
	s := &f.Sections[i]
	note := tool.Append(nil)
	if uint64(len(note)) > s.Size {
		return data
	}
	data = slices.Clone(data)
	copy(data[s.Offset:], note)
	size := f.ShOff + uint64(i)*cubin.SectionHeaderSize + sectionSizeAt
	binary.LittleEndian.PutUint64(data[size:], uint64(len(note)))
	return data
}

// sectionSizeAt is where a section header says how large the section is.
const sectionSizeAt = 0x20

// The files of the compiler.
const (
	compiledInput  = "input.ptx"
	compiledOutput = "output.cubin"
)
