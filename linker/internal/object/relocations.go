package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/reloc"
)

// nvlink ignores the plain relocations of an input with a Mercury half. Its finalizer makes them from those of the Mercury half,
// which have the same order. culink uses the plain ones, and corrects them where they contradict the others (MERC-780).

// A corrector corrects the plain relocations of an input by those of its Mercury half.
type corrector struct {
	*Object
	inner sectionMap              // from a section of the Mercury half to its relocations
	codes map[uint32]*machineCode // opened so far, by section
}

// A machineCode is the machine code of a section, and where the instructions of its Mercury form are in it.
type machineCode struct {
	text []byte
	*capsule.Code
}

// takeRelocations corrects the plain relocations of o, if it has a Mercury half.
func (o *Object) takeRelocations() {
	if !o.HasMercury() {
		return
	}
	c := corrector{o, make(sectionMap, len(o.File.Sections)), map[uint32]*machineCode{}}
	for i := range o.File.Sections {
		if s := &o.File.Sections[i]; s.Type == cubin.SectionMercRela && int(s.Info) < len(c.inner) {
			c.inner.set(s.Info, s.Index)
		}
	}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Type != cubin.SectionRela || s.Flags&cubin.FlagMercury != 0 {
			continue
		}
		if made := c.corrected(s); made != nil {
			if o.made == nil {
				o.made = map[uint32][]cubin.Relocation{}
			}
			o.made[s.Index] = made
		}
	}
}

// corrected returns the relocations of plain section s. It returns nil if nothing in them is wrong, or if the tables of the two
// halves are damaged or do not have the same entries.
func (c *corrector) corrected(s *cubin.Section) []cubin.Relocation {
	copied, ok := c.Mercury.CopyOf(s.Info)
	if !ok || c.File.Sections[copied].Type == cubin.SectionMercOptimizer { // relocations of jump tables have no plain form (MERC-210)
		return nil
	}
	k, ok := c.inner.at(copied)
	if !ok {
		return nil
	}
	target, isCode := &c.File.Sections[s.Info], c.File.Sections[copied].Type == cubin.SectionCapMerc
	isLines := target.Name == cubin.DebugLineName || target.Name == cubin.DebugSASSLineName
	plain, _ := c.File.Relocations(s.Index)
	inner, _ := c.File.Relocations(k)
	inner = slices.DeleteFunc(inner, func(r cubin.Relocation) bool { return isCode && c.isOfMercuryCode(r) || isLines && r.Type == inHead })
	if len(plain) > len(inner) {
		return nil
	}
	made := make([]cubin.Relocation, len(inner)) // the plain table may be cut short
	copy(made, plain)
	known := true // whether each entry is
	switch {
	case isCode:
		known = c.correctCode(made, inner, target.Index)
	case isLines:
		known = correctLines(made, inner, c.Data(target.Index))
	default:
		known = c.correctData(made, inner, c.placeIn(target, copied))
	}
	if slices.Equal(made, plain) || !known && len(plain) < len(made) {
		return nil
	}
	return made
}

// Types of relocations of the Mercury half.
const (
	inHead    = reloc.MercuryBase + 3 // R_MERCURY_ABS32, if it is in the header of a line program
	ofOwnCode = reloc.MercuryBase + 8 // R_MERCURY_PROG_REL32, in code
)

// isOfMercuryCode reports whether a relocation of code in its Mercury form has no plain form: a place in this code, and reserved
// shared memory or the number of columns of tensor memory, whose values the machine code has (MERC-443).
func (o *Object) isOfMercuryCode(r cubin.Relocation) bool {
	return r.Type == ofOwnCode || int(r.Symbol) < len(o.Symbols) && cubin.IsOfSystem(o.Symbols[r.Symbol].Name)
}

// code returns the code in section i, or nil if it has no capsule or a damaged one.
func (c *corrector) code(i uint32) *machineCode {
	code, known := c.codes[i]
	if !known {
		if k, ok := c.Mercury.CopyOf(i); ok && c.File.Sections[k].Type == cubin.SectionCapMerc {
			if opened, err := capsule.Open(c.Data(k), capsule.Place{}); err == nil {
				text := c.Data(i)
				code = &machineCode{text, opened.Code(text)}
			}
		}
		c.codes[i] = code
	}
	return code
}

// addend returns the addend of the plain form of a relocation. known is false if it is a place in code without a capsule.
func (c *corrector) addend(m cubin.Relocation) (addend int64, known bool) {
	switch m.Type - reloc.MercuryBase {
	case 8, 40, 41, 60, 61: // R_MERCURY_PROG_REL32 and R_MERCURY_ABS_PROG_REL*: a place in Mercury code
		if m.Addend == 0 {
			return 0, true
		}
		if int(m.Symbol) >= len(c.Symbols) {
			return 0, false
		}
		code := c.code(c.Symbols[m.Symbol].Section)
		if code == nil {
			return 0, false
		}
		if uint64(m.Addend) <= code.End() {
			return int64(code.Machine(uint64(m.Addend))), true
		}
	}
	return m.Addend, true
}

// correctCode corrects the relocations of the code in section i. known is false if it does not find out all of some entry.
func (c *corrector) correctCode(plain, inner []cubin.Relocation, i uint32) (known bool) {
	code := c.code(i)
	if code == nil {
		return false
	}
	known = true
	for k, m := range inner {
		r := &plain[k]
		place, typ, found := code.Operand(code.text, m.Offset, m.Type, r.Type)
		addend, sure := c.addend(m)
		known = known && found && sure
		if !found {
			continue
		}
		r.Offset, r.Type, r.Symbol = place, typ, m.Symbol
		if sure {
			r.Addend = addend
		}
	}
	return known
}

// placeIn returns a function that translates a place in the copy of data. known is false if the plain data has no such place. The
// slots of textures stand after the parameters (MERC-222).
func (o *Object) placeIn(target *cubin.Section, copied uint32) func(at uint64) (place uint64, known bool) {
	switch {
	case target.Name == cubin.DebugFrameName:
		return PairFrames(o.Data(target.Index), o.Data(copied)).place
	case strings.HasPrefix(target.Name, cubin.ParameterPrefix):
		start := o.SlotStart()
		return func(at uint64) (uint64, bool) { return start + at, true }
	}
	return func(at uint64) (uint64, bool) { return at, true }
}

// correctData corrects the relocations of data. known is as for correctCode.
func (c *corrector) correctData(plain, inner []cubin.Relocation, placeIn func(at uint64) (uint64, bool)) (known bool) {
	known = true
	for k, m := range inner {
		r := &plain[k]
		typ, found := capsule.PlainData(m.Type)
		place, placed := placeIn(m.Offset)
		addend, sure := c.addend(m)
		known = known && found && placed && sure
		if !found {
			continue
		}
		r.Type, r.Symbol = typ, m.Symbol
		if placed {
			r.Offset = place
		}
		if sure {
			r.Addend = addend
		}
	}
	return known
}

// correctLines corrects the relocations of a line table. They are for the begins of functions, whose order may differ between
// the halves. An entry gets the place, or the function, that is left over. known is as for correctCode.
func correctLines(plain, inner []cubin.Relocation, program []byte) (known bool) {
	places, err := codemap.LinePlaces(program)
	if err != nil {
		return false
	}
	var offsets, symbols, functions []uint64
	for k, m := range inner {
		if typ, ok := capsule.PlainData(m.Type); !ok || typ != reloc.CUDA64 || m.Addend != 0 {
			return false
		}
		functions = append(functions, uint64(m.Symbol))
		offsets, symbols = append(offsets, plain[k].Offset), append(symbols, uint64(plain[k].Symbol))
	}
	if k, place, ok := leftOver(offsets, places); ok {
		plain[k].Offset = place
	}
	if k, function, ok := leftOver(symbols, functions); ok {
		plain[k].Symbol = uint32(function)
	}
	for k := range plain {
		plain[k].Type, plain[k].Addend = reloc.CUDA64, 0
	}
	return len(plain) == 1
}

// leftOver returns which element of has is too many, and which of want is missing in has. ok is false if that is more than one of
// either.
func leftOver(has, want []uint64) (k int, value uint64, ok bool) {
	if slices.Equal(has, want) { // the usual case
		return 0, 0, false
	}
	missing := make(map[uint64]int, len(want)) // the number of elements that has still lacks, by value
	for _, v := range want {
		missing[v]++
	}
	surplus := -1
	for i, v := range has {
		switch {
		case missing[v] > 1:
			missing[v]--
		case missing[v] == 1:
			delete(missing, v)
		case surplus < 0:
			surplus = i
		default:
			return 0, 0, false
		}
	}
	for value = range missing {
	}
	if surplus < 0 || len(missing) != 1 || missing[value] != 1 {
		return 0, 0, false
	}
	return surplus, value, true
}
