package object

import (
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// An Object is an input whose tables have been read and checked. Every index in the tables is valid, so that later
// phases need no checks of their own. An object that is closed has no sections and no symbols.
type Object struct {
	Name   string
	System bool
	// SystemBefore is the number of objects of libcudadevrt without code for the target directly before this one.
	SystemBefore int
	File         *cubin.File
	Origin       nvinfo.Origin
	Symbols      []cubin.Symbol // nil while the object is closed
	RegCounts    []RegCount     // by symbol index; nil without such attributes
	inTable      int            // number of symbols in the table; Symbols has one even if this is 0
	symtab       uint32         // section index of the symbol table
	Strtab       uint32         // and of the symbol names
	Mercury      *mercuryHalf   // nil for machine code only
	tables       *Tables        // has the memory of the tables of closed inputs

	Unreadable  string                        // nvlink's message if the input cannot be read
	Refused     string                        // why the finalizer rejects the input
	OtherBinds  bool                          // a symbol with a Mercury half is neither local, global nor weak
	HasFunction []bool                        // by section index: a function is defined in it
	renewed     map[uint32][]byte             // capsules of 12.8 as later compilers write them; nil for none
	lost        bool                          // an earlier link with -r dropped relocations
	restored    bool                          // records of relocations that an earlier link resolved count as relocations
	mistyped    map[uint32]bool               // code in sections of another type; nil for none
	made        map[uint32][]cubin.Relocation // corrected relocations, by section; nil for none

	Unmap func() // unmaps the bytes of o, which is merged, until they are read again; nil: they stay; set by link
	Lost  bool   // Unmap loses the bytes; set by link

	OwnAttributes bool // each static function of one name has the attributes of its own; set by link (KIT-054)
	TellsISA      bool // code in its Mercury form says the version of its instructions; set by link (KIT-164)
}

// Open reads and checks an input as the release of p does. system is set for libcudadevrt. The tables of the input use
// the memory of tables. The error is meant for diag.Damaged.
func Open(name string, data []byte, system bool, p *arch.Profile, tables *Tables) (*Object, error) {
	room := tables.take()
	file, err := cubin.OpenInto(room.sections, name, data)
	if err != nil {
		return nil, err
	}
	o := &Object{
		tables: tables,
		Name:   name, System: system, File: file, Origin: nvinfo.OriginIn(p, file),
		HasFunction: make([]bool, len(file.Sections)),
	}
	o.typeSections()
	if o.Unreadable = o.findSymbols(); o.Unreadable != "" {
		return o, nil
	}
	if err := o.readSymbols(room.symbols); err != nil {
		return nil, err
	}
	if err := o.readMercury(p.Merge.RemakesPlain); err != nil || o.Refused != "" || o.Unreadable != "" {
		return o, err
	}
	o.shareHeaders(p.Merge.InnerHeaders)
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Type == cubin.SymSection && !o.HasMercury() {
			continue // it is identified by its name (MERGE-043)
		}
		if int(y.Section) >= len(file.Sections) && y.Section != cubin.ShnAbs && y.Section != cubin.ShnCommon {
			return nil, o.Damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" in a section that does not exist", y.Section)
		}
		if msg := o.misplaced(y); msg != "" {
			return nil, o.Damaged(".symtab", int64(i)*cubin.SymbolSize, "symbol "+y.Name+" "+msg, cubin.ShortSection(y.Section))
		}
	}
	if y := o.unmarkedShared(); y != nil {
		return nil, o.Damaged(".symtab", int64(y.Index)*cubin.SymbolSize, "symbol "+y.Name+" in shared memory, but not marked as such", y.Other)
	}
	for i := range o.Symbols {
		if y := &o.Symbols[i]; y.Type == cubin.SymFunc && int(y.Section) < len(o.HasFunction) {
			o.HasFunction[y.Section] = true
		}
	}
	o.setCodeHeaders()
	o.takeRelocations()
	o.lost = o.findLost()
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

// readSymbols reads the symbol table, into room if it fits.
func (o *Object) readSymbols(room []cubin.Symbol) (err error) {
	if o.Symbols, err = o.File.SymbolsInto(room, o.symtab); err != nil {
		return err
	}
	o.inTable = len(o.Symbols)
	if o.inTable == 0 { // tables of records may still refer to symbol 0 (RELOC-029)
		o.Symbols = []cubin.Symbol{{}}
	}
	o.findMistaken()
	return nil
}

// typeSections sets the types of those sections whose type follows from their name.
func (o *Object) typeSections() {
	for i := range o.File.Sections {
		typeByName(&o.File.Sections[i])
	}
}

// Defines counts the names that only one input can define (own), and those for which the definition of another input
// may prevail (weak).
func (o *Object) Defines() (own, weak int) {
	for i := range o.Symbols {
		switch y := &o.Symbols[i]; {
		case !y.Defined():
		case y.Bind == cubin.BindGlobal:
			own++
		case y.Bind == cubin.BindWeak:
			weak++
		}
	}
	return own, weak
}

// findSymbols finds the symbol table and the table of symbol names. It returns a description of what is missing
// (DIAG-301).
func (o *Object) findSymbols() (missing string) {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Type != cubin.SectionSymTab {
			continue
		}
		o.symtab, o.Strtab = s.Index, s.Link
		if int(o.Strtab) >= len(o.File.Sections) {
			return "strsec not found"
		}
		return ""
	}
	return "symsec not found"
}

// typeByName sets the type of a section if the type follows from its name. Data of a standard ELF type gets one of
// NVIDIA's types. nvlink does so for assemblers that lack these types (LOAD-501). Constants of early compilers get the
// type of their bank (KIT-211).
func typeByName(s *cubin.Section) {
	named := func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }
	switch {
	case s.Flags&cubin.FlagMercury != 0:
	case s.Type == cubin.SectionEarlyConstant:
		if bank, ok := s.ConstantBank(); ok {
			s.Type = cubin.SectionConstant0 + cubin.SectionType(bank)
		}
	case s.Type == cubin.SectionNoBits && named(".nv.global"):
		s.Type = cubin.SectionGlobal
	case s.Type == cubin.SectionNoBits && named(".nv.shared."):
		s.Type = cubin.SectionShared
	case s.Type == cubin.SectionNoBits && named(".nv.local."):
		s.Type = cubin.SectionLocal
	case s.Type == cubin.SectionProgBits && named(".nv.global.init"):
		s.Type = cubin.SectionGlobalInit
	case s.Type == cubin.SectionProgBits && named(cubin.ConstantPrefix):
		digits, _, _ := strings.Cut(s.Name[len(cubin.ConstantPrefix):], ".")
		if bank, err := strconv.ParseUint(digits, 10, 5); err == nil {
			s.Type = min(cubin.SectionConstant0+cubin.SectionType(bank), cubin.SectionConstantLast)
		}
	}
}

// misplaced returns why y cannot be in its section, or an empty string. Code and shared memory need a section of their
// kind. Relocations and attributes are generated again, so that no symbol can be in them (LOAD-500).
func (o *Object) misplaced(y *cubin.Symbol) string {
	if !y.Defined() || y.Type == cubin.SymSection {
		return ""
	}
	if int(y.Section) >= len(o.File.Sections) {
		if y.Type == cubin.SymFunc || y.Type == cubin.SymData && y.Space() == cubin.OtherShared {
			return "without a section"
		}
		if y.Section == cubin.ShnCommon && y.Value == 0 {
			return "without an alignment"
		}
		return ""
	}
	s := &o.File.Sections[y.Section]
	if s.Flags&cubin.FlagMercury != 0 && o.File.SM() >= arch.MinMercury {
		return "in the Mercury half"
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionInfo:
		if !cubin.IsLabel(y) && y.Name != "" {
			return "in a table of records"
		}
	case cubin.SectionSharedReserved:
		if max(y.Value, y.Size) > arch.MaxShared {
			return "larger than shared memory"
		}
	}
	return ""
}

// unmarkedShared returns a variable in the section of a kernel's shared memory that st_other places in another memory
// space, if there is one and the section has other variables. nvlink keeps the bytes of the section for such a variable
// and places the others after them (LOAD-966).
func (o *Object) unmarkedShared() *cubin.Symbol {
	var marked []bool // by section, made when it is needed
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Space() == cubin.OtherShared || !o.inShared(y) {
			continue
		}
		if marked == nil {
			marked = make([]bool, len(o.File.Sections))
			for k := range o.Symbols {
				if y := &o.Symbols[k]; y.Space() == cubin.OtherShared && o.inShared(y) {
					marked[y.Section] = true
				}
			}
		}
		if marked[y.Section] {
			return y
		}
	}
	return nil
}

// inShared reports whether y is a variable in the section of a kernel's shared memory.
func (o *Object) inShared(y *cubin.Symbol) bool {
	return y.Type == cubin.SymData && int(y.Section) < len(o.File.Sections) && o.File.Sections[y.Section].Type == cubin.SectionShared
}

// readSection decodes section i if it is a table of records. Otherwise it checks that
// the bytes of the section exist.
func (o *Object) readSection(i uint32) error {
	s := &o.File.Sections[i]
	_, err := o.File.Data(i)
	if err != nil {
		return err
	}
	if err := o.checkHeader(s); err != nil {
		return err
	}
	if s.Type == cubin.SectionSharedReserved && s.Size > arch.MaxShared {
		return o.Damaged("section "+s.Name, 0, "larger than shared memory", s.Size)
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionMercRela:
		return o.checkRelocations(i)
	case cubin.SectionInfo, cubin.SectionMercInfo:
		return o.checkAttributes(s)
	case cubin.SectionCallGraph:
		return o.checkCallGraph(s, o.Pairs(i))
	case cubin.SectionPrototype:
		return o.checkPrototypes(s, o.Pairs(i))
	case cubin.SectionUFTEntry, cubin.SectionUDTEntry:
		return o.checkUnified(s, o.Data(i))
	}
	return nil
}

// checkRelocations checks the table of relocations, or of recorded resolved relocations, in section i.
func (o *Object) checkRelocations(i uint32) error {
	raw, err := o.File.RelocationTable(i)
	if err != nil {
		return err
	}
	table := Relocations{table: raw, made: o.made[i]}
	for k := range table.Len() {
		if symbol := table.entry(k).Symbol; o.isWild(symbol) {
			s := &o.File.Sections[i]
			return o.Damaged("section "+s.Name, int64(s.Offset), "relocation against a symbol that does not exist", symbol)
		}
	}
	return nil
}

// Relocations are the entries of a relocation section of an input.
type Relocations struct {
	table   cubin.RelocationTable
	made    []cubin.Relocation // nil unless the Mercury half has corrected the table
	symbols int
	inTable int // of the symbols
}

// Relocations returns the entries of section i if it holds relocations, or resolved relocations that have been
// restored. Otherwise the result has no entries.
func (o *Object) Relocations(i uint32) Relocations {
	s := &o.File.Sections[i]
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionMercRela:
	case cubin.SectionResolvedRela, cubin.SectionMercResolved:
		if !o.restored || int(s.Info) >= len(o.File.Sections) {
			return Relocations{}
		}
	default:
		return Relocations{}
	}
	table, _ := o.File.RelocationTable(i) // checkRelocations has checked it
	return Relocations{table, o.made[i], len(o.Symbols), o.inTable}
}

// Len returns the number of entries.
func (r Relocations) Len() int {
	if r.made != nil {
		return len(r.made)
	}
	return r.table.Len()
}

// Stated returns the entries as they stand in the file, without the corrections by a Mercury half.
func (r Relocations) Stated() Relocations {
	r.made = nil
	return r
}

// entry returns entry k as it stands in the table, or corrected.
func (r Relocations) entry(k int) cubin.Relocation {
	if r.made != nil {
		return r.made[k]
	}
	return r.table.At(k)
}

// At returns entry k. missing reports whether the symbol of the entry is not in the symbol table; the entry then has no
// symbol (DIAG-302).
func (r Relocations) At(k int) (entry cubin.Relocation, missing bool) {
	entry = r.entry(k)
	missing = int(entry.Symbol) >= r.inTable
	if int(entry.Symbol) >= r.symbols {
		entry.Symbol = 0
	}
	return entry, missing
}

// Names reports whether an entry is against symbol.
func (r Relocations) Names(symbol uint32) bool {
	for k := range r.Len() {
		if entry, _ := r.At(k); entry.Symbol == symbol {
			return true
		}
	}
	return false
}

// Pairs returns the two-word records in section i. Their number is the size of the section divided by the record size
// in its header.
func (o *Object) Pairs(i uint32) []byte {
	data := o.Data(i)
	return data[:uint64(len(data))/max(8, o.File.Sections[i].EntSize)*8]
}

func (o *Object) Damaged(part string, offset int64, msg string, value any) error {
	return &cubin.FormatError{File: o.Name, Part: part, Offset: offset, Msg: msg, Value: value}
}

// IsCode reports whether s is the code of a function of the input.
func (o *Object) IsCode(s *cubin.Section) bool {
	return o.HasFunction[s.Index] && (strings.HasPrefix(s.Name, cubin.CodePrefix) || s.Flags&cubin.FlagExec != 0)
}

// MayHaveRelocations reports whether nvlink accepts relocations of section i. It accepts them for code and for data
// with contents, which it recognises by the section type. The type of a code section has no other effect.
func (o *Object) MayHaveRelocations(i uint32) bool {
	s := &o.File.Sections[i]
	switch s.Type {
	case cubin.SectionProgBits, cubin.SectionGlobalInit, cubin.SectionUFT, cubin.SectionUDT:
		return !o.mistyped[i]
	}
	_, isConstant := s.ConstantBank()
	return isConstant
}

// Data returns the bytes of a section. readSection has checked that they exist.
func (o *Object) Data(i uint32) []byte {
	if capsule, ok := o.renewed[i]; ok {
		return capsule
	}
	data, _ := o.File.Data(i)
	return data
}

// Extensible reports whether o is a whole program that may only be linked with libcudadevrt (nvcc -ewp).
func (o *Object) Extensible() bool { return o.File.Type == cubin.TypeEWP }

// IsData reports whether a section of an input holds bytes of the program rather than tables for the linker. Of the
// standard ELF types only two do. Sections of all other types are ignored, as in nvlink (DIAG-302), and so are those of
// NVIDIA's types that nvlink does not know (LOAD-976).
func IsData(s *cubin.Section) bool {
	switch s.Type {
	case cubin.SectionProgBits, cubin.SectionNoBits,
		cubin.SectionEarlyConstant, cubin.SectionGlobal, cubin.SectionGlobalInit, cubin.SectionLocal, cubin.SectionShared,
		cubin.SectionUFT, cubin.SectionUnnamed, cubin.SectionUFTEntry, cubin.SectionUDT, cubin.SectionUDTEntry:
		return true
	}
	return s.Type.IsConstant()
}
