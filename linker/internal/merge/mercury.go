package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// setMercury copies the properties that y has in the Mercury half of the input to symbol.
func (in *merger) setMercury(symbol *program.Symbol, y *cubin.Symbol) {
	if half := in.object.Mercury; half != nil && int(y.Index) < len(half.Symbols) {
		m := &half.Symbols[y.Index]
		symbol.MercuryType, symbol.MercuryOther = m.Type, m.Other
		symbol.Mercury = program.MercurySymbol{Value: m.Value, Size: m.Size}
		if m.Type == cubin.SymObject {
			symbol.MercuryType = cubin.SymData
		}
	}
}

// placeCopy appends the Mercury half's copy of section i of the input to that of out. It corresponds to
// place, which appends the section itself.
func (in *merger) placeCopy(i uint32, out *program.Section) {
	if !in.HasMercury() {
		return
	}
	k, ok := in.object.Mercury.CopyOf(i)
	if !ok {
		return
	}
	s := &in.object.File.Sections[k]
	if s.Type == cubin.SectionCapMerc && out.Fn == nil { // MERC-310
		if in.log.Worst() < diag.Error { // a function with a conflict has left its code
			in.log.Add(diag.Damaged(in.object.Name, in.object.Damaged("section "+s.Name, int64(s.Offset), "capsule of no function", i)))
		}
		return
	}
	c := out.Mercury
	if c == nil {
		c = &program.Side{Name: cubin.MercuryName(in.object.File.Sections[i].Name), Type: s.Type, Flags: uint64(s.Flags), EntSize: s.EntSize}
		out.Mercury = c
	}
	size := s.Size
	if out.Bank == 0 {
		size = in.sizeOfSlots(i)
	}
	base := in.append(out, c, s, in.object.Data(k), size)
	if out.Bank == cubin.CompilerBankNumber { // truncated like the section itself (MERC-230)
		data := make([]byte, out.Size)
		copy(data, c.Bytes())
		c.SetBytes(data)
	}
	in.places[k] = place{placed, out, c, base}
}

// sectionOf returns the section of y in the input, for a relocation at p. If p is in the Mercury half, it is
// the section of that half.
func (in *merger) sectionOf(y *cubin.Symbol, p place) uint32 {
	if p.inMercury() {
		if k, ok := in.object.Mercury.CopyOf(y.Section); ok {
			return k
		}
	}
	return y.Section
}

// mergeMercuryInfo merges the records of section i, which is .nv.merc.nv.info or .nv.merc.nv.info.<function>.
func (in *merger) mergeMercuryInfo(i uint32) {
	s := &in.object.File.Sections[i]
	if s.Info == 0 {
		in.mergeModuleInfo(i)
		return
	}
	fn, _ := in.ownerOf(s)
	if fn == nil {
		return
	}
	in.pushAttributes(&fn.MercuryAttributes, slices.DeleteFunc(in.object.Attributes(i, nil), in.joinsMemory))
}
