package sound

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// .debug_frame is a list of DWARF entries. A frame description entry (FDE) describes how to unwind one function. A
// common information entry (CIE) holds what several FDEs have in common, and precedes them. In inputs with a Mercury
// half, the offset from an FDE to its CIE is wrong, and a finalizer writes the section anew. The checker therefore
// compares the contents of the entries for each function, and not the bytes of the section.

const frameSection = ".debug_frame"

// Places in an entry of 64-bit DWARF.
const (
	frameCIE      = 12 // offset of the CIE; all ones in a CIE itself
	frameLocation = 20 // address of the code
	frameRange    = 28 // how long that is
	frameRules    = 36
)

// frameAddress is the type of the relocation for the address in an FDE: R_CUDA_64.
const frameAddress = 2

// A frame is an FDE.
type frame struct {
	at  uint64 // offset in its section
	cie []byte
	own []byte // length of the code, and rules
}

// readFrames reads the FDEs of a section. In an output the CIE of an FDE is the one at the offset in the FDE. In an
// input it is the last CIE before the FDE.
func readFrames(data []byte, inInput bool) (list []frame, err error) {
	common := map[uint64][]byte{}
	var last []byte
	for at := uint64(0); at < uint64(len(data)); {
		rest := data[at:]
		if len(rest) < frameLocation || le.Uint32(rest) != math.MaxUint32 {
			return nil, fmt.Errorf("at %#x: not an entry of 64-bit DWARF", at)
		}
		length := le.Uint64(rest[4:])
		if length < frameLocation-frameCIE || length > uint64(len(rest)-frameCIE) {
			return nil, fmt.Errorf("at %#x: an entry of %#x bytes, in %#x", at, length, len(rest))
		}
		entry := rest[:frameCIE+length]
		switch cie := le.Uint64(entry[frameCIE:]); {
		case cie == math.MaxUint64:
			last = entry
			common[at] = entry
		case len(entry) < frameRules:
			return nil, fmt.Errorf("at %#x: an entry of %#x bytes", at, len(entry))
		default:
			f := frame{at: at, cie: common[cie], own: entry[frameRange:]}
			if inInput {
				f.cie = last
			}
			if f.cie == nil {
				return nil, fmt.Errorf("at %#x: no common entry at %#x", at, cie)
			}
			list = append(list, f)
		}
		at += uint64(len(entry))
	}
	return list, nil
}

// hasRules reports whether f has unwind rules, and not only the length of the code.
func (f frame) hasRules() bool { return !zero(f.own[frameRules-frameRange:]) }

// checkFrames compares the FDEs of each function with those in the input that defines the function. If the function has
// an alias or several files define it, the output may also have FDEs without rules (RELOC-411).
func (c *checker) checkFrames() {
	told := map[spot][]frame{} // entries by the place of their code
	if i, ok := c.out.byName[frameSection]; ok {
		list, err := readFrames(c.out.data[i], false)
		if err != nil {
			c.report("frame", "readable entries", "%v", err)
			return
		}
		for _, f := range list {
			left := c.out.leftAt[spot{i, f.at + frameLocation}]
			if len(left) != 1 || int(left[0].Symbol) >= len(c.out.symbols) || left[0].Type != frameAddress {
				c.report("frame", fmt.Sprintf("an address for the entry at %#x", f.at), "%d relocations", len(left))
				continue
			}
			y := &c.out.symbols[left[0].Symbol]
			code := spot{y.Section, y.Value + uint64(left[0].Addend)}
			told[code] = append(told[code], f)
		}
	}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if p.section.Name == frameSection {
				c.checkFramesOf(p, told)
			}
		}
	}
}

// checkFramesOf compares the FDEs in p with the output, for the functions that the object of p defines.
func (c *checker) checkFramesOf(p *piece, told map[spot][]frame) {
	list, err := readFrames(p.data, true)
	if err != nil {
		c.report("frame", "readable entries in "+p.object.name, "%v", err)
		return
	}
	type code struct {
		of     *entity
		offset uint64
	}
	at := map[uint64]code{}
	for _, r := range p.relocations {
		if e := p.object.entities[r.Symbol]; e != nil && e.kind == function && !p.object.lost(r.Symbol) {
			at[r.Offset] = code{e, uint64(r.Addend)}
		}
	}
	for _, f := range list {
		e, offset := at[f.at+frameLocation].of, at[f.at+frameLocation].offset
		if e == nil || e.out == nil || !e.out.Defined() || e.object != p.object {
			continue
		}
		c.finalizeFrame(&f, e, offset)
		same := func(g frame) bool { return bytes.Equal(f.own, g.own) && bytes.Equal(f.cie, g.cie) }
		if places := e.places(); places.Moved() {
			offset = places.Offset(offset)
		}
		here := told[spot{e.out.Section, e.out.Value + offset}]
		several := len(here) > 1 || c.hasAlias(e)
		if several && !f.hasRules() {
			continue // an earlier link did not find the function, because its alias comes first (MERC-229)
		}
		if !slices.ContainsFunc(here, func(g frame) bool { return same(g) || several && !g.hasRules() }) {
			c.report("frame."+e.name, fmt.Sprintf("%x", f.own), "%d others", len(here))
		}
		for _, g := range here {
			if g.hasRules() && !same(g) && !several {
				c.report("frame."+e.name, fmt.Sprintf("%x", f.own), "%x", g.own)
			}
		}
	}
}

// finalizeFrame changes the rules of f to those of finalized code. offset is the offset in the code of e, in bytes, at
// which f begins.
func (c *checker) finalizeFrame(f *frame, e *entity, offset uint64) {
	if places := e.places(); places.Moved() {
		entry := append(make([]byte, frameRange), f.own...)
		le.PutUint32(entry, math.MaxUint32)
		if err := places.Frame(entry, offset, capsule.Place{}); err != nil {
			c.report("frame."+e.name, "rules that can follow the code", "%v", err)
		}
		f.own = entry[frameRange:]
	}
	if code := e.piece(); c.link.Target.Profile.Emit.TellsCopies && offset == 0 && code != nil && code.copy != nil { // KIT-105
		f.own = codemap.AddCopies(append(make([]byte, frameRange), f.own...), f.cie, code.data, code.copy.data)[frameRange:]
	}
}

// hasAlias reports whether e has an alias.
func (c *checker) hasAlias(e *entity) bool {
	return slices.ContainsFunc(c.program.entities, func(f *entity) bool { return f.alias == e })
}
