// Package inspect describes files with device code: cubins, fat binaries, host objects and programs, and
// archives of them. For every cubin it lists the target, the tools that made it, the requirements of each
// kernel, the undefined symbols, and the hardware features in use.
//
// [Read] analyses any file. [Part.Cubins] yields the cubins in it, at any depth.
package inspect

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
)

// A Part is a file, or a part of one.
type Part struct {
	Name   string  `json:"name"`
	Kind   Kind    `json:"kind"`
	Size   int64   `json:"size"`             // bytes, decompressed
	Packed string  `json:"packed,omitempty"` // "LZ4" or "zstd", in a fat binary
	Stored int64   `json:"stored,omitempty"` // bytes in the fat binary, if packed; of images packed together, the first has those of all
	Cubin  *Cubin  `json:"cubin,omitempty"`  // of a cubin that is at least partly readable
	Error  string  `json:"error,omitempty"`  // why it cannot be read completely
	Parts  []*Part `json:"parts,omitempty"`  // its parts
	Data   []byte  `json:"-"`                // its bytes, decompressed; borrowed from the file if not compressed
}

// A Kind is the kind of a part as text.
type Kind string

// The kinds of parts.
const (
	KindCubin   Kind = "cubin"
	KindFatbin  Kind = "fat binary"
	KindHost    Kind = "host object"
	KindProgram Kind = "executable" // of the host
	KindShared  Kind = "shared object"
	KindArchive Kind = "archive"
	KindPTX     Kind = "PTX"
	KindLTO     Kind = "LTO-IR"
	KindOther   Kind = "no device code"
)

// Cubins yields the parts of p that are cubins, including p itself, in the order of the file.
func (p *Part) Cubins() iter.Seq[*Part] {
	return func(yield func(*Part) bool) { p.eachCubin(yield) }
}

func (p *Part) eachCubin(yield func(*Part) bool) bool {
	if p.Cubin != nil && !yield(p) {
		return false
	}
	return !slices.ContainsFunc(p.Parts, func(q *Part) bool { return !q.eachCubin(yield) })
}

// Damaged reports whether p, or a part of it, could not be read.
func (p *Part) Damaged() bool {
	return p.Error != "" || slices.ContainsFunc(p.Parts, (*Part).Damaged)
}

// maxDepth is the maximum nesting of parts. An archive of host objects with fat binaries of cubins needs four
// levels.
const maxDepth = 6

// Read analyses data, which is the contents of the file called name. Data that cannot be read results in a Part
// with an Error.
func Read(name string, data []byte) *Part { return read(name, data, maxDepth) }

func read(name string, data []byte, depth int) *Part {
	p := &Part{Name: name, Kind: KindOther, Size: int64(len(data)), Data: data}
	switch {
	case depth == 0:
		p.fail(errors.New("nested too deep"))
	case archive.Is(data):
		p.Kind = KindArchive
		p.readArchive(data, depth)
	case fatbin.IsFatbin(data):
		p.Kind = KindFatbin
		p.readFatbins(data, depth)
	case bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		p.readELF(data, depth)
	case coff.Is(data):
		p.readCOFF(data, depth)
	case lto.IsCode(data):
		p.Kind = KindLTO
	case bytes.Contains(data[:min(len(data), 4096)], []byte(".version ")):
		p.Kind = KindPTX
	}
	return p
}

func (p *Part) fail(err error) { p.Error = err.Error() }

func (p *Part) readArchive(data []byte, depth int) {
	members, err := membersOf(data, archive.Loose)
	if err != nil { // perhaps the long names of a library for Windows
		if all, wrong := membersOf(data, archive.Microsoft); wrong == nil && len(all) > len(members) {
			members, err = all, nil
		}
	}
	if err != nil {
		p.fail(err)
	}
	for _, m := range members {
		p.Parts = append(p.Parts, read(m.Name, m.Data, depth-1))
	}
}

// membersOf returns the members of an archive up to the first error.
func membersOf(data []byte, reading archive.Reading) (members []archive.Member, err error) {
	for m, err := range reading.Members(data, new(limit.Budget)) {
		switch {
		case err != nil:
			return members, err
		case m.NameErr != nil:
			return members, m.NameErr
		case m.Cut && reading == archive.Microsoft:
			return members, archive.ErrFormat
		}
		members = append(members, m)
	}
	return members, nil
}

// readFatbins reads the fat binaries in data. There is one, or a section of a host object has several in a row.
func (p *Part) readFatbins(data []byte, depth int) {
	for len(data) > 0 && fatbin.IsFatbin(data) {
		entries, err := fatbin.Parse(data)
		if err != nil {
			p.fail(err)
		}
		for i := range entries {
			p.Parts = append(p.Parts, readEntry(&entries[i], depth-1)...)
		}
		size := fatbin.Size(data)
		if size == 0 || size >= uint64(len(data)) {
			return
		}
		data = bytes.TrimLeft(data[size:], "\x00")
	}
}

// readEntry reads an entry. It returns one part, or for a concatenated entry (KIT-200) one part for each image.
func readEntry(e *fatbin.Entry, depth int) []*Part {
	if e.Kind == fatbin.LTOIR && e.Scrambled() { // only its compiler can read it
		return []*Part{{Name: e.Name(), Kind: KindLTO, Size: int64(e.PayloadSize)}}
	}
	images := []fatbin.Entry{*e}
	var wrong error
	if e.Kind == fatbin.Concat {
		images, wrong = e.Images()
	}
	payload, err := e.Decode()
	parts := make([]*Part, 0, len(images))
	for i := range images {
		parts = append(parts, readImage(&images[i], payload, err, depth))
	}
	if wrong != nil {
		p := &Part{Name: e.Name(), Kind: KindOther, Size: int64(e.PayloadSize)}
		p.fail(wrong)
		parts = append(parts, p)
	}
	if len(parts) > 0 && e.Compression() != fatbin.Plain {
		parts[0].Stored = int64(e.CompressedSize)
	}
	return parts
}

// readImage reads one image of a decoded payload. err is the error of decoding the payload.
func readImage(e *fatbin.Entry, payload []byte, err error, depth int) *Part {
	data := payload
	if err == nil {
		data, err = e.Image(payload)
	}
	if err != nil {
		p := &Part{Name: e.Name(), Kind: KindOther, Size: int64(e.PayloadSize)}
		p.fail(err)
		return p
	}
	p := read(e.Name(), data, depth)
	switch e.Kind {
	case fatbin.PTX:
		p.Kind = KindPTX
	case fatbin.LTOIR:
		p.Kind = KindLTO
	}
	switch e.Compression() {
	case fatbin.LZ4:
		p.Packed = "LZ4"
	case fatbin.Zstd:
		p.Packed = "zstd"
	}
	return p
}

func (p *Part) readELF(data []byte, depth int) {
	if len(data) < endOfMachine {
		p.fail(errors.New("an ELF file that ends in its header"))
		return
	}
	f, err := cubin.OpenBounded(p.Name, data)
	if errors.Is(err, cubin.ErrNotCUDA) {
		p.readHost(data, depth)
		return
	}
	p.Kind = KindCubin
	if err != nil {
		p.fail(err)
		return
	}
	p.Cubin, err = readCubin(f)
	if err != nil {
		p.fail(err)
	}
}

// endOfMachine is the size of an ELF header up to the machine, which tells device code from that of hosts.
const endOfMachine = 20

// hostSections are the sections of host objects that contain fat binaries. The first contains relocatable device code, and
// the second contains whole programs.
var hostSections = [...]string{"__nv_relfatbin", ".nv_fatbin"}

func (p *Part) readHost(data []byte, depth int) {
	p.Kind = KindHost
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		p.fail(err)
		return
	}
	p.Kind = hostKind(f)
	for _, name := range hostSections {
		s := f.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		if s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
			p.fail(fmt.Errorf("section %s: runs past the end of the file at %#x: %d bytes", name, s.Offset, s.FileSize))
			continue
		}
		p.readFatbins(data[s.Offset:s.Offset+s.FileSize], depth)
	}
	if len(p.Parts) == 0 && p.Error == "" {
		p.Kind = KindOther
	}
}

// readCOFF reads a host object of Windows. Other data may begin like one. An object that cannot be opened is
// therefore treated as one without device code.
func (p *Part) readCOFF(data []byte, depth int) {
	f, err := coff.Open(data, uint64(len(data)))
	if err != nil {
		return
	}
	for _, name := range hostSections {
		if s, ok := f.Section(name); ok {
			p.readFatbins(s.Data, depth)
		}
	}
	if len(p.Parts) > 0 || p.Error != "" {
		p.Kind = KindHost
	}
}

// hostKind returns the kind of an ELF file of the host. A position-independent executable has the type of a
// shared object, but also a loader.
func hostKind(f *elf.File) Kind {
	hasLoader := slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
	switch {
	case f.Type == elf.ET_EXEC, f.Type == elf.ET_DYN && hasLoader:
		return KindProgram
	case f.Type == elf.ET_DYN:
		return KindShared
	}
	return KindHost
}
