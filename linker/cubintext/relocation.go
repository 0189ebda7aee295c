package cubintext

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Relocation types are written by name, R_CUDA_G64, or by number.

var relocationNumbers, relocationNames = func() (map[string]uint32, map[uint32]string) {
	numbers, names := map[string]uint32{}, map[uint32]string{}
	for t := range reloc.Types() {
		numbers[t.Name], names[t.Number] = t.Number, t.Name
	}
	return numbers, names
}()

// relocationNumber reads a relocation type.
func relocationNumber(l line, w word) (uint32, error) {
	if v, ok := relocationNumbers[w.text]; ok && w.mark == 0 {
		return v, nil
	}
	v, ok := parseNumber(w.text)
	if !ok || w.mark != 0 || w.quoted || v>>32 != 0 {
		return 0, l.errorAt(w, "relocation type expected, not %s", w)
	}
	return uint32(v), nil
}

func relocationWord(t uint32) word {
	if known, ok := relocationNames[t]; ok {
		return bare(known)
	}
	return number(uint64(t))
}

// relocation reads rel OFFSET TYPE SYMBOL [ADDEND].
func (e *encoder) relocation(l line) error {
	ws := l.positional()
	if len(ws) < 3 || len(ws) > 4 || len(ws) != len(l.words)-1 {
		return l.errorf("rel takes an offset, a type, a symbol and perhaps an addend")
	}
	var r cubin.Relocation
	var err error
	if r.Offset, err = l.number64(ws[0]); err != nil {
		return err
	}
	if r.Type, err = relocationNumber(l, ws[1]); err != nil {
		return err
	}
	if r.Symbol, err = e.symbolIndex(l, ws[2]); err != nil {
		return err
	}
	implicit := e.s != nil && e.s.kind() == cubin.SectionRel
	if len(ws) == 4 {
		if implicit {
			return l.errorAt(ws[3], "an entry of a rel section has no addend")
		}
		addend, err := l.number64(ws[3])
		if err != nil {
			return err
		}
		r.Addend = int64(addend)
	}
	if implicit {
		e.out = cubin.AppendRel(e.out, r)
	} else {
		e.out = cubin.AppendRela(e.out, r)
	}
	return nil
}

func (p *printer) relocations(s *section) listing {
	size := cubin.RelaSize
	if s.kind() == cubin.SectionRel {
		size = cubin.RelSize
	}
	if len(s.data)%size != 0 {
		return nil
	}
	le := binary.LittleEndian
	return func(yield func(line) bool) {
		for data := s.data; len(data) > 0; data = data[size:] {
			words := []word{bare("rel"), number(le.Uint64(data)), relocationWord(le.Uint32(data[8:])), p.symbolWord(s, le.Uint32(data[12:]))}
			if size == cubin.RelaSize {
				if addend := int64(le.Uint64(data[16:])); addend != 0 {
					words = append(words, signed(addend))
				}
			}
			if !yield(line{words: words}) {
				return
			}
		}
	}
}
