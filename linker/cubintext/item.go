package cubintext

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// The contents of a section are items, one on each line. An item stands for some bytes. Any item may occur in
// any section. The type of a section only determines which items the printer uses.

// An encoder turns the lines of one section into bytes.
type encoder struct {
	f   *file
	s   *section // nil in a block outside the sections
	out []byte
}

// items are the keywords for contents.
var items = []string{
	"hex", "zero", "str", "text", "u8", "u16", "u32", "u64", "symbol", "nullsymbol", "rel",
	"note", "tkinfo", "cuinfo", "attr", "calls", "edge", "proto",
}

func isItem(keyword string) bool { return slices.Contains(items, keyword) }

// item appends the bytes of one line, whose keyword is one of items.
func (e *encoder) item(l line) error {
	switch l.keyword() {
	case "hex":
		return e.hex(l)
	case "zero":
		return e.zero(l)
	case "str":
		return e.str(l)
	case "text":
		return e.text(l)
	case "symbol":
		return e.symbol(l)
	case "nullsymbol":
		return e.nullSymbol(l)
	case "rel":
		return e.relocation(l)
	case "note":
		return e.note(l)
	case "tkinfo":
		return e.tkinfo(l)
	case "cuinfo":
		return e.cuinfo(l)
	case "attr":
		return e.attribute(l)
	case "calls":
		return e.calls(l)
	case "edge":
		return e.edge(l)
	case "proto":
		return e.prototype(l)
	default:
		return e.numbers(l)
	}
}

// maxContent is the maximum size in bytes that a text may request.
const maxContent = 1 << 30

func (e *encoder) encode(lines listing) error {
	for l := range lines.all() {
		if err := e.item(l); err != nil {
			return err
		}
		if len(e.out) > maxContent {
			return l.errorf("more than %d bytes", maxContent)
		}
	}
	return nil
}

// hex encodes a line of pairs of digits. Blanks may be between them.
func (e *encoder) hex(l line) error {
	for _, w := range l.words[1:] {
		if len(w.text)%2 != 0 || w.mark != 0 || w.key != "" {
			return l.errorAt(w, "pairs of hex digits expected, not %s", w)
		}
		for i := 0; i < len(w.text); i += 2 {
			high, low := hexDigit(w.text[i]), hexDigit(w.text[i+1])
			if high < 0 || low < 0 {
				return l.errorAt(w, "pairs of hex digits expected, not %s", w)
			}
			e.out = append(e.out, byte(high<<4|low))
		}
	}
	return nil
}

func hexDigit(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }

// zero encodes a line of the form zero N, which stands for N zero bytes.
func (e *encoder) zero(l line) error {
	v, err := l.only("a number of bytes")
	if err != nil {
		return err
	}
	n, err := l.number64(v)
	if err != nil {
		return err
	}
	if n > maxContent {
		return l.errorAt(v, "more than %d bytes", maxContent)
	}
	e.out = append(e.out, make([]byte, n)...)
	return nil
}

// only returns the single word after the keyword.
func (l line) only(what string) (word, error) {
	if len(l.words) != 2 || l.words[1].key != "" {
		return word{}, l.errorf("%s takes %s", l.keyword(), what)
	}
	return l.words[1], nil
}

// str encodes two kinds of lines. str has strings, each followed by a NUL. text has strings without NUL.
func (e *encoder) str(l line) error {
	for _, w := range l.words[1:] {
		e.out = append(append(e.out, w.literal()...), 0)
	}
	return nil
}

func (e *encoder) text(l line) error {
	for _, w := range l.words[1:] {
		e.out = append(e.out, w.literal()...)
	}
	return nil
}

// literal returns, as it was written, a word that is neither a name nor a number.
func (w word) literal() string {
	if w.quoted || w.key == "" && w.mark == 0 {
		return w.text
	}
	return w.String()
}

// numbers encodes lines of u8, u16, u32 and u64. They have numbers, or @symbol for the index of a symbol.
func (e *encoder) numbers(l line) error {
	width := map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8}[l.keyword()]
	for _, w := range l.words[1:] {
		if err := e.value(l, w, width); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) value(l line, w word, width int) error {
	v, err := e.number(l, w)
	if err != nil {
		return err
	}
	if width < 8 && v>>(8*width) != 0 && int64(v) < 0 && int64(v)>>(8*width-1) == -1 {
		v &= 1<<(8*width) - 1 // a negative number
	}
	if width < 8 && v>>(8*width) != 0 {
		return l.errorAt(w, "%s does not fit into %d bytes", w, width)
	}
	for i := range width {
		e.out = append(e.out, byte(v>>(8*i)))
	}
	return nil
}

// number reads a number or the index of a symbol.
func (e *encoder) number(l line, w word) (uint64, error) {
	if w.mark == 0 {
		return l.number64(w)
	}
	if w.mark == '@' {
		w.mark = 0
	}
	v, err := e.symbolIndex(l, w)
	return uint64(v), err
}

// symbolIndex resolves a symbol, which is given by name or as %index.
func (e *encoder) symbolIndex(l line, w word) (uint32, error) {
	if w.mark == '%' {
		v, ok := parseNumber(w.text)
		if !ok || v>>32 != 0 {
			return 0, l.errorAt(w, "index expected, not %s", w)
		}
		return uint32(v), nil
	}
	symbols := e.f.symbolsFor(e.s)
	if symbols == nil {
		return 0, l.errorAt(w, "no symbol table for %s", w)
	}
	switch i, ok := symbols.table.byName[w.text]; {
	case !ok:
		return 0, l.errorAt(w, "no symbol %s in %s", w, symbols.name)
	case i == twice:
		return 0, l.errorAt(w, "more than one symbol %s; use %%index", w)
	default:
		return uint32(i), nil
	}
}

// sectionIndex resolves a section, which is given by name or as %index.
func (f *file) sectionIndex(l line, w word) (uint64, error) {
	if w.mark == '%' {
		v, ok := parseNumber(w.text)
		if !ok || v>>32 != 0 {
			return 0, l.errorAt(w, "index expected, not %s", w)
		}
		return v, nil
	}
	switch s := f.named[w.text]; {
	case s == nil:
		return 0, l.errorAt(w, "no section %s", w)
	case f.twice[w.text]:
		return 0, l.errorAt(w, "more than one section %s; use %%index", w)
	default:
		return uint64(s.index), nil
	}
}

// The functions below print contents without a known structure.

// dumpBytes prints bytes as hex, 16 on each line. Long runs of zeros are printed as zero.
func dumpBytes(data []byte) listing {
	const row = 16
	return func(yield func(line) bool) {
		for rest := data; len(rest) > 0; {
			n := zeros(rest)
			l := line{words: []word{bare("zero"), number(uint64(n))}}
			if n < 2*row && (n < len(rest) || n <= row/2) {
				n = min(row, len(rest))
				l = line{words: []word{bare("hex"), bare(hex.EncodeToString(rest[:n]))}}
			}
			if !yield(l) {
				return
			}
			rest = rest[n:]
		}
	}
}

func zeros(data []byte) int {
	for i, b := range data {
		if b != 0 {
			return i
		}
	}
	return len(data)
}

// dumpCode prints instructions of 16 bytes as two words of 64 bits, as nvdisasm does. The bit numbers of
// relocation fields start at bit 0 of the first word.
func dumpCode(data []byte) listing {
	if len(data)%16 != 0 {
		return nil
	}
	return func(yield func(line) bool) {
		for rest := data; len(rest) > 0; rest = rest[16:] {
			first, second := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
			if !yield(line{words: []word{bare("u64"), bare(fmt.Sprintf("%#016x", first)), bare(fmt.Sprintf("%#016x", second))}}) {
				return
			}
		}
	}
}

// dumpStrings prints NUL-terminated strings, one on each line.
func dumpStrings(data []byte) listing {
	if len(data) == 0 || data[len(data)-1] != 0 {
		return nil
	}
	return func(yield func(line) bool) {
		for s := range bytes.SplitSeq(data[:len(data)-1], []byte{0}) {
			if !yield(line{words: []word{bare("str"), quotable(string(s))}}) {
				return
			}
		}
	}
}

// dumpNames prints a string table, several short names on each line.
func dumpNames(data []byte) listing {
	names := dumpStrings(data)
	if names == nil {
		return nil
	}
	return func(yield func(line) bool) {
		row := line{words: []word{bare("str")}}
		width := 0
		for l := range names {
			w := l.words[1]
			n := len(w.String()) + 1
			if len(row.words) > 1 && width+n > 110 {
				if !yield(row) {
					return
				}
				row.words, width = row.words[:1], 0
			}
			row.words = append(row.words, w)
			width += n
		}
		yield(row)
	}
}

// longName is the length in bytes up to which a line refers to a symbol by name. Any number of lines may refer to one symbol.
const longName = 1 << 10

// symbolWord returns the name of a symbol in the table that s links to, or the number of one with a long name.
func (p *printer) symbolWord(s *section, index uint32) word {
	if symbols := p.f.symbolsFor(s); symbols != nil && int(index) < len(symbols.table.names) {
		if n := symbols.table.names[index]; n != "" && len(n) <= longName && symbols.table.byName[n] == int(index) {
			return name(n)
		}
	}
	return number(uint64(index)).withMark('%')
}

// symbolNumber is symbolWord for a place where a number is allowed too.
func (p *printer) symbolNumber(s *section, index uint32) word {
	if w := p.symbolWord(s, index); w.mark == 0 {
		return w.withMark('@')
	}
	return number(uint64(index))
}
