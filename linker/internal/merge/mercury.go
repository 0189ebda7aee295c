package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
)

// setMercury takes what the Mercury half of the input says of y.
func (in *merger) setMercury(symbol *program.Symbol, y *cubin.Symbol) {
	if half := in.object.Mercury; half != nil && int(y.Index) < len(half.Symbols) {
		m := &half.Symbols[y.Index]
		symbol.Mercury = program.MercurySymbol{Type: m.Type, Other: m.Other, Value: m.Value, Size: m.Size}
		if m.Type == cubin.SymObject {
			symbol.Mercury.Type = cubin.SymData
		}
	}
}

// placeCopy puts the copy of section i of the input into the copy of out, as place does
// with the section itself.
func (in *merger) placeCopy(i uint32, out *program.Section) {
	if !in.Mercury {
		return
	}
	k, ok := in.object.Mercury.Copies[i]
	if !ok {
		return
	}
	s := &in.object.File.Sections[k]
	c := out.Copy
	if c == nil {
		c = &program.Section{Name: cubin.CopyName(in.object.File.Sections[i].Name), Type: s.Type, Flags: s.Flags, EntSize: s.EntSize, Bank: program.NoBank, Fn: out.Fn, Original: out, Kept: true}
		out.Copy = c
	}
	c.Align = max(c.Align, s.AddrAlign)
	base := cubin.AlignUp(c.Size, s.AddrAlign)
	if base < c.Size || base-c.Size > cubin.MaxPadding {
		in.log.Add(object.DamagedInput(in.object.Name, in.object.Damaged("section "+s.Name, 0, "alignment is too large", s.AddrAlign)))
		base = c.Size
	}
	if data := in.object.Data(k); c.Size == 0 {
		c.Data = data
	} else {
		c.Data = append(append(c.Writable(), make([]byte, base-c.Size)...), data...)
	}
	c.Size = base + s.Size
	if out.Bank == cubin.CompilerBankNumber { // cut as the section itself is (MERC-230)
		n := min(c.Size, out.Size)
		c.Data, c.Size = append(slices.Clip(c.Data[:n]), make([]byte, out.Size-n)...), out.Size
	}
	in.places[k] = place{placed, c, base}
	in.AddUserPart(c, program.UserPart{Offset: base, Size: s.Size, Align: max(s.AddrAlign, 1)})
}

// sectionOf is the section of the input that y stands in, for a relocation of target: of
// the Mercury half, if target is.
func (in *merger) sectionOf(y *cubin.Symbol, target *program.Section) uint32 {
	if target.Original != nil {
		if k, ok := in.object.Mercury.Copies[y.Section]; ok {
			return k
		}
	}
	return y.Section
}

// mergeMercuryInfo takes the records of section i, .nv.merc.nv.info or
// .nv.merc.nv.info.<function>.
func (in *merger) mergeMercuryInfo(i uint32) {
	s := &in.object.File.Sections[i]
	if s.Info == 0 {
		in.mergeModuleInfo(in.object.Infos[i])
		return
	}
	fn, _ := in.ownerOf(s)
	if fn == nil {
		return
	}
	for _, r := range in.object.Infos[i] {
		fn.Mercury.Push(&program.Attribute{Record: r, SymbolOf: in.describes})
	}
}
