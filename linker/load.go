package linker

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// An Input is a relocatable cubin, in link order.
type Input struct {
	Name string // as messages show it: "a.cubin", "lib.a:member.o"
	Data []byte // borrowed until Link returns

	// System marks the code of libcudadevrt, which is linked only when a function
	// is missing at its place (LOAD-043).
	System bool
}

// An object is an input whose tables have been read and checked: every index in
// them exists, so that the phases after load need no checks of their own.
type object struct {
	name      string
	system    bool
	file      *cubin.File
	symbols   []cubin.Symbol
	tables    map[uint32][]cubin.Relocation // by index of the relocation section
	infos     map[uint32][]nvinfo.Record    // by index of the .nv.info section
	regCounts map[uint32]uint32             // EIATTR_REGCOUNT by symbol index
	strtab    uint32                        // section index of the symbol names
}

// load reads every input before any is merged, so that a bad one stops the link
// first (LOAD-201).
func load(inputs []Input) ([]*object, error) {
	objects := make([]*object, 0, len(inputs))
	for _, in := range inputs {
		o, err := openObject(in)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}

func openObject(in Input) (*object, error) {
	file, err := cubin.Open(in.Name, in.Data)
	if err != nil {
		return nil, err
	}
	o := &object{
		name: in.Name, system: in.System, file: file,
		tables:    map[uint32][]cubin.Relocation{},
		infos:     map[uint32][]nvinfo.Record{},
		regCounts: map[uint32]uint32{},
	}
	for i := range file.Sections {
		if file.Sections[i].Type == cubin.SectionSymTab {
			o.strtab = file.Sections[i].Link
			if o.symbols, err = file.SymbolsOf(uint32(i)); err != nil {
				return nil, err
			}
			break
		}
	}
	for i := range o.symbols {
		y := &o.symbols[i]
		if int(y.Section) >= len(file.Sections) && y.Section != cubin.ShnAbs && y.Section != cubin.ShnCommon {
			return nil, o.damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" in a section that does not exist", y.Section)
		}
		if msg := o.misplaced(y); msg != "" {
			return nil, o.damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" "+msg, y.Section)
		}
	}
	for i := range file.Sections {
		if err := o.readSection(uint32(i)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// misplaced says why y cannot stand in the section that it names: code and shared
// memory need one, and relocations and attributes are written anew (LOAD-500).
func (o *object) misplaced(y *cubin.Symbol) string {
	if !y.Defined() || y.Type == cubin.SymSection {
		return ""
	}
	if int(y.Section) >= len(o.file.Sections) {
		if y.Type == cubin.SymFunc || y.Type == cubin.SymData && y.Space() == cubin.OtherShared {
			return "without a section"
		}
		return ""
	}
	s := &o.file.Sections[y.Section]
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionInfo:
		if !isLabel(y) && y.Name != "" {
			return "in a table of records"
		}
	}
	return ""
}

// readSection decodes section i if it is a table of records, and checks that its
// bytes are there if it is not.
func (o *object) readSection(i uint32) error {
	s := &o.file.Sections[i]
	data, err := o.file.Data(i)
	if err != nil {
		return err
	}
	if s.AddrAlign&(s.AddrAlign-1) != 0 {
		return o.damaged("section "+s.Name, 0, "alignment is not a power of two", s.AddrAlign)
	}
	switch _, ok := s.ConstantBank(); {
	case ok && s.AddrAlign > maxConstant:
		return o.damaged("section "+s.Name, 0, "alignment is larger than a constant bank", s.AddrAlign)
	case !s.HasBytes() && s.Size > maxConstant && strings.HasPrefix(s.Name, constantPrefix):
		return o.damaged("section "+s.Name, 0, "constant bank without bytes", s.Size)
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela:
		if o.tables[i], err = o.file.Relocations(i); err != nil {
			return err
		}
		for k, r := range o.tables[i] {
			if int(r.Symbol) >= len(o.symbols) {
				return o.damaged("section "+s.Name, int64(k), "relocation against a symbol that does not exist", r.Symbol)
			}
		}
	case cubin.SectionInfo:
		if o.infos[i], err = nvinfo.Decode(data); err != nil {
			return fmt.Errorf("%s: section %s: %w", o.name, s.Name, err)
		}
		for _, r := range o.infos[i] {
			if index, ok := r.Symbol(); ok && int(index) >= len(o.symbols) {
				return o.damaged("section "+s.Name, int64(s.Offset), "attribute of a symbol that does not exist", index)
			}
			if r.Code == nvinfo.RegCount && len(r.Payload) >= 8 {
				o.regCounts[binary.LittleEndian.Uint32(r.Payload)] = binary.LittleEndian.Uint32(r.Payload[4:])
			}
		}
	case cubin.SectionCallGraph, cubin.SectionPrototype:
		for k := 0; k+8 <= len(data); k += 8 {
			if symbol := binary.LittleEndian.Uint32(data[k:]); int(symbol) >= len(o.symbols) {
				return o.damaged("section "+s.Name, int64(s.Offset)+int64(k), "symbol does not exist", symbol)
			}
		}
	}
	return nil
}

// constantPrefix begins the names of the constant banks.
const constantPrefix = ".nv.constant"

func (o *object) damaged(part string, offset int64, msg string, value any) error {
	return &cubin.FormatError{File: o.name, Part: part, Offset: offset, Msg: msg, Value: value}
}

// data gives the bytes of a section; readSection has checked that they are there.
func (o *object) data(i uint32) []byte {
	data, _ := o.file.Data(i)
	return data
}
