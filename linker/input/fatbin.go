package input

import (
	"errors"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

// Of a fat binary one entry is linked: the best one for the target (LOAD-017).
// Machine code is taken as it is, PTX is compiled first, intermediate code needs
// -dlto. Damaged containers end the load with nvlink's messages (LOAD-018).

// An origin says where a device ELF was found.
type origin struct {
	host      int // index in Loaded.Hosts, or -1
	inArchive bool
	system    bool
}

// plain is the origin of a file that is no host object.
var plain = origin{host: -1}

// fatbinFile reads a file named .fatbin.
func (l *loader) fatbinFile(f *file) error {
	if !fatbin.IsFatbin(f.data) {
		return l.fail(diag.FatbinFormat)
	}
	return l.fatbin(f.name, f.data, plain)
}

// fatbin takes the code for the target out of a fat binary.
//
// With an earlier error, which is a warning under -Werror, it is fatal to get here
// (LOAD-041).
func (l *loader) fatbin(name string, data []byte, from origin) error {
	if l.log.Worst() >= diag.Error {
		return l.fail(diag.ElfLinkInternal)
	}
	entries, err := fatbin.Parse(data)
	if errors.Is(err, fatbin.ErrVersion) {
		l.log.Report(diag.UnknownBinaryFormat)
		return l.failBecause(err, diag.ElfLinkFatbinary)
	}
	e := fatbin.Select(entries, l.opt.Target)
	if e == nil {
		l.archNotFound(name, from)
		return nil
	}
	if from.host < 0 {
		l.loaded.Modules = append(l.loaded.Modules, Module{ID: fileModule(name)})
	}
	if e.Kind == fatbin.LTOIR {
		if !l.opt.LTO {
			return l.fail(diag.LTOObjects)
		}
		return l.fail(diag.NeedsLTOCompiler, name)
	}
	payload, err := e.Decode()
	if err != nil {
		return l.undecodable(name, e, err, from)
	}
	if e.Kind == fatbin.PTX {
		return l.ptx(name, fatbin.Text(payload), e.Options, from)
	}
	if len(payload) < minSize || payload[offClass] != class64 {
		return l.fail(diag.SizeOfTargetMismatch, name)
	}
	return l.cubin(name, payload, from)
}

// archNotFound says that an input has no code for the target; archives are
// silent about their members (LOAD-016).
func (l *loader) archNotFound(name string, from origin) {
	if !l.opt.SuppressArchWarning && !from.inArchive {
		l.log.Report(diag.ArchNotFound, l.opt.Target.Name, name)
	}
}

// undecodable says what nvlink says of a payload that does not decode.
func (l *loader) undecodable(name string, e *fatbin.Entry, err error, from origin) error {
	switch {
	case errors.Is(err, fatbin.ErrTooLarge):
		l.log.Report(diag.MemoryAllocation)
		return l.failBecause(err, diag.ElfLinkFatbinary)
	case e.Compression() == "lz4":
		l.log.Add(diag.New(diag.UncompressFailed).Because(err))
		l.archNotFound(name, from)
		return nil
	}
	l.log.Add(diag.New(diag.UncompressFailed).Because(err))
	l.log.Add(diag.New(diag.UncompressFailed).Because(err))
	return l.failBecause(err, diag.ElfLinkFatbinary)
}

// virtual tells that the link writes nothing: what it would compile is not
// compiled (LOAD-003).
func (l *loader) virtual() bool { return l.opt.Target.Kind == arch.Virtual }
