package cubintext

import (
	"encoding/binary"
	"encoding/hex"
)

// Records of .nv.info and .nv.compat: attr CODE VALUE... A record is a format byte,
// a code byte and 16 bits, which are the value (formats 1 to 3) or the size of the
// payload that follows (format 4). The payload is words of 32 bits, and bytes of
// hex=... behind them.

const formatSized = 4

func (e *encoder) attribute(l line) error {
	if len(l.words) < 2 {
		return l.errorf("attr takes a code")
	}
	code, err := l.number64(l.words[1])
	if err != nil {
		return err
	}
	format := uint64(formatSized)
	if w, ok := l.value("format"); ok {
		if format, err = l.number64(w); err != nil {
			return err
		}
	}
	if code > 0xff || format > 0xff {
		return l.errorf("code and format are one byte each")
	}
	payload := &encoder{f: e.f, s: e.s}
	value := uint64(0)
	haveSize := false
	for _, w := range l.words[2:] {
		switch w.key {
		case "format":
		case "size":
			if value, err = l.number64(w); err != nil {
				return err
			}
			haveSize = true
		case "hex":
			if err := payload.hex(line{number: l.number, words: []word{w, {text: w.text, column: w.column}}}); err != nil {
				return err
			}
		case "":
			if format == formatSized {
				err = payload.value(l, w, 4)
			} else {
				value, err = e.number(l, w)
			}
			if err != nil {
				return err
			}
		default:
			return l.errorAt(w, "attr does not take %s", w)
		}
	}
	if format == formatSized && !haveSize {
		value = uint64(len(payload.out))
	}
	if value > 0xffff {
		return l.errorf("%d does not fit into 16 bits", value)
	}
	e.out = append(e.out, byte(format), byte(code))
	e.out = binary.LittleEndian.AppendUint16(e.out, uint16(value))
	e.out = append(e.out, payload.out...)
	return nil
}

func (p *printer) attributes(s *section) []line {
	le := binary.LittleEndian
	var lines []line
	for data := s.data; len(data) > 0; {
		if len(data) < 4 {
			return nil
		}
		format, code, value := data[0], data[1], le.Uint16(data[2:])
		words := []word{bare("attr"), number(uint64(code))}
		data = data[4:]
		if format != formatSized {
			words = append(words, number(uint64(format)).withKey("format"))
			if value != 0 {
				words = append(words, number(uint64(value)))
			}
			lines = append(lines, line{words: words})
			continue
		}
		if int(value) > len(data) {
			return nil
		}
		payload := data[:value]
		data = data[value:]
		for ; len(payload) >= 4; payload = payload[4:] {
			words = append(words, number(uint64(le.Uint32(payload))))
		}
		if len(payload) > 0 {
			words = append(words, bare(hex.EncodeToString(payload)).withKey("hex"))
		}
		lines = append(lines, line{words: words})
	}
	return lines
}
