package input

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker/archive"
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
	".so":     (*loader).sharedFile,
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

// file loads one input file, of which early has been read ahead, if it has.
func (l *loader) file(name string, early *aheadFile) error {
	data, info, err := l.read(name, early)
	if err != nil || len(data) == 0 {
		return err
	}
	f := &file{name: name, data: data, info: info}
	if read, ok := readers[filepath.Ext(name)]; ok {
		return read(l, f)
	}
	return l.contentFile(f)
}

func (l *loader) passOver(*file) error { return nil }

// sharedFile reads what is named .so: only an archive counts.
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

// objectFile reads what is named .o: also a cubin, except in 11.8 (KIT-205). A cubin of any other type than those of links
// is passed over.
func (l *loader) objectFile(f *file) error {
	if !l.target.Profile.Input.SkipsObjectCubins && hasELFMagic(f.data) && u16(f.data, offMachine) == cubin.Machine {
		if t := u16(f.data, offType); t != typeRelocatable && t != typeExecutable {
			return nil
		}
		return l.plainCubin(f)
	}
	return l.contentFile(f)
}

// ltoirFile reads a file of intermediate code. 11.8 does not know the suffix (KIT-205).
func (l *loader) ltoirFile(f *file) error {
	if l.target.Profile.Input.SkipsLTOIR {
		return l.contentFile(f)
	}
	return l.nvvmFile(f)
}

// plainCubin takes a cubin that is a file of its own.
func (l *loader) plainCubin(f *file) error {
	v, err := l.cubin(f.name, f.data, plain)
	if v == taken {
		l.register(Module{ID: l.fileModule(f.name)})
	}
	return err
}

// contentFile reads a host object or an archive, and passes over the rest.
func (l *loader) contentFile(f *file) error {
	if isSystem(f.name) && (len(l.loaded.Modules) > 0 || !l.target.Profile.Input.ForgetsRuntime) {
		l.runtime = true
	} else if isSystem(f.name) {
		// Read and checked, and then forgotten, for nothing is there that could need
		// it; -keep-system-libraries does not keep it either (LOAD-043, KIT-084).
		loaded, archives := l.loaded, l.archives
		defer func() { l.loaded, l.archives = loaded, archives }()
	}
	switch {
	case archive.Is(f.data):
		return l.archiveFile(f)
	case u16(f.data, offType) == typeRelocatable: // whether there is the magic of ELF or not
		return l.hostObject(f)
	}
	return nil
}

func (l *loader) bitcodeFile(*file) error { return l.fail(diag.BitcodeFile) }

// isSystem tells the library whose code is linked only when it is needed (LOAD-023).
func isSystem(name string) bool { return strings.HasSuffix(name, "libcudadevrt.a") }
