package cubintext

import (
	"bytes"
	"strings"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
)

// A file is the model between text and bytes. It consists of records and the contents of the sections. A field
// of a record is either final or still to be derived. The builder and the printer both use the defaults in
// this file. Each default is computed from the final values of other fields, so that a text can omit a field
// that equals its default.
type file struct {
	header   record
	sm       uint64 // the word sm of the header statement: the architecture number in e_flags
	sections []*section
	segments []*segment
	blocks   []*block // bytes outside all structures, or overwriting them
	length   uint64   // of the file in bytes

	sectionsAt uint64 // offset of the section table; e_shoff has this value unless overridden
	segmentsAt uint64 // the same for program headers

	named map[string]*section // the first section with each name
	twice map[string]bool     // names of more than one section
}

// A section is a section header and its bytes. Section 0 is the null section.
type section struct {
	index  int
	name   string
	record record
	regs   uint64 // registers of a function, in the high byte of the sh_info of .text.X
	data   []byte
	same   *section // the section whose bytes this one shares; nil for its own bytes
	table  *table   // of a symbol table

	known *catalogue.Kind // what kindOf returns for the name, once it was asked; nil before
	part  string

	starts  map[string]int // of a string table: where each string begins, for the first indexed bytes
	indexed int

	statement line
	lines     listing
}

// A block is a run of bytes at a place outside the structures.
type block struct {
	data      []byte
	statement line
	lines     listing
}

// A table finds symbols by name. If several symbols have the same name, the result is twice.
type table struct {
	names  []string
	byName map[string]int
}

const twice = -1

func newTable() *table { return &table{byName: map[string]int{}} }

// add adds the next symbol.
func (t *table) add(name string) {
	index := len(t.names)
	t.names = append(t.names, name)
	if _, ok := t.byName[name]; ok {
		index = twice
	}
	t.byName[name] = index
}

func (f *file) addSection(s *section) {
	s.index = len(f.sections)
	f.sections = append(f.sections, s)
	if s.index == 0 {
		return
	}
	if f.named == nil {
		f.named, f.twice = map[string]*section{}, map[string]bool{}
	}
	if f.named[s.name] != nil {
		f.twice[s.name] = true
	} else {
		f.named[s.name] = s
	}
}

func (s *section) kind() cubin.SectionType { return cubin.SectionType(s.record.get("type")) }

// executable reports whether sections of memory spaces have the types that they have in a linked file.
func (f *file) executable() bool { return f.header.get("type") == cubin.TypeExecutable }

// number returns the index of the first section with that name, or 0 if there is none.
func (f *file) number(name string) uint64 {
	if s := f.named[name]; s != nil {
		return uint64(s.index)
	}
	return 0
}

// at returns section i, or nil if there is none.
func (f *file) at(i uint64) *section {
	if i < uint64(len(f.sections)) {
		return f.sections[i]
	}
	return nil
}

// linked returns the section in sh_link of s.
func (f *file) linked(s *section) *section { return f.at(s.record.get("link")) }

// symbolsFor returns the symbol table to which the contents of s refer: the one that s links to, or .symtab.
func (f *file) symbolsFor(s *section) *section {
	if s != nil {
		if y := f.linked(s); y != nil && y.table != nil {
			return y
		}
	}
	if y := f.named[".symtab"]; y != nil && y.table != nil {
		return y
	}
	return nil
}

// nameTable returns the string table with the section names.
func (f *file) nameTable() *section {
	i := f.header.get("shstrndx")
	if i == cubin.ShnXIndex && len(f.sections) > 0 {
		i = f.sections[0].record.get("link")
	}
	return f.at(i)
}

// stringOffset finds a string in a string table, either as a whole entry or as the end of one. It returns 0 if
// there is none.
func stringOffset(t *section, s string) uint64 {
	if t == nil || s == "" {
		return 0
	}
	t.indexStrings()
	if i, ok := t.starts[s]; ok {
		return uint64(i)
	}
	if i := bytes.Index(t.data, []byte(s+"\x00")); i >= 0 {
		return uint64(i)
	}
	return 0
}

// indexStrings indexes the entries that were added to a string table since the last call.
func (s *section) indexStrings() {
	if s.starts == nil {
		s.starts = map[string]int{}
	}
	for {
		end := bytes.IndexByte(s.data[s.indexed:], 0)
		if end < 0 {
			return
		}
		entry := string(s.data[s.indexed : s.indexed+end])
		if _, ok := s.starts[entry]; !ok {
			s.starts[entry] = s.indexed
		}
		s.indexed += end + 1
	}
}

// stringAt reads the string at an offset of a string table. ok is false if there is none.
func stringAt(t *section, offset uint64) (s string, ok bool) {
	if t == nil || offset >= uint64(len(t.data)) {
		return "", offset == 0
	}
	end := bytes.IndexByte(t.data[offset:], 0)
	if end < 0 {
		return "", false
	}
	return string(t.data[offset : offset+uint64(end)]), true
}

// sectionDefault derives a field of a section header other than the offset.
func (f *file) sectionDefault(s *section, field string) uint64 {
	if s.index == 0 {
		return f.nullDefault(field)
	}
	k, x := s.catalogued()
	switch field {
	case "name":
		return stringOffset(f.nameTable(), s.name)
	case "type":
		return uint64(k.Type(f.executable(), s.name))
	case "flags":
		if k.Info == catalogue.CompatInfo && f.number(".nv.compat") != 0 {
			return k.Flags | cubin.FlagInfoLink
		}
		return k.Flags
	case "link":
		return f.refer(s, k.Link, x)
	case "info":
		return f.refer(s, k.Info, x)
	case "size":
		if s.same != nil {
			return s.same.record.get("size")
		}
		return uint64(len(s.data))
	case "align":
		return k.Align
	case "entsize":
		return k.EntSize
	}
	return 0
}

// nullDefault derives a field of section header 0. The header is empty, or has the counts that do not fit into
// the ELF header.
func (f *file) nullDefault(field string) uint64 {
	switch {
	case field == "size" && len(f.sections) >= cubin.ShnLoReserve:
		return uint64(len(f.sections))
	case field == "link" && f.number(".shstrtab") >= cubin.ShnLoReserve:
		return f.number(".shstrtab")
	}
	return 0
}

// refer resolves a reference in sh_link or sh_info of s.
func (f *file) refer(s *section, r catalogue.Reference, x string) uint64 {
	switch r {
	case catalogue.StringTable:
		return f.number(".strtab")
	case catalogue.SymbolTable:
		return f.number(".symtab")
	case catalogue.MercSymbols:
		return f.number(".nv.merc.symtab")
	case catalogue.ToolNote:
		return f.number(".note.nv.tkinfo")
	case catalogue.CompatInfo:
		return f.number(".nv.compat")
	case catalogue.Code:
		return f.number(".text." + x)
	case catalogue.MercCode:
		return f.number(".nv.capmerc.text." + x)
	case catalogue.Stub:
		return f.number(".nv.uft.rel." + x)
	case catalogue.MercStub:
		return f.number(".nv.capmerc.nv.uft.rel." + x)
	case catalogue.Target:
		for _, target := range catalogue.Patched(s.name) {
			if n := f.number(target); n != 0 {
				return n
			}
		}
	case catalogue.Symbol:
		index := uint64(0)
		if y := f.symbolsFor(s); y != nil {
			if i := y.table.byName[x]; i > 0 {
				index = uint64(i)
			}
		}
		return index | s.regs<<24
	case catalogue.Locals:
		return afterLocals(s.data)
	}
	return 0
}

// afterLocals returns the index after the last local symbol.
func afterLocals(symtab []byte) uint64 {
	n := uint64(0)
	for i := range len(symtab) / cubin.SymbolSize {
		if symtab[i*cubin.SymbolSize+4]>>4 == uint8(cubin.BindLocal) {
			n = uint64(i) + 1
		}
	}
	return n
}

// A layout derives offsets. It processes the sections in the order of the table, and places each at the end of
// the previous one.
type layout struct{ end uint64 }

// next returns the default offset of s.
func (l *layout) next(s *section) uint64 {
	if s.same != nil {
		return s.same.record.get("offset")
	}
	return alignUp(l.end, s.record.get("align"))
}

// place moves the end after s, whose offset is final.
func (l *layout) place(s *section) {
	size := uint64(len(s.data))
	if s.same != nil {
		size = 0
	}
	offset := s.record.get("offset")
	end := offset + size
	if size == 0 && offset != l.next(s) || end < offset {
		return // an overridden offset does not move other sections
	}
	l.end = max(l.end, end)
}

// maxAlign is the largest alignment that a layout takes into account. Larger alignments are mistakes or
// attacks.
const maxAlign = 1 << 20

func alignUp(v, align uint64) uint64 {
	if align <= 1 || align > maxAlign {
		return v
	}
	if rest := v % align; rest != 0 {
		return v + align - rest
	}
	return v
}

// headerDefault derives a field of the ELF header.
func (f *file) headerDefault(field string) uint64 {
	switch field {
	case "magic":
		return 0x464c457f
	case "class":
		return 2
	case "data", "identversion", "version":
		return 1
	case "osabi":
		return cubin.OSABI
	case "abi":
		return cubin.ABIVersion
	case "type":
		return cubin.TypeRelocatable
	case "machine":
		return cubin.Machine
	case "flags":
		return f.number(".note.nv.cuinfo")&0xff<<24 | f.sm<<8 | codeKind(f.sm)
	case "ehsize":
		return cubin.HeaderSize
	case "shoff":
		if len(f.sections) > 0 {
			return f.sectionsAt
		}
	case "shnum":
		if len(f.sections) < cubin.ShnLoReserve {
			return uint64(len(f.sections))
		}
	case "shentsize":
		return cubin.SectionHeaderSize
	case "shstrndx":
		if n := f.number(".shstrtab"); n < cubin.ShnLoReserve {
			return n
		}
		return cubin.ShnXIndex
	case "phoff":
		if len(f.segments) > 0 {
			return f.segmentsAt
		}
	case "phnum":
		return uint64(len(f.segments))
	case "phentsize":
		if len(f.segments) > 0 || f.sm < 90 {
			return cubin.SegmentHeaderSize
		}
	}
	return 0
}

// codeKind returns the low byte of e_flags: 4 SASS, 2 capsule Mercury.
func codeKind(sm uint64) uint64 {
	if sm >= 100 {
		return 2
	}
	return 4
}

// endOf returns the offset at the end of the bytes of s.
func endOf(s *section) uint64 {
	end := s.record.get("offset")
	if s.hasBytes() {
		end += s.record.get("size")
	}
	return end
}

// isText reports whether name is the name of a code section.
func isText(name string) bool { return strings.HasPrefix(name, ".text.") }
