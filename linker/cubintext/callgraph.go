package cubintext

import "encoding/binary"

// The call graph (.nv.callgraph) consists of marks and pairs. A mark determines the meaning of the pairs that
// follow it. There are four marks: direct calls; functions whose address is taken (taken) and functions that
// call through a pointer (indirect), both with the prototype; and functions whose address a function takes
// (references).

var callMarks = []string{1: "direct", 2: "taken", 3: "indirect", 4: "references"}

func (e *encoder) calls(l line) error {
	w, err := l.only("direct, taken, indirect or references")
	if err != nil {
		return err
	}
	for i, mark := range callMarks {
		if i > 0 && mark == w.text {
			e.out = binary.LittleEndian.AppendUint32(e.out, 0)
			e.out = binary.LittleEndian.AppendUint32(e.out, uint32(-i))
			return nil
		}
	}
	return l.errorAt(w, "calls takes direct, taken, indirect or references, not %s", w)
}

// edge encodes a line of the form edge A B. It has two symbols.
func (e *encoder) edge(l line) error {
	if len(l.words) != 3 {
		return l.errorf("edge takes two symbols")
	}
	for _, w := range l.words[1:] {
		i, err := e.symbolIndex(l, w)
		if err != nil {
			return err
		}
		e.out = binary.LittleEndian.AppendUint32(e.out, i)
	}
	return nil
}

// prototype encodes a line of the form proto SYMBOL "string". It consists of a symbol and the offset of its
// prototype in .strtab.
func (e *encoder) prototype(l line) error {
	if len(l.words) != 3 {
		return l.errorf("proto takes a symbol and a string or %%offset")
	}
	i, err := e.symbolIndex(l, l.words[1])
	if err != nil {
		return err
	}
	e.out = binary.LittleEndian.AppendUint32(e.out, i)
	w := l.words[2]
	if w.mark == '%' {
		w.mark = 0
		return e.value(l, w, 4)
	}
	symbols := e.f.symbolsFor(e.s)
	if symbols == nil {
		return l.errorf("proto needs a symbol table, whose strings have the prototype")
	}
	e.out = binary.LittleEndian.AppendUint32(e.out, uint32(stringOffset(e.f.linked(symbols), w.literal())))
	return nil
}

func (p *printer) callGraph(s *section) listing {
	le := binary.LittleEndian
	if len(s.data)%8 != 0 {
		return nil
	}
	return func(yield func(line) bool) {
		mark := 0
		for data := s.data; len(data) > 0; data = data[8:] {
			first, second := le.Uint32(data), le.Uint32(data[4:])
			var l line
			if n := -int(int32(second)); first == 0 && n > 0 && n < len(callMarks) {
				mark = n
				l.words = []word{bare("calls"), bare(callMarks[mark])}
			} else if mark == 2 || mark == 3 {
				l = p.prototypeLine(s, first, second)
			} else {
				l.words = []word{bare("edge"), p.symbolWord(s, first), p.symbolWord(s, second)}
			}
			if !yield(l) {
				return
			}
		}
	}
}

func (p *printer) prototypes(s *section) listing {
	le := binary.LittleEndian
	if len(s.data)%8 != 0 {
		return nil
	}
	return func(yield func(line) bool) {
		for data := s.data; len(data) > 0; data = data[8:] {
			if !yield(p.prototypeLine(s, le.Uint32(data), le.Uint32(data[4:]))) {
				return
			}
		}
	}
}

func (p *printer) prototypeLine(s *section, symbol, offset uint32) line {
	where := number(uint64(offset)).withMark('%')
	if symbols := p.f.symbolsFor(s); symbols != nil {
		strings := p.f.linked(symbols)
		if text, ok := stringAt(strings, uint64(offset)); ok && text != "" && stringOffset(strings, text) == uint64(offset) {
			where = word{text: text, quoted: true}
		}
	}
	return line{words: []word{bare("proto"), p.symbolWord(s, symbol), where}}
}
