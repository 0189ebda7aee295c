package cubintext

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// Version is the number in the first line of a text.
const Version = 1

// Parse returns the bytes that a text describes. name is used in errors, which are of type [*Error].
func Parse(name, text string) ([]byte, error) {
	data, err := parse(text)
	var e *Error
	if errors.As(err, &e) {
		e.File = name
	}
	return data, err
}

func parse(text string) ([]byte, error) {
	b := &builder{f: &file{header: newRecord(headerFields)}, text: text}
	if err := b.statements(); err != nil {
		return nil, err
	}
	if b.raw != nil {
		e := &encoder{f: b.f}
		err := e.encode(b.raw.lines)
		return e.out, err
	}
	return b.build()
}

// A builder creates the bytes of a file. The text gives only some of the fields.
type builder struct {
	f    *file
	text string
	head line   // the header statement; no words if there is none
	raw  *block // the whole file, if the text describes no structure

	current       *listing // the contents that the last statement opened
	start, number int      // where its lines start, and the number of the first
}

// statements divides the lines into sections, segments and blocks. Lines of contents are kept as text.
func (b *builder) statements() error {
	count := 0
	for l := range linesOf(b.text, 1) {
		if l.err != nil {
			return l.err
		}
		var err error
		switch count++; {
		case count == 1:
			err = b.version(l.line)
		case isItem(l.keyword()):
			if b.current == nil {
				err = l.errorf("%s stands in no section", l.keyword())
			} else if b.number == 0 {
				b.start, b.number = l.start, l.number
			}
		default:
			b.endContents(l.start)
			l.words = slices.Clone(l.words)
			err = b.statement(l.line, count == 2)
		}
		if err != nil {
			return err
		}
	}
	if count == 0 {
		return b.version(line{})
	}
	b.endContents(len(b.text))
	return nil
}

// version checks the first line.
func (b *builder) version(l line) error {
	if l.keyword() != "cutext" {
		return &Error{Line: 1, Column: 1, Msg: "the first line must be: cutext 1"}
	}
	w, err := l.only("its version")
	if err != nil {
		return err
	}
	if v, ok := parseNumber(w.text); !ok || v != Version {
		return l.errorAt(w, "version %s is not known; this is version %d", w, Version)
	}
	return nil
}

// endContents ends the contents of the last statement at an offset of the text.
func (b *builder) endContents(end int) {
	if b.number > 0 {
		*b.current = listingOf(b.text[b.start:end], b.number)
	}
	b.current, b.number = nil, 0
}

// statement adds a line that describes something other than contents. first is set for the first such line.
func (b *builder) statement(l line, first bool) error {
	if b.raw != nil {
		return l.errorf("raw must be the only statement")
	}
	switch l.keyword() {
	case "header":
		if len(b.head.words) > 0 {
			return l.errorf("more than one header")
		}
		b.head = l
	case "null":
		if len(b.f.sections) > 0 {
			return l.errorf("null must come before the sections, once")
		}
		b.section(l, "")
	case "section":
		if len(b.f.sections) == 0 {
			b.section(line{}, "")
		}
		ws := l.positional()
		if len(ws) == 0 || len(ws) > 2 {
			return l.errorf("section takes a name and perhaps a type")
		}
		b.current = &b.section(l, ws[0].literal()).lines
	case "segment":
		b.f.segments = append(b.f.segments, &segment{record: newRecord(segmentFields), statement: l})
	case "at":
		k := &block{statement: l}
		b.f.blocks = append(b.f.blocks, k)
		b.current = &k.lines
	case "raw":
		if !first {
			return l.errorf("raw must be the only statement")
		}
		b.raw = &block{statement: l}
		b.current = &b.raw.lines
	default:
		return l.errorf("unknown keyword %s", l.words[0])
	}
	return nil
}

func (b *builder) section(l line, name string) *section {
	s := &section{name: name, record: newRecord(sectionFields), statement: l}
	b.f.addSection(s)
	return s
}

// build derives missing values and encodes the file. Values are derived in such an order that each depends only
// on earlier ones.
func (b *builder) build() ([]byte, error) {
	f := b.f
	steps := []func() error{
		b.headerWords, b.sectionWords, b.symbolNames, b.stringTables,
		b.contents, b.symbolTables, b.sectionHeaders, b.places, b.segmentHeaders,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, h := range headerFields {
		f.header.derive(h.name, f.headerDefault(h.name))
	}
	return b.write()
}

func (b *builder) headerWords() error {
	if len(b.head.words) == 0 {
		b.head = line{number: 1, words: []word{bare("header")}}
	}
	for _, pseudo := range []struct {
		key string
		to  *uint64
	}{{"sm", &b.f.sm}, {"sectionsat", &b.f.sectionsAt}, {"segmentsat", &b.f.segmentsAt}, {"length", &b.f.length}} {
		if w, ok := b.head.value(pseudo.key); ok {
			v, err := b.head.number64(w)
			if err != nil {
				return err
			}
			*pseudo.to = v
		}
	}
	if err := b.f.override(b.head, &b.f.header, []string{"sm", "sectionsat", "segmentsat", "length"}); err != nil {
		return err
	}
	for _, name := range []string{"type", "shstrndx"} {
		b.f.header.derive(name, b.f.headerDefault(name))
	}
	return nil
}

// sectionWords reads the section statements, except for references to symbols, and derives types and links.
func (b *builder) sectionWords() error {
	for _, s := range b.f.sections {
		if len(s.statement.words) == 0 {
			continue
		}
		l := s.statement
		if w, ok := l.value("regs"); ok {
			regs, err := l.number64(w)
			if err != nil {
				return err
			}
			s.regs = regs
		}
		if w, ok := l.value("same"); ok {
			i, err := b.f.sectionIndex(l, w)
			if err != nil {
				return err
			}
			if s.same = b.f.at(i); s.same == nil || s.same.index >= s.index {
				return l.errorAt(w, "same takes an earlier section")
			}
		}
		if err := b.f.override(l, &s.record, []string{"regs", "same", "info"}); err != nil {
			return err
		}
		if ws := l.positional(); l.keyword() == "section" && len(ws) == 2 {
			t, ok := typeNumber(ws[1].text)
			if !ok {
				return l.errorAt(ws[1], "section type expected, not %s", ws[1])
			}
			s.record.put("type", uint64(t))
			s.record.given["type"] = true
		}
	}
	for _, s := range b.f.sections {
		for _, name := range []string{"type", "link"} {
			s.record.derive(name, b.f.sectionDefault(s, name))
		}
	}
	return nil
}

// override sets the fields of a record that a line contains, except for the keys in skip.
func (f *file) override(l line, r *record, skip []string) error {
next:
	for _, w := range l.words[1:] {
		if w.key == "" {
			continue
		}
		for _, key := range skip {
			if w.key == key {
				continue next
			}
		}
		if _, ok := r.field(w.key); !ok {
			return l.errorAt(w, "%s has no field %s", l.keyword(), w.key)
		}
		if err := f.give(l, r, w); err != nil {
			return err
		}
	}
	return nil
}

// give sets one field to the value of its word.
func (f *file) give(l line, r *record, w word) error {
	v, err := f.fieldValue(l, w)
	if err != nil {
		return err
	}
	if r.given[w.key] {
		return l.errorAt(w, "%s is given twice", w.key)
	}
	if !r.put(w.key, v) {
		return l.errorAt(w, "%s does not fit", w)
	}
	r.given[w.key] = true
	return nil
}

// fileTypes maps words to values of e_type.
var fileTypes = map[string]uint64{"rel": cubin.TypeRelocatable, "exec": cubin.TypeExecutable, "ewp": cubin.TypeEWP}

func (f *file) fieldValue(l line, w word) (uint64, error) {
	bareWord := w.mark == 0 && !w.quoted
	if bareWord {
		if v, ok := parseNumber(w.text); ok {
			return v, nil
		}
	}
	switch w.key {
	case "type":
		if v, ok := fileTypes[w.text]; ok && bareWord && l.keyword() == "header" {
			return v, nil
		}
	case "flags":
		if v, ok := sectionFlags.number(w.text); ok && bareWord {
			return v, nil
		}
	case "other":
		if v, ok := otherNumber(w.text); ok && bareWord {
			return v, nil
		}
	case "link", "info":
		if w.mark != '@' {
			return f.sectionIndex(l, w)
		}
	}
	return l.number64(w)
}

// symbolNames reads the names of the symbol tables, so that contents can refer to symbols.
func (b *builder) symbolNames() error {
	for _, s := range b.f.sections {
		if !isSymtab(s.kind()) {
			continue
		}
		s.table = newTable()
		if impliesNull(s.lines) {
			s.table.add("")
		}
		other := &encoder{f: b.f, s: s} // the items between the symbols
		for l := range s.lines.all() {
			if l.keyword() != "symbol" {
				if err := other.item(l); err != nil {
					return err
				}
				for ; len(other.out) >= cubin.SymbolSize; other.out = other.out[cubin.SymbolSize:] {
					s.table.add("")
				}
				continue
			}
			y, err := b.f.symbolLine(l)
			if err != nil {
				return err
			}
			s.table.add(y.name)
		}
	}
	return nil
}

// stringTables builds the string tables. Each consists of its lines, followed by the names that are missing in
// them, in the order of use.
func (b *builder) stringTables() error {
	f := b.f
	names := f.nameTable()
	for _, s := range f.sections {
		if s.kind() != cubin.SectionStrTab {
			continue
		}
		e := &encoder{f: f, s: s}
		if err := e.encode(s.lines); err != nil {
			return err
		}
		s.data = e.out
		if s == names {
			for _, t := range f.sections[1:] {
				s.addString(t.name)
			}
		}
		for _, t := range f.sections {
			if t.table != nil && f.linked(t) == s {
				for _, n := range t.table.names {
					s.addString(n)
				}
			}
		}
		for _, t := range f.sections {
			if y := f.symbolsFor(t); y != nil && f.linked(y) == s {
				for l := range t.lines.all() {
					if l.keyword() == "proto" && len(l.words) == 3 && l.words[2].mark == 0 {
						s.addString(l.words[2].literal())
					}
				}
			}
		}
	}
	return nil
}

// addString appends a string to a string table that lacks it.
func (s *section) addString(text string) {
	if len(s.data) == 0 {
		s.data = []byte{0}
	}
	s.indexStrings()
	if _, ok := s.starts[text]; text != "" && !ok {
		s.data = append(append(s.data, text...), 0)
	}
}

// contents encodes the sections that are neither string tables nor symbol tables.
func (b *builder) contents() error {
	for _, s := range b.f.sections {
		if s.kind() == cubin.SectionStrTab || s.table != nil {
			continue
		}
		e := &encoder{f: b.f, s: s}
		if err := e.encode(s.lines); err != nil {
			return err
		}
		s.data = e.out
	}
	return nil
}

// symbolTables encodes the symbol tables. The size of a function is that of its section.
func (b *builder) symbolTables() error {
	for _, s := range b.f.sections {
		if s.table == nil {
			continue
		}
		e := &encoder{f: b.f, s: s}
		if impliesNull(s.lines) {
			e.out = make([]byte, cubin.SymbolSize)
		}
		if err := e.encode(s.lines); err != nil {
			return err
		}
		s.data = e.out
		if x := b.f.extendedTable(s); x != nil && x.lines == nil {
			if err := b.extendedNumbers(x, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// extendedNumbers derives .symtab_shndx of a symbol table.
func (b *builder) extendedNumbers(x, table *section) error {
	x.data = make([]byte, 4*len(table.table.names))
	at := len(table.table.names)
	for range table.lines.all() {
		at--
	}
	for l := range table.lines.all() {
		at++
		if l.keyword() != "symbol" {
			continue
		}
		y, err := b.f.symbolLine(l)
		if err != nil {
			return err
		}
		if _, extended := b.f.sectionNumber(y.section); extended {
			binary.LittleEndian.PutUint32(x.data[4*(at-1):], y.section)
		}
	}
	return nil
}

// sectionHeaders derives the remaining fields of the section headers, except for the offsets.
func (b *builder) sectionHeaders() error {
	for _, s := range b.f.sections {
		if w, ok := s.statement.value("info"); ok {
			v, err := uint64(0), error(nil)
			if w.mark == '@' {
				e := &encoder{f: b.f, s: s}
				v, err = e.number(s.statement, w)
				w = number(v).withKey("info")
			}
			if err == nil {
				err = b.f.give(s.statement, &s.record, w)
			}
			if err != nil {
				return err
			}
		}
		if s.same != nil {
			s.data = nil
		}
		for _, f := range sectionFields {
			if f.name != "offset" {
				s.record.derive(f.name, b.f.sectionDefault(s, f.name))
			}
		}
	}
	return nil
}

// places derives the offsets of the sections and of the two tables.
func (b *builder) places() error {
	f := b.f
	l := layout{cubin.HeaderSize}
	for i, s := range f.sections {
		if i > 0 {
			s.record.derive("offset", l.next(s))
			l.place(s)
		}
	}
	f.tablePlaces(l.end, !b.head.has("sectionsat"), !b.head.has("segmentsat"))
	return nil
}

// tablePlaces derives the offsets of the section table and of the program headers. They follow the sections,
// which end at end. Each table starts at a multiple of 8.
func (f *file) tablePlaces(end uint64, sections, segments bool) {
	if sections {
		f.sectionsAt = alignUp(end, 8)
	}
	if segments {
		f.segmentsAt = alignUp(end, 8)
		if len(f.sections) > 0 {
			f.segmentsAt = f.sectionsAt + uint64(len(f.sections))*cubin.SectionHeaderSize
		}
	}
}

func (l line) has(key string) bool {
	_, ok := l.value(key)
	return ok
}

// write writes all parts to their places: sections, section table, program headers and ELF header. The blocks
// come last, because they may overwrite anything.
func (b *builder) write() ([]byte, error) {
	f := b.f
	type piece struct {
		at        uint64
		data      []byte
		statement line
	}
	var pieces []piece
	for _, s := range f.sections {
		if len(s.data) > 0 {
			pieces = append(pieces, piece{s.record.get("offset"), s.data, s.statement})
		}
	}
	for i, s := range f.sections {
		pieces = append(pieces, piece{f.sectionsAt + uint64(i)*cubin.SectionHeaderSize, s.record.bytes, b.head})
	}
	for i, g := range f.segments {
		pieces = append(pieces, piece{f.segmentsAt + uint64(i)*cubin.SegmentHeaderSize, g.record.bytes, b.head})
	}
	pieces = append(pieces, piece{0, f.header.bytes, b.head})
	for _, k := range f.blocks {
		at, err := k.place(f)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{at, k.data, k.statement})
	}
	end := uint64(0)
	for _, p := range pieces {
		if p.at > maxContent || uint64(len(p.data)) > maxContent-p.at {
			return nil, p.statement.errorf("%d bytes at %#x: a text makes files of at most %d bytes", len(p.data), p.at, maxContent)
		}
		end = max(end, p.at+uint64(len(p.data)))
	}
	if f.length > maxContent {
		return nil, b.head.errorf("a text makes files of at most %d bytes", maxContent)
	}
	if !b.head.has("length") {
		f.length = end
	}
	out := make([]byte, max(end, f.length))
	for _, p := range pieces {
		copy(out[p.at:], p.data)
	}
	return out[:f.length], nil
}

// place reads the offset of a block and encodes its lines.
func (k *block) place(f *file) (uint64, error) {
	w, err := k.statement.only("an offset")
	if err != nil {
		return 0, err
	}
	at, err := k.statement.number64(w)
	if err != nil {
		return 0, err
	}
	e := &encoder{f: f}
	err = e.encode(k.lines)
	k.data = e.out
	return at, err
}
