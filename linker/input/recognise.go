package input

import (
	"io/fs"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// nvlink recognises a file first by the suffix of its name, and then by its content, among the kinds that the
// suffix allows (LOAD-011). The case of letters matters.

// readers maps those suffixes to readers that have the same reader on every platform. Files with other suffixes
// are recognised by content. A file without a suffix is skipped.
var readers = map[string]func(l *loader, f *file) error{
	".cubin":  (*loader).cubinFile,
	"":        (*loader).passOver,
	".fatbin": (*loader).fatbinFile,
	".ptx":    (*loader).ptxFile,
	".nvvm":   (*loader).nvvmFile,
	".ltoir":  (*loader).ltoirFile,
	".bc":     (*loader).bitcodeFile,
}

// A file is an input file in memory.
type file struct {
	name string // as typed
	data []byte
	info fs.FileInfo
}

// file loads one input file. early holds the file if it was read ahead, and is nil otherwise.
func (l *loader) file(name string, early *aheadFile) error {
	data, info, err := l.read(name, early)
	if err != nil || len(data) == 0 {
		return err
	}
	return l.readerOf(name)(l, &file{name: name, data: data, info: info})
}

// readerOf returns the reader for a file of that name.
func (l *loader) readerOf(name string) func(l *loader, f *file) error {
	suffix := l.host.Ext(name)
	read, ok := readers[suffix]
	switch {
	case ok:
		return read
	case suffix == l.host.CubinSuffix:
		return (*loader).objectFile
	case suffix == l.host.SharedSuffix:
		return (*loader).sharedFile
	}
	return (*loader).contentFile
}

func (l *loader) passOver(*file) error { return nil }

// sharedFile reads a file with the suffix of a shared library. It is skipped unless it is an archive.
func (l *loader) sharedFile(f *file) error {
	if archive.Is(f.data) {
		return l.archiveFile(f)
	}
	return nil
}

func (l *loader) cubinFile(f *file) error {
	if !hasELFMagic(f.data) {
		return l.fail(diag.NotELF)
	}
	return l.plainCubin(f)
}

// objectFile reads a file named .o. It may be a cubin, except in 11.8 (KIT-205). A cubin of a type that links
// do not use is skipped.
func (l *loader) objectFile(f *file) error {
	if !l.target.Profile.Input.SkipsObjectCubins && hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine {
		if t := u16(f.data, offType); t != typeRelocatable && t != typeExecutable {
			return nil
		}
		return l.plainCubin(f)
	}
	return l.contentFile(f)
}

// ltoirFile reads a file of intermediate code. 11.8 does not recognise the suffix (KIT-205).
func (l *loader) ltoirFile(f *file) error {
	if l.target.Profile.Input.SkipsLTOIR {
		return l.contentFile(f)
	}
	return l.nvvmFile(f)
}

// plainCubin loads a cubin that is a file of its own.
func (l *loader) plainCubin(f *file) error {
	from := plainFile(f)
	v, err := l.cubin(f.name, f.data, from)
	if v == taken {
		l.registerPlain(l.fileModule(f.name), from)
	}
	return err
}

// contentFile reads a host object or an archive, and skips other files.
func (l *loader) contentFile(f *file) error {
	if platform.IsSystem(f.name) {
		// With -keep-system-libraries, too, nothing of it is linked (LOAD-043, KIT-084).
		if l.target.Profile.Input.ForgetsRuntime && archive.Is(f.data) && l.isFirst() {
			return nil
		}
		l.runtime = true
	}
	switch {
	case archive.Is(f.data):
		return l.archiveFile(f)
	case l.host.COFF && coff.Is(f.data):
		return l.coffObject(f)
	case l.host.COFF:
		return nil
	case u16(f.data, offType) == typeRelocatable: // with or without the ELF magic
		return l.hostObject(f)
	case l.target.Profile.Input.AnyObject && !hasELFMagic(f.data) && u16(f.data, offType) != typeExecutable: // KIT-625
		return l.hostObject(f)
	}
	return nil
}

// isFirst reports whether no earlier input can need libcudadevrt. With --register-link-binaries these are the inputs in
// the register file, and otherwise also inputs whose device code is for another target (LOAD-701).
func (l *loader) isFirst() bool {
	return len(l.loaded.Modules) == 0 && (l.opt.Registers || !l.foreign)
}

// bitcodeFile refuses a file named .bc. 11.2 compiles such a file with -lto (KIT-622), which culink does not
// do.
func (l *loader) bitcodeFile(*file) error {
	if l.target.Profile.Input.TakesBitcode && l.opt.LTO == nil {
		return l.fail(diag.BitcodeWithoutLTO)
	}
	return l.fail(diag.BitcodeFile)
}
