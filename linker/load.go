package linker

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
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
	origin    nvinfo.Origin
	symbols   []cubin.Symbol
	tables    map[uint32][]cubin.Relocation // by index of the relocation section
	infos     map[uint32][]nvinfo.Record    // by index of the .nv.info section
	regCounts map[uint32]uint32             // EIATTR_REGCOUNT by symbol index
	symtab    uint32                        // section index of the symbols
	strtab    uint32                        // and of their names
	mercury   *mercuryHalf                  // nil for machine code only

	unreadable  string          // nvlink's words for why nothing can be read
	refused     bool            // by the finalizer, which does not say why
	hasFunction []bool          // by section index: a function is defined in it
	mistyped    map[uint32]bool // code whose section says that it is something else
}

// load reads every input before any is merged, so that a bad one stops the link
// first (LOAD-201); false after the message that says which.
func load(inputs []Input, log *diag.Log) ([]*object, bool) {
	objects := make([]*object, 0, len(inputs))
	for _, in := range inputs {
		o, err := openObject(in)
		if err != nil {
			log.Add(damagedInput(in.Name, err))
			return nil, false
		}
		objects = append(objects, o)
	}
	return objects, true
}

func openObject(in Input) (*object, error) {
	file, err := cubin.Open(in.Name, in.Data)
	if err != nil {
		return nil, err
	}
	o := &object{
		name: in.Name, system: in.System, file: file, origin: nvinfo.OriginOf(file),
		tables:    map[uint32][]cubin.Relocation{},
		infos:     map[uint32][]nvinfo.Record{},
		regCounts: map[uint32]uint32{},

		hasFunction: make([]bool, len(file.Sections)),
		mistyped:    map[uint32]bool{},
	}
	for i := range file.Sections {
		straightenSection(&file.Sections[i])
	}
	if o.unreadable = o.findSymbols(); o.unreadable != "" {
		return o, nil
	}
	if o.symbols, err = file.SymbolsOf(o.symtab); err != nil {
		return nil, err
	}
	if err := o.readMercury(); err != nil || o.refused || o.unreadable != "" {
		return o, err
	}
	for i := range o.symbols {
		y := &o.symbols[i]
		if y.Type == cubin.SymSection && !o.hasMercury() {
			continue // it goes by its name (MERGE-043)
		}
		if int(y.Section) >= len(file.Sections) && y.Section != cubin.ShnAbs && y.Section != cubin.ShnCommon {
			return nil, o.damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" in a section that does not exist", y.Section)
		}
		if msg := o.misplaced(y); msg != "" {
			return nil, o.damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" "+msg, y.Section)
		}
	}
	for i := range o.symbols {
		if y := &o.symbols[i]; y.Type == cubin.SymFunc && int(y.Section) < len(o.hasFunction) {
			o.hasFunction[y.Section] = true
		}
	}
	o.straightenCode()
	for i := range file.Sections {
		if err := o.readSection(uint32(i)); err != nil {
			return nil, err
		}
	}
	if err := o.checkMercury(); err != nil {
		return nil, err
	}
	return o, nil
}

// findSymbols finds the symbol table and that of the names; it says what is missing
// (DIAG-301).
func (o *object) findSymbols() (missing string) {
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if s.Type != cubin.SectionSymTab {
			continue
		}
		o.symtab, o.strtab = s.Index, s.Link
		if int(o.strtab) >= len(o.file.Sections) {
			return "strsec not found"
		}
		return ""
	}
	return "symsec not found"
}

// straightenSection gives data of ELF's own types the type that its name says, as nvlink
// does for assemblers that do not know NVIDIA's (LOAD-501).
func straightenSection(s *cubin.Section) {
	named := func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }
	switch {
	case s.Flags&cubin.FlagMercury != 0:
	case s.Type == cubin.SectionNoBits && named(".nv.global"):
		s.Type = cubin.SectionGlobal
	case s.Type == cubin.SectionNoBits && named(".nv.shared."):
		s.Type = cubin.SectionShared
	case s.Type == cubin.SectionNoBits && named(".nv.local."):
		s.Type = cubin.SectionLocal
	case s.Type == cubin.SectionProgBits && named(".nv.global.init"):
		s.Type = cubin.SectionGlobalInit
	case s.Type == cubin.SectionProgBits && named(constantPrefix):
		digits, _, _ := strings.Cut(s.Name[len(constantPrefix):], ".")
		if bank, err := strconv.ParseUint(digits, 10, 5); err == nil {
			s.Type = min(cubin.SectionConstant0+cubin.SectionType(bank), cubin.SectionConstantLast)
		}
	}
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
		if y.Section == cubin.ShnCommon && y.Value == 0 {
			return "without an alignment"
		}
		return ""
	}
	s := &o.file.Sections[y.Section]
	if s.Flags&cubin.FlagMercury != 0 && o.file.SM() >= arch.MinMercury {
		return "in the Mercury half"
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionInfo:
		if !isLabel(y) && y.Name != "" {
			return "in a table of records"
		}
	case cubin.SectionSharedReserved:
		if max(y.Value, y.Size) > arch.MaxShared {
			return "larger than shared memory"
		}
	}
	return ""
}

// readSection decodes section i if it is a table of records, and checks that its
// bytes are there if it is not.
func (o *object) readSection(i uint32) error {
	s := &o.file.Sections[i]
	_, err := o.file.Data(i)
	if err != nil {
		return err
	}
	if err := o.checkHeader(s); err != nil {
		return err
	}
	if s.Type == cubin.SectionSharedReserved && s.Size > arch.MaxShared {
		return o.damaged("section "+s.Name, 0, "larger than shared memory", s.Size)
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionMercRela:
		if o.tables[i], err = o.file.Relocations(i); err != nil {
			return err
		}
		for k := range o.tables[i] {
			r := &o.tables[i][k]
			if o.isWild(r.Symbol) {
				return o.damaged("section "+s.Name, int64(s.Offset), "relocation against a symbol that does not exist", r.Symbol)
			}
			if int(r.Symbol) >= len(o.symbols) {
				r.Symbol = 0 // DIAG-302
			}
		}
	case cubin.SectionInfo, cubin.SectionMercInfo:
		o.infos[i], err = o.records(i)
		if s.Type == cubin.SectionInfo && o.hasMercury() && (s.Info != 0 || o.mercury.ofModule) {
			o.infos[i], err = slices.DeleteFunc(o.infos[i], func(r nvinfo.Record) bool { return !ofMachineCode(r.Code) || r.Incomplete() }), nil
		}
		if cut := (*nvinfo.FormatError)(nil); errors.As(err, &cut) {
			return o.damaged("section "+s.Name, int64(s.Offset)+int64(cut.Offset), cut.Msg, cut.Value)
		}
		if o.infos[i], err = o.withSymbols(s, o.infos[i]); err != nil {
			return err
		}
		for _, r := range o.infos[i] {
			if r.Code == nvinfo.RegCount && len(r.Payload) >= 8 {
				o.regCounts[binary.LittleEndian.Uint32(r.Payload)] = binary.LittleEndian.Uint32(r.Payload[4:])
			}
		}
	case cubin.SectionCallGraph:
		return o.checkCallGraph(s, o.pairs(i))
	case cubin.SectionPrototype:
		return o.checkPrototypes(s, o.pairs(i))
	}
	return nil
}

// records reads the attributes or compatibility records of section i.
func (o *object) records(i uint32) ([]nvinfo.Record, error) {
	ahead, _ := o.file.DataAhead(i)
	return nvinfo.DecodeAhead(ahead, len(o.data(i)))
}

// pairs gives the records of two words in section i: as many as records of the size in
// the header fit.
func (o *object) pairs(i uint32) []byte {
	data := o.data(i)
	return data[:uint64(len(data))/max(8, o.file.Sections[i].EntSize)*8]
}

func (o *object) damaged(part string, offset int64, msg string, value any) error {
	return &cubin.FormatError{File: o.name, Part: part, Offset: offset, Msg: msg, Value: value}
}

// isCode tells whether s is the code of a function of the input.
func (o *object) isCode(s *cubin.Section) bool {
	return o.hasFunction[s.Index] && (strings.HasPrefix(s.Name, codePrefix) || s.Flags&cubin.FlagExec != 0)
}

// mayHaveRelocations tells whether section i is of a type that nvlink takes relocations
// of: code and data with contents. Whether the type of code is right decides nothing else.
func (o *object) mayHaveRelocations(i uint32) bool {
	s := &o.file.Sections[i]
	switch s.Type {
	case cubin.SectionProgBits, cubin.SectionGlobalInit, cubin.SectionUFT, cubin.SectionUDT:
		return !o.mistyped[i]
	}
	_, isConstant := s.ConstantBank()
	return isConstant
}

// data gives the bytes of a section; readSection has checked that they are there.
func (o *object) data(i uint32) []byte {
	data, _ := o.file.Data(i)
	return data
}
