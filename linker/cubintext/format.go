package cubintext

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
)

// Print writes the text form of an opened cubin.
func Print(w io.Writer, f *cubin.File) error {
	_, err := io.WriteString(w, Format(f.Bytes()))
	return err
}

// Format returns the text form of data, which may be any bytes. A damaged cubin is described as far as its
// tables can be read. Other data is printed as raw bytes. Parse of the text returns data (TEXT-001).
func Format(data []byte) string {
	if text, ok := format(data); ok {
		return text
	}
	return rawText(data)
}

// format prints the structures, builds the file from them, and adds the bytes that differ.
func format(data []byte) (string, bool) {
	f := readFile(data)
	if f == nil {
		return "", false
	}
	p := &printer{f: f, most: mostText + 8*len(data)}
	text := p.file()
	if p.over {
		return "", false
	}
	built, err := parse(text)
	if err != nil {
		return "", false
	}
	if len(built) != len(data) {
		f.header.given["length"] = true
		p.text.Reset()
		text = p.file()
		if built, err = parse(text); err != nil || len(built) != len(data) {
			return "", false
		}
	}
	if bytes.Equal(built, data) {
		return text, true
	}
	p.differences(built, data)
	text = p.text.String()
	built, err = parse(text)
	return text, err == nil && bytes.Equal(built, data)
}

func rawText(data []byte) string {
	p := &printer{most: math.MaxInt}
	p.line(line{words: []word{bare("cutext"), number(Version)}})
	p.line(line{words: []word{bare("raw")}})
	p.items(dumpBytes(data))
	return p.text.String()
}

// readFile reads the structures of a cubin, or returns nil if there are none. It accepts many damaged files
// that cubin.Open refuses.
func readFile(data []byte) *file {
	if len(data) < cubin.HeaderSize || !bytes.HasPrefix(data, []byte("\x7fELF\x02\x01")) {
		return nil
	}
	f := &file{header: newRecord(headerFields), length: uint64(len(data))}
	copy(f.header.bytes, data)
	f.sm = f.header.get("flags") >> 8 & 0xffff
	f.sectionsAt, f.segmentsAt = f.header.get("shoff"), f.header.get("phoff")

	headers := tableAt(data, f.sectionsAt, f.header.get("shnum"), f.header.get("shentsize"), cubin.SectionHeaderSize)
	if f.header.get("shnum") == 0 && f.sectionsAt != 0 {
		if first := tableAt(data, f.sectionsAt, 1, f.header.get("shentsize"), cubin.SectionHeaderSize); len(first) > 0 {
			headers = tableAt(data, f.sectionsAt, binary.LittleEndian.Uint64(first[32:]), cubin.SectionHeaderSize, cubin.SectionHeaderSize)
		}
	}
	total, most := 0, 4*len(data)+1024
	var sections []*section
	for ; len(headers) > 0; headers = headers[cubin.SectionHeaderSize:] {
		s := &section{record: newRecord(sectionFields)}
		copy(s.record.bytes, headers)
		if s.hasBytes() {
			offset, size := s.record.get("offset"), s.record.get("size")
			if offset <= uint64(len(data)) && size <= uint64(len(data))-offset {
				s.data = data[offset : offset+size]
				total += len(s.data)
			}
		}
		sections = append(sections, s)
	}
	if total > most {
		return nil // overlapping sections would multiply the text
	}
	f.sections = sections // for nameTable
	names := f.nameTable()
	f.sections = nil
	for _, s := range sections {
		s.name, _ = stringAt(names, s.record.get("name"))
		f.addSection(s)
		if total += len(s.name); total > 2*most {
			return nil // so would names that lie in one place
		}
	}
	for headers := tableAt(data, f.segmentsAt, f.header.get("phnum"), f.header.get("phentsize"), cubin.SegmentHeaderSize); len(headers) > 0; headers = headers[cubin.SegmentHeaderSize:] {
		g := &segment{record: newRecord(segmentFields)}
		copy(g.record.bytes, headers)
		f.segments = append(f.segments, g)
	}
	if !f.readSymbols(2*most - total) {
		return nil
	}
	return f
}

// tableAt returns the bytes of a table of headers, or nil if the table is not inside data.
func tableAt(data []byte, at, count, entry, want uint64) []byte {
	if at == 0 || entry != want || at > uint64(len(data)) || count > (uint64(len(data))-at)/entry {
		return nil
	}
	return data[at : at+count*entry]
}

// readSymbols reads the symbol tables. It returns false if their names take more than left bytes.
func (f *file) readSymbols(left int) bool {
	for _, s := range f.sections {
		if !isSymtab(s.kind()) {
			continue
		}
		s.table = newTable()
		r := newRecord(symbolFields)
		for i := 0; (i+1)*cubin.SymbolSize <= len(s.data); i++ {
			copy(r.bytes, s.data[i*cubin.SymbolSize:])
			name, _ := stringAt(f.linked(s), r.get("name"))
			if left -= len(name); left < 0 {
				return false
			}
			s.table.add(name)
		}
	}
	return true
}

// A printer formats a file as text.
type printer struct {
	f    *file
	text strings.Builder
	most int                 // bytes of text
	over bool                // there would be more
	at   map[uint64]*section // the first section with bytes at an offset
}

// mostText, and eight times the file, is the largest size in bytes of a text of structures. A file whose structures take more
// is printed as bytes: any number of its lines may contain the same long name. Ordinary cubins take three times their size.
const mostText = 16 << 20

func (p *printer) line(l line) {
	if p.text.Len() > p.most {
		p.over = true
		return
	}
	p.text.WriteString(l.String())
	p.text.WriteByte('\n')
}

func (p *printer) items(lines listing) {
	for l := range lines.all() {
		p.text.WriteByte('\t')
		p.line(l)
	}
}

// file prints everything that has a structure.
func (p *printer) file() string {
	f := p.f
	for _, s := range f.sections {
		if s.table != nil && !p.proves(s, p.symbols(s)) {
			s.table = newTable() // it is printed as bytes, so the parser does not know its names
		}
	}
	statements, header := p.sections()
	p.line(line{words: []word{bare("cutext"), number(Version)}})
	p.line(header)
	for _, s := range statements {
		p.line(s.statement)
		p.items(s.lines)
	}
	for _, g := range f.segments {
		p.line(p.segment(g))
	}
	return p.text.String()
}

// sections returns the sections for which statements are printed, and the header statement, which contains
// the offset of the section table.
func (p *printer) sections() ([]*section, line) {
	f := p.f
	var statements []*section
	p.at = map[uint64]*section{}
	end := layout{cubin.HeaderSize}
	for i, s := range f.sections {
		if i == 0 {
			s.statement = p.fields(line{words: []word{bare("null")}}, s, 0)
			if len(s.statement.words) > 1 || len(f.sections) == 1 {
				statements = append(statements, s)
			}
			continue
		}
		s.same = p.sameBytes(s)
		s.statement = p.statement(s, end.next(s))
		s.lines = nil
		if s.same == nil {
			s.lines = p.contents(s)
		}
		end.place(s)
		statements = append(statements, s)
	}
	return statements, p.header(end.end)
}

// sameBytes returns the section all of whose bytes s uses too, as the Mercury halves of constants and
// initialised data do.
func (p *printer) sameBytes(s *section) *section {
	if len(s.data) == 0 {
		return nil
	}
	offset := s.record.get("offset")
	t := p.at[offset]
	if t == nil {
		p.at[offset] = s
		return nil
	}
	if !strings.HasPrefix(s.name, ".nv.merc.") || len(t.data) != len(s.data) || t.name == "" || p.f.twice[t.name] {
		return nil
	}
	return t
}

// statement prints the fields of a section header that cannot be derived.
func (p *printer) statement(s *section, offset uint64) line {
	l := line{words: []word{bare("section"), name(s.name)}}
	if p.f.sectionDefault(s, "type") != s.record.get("type") {
		l.words = append(l.words, typeName(s.kind()))
	}
	if s.same != nil {
		l.words = append(l.words, name(s.same.name).withKey("same"))
	}
	k, _ := s.catalogued()
	if k.Info == catalogue.Symbol {
		s.regs = 0
		if info := s.record.get("info"); info&0xffffff == p.f.sectionDefault(s, "info") && info>>24 != 0 {
			s.regs = info >> 24
			l.words = append(l.words, number(s.regs).withKey("regs"))
		}
	}
	return p.fields(l, s, offset)
}

// fields adds the fields of s that differ from their defaults.
func (p *printer) fields(l line, s *section, offset uint64) line {
	for _, f := range sectionFields {
		v, want := s.record.get(f.name), p.f.sectionDefault(s, f.name)
		if f.name == "offset" {
			want = offset
		}
		if v == want || f.name == "type" && l.keyword() == "section" {
			continue
		}
		w := number(v)
		switch f.name {
		case "flags":
			w = sectionFlags.word(v)
		case "link":
			w = p.sectionWord(v)
		case "info":
			if s.record.get("flags")&cubin.FlagInfoLink != 0 {
				w = p.sectionWord(v)
			}
		}
		l.words = append(l.words, w.withKey(f.name))
	}
	return l
}

// sectionWord returns the name of a section, or its number.
func (p *printer) sectionWord(v uint64) word {
	if s := p.f.at(v); s != nil && s.name != "" && !p.f.twice[s.name] {
		return name(s.name)
	}
	return number(v)
}

// contents prints the bytes of a section, as records if possible. Lines that do not encode to the same bytes
// are not printed.
func (p *printer) contents(s *section) listing {
	if len(s.data) == 0 && s.kind() != cubin.SectionStrTab && s.table == nil {
		return nil
	}
	var lines listing
	switch t := s.kind(); {
	case t == cubin.SectionStrTab:
		if p.derivedStrings(s) {
			return nil
		}
		lines = dumpNames(s.data)
	case isSymtab(t):
		if len(s.table.names) > 0 {
			lines = p.symbols(s)
		}
	case t == cubin.SectionSymTabShNdx:
		return p.extendedNumbers(s)
	case t.IsRelocation():
		lines = p.relocations(s)
	case t == cubin.SectionNote:
		lines = p.notes(s)
	case t == cubin.SectionInfo, t == cubin.SectionMercInfo, t == cubin.SectionCompat:
		lines = p.attributes(s)
	case t == cubin.SectionCallGraph, t == cubin.SectionMercCallGraph:
		lines = p.callGraph(s)
	case t == cubin.SectionPrototype, t == cubin.SectionMercPrototype:
		lines = p.prototypes(s)
	case isText(s.name):
		lines = dumpCode(s.data)
	case strings.HasSuffix(s.name, ".debug_str"), strings.Contains(s.name, ".nv_debug_ptx_txt"):
		lines = dumpStrings(s.data)
	}
	return p.proved(s, lines)
}

// proves reports whether lines encode to the bytes of s.
func (p *printer) proves(s *section, lines listing) bool {
	e := &encoder{f: p.f, s: s, out: make([]byte, 0, len(s.data))}
	if s.table != nil && impliesNull(lines) {
		e.out = append(e.out, make([]byte, cubin.SymbolSize)...)
	}
	return lines != nil && e.encode(lines) == nil && bytes.Equal(e.out, s.data)
}

// proved returns lines if encoding them gives the bytes of s. Otherwise it returns the bytes.
func (p *printer) proved(s *section, lines listing) listing {
	if p.proves(s, lines) {
		return lines
	}
	if len(s.data) == 0 {
		return one(line{words: []word{bare("hex")}}) // means that there is nothing to derive
	}
	return dumpBytes(s.data)
}

// derivedStrings reports whether the builder would derive the same string table without its lines.
func (p *printer) derivedStrings(s *section) bool {
	derived := &section{}
	if s == p.f.nameTable() {
		for _, t := range p.f.sections[1:] {
			derived.addString(t.name)
		}
	}
	for _, t := range p.f.sections {
		if t.table != nil && p.f.linked(t) == s {
			for _, n := range t.table.names {
				derived.addString(n)
			}
		}
	}
	return bytes.Equal(derived.data, s.data)
}

// extendedNumbers prints .symtab_shndx. It prints nothing if the contents follow from the symbols.
func (p *printer) extendedNumbers(s *section) listing {
	table := p.f.linked(s)
	if table != nil && table.table != nil && len(s.data) == 4*len(table.table.names) {
		derived := true
		for i := range table.table.names {
			shndx := binary.LittleEndian.Uint16(table.data[i*cubin.SymbolSize+6:])
			section := binary.LittleEndian.Uint32(s.data[4*i:])
			_, extended := p.f.sectionNumber(section)
			derived = derived && (extended && shndx == cubin.ShnXIndex || section == 0 && shndx != cubin.ShnXIndex)
		}
		if derived {
			return nil
		}
	}
	return p.proved(s, nil)
}

// header prints the header statement. end is the end of the sections.
func (p *printer) header(end uint64) line {
	f := p.f
	l := line{words: []word{bare("header"), decimal(f.sm).withKey("sm")}}
	shoff, phoff := f.sectionsAt, f.segmentsAt
	f.tablePlaces(end, true, true)
	if len(f.sections) > 0 && shoff != f.sectionsAt {
		l.words = append(l.words, number(shoff).withKey("sectionsat"))
		f.sectionsAt = shoff
		f.tablePlaces(end, false, true)
	}
	if len(f.segments) > 0 && phoff != f.segmentsAt {
		l.words = append(l.words, number(phoff).withKey("segmentsat"))
		f.segmentsAt = phoff
	}
	if f.header.given["length"] {
		l.words = append(l.words, number(f.length).withKey("length"))
	}
	for _, h := range headerFields {
		v := f.header.get(h.name)
		if v == f.headerDefault(h.name) {
			continue
		}
		w := number(v)
		if h.name == "type" {
			for text, t := range fileTypes {
				if t == v {
					w = bare(text)
				}
			}
		}
		l.words = append(l.words, w.withKey(h.name))
	}
	f.sectionsAt, f.segmentsAt = shoff, phoff
	return l
}

// differences prints those bytes of data that differ from built, as blocks.
func (p *printer) differences(built, data []byte) {
	const gap = 16 // up to so many equal bytes between two differences do not separate them
	for i := 0; i < len(data); i++ {
		if built[i] == data[i] {
			continue
		}
		end, equal := i+1, 0
		for k := i + 1; k < len(data) && equal < gap; k++ {
			if built[k] == data[k] {
				equal++
			} else {
				equal, end = 0, k+1
			}
		}
		p.line(line{words: []word{bare("at"), number(uint64(i))}})
		p.items(dumpBytes(data[i:end]))
		i = end
	}
}
