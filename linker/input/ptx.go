package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink holds a whole compiler for PTX; culink calls the program ptxas with the
// options that nvlink uses inside, which gives the same cubin (LOAD-019).

// PTXAS says how PTX is compiled.
type PTXAS struct {
	Path    string   // of the program; "" when there is none
	Options []string // more options for it (-Xptxas, -maxrregcount, -g)
	// Library, when set, is how libnvJitLink calls its compiler (JIT-050).
	Library *LibraryCompiler
}

// A LibraryCompiler says how libnvJitLink calls its compiler, where that is not as nvlink does.
type LibraryCompiler struct {
	Arch  string // the target as typed
	Build string // what the tool note of the compiled cubin says of the build
	Whole bool   // the output is a whole program, that is not linked
}

// arguments are those of the compiler, but for options and files.
func (p *PTXAS) arguments(target arch.Target) []string {
	switch {
	case p.Library == nil:
		name := strings.TrimSuffix(target.SM(), "f") // nvlink compiles for the plain architecture
		return []string{"-arch=" + name, "-m64", "-c"}
	case p.Library.Whole:
		return []string{"-arch=" + p.Library.Arch}
	}
	return []string{"-arch=" + p.Library.Arch, "-c"}
}

// PTXASVariable is the environment variable that names the compiler.
const PTXASVariable = "CULINK_PTXAS"

// FindPTXAS returns the path of the compiler: path itself, else what the environment names,
// else the ptxas beside this program, links resolved, else that of the search path, of which
// only absolute folders count; "" where there is none (OPT-504).
func FindPTXAS(path string) string {
	if path == "" {
		path = os.Getenv(PTXASVariable)
	}
	if path != "" {
		return path
	}
	folders := filepath.SplitList(os.Getenv("PATH"))
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			folders = slices.Insert(folders, 0, filepath.Dir(self))
		}
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(folder, "ptxas")); err == nil {
			return program
		}
	}
	return ""
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
		start := time.Now()
		data, said, err = l.compile(text, strings.Fields(string(options)))
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
	args := append(l.opt.PTXAS.arguments(l.opt.Target), options...)
	args = append(args, l.opt.PTXAS.Options...)
	var printed bytes.Buffer
	cmd := exec.CommandContext(l.ctx, l.opt.PTXAS.Path, append(args, in, "-o", out)...)
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	said = strings.ReplaceAll(printed.String(), in, "application ptx input")
	if before, _, ok := strings.Cut(said, abortedLine); ok && strings.Contains(said, ": Unsupported .version ") {
		said = before // nvlink's compiler stops without it
	}
	if err != nil {
		return nil, said, fmt.Errorf("%s: %w", l.opt.PTXAS.Path, err)
	}
	if data, err = os.ReadFile(out); err == nil {
		data = l.opt.PTXAS.ownNote(data)
	}
	return data, said, err
}

// ownNote lets the tool note of a cubin say what that of the compiler inside of the tool does:
// with -g no file of the compiler, and in the library another build (LOAD-019, JIT-050).
func (p *PTXAS) ownNote(data []byte) []byte {
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
	if err != nil || tool.Object == "" && p.Library == nil {
		return data
	}
	if tool.Object != "" {
		tool.Object = "elf.o"
		tool.Options = strings.TrimPrefix(tool.Options, compiledInput+" ")
		tool.Options = strings.Replace(tool.Options, "-o "+compiledOutput+" ", "", 1)
	}
	if p.Library != nil {
		tool.Build = p.Library.Build
	}
	s := &f.Sections[i]
	note := tool.Append(nil)
	data = slices.Clone(data)
	header := f.ShOff + uint64(i)*cubin.SectionHeaderSize
	if uint64(len(note)) > s.Size { // it moves behind all else
		for len(data)%noteAlign != 0 {
			data = append(data, 0)
		}
		binary.LittleEndian.PutUint64(data[header+sectionOffsetAt:], uint64(len(data)))
		data = append(data, note...)
	} else {
		copy(data[s.Offset:], note)
	}
	binary.LittleEndian.PutUint64(data[header+sectionSizeAt:], uint64(len(note)))
	return data
}

// noteAlign is the alignment of a note in a file, in bytes.
const noteAlign = 8

// Where a section header says at which offset of the file the section begins, and how large it is.
const (
	sectionOffsetAt = 0x18
	sectionSizeAt   = 0x20
)

// The files of the compiler.
const (
	compiledInput  = "input.ptx"
	compiledOutput = "output.cubin"
)
