package input

import (
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// nvlink goes by the suffix of a file's name first, and by content within what
// the suffix allows (LOAD-011). Case matters.

// readers gives the reader for each suffix that has one of its own; other
// suffixes are read by content, and a name without suffix is passed over.
var readers = map[string]func(l *loader, f *file) error{
	".cubin":  (*loader).cubinFile,
	".o":      (*loader).objectFile,
	".so":     (*loader).passOver,
	"":        (*loader).passOver,
	".fatbin": (*loader).fatbinFile,
	".ptx":    (*loader).ptxFile,
	".nvvm":   (*loader).nvvmFile,
	".ltoir":  (*loader).nvvmFile,
	".bc":     (*loader).bitcodeFile,
}

// A file is an input file in memory.
type file struct {
	name string // as typed
	data []byte
}

// file loads one input file.
func (l *loader) file(name string) error {
	data, info, err := l.read(name)
	if err != nil || len(data) == 0 {
		return err
	}
	_ = info
	f := &file{name: name, data: data}
	if read, ok := readers[filepath.Ext(name)]; ok {
		return read(l, f)
	}
	return l.contentFile(f)
}

func (l *loader) passOver(*file) error { return nil }

func (l *loader) cubinFile(f *file) error {
	if !hasELFMagic(f.data) {
		return l.fail(diag.NotELF)
	}
	return l.cubin(f.name, f.data, -1, false)
}

// objectFile reads what is named .o: also a cubin.
func (l *loader) objectFile(f *file) error {
	if hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine {
		return l.cubin(f.name, f.data, -1, false)
	}
	return l.contentFile(f)
}

// contentFile reads a host object or an archive, and passes over the rest.
func (l *loader) contentFile(f *file) error {
	return nil
}

func (l *loader) fatbinFile(f *file) error {
	return l.fail(diag.NotYet, f.name)
}

func (l *loader) ptxFile(f *file) error {
	return l.fail(diag.NotYet, f.name)
}

func (l *loader) nvvmFile(f *file) error {
	if !l.opt.LTO {
		return l.fail(diag.NVVMWithoutLTO)
	}
	return l.fail(diag.NeedsLTOCompiler, f.name)
}

func (l *loader) bitcodeFile(*file) error { return l.fail(diag.BitcodeFile) }

// isSystem tells the library whose code is linked only when it is needed (LOAD-023).
func isSystem(name string) bool { return strings.HasSuffix(name, "libcudadevrt.a") }
