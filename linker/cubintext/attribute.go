package cubintext

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Records of .nv.info and .nv.compat are written as: attr NAME VALUE.... NAME may also be the code. The format
// of a record is that of the table in nvinfo, unless format=N overrides it. A record without payload has one
// value. A payload consists of 32-bit words, some of which are symbols, followed by the bytes of hex=.... If a
// word consists of parts, each part is written with its name.

// A part is a bit field of a payload, directly after the previous part.
type part struct {
	key   string
	width int // bits
	usual uint64
}

// parts describes those payloads that have bit fields. The bit fields follow the first word.
var parts = map[nvinfo.Code][]part{
	nvinfo.ParamCBank:   {{"offset", 16, 0}, {"size", 16, 0}},
	nvinfo.KParamInfo:   {{"ordinal", 16, 0}, {"offset", 16, 0}, {"align", 8, 0}, {"space", 4, 0}, {"bank", 6, 0x1f}, {"size", 14, 0}},
	nvinfo.KParamInfoV2: {{"ordinal", 16, 0}, {"offset", 16, 0}, {"align", 8, 0}, {"space", 4, 0}, {"bank", 6, 0x1f}, {"size", 14, 0}},
}

// codeInfo is what the tables contain about a code of a section.
type codeInfo struct {
	name   string
	format nvinfo.Format
	words  nvinfo.SymbolWords
	parts  []part
}

func codeOf(s *section, code uint64) codeInfo {
	c := codeInfo{format: nvinfo.Sized}
	var format nvinfo.Format
	switch {
	case isCompat(s):
		if code < uint64(len(nvinfo.Compats)) {
			c.name, format = nvinfo.Compats[code].Name, nvinfo.Compats[code].Format
		}
	case code < uint64(len(nvinfo.Attributes)):
		a := nvinfo.Attributes[code]
		c.name, format, c.words, c.parts = a.Name, a.Format, a.Symbols, parts[nvinfo.Code(code)]
	}
	if format != 0 {
		c.format = format
	}
	return c
}

func isCompat(s *section) bool { return s != nil && s.kind() == cubin.SectionCompat }

// codeNumber finds the code with a name.
func codeNumber(s *section, name string) (uint64, bool) {
	if isCompat(s) {
		for code := range nvinfo.Compats {
			if nvinfo.Compats[code].Name == name {
				return uint64(code), true
			}
		}
		return 0, false
	}
	for code := range nvinfo.Attributes {
		if nvinfo.Attributes[code].Name == name {
			return uint64(code), true
		}
	}
	return 0, false
}

func (e *encoder) attribute(l line) error {
	if len(l.words) < 2 {
		return l.errorf("attr takes a name or a code")
	}
	w := l.words[1]
	code, ok := codeNumber(e.s, w.text)
	if !ok {
		if code, ok = parseNumber(w.text); !ok || code > 0xff {
			return l.errorAt(w, "attribute name expected, not %s", w)
		}
	}
	info := codeOf(e.s, code)
	format := uint64(info.format)
	if f, ok := l.value("format"); ok {
		var err error
		if format, err = l.number64(f); err != nil {
			return err
		}
		if format > 0xff {
			return l.errorAt(f, "a format is one byte")
		}
	}
	value, payload, err := e.attributeValue(l, nvinfo.Format(format), info)
	if err != nil {
		return err
	}
	if value > 0xffff {
		return l.errorf("%d does not fit into 16 bits", value)
	}
	e.out = append(e.out, byte(format), byte(code))
	e.out = binary.LittleEndian.AppendUint16(e.out, uint16(value))
	e.out = append(e.out, payload...)
	return nil
}

// attributeValue reads the words after the code. It returns the 16-bit value of the record, and its payload.
func (e *encoder) attributeValue(l line, format nvinfo.Format, info codeInfo) (value uint64, payload []byte, err error) {
	p := &encoder{f: e.f, s: e.s}
	var tail, packed []byte
	sized := false
	for _, w := range l.words[2:] {
		switch {
		case w.key == "" && format == nvinfo.Sized:
			err = p.value(l, w, 4)
		case w.key == "":
			value, err = e.number(l, w)
		case w.key == "length":
			value, err = l.number64(w)
			sized = true
		case w.key == "hex":
			bytes := &encoder{f: e.f, s: e.s}
			err = bytes.hex(line{number: l.number, words: []word{w, {text: w.text, column: w.column}}})
			tail = bytes.out
		case w.key != "format" && !hasPart(info.parts, w.key):
			err = l.errorAt(w, "attr %s does not take %s", l.words[1], w)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if packed, err = l.pack(info.parts); err != nil {
		return 0, nil, err
	}
	payload = append(append(p.out, packed...), tail...)
	if format == nvinfo.Sized && !sized {
		value = uint64(len(payload))
	}
	return value, payload, nil
}

func hasPart(parts []part, key string) bool {
	for _, p := range parts {
		if p.key == key {
			return true
		}
	}
	return false
}

// pack packs the values that a line gives for parts into bytes. It returns nil if the line gives none.
func (l line) pack(parts []part) ([]byte, error) {
	given := false
	for _, p := range parts {
		given = given || l.has(p.key)
	}
	if !given {
		return nil, nil
	}
	var out []byte
	var word uint64
	at := 0
	for _, p := range parts {
		v := p.usual
		if w, ok := l.value(p.key); ok {
			var err error
			if v, err = l.number64(w); err != nil {
				return nil, err
			}
			if v>>p.width != 0 {
				return nil, l.errorAt(w, "%s does not fit into %d bits", w, p.width)
			}
		}
		word |= v << at
		if at += p.width; at == 32 {
			out = binary.LittleEndian.AppendUint32(out, uint32(word))
			word, at = 0, 0
		}
	}
	return out, nil
}

// unpack prints the parts of data.
func unpack(parts []part, data []byte) []word {
	var words []word
	at := 0
	for _, p := range parts {
		v := uint64(binary.LittleEndian.Uint32(data[at/32*4:])) >> (at % 32) & (1<<p.width - 1)
		at += p.width
		if v != p.usual || p.key == "size" {
			words = append(words, number(v).withKey(p.key))
		}
	}
	return words
}

// attributes prints attributes up to the first bytes that are not an attribute.
func (p *printer) attributes(s *section) listing {
	return func(yield func(line) bool) {
		for data := s.data; len(data) > 0; {
			l, end, ok := p.attributeLine(s, data)
			if !ok || !yield(l) {
				return
			}
			data = data[end:]
		}
	}
}

// attributeLine prints the first attribute of data, and returns where it ends.
func (p *printer) attributeLine(s *section, data []byte) (l line, end int, ok bool) {
	const head = 4
	if len(data) < head {
		return l, 0, false
	}
	format, code, value := nvinfo.Format(data[0]), uint64(data[1]), binary.LittleEndian.Uint16(data[2:])
	info := codeOf(s, code)
	words := []word{bare("attr"), number(code)}
	if n, ok := codeNumber(s, info.name); ok && n == code && info.name != "" {
		words[1] = bare(info.name)
	}
	if format != info.format {
		words = append(words, number(uint64(format)).withKey("format"))
	}
	if format != nvinfo.Sized {
		if value != 0 {
			words = append(words, number(uint64(value)))
		}
		return line{words: words}, head, true
	}
	if end = head + int(value); end > len(data) {
		return l, 0, false
	}
	return line{words: append(words, p.payload(s, info, data[head:end])...)}, end, true
}

func (p *printer) payload(s *section, info codeInfo, data []byte) []word {
	le := binary.LittleEndian
	var words []word
	for i := 0; len(data) >= 4; i++ {
		if i == 1 && len(info.parts) > 0 && len(data) == bits32(info.parts) {
			return append(words, unpack(info.parts, data)...)
		}
		v := le.Uint32(data)
		symbol := info.words == nvinfo.EveryWord || i == 0 && info.words != nvinfo.NoSymbols && !(info.words == nvinfo.FirstOrZero && v == 0)
		if symbol {
			words = append(words, p.symbolNumber(s, v))
		} else {
			words = append(words, number(uint64(v)))
		}
		data = data[4:]
	}
	if len(data) > 0 {
		words = append(words, bare(hex.EncodeToString(data)).withKey("hex"))
	}
	return words
}

// bits32 returns the size of parts in bytes.
func bits32(parts []part) int {
	n := 0
	for _, p := range parts {
		n += p.width
	}
	return n / 8
}
