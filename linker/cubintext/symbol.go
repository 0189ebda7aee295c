package cubintext

import (
	"encoding/binary"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Symbols have these statements:
//
//	symbol NAME BIND TYPE SECTION [other=...] [value=N] [size=N] ...
//	symbol SECTION, the local symbol of a section
//	nullsymbol [field=value...], symbol 0 if it is not empty
//
// An empty null symbol is omitted. The default size of a function is that of its section. The parts of st_other
// are joined with '+'.

var bindNames = []string{cubin.BindLocal: "local", cubin.BindGlobal: "global", cubin.BindWeak: "weak"}

var symbolTypeNames = []string{
	cubin.SymNone: "notype", cubin.SymObject: "object", cubin.SymFunc: "func", cubin.SymSection: "section",
	cubin.SymTexture: "texture", cubin.SymSampler: "sampler", cubin.SymSurface: "surface", cubin.SymData: "data",
}

// Parts of st_other: single bits, then the memory space.
var otherBits = []struct {
	name string
	bit  uint8
}{{"internal", cubin.OtherInternal}, {"managed", cubin.OtherManaged}, {"obscure", cubin.OtherObscure}, {"entry", cubin.OtherEntry}}

var otherSpaces = []struct {
	name  string
	space uint8
}{
	{"global", cubin.OtherGlobal}, {"shared", cubin.OtherShared}, {"local", cubin.OtherLocal},
	{"constant", cubin.OtherConstant}, {"reserved", cubin.OtherReserved},
}

func otherWord(v uint8) word {
	var parts []string
	rest := v
	for _, b := range otherBits {
		if v&b.bit != 0 {
			parts = append(parts, b.name)
			rest &^= b.bit
		}
	}
	for _, s := range otherSpaces {
		if v&cubin.OtherSpaceMask == s.space {
			parts = append(parts, s.name)
			rest &^= cubin.OtherSpaceMask
		}
	}
	if rest != 0 || len(parts) == 0 {
		return number(uint64(v))
	}
	return bare(strings.Join(parts, "+"))
}

func otherNumber(s string) (uint64, bool) {
	if v, ok := parseNumber(s); ok {
		return v, true
	}
	var v uint8
next:
	for part := range strings.SplitSeq(s, "+") {
		for _, b := range otherBits {
			if b.name == part {
				v |= b.bit
				continue next
			}
		}
		for _, s := range otherSpaces {
			if s.name == part && v&cubin.OtherSpaceMask == 0 {
				v |= s.space
				continue next
			}
		}
		return 0, false
	}
	return uint64(v), true
}

// pick reads one of names, or its number.
func (l line) pick(w word, names []string) (uint64, error) {
	for i, n := range names {
		if n != "" && n == w.text {
			return uint64(i), nil
		}
	}
	if v, ok := parseNumber(w.text); ok && v < 16 {
		return v, nil
	}
	return 0, l.errorAt(w, "%s expected, not %s", orList(names), w)
}

func orList(names []string) string {
	var known []string
	for _, n := range names {
		if n != "" {
			known = append(known, n)
		}
	}
	return strings.Join(known[:len(known)-1], ", ") + " or " + known[len(known)-1]
}

func pickWord(v uint8, names []string) word {
	if int(v) < len(names) && names[v] != "" {
		return bare(names[v])
	}
	return number(uint64(v))
}

// A symbolLine holds a symbol statement as long as sizes and places are not known.
type symbolLine struct {
	name    string
	bind    uint64
	typ     uint64
	section uint32
	record  record // the fields that were given
}

func (f *file) symbolLine(l line) (y symbolLine, err error) {
	ws := l.positional()
	if len(ws) != 4 && len(ws) != 1 {
		return y, l.errorf("symbol takes a name, a binding, a type and a section; or a section")
	}
	y.record = newRecord(symbolFields)
	y.name = ws[0].literal()
	if len(ws) == 1 {
		y.typ = uint64(cubin.SymSection)
		section, err := f.sectionIndex(l, ws[0])
		if err != nil {
			return y, err
		}
		y.section = uint32(section)
		return y, f.override(l, &y.record, nil)
	}
	if y.bind, err = l.pick(ws[1], bindNames); err != nil {
		return y, err
	}
	if y.typ, err = l.pick(ws[2], symbolTypeNames); err != nil {
		return y, err
	}
	if y.section, err = f.symbolSection(l, ws[3]); err != nil {
		return y, err
	}
	return y, f.override(l, &y.record, nil)
}

func (f *file) symbolSection(l line, w word) (uint32, error) {
	if w.mark == 0 && !w.quoted {
		switch w.text { // docs/cubintext.md, "Symbols"
		case "undef":
			return cubin.ShnUndef, nil
		case "abs":
			return cubin.ShnAbs, nil
		case "common":
			return cubin.ShnCommon, nil
		}
	}
	i, err := f.sectionIndex(l, w)
	return uint32(i), err
}

// sectionNumber returns st_shndx for a section. extended reports whether the true number must be stored in
// .symtab_shndx.
func (f *file) sectionNumber(section uint32) (shndx uint64, extended bool) {
	switch short := cubin.ShortSection(section); {
	case short != section:
		return uint64(short), false
	case section >= cubin.ShnLoReserve && int(section) < len(f.sections), section > cubin.ShnXIndex:
		return cubin.ShnXIndex, true
	}
	return uint64(section), false
}

// extendedTable returns the section that holds the section numbers that do not fit into a symbol table, or nil.
// A file may have two symbol tables, each with such a section.
func (f *file) extendedTable(table *section) *section {
	for _, name := range []string{".symtab_shndx", ".nv.merc.symtab_shndx"} {
		if x := f.named[name]; x != nil && f.linked(x) == table {
			return x
		}
	}
	return nil
}

// lacksExtended reports whether symbols of a table cannot refer to a section because there is no .symtab_shndx.
func (f *file) lacksExtended(table *section, section uint32) bool {
	_, extended := f.sectionNumber(section)
	return extended && int(section) < len(f.sections) && f.extendedTable(table) == nil
}

// symbolDefault derives a field of a symbol.
func (f *file) symbolDefault(table *section, y symbolLine, value uint64, field string) uint64 {
	switch field {
	case "name":
		return stringOffset(f.linked(table), y.name)
	case "info":
		return y.bind<<4 | y.typ
	case "shndx":
		shndx, _ := f.sectionNumber(y.section)
		return shndx
	case "size":
		if s := f.at(uint64(y.section)); s != nil && y.typ == uint64(cubin.SymFunc) && isText(s.name) && value <= uint64(len(s.data)) {
			return uint64(len(s.data)) - value
		}
	}
	return 0
}

func (e *encoder) symbol(l line) error {
	y, err := e.f.symbolLine(l)
	if err != nil {
		return err
	}
	if e.f.lacksExtended(e.s, y.section) && !y.record.given["shndx"] {
		return l.errorf("section %d has a number that needs a section .symtab_shndx", y.section)
	}
	for _, f := range symbolFields {
		y.record.derive(f.name, e.f.symbolDefault(e.s, y, y.record.get("value"), f.name))
	}
	e.out = append(e.out, y.record.bytes...)
	return nil
}

// impliesNull reports whether the null symbol has to be inserted before the lines of a symbol table.
func impliesNull(lines listing) bool {
	for l := range lines.all() {
		return l.keyword() == "symbol"
	}
	return true
}

func (e *encoder) nullSymbol(l line) error {
	r := newRecord(symbolFields)
	if err := e.f.override(l, &r, nil); err != nil {
		return err
	}
	e.out = append(e.out, r.bytes...)
	return nil
}

func (p *printer) symbols(s *section) listing {
	if len(s.data) < cubin.SymbolSize || len(s.data)%cubin.SymbolSize != 0 {
		return nil
	}
	return func(yield func(line) bool) {
		if zeros(s.data[:cubin.SymbolSize]) < cubin.SymbolSize && !yield(nullLine(s)) {
			return
		}
		for i := 1; i < len(s.data)/cubin.SymbolSize; i++ {
			if !yield(p.symbolLine(s, i)) {
				return
			}
		}
	}
}

// nullLine prints the null symbol, some of whose fields are not 0.
func nullLine(s *section) line {
	r := newRecord(symbolFields)
	copy(r.bytes, s.data)
	l := line{words: []word{bare("nullsymbol")}}
	for _, f := range symbolFields {
		if v := r.get(f.name); v != 0 {
			l.words = append(l.words, number(v).withKey(f.name))
		}
	}
	return l
}

// symbolLine prints symbol i.
func (p *printer) symbolLine(s *section, i int) line {
	r := newRecord(symbolFields)
	copy(r.bytes, s.data[i*cubin.SymbolSize:])
	info := uint8(r.get("info"))
	y := symbolLine{name: s.table.names[i], bind: uint64(info >> 4), typ: uint64(info & 15), section: p.f.extended(s, i, uint32(r.get("shndx")))}
	words := []word{bare("symbol"), name(y.name)}
	if x := p.f.named[y.name]; x == nil || info != uint8(cubin.SymSection) || y.section != uint32(x.index) || p.f.twice[y.name] {
		words = append(words, pickWord(info>>4, bindNames), pickWord(info&15, symbolTypeNames), p.symbolSectionWord(y.section))
	}
	for _, f := range symbolFields {
		v := r.get(f.name)
		if v == p.f.symbolDefault(s, y, r.get("value"), f.name) {
			continue
		}
		if f.name == "other" {
			words = append(words, otherWord(uint8(v)).withKey(f.name))
		} else {
			words = append(words, number(v).withKey(f.name))
		}
	}
	return line{words: words}
}

func (p *printer) symbolSectionWord(section uint32) word {
	switch section {
	case cubin.ShnUndef:
		return bare("undef")
	case cubin.ShnAbs:
		return bare("abs")
	case cubin.ShnCommon:
		return bare("common")
	}
	if s := p.f.at(uint64(section)); s != nil && s.name != "" && !p.f.twice[s.name] {
		return name(s.name)
	}
	return number(uint64(section)).withMark('%')
}

// extended returns the section number of symbol i: shndx, or the number in .symtab_shndx.
func (f *file) extended(table *section, i int, shndx uint32) uint32 {
	if shndx != cubin.ShnXIndex {
		return cubin.SectionOfSymbol(uint16(shndx))
	}
	if x := f.extendedTable(table); x != nil && len(x.data) >= 4*i+4 {
		return binary.LittleEndian.Uint32(x.data[4*i:])
	}
	return shndx
}
