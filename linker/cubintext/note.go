package cubintext

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"

	"github.com/culink/culink/linker/cubin"
)

// A note is written as: note OWNER TYPE HEX.... The two notes that CUDA tools write have a form of their
// own.
//
// tkinfo (type 2000) consists of a format number, five offsets and five strings: the object, the tool, its
// version, its build, and its options. cuinfo (type 1000) consists of four 16-bit numbers: a format number,
// the virtual architecture, the toolkit, and flags.

const (
	noteOwner = "NVIDIA Corp"
	tkinfo    = 2000
	cuinfo    = 1000
)

// tkinfoKeys are the strings of a tkinfo note, in order.
var tkinfoKeys = []string{"object", "tool", "version", "build", "options"}

// cuinfoKeys are the numbers of a cuinfo note.
var cuinfoKeys = []string{"format", "arch", "toolkit", "flags"}

const (
	tkinfoFormat = 2
	cuinfoFormat = 2
	toolkit13    = 130
)

func (e *encoder) note(l line) error {
	if len(l.words) < 3 {
		return l.errorf("note takes an owner, a type and hex digits")
	}
	typ, err := l.number64(l.words[2])
	if err != nil {
		return err
	}
	desc := &encoder{f: e.f, s: e.s}
	if err := desc.hex(line{number: l.number, words: l.words[2:]}); err != nil {
		return err
	}
	e.out = cubin.AppendNote(e.out, l.words[1].literal(), uint32(typ), desc.out)
	return nil
}

func (e *encoder) tkinfo(l line) error {
	desc := binary.LittleEndian.AppendUint32(nil, tkinfoFormat)
	var text []byte
	for _, key := range tkinfoKeys {
		desc = binary.LittleEndian.AppendUint32(desc, uint32(len(text)))
		if w, ok := l.value(key); ok {
			text = append(text, w.literal()...)
		}
		text = append(text, 0)
	}
	if err := l.knows(tkinfoKeys); err != nil {
		return err
	}
	e.out = cubin.AppendNote(e.out, noteOwner, tkinfo, append(desc, text...))
	return nil
}

func (e *encoder) cuinfo(l line) error {
	if err := l.knows(cuinfoKeys); err != nil {
		return err
	}
	var desc []byte
	for _, key := range cuinfoKeys {
		v := e.cuinfoDefault(key)
		if w, ok := l.value(key); ok {
			var err error
			if v, err = l.number64(w); err != nil {
				return err
			}
		}
		desc = binary.LittleEndian.AppendUint16(desc, uint16(v))
	}
	e.out = cubin.AppendNote(e.out, noteOwner, cuinfo, desc)
	return nil
}

func (e *encoder) cuinfoDefault(key string) uint64 {
	switch key {
	case "format":
		return cuinfoFormat
	case "arch":
		return e.f.sm
	case "toolkit":
		return toolkit13
	}
	return 0
}

// knows refuses words that are not one of keys.
func (l line) knows(keys []string) error {
next:
	for _, w := range l.words[1:] {
		for _, key := range keys {
			if w.key == key {
				continue next
			}
		}
		return l.errorAt(w, "%s does not take %s", l.keyword(), w)
	}
	return nil
}

// notes prints notes up to the first bytes that are not a note.
func (p *printer) notes(s *section) listing {
	return func(yield func(line) bool) {
		for data := s.data; len(data) > 0; {
			l, end, ok := p.noteLine(s, data)
			if !ok || !yield(l) {
				return
			}
			data = data[end:]
		}
	}
}

// noteLine prints the first note of data, and returns where it ends.
func (p *printer) noteLine(s *section, data []byte) (l line, end uint64, ok bool) {
	le := binary.LittleEndian
	if len(data) < 12 {
		return l, 0, false
	}
	nameSize, descSize, typ := uint64(le.Uint32(data)), uint64(le.Uint32(data[4:])), le.Uint32(data[8:])
	descAt := 12 + (nameSize+3)&^3
	end = descAt + (descSize+3)&^3
	if end > uint64(len(data)) || nameSize == 0 {
		return l, 0, false
	}
	owner := string(data[12 : 12+nameSize-1])
	desc := data[descAt : descAt+descSize]
	l = line{words: append([]word{bare("note"), {text: owner, quoted: true}, number(uint64(typ))}, hexWords(desc)...)}
	for _, try := range []line{tkinfoLine(desc), p.cuinfoLine(desc)} {
		e := &encoder{f: p.f, s: s}
		if len(try.words) > 0 && e.item(try) == nil && bytes.Equal(e.out, data[:end]) {
			l = try
		}
	}
	return l, end, true
}

func hexWords(data []byte) []word {
	if len(data) == 0 {
		return nil
	}
	return []word{bare(hex.EncodeToString(data))}
}

func tkinfoLine(desc []byte) line {
	if len(desc) < 24 {
		return line{}
	}
	l := line{words: []word{bare("tkinfo")}}
	text := desc[24:]
	for _, key := range tkinfoKeys {
		s, rest, ok := bytes.Cut(text, []byte{0})
		if !ok {
			return line{}
		}
		if len(s) > 0 {
			l.words = append(l.words, word{key: key, text: string(s), quoted: true})
		}
		text = rest
	}
	return l
}

func (p *printer) cuinfoLine(desc []byte) line {
	if len(desc) != 2*len(cuinfoKeys) {
		return line{}
	}
	e := &encoder{f: p.f}
	l := line{words: []word{bare("cuinfo")}}
	for i, key := range cuinfoKeys {
		if v := uint64(binary.LittleEndian.Uint16(desc[2*i:])); v != e.cuinfoDefault(key) {
			l.words = append(l.words, number(v).withKey(key))
		}
	}
	return l
}
