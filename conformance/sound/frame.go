package sound

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// .debug_frame is a list of entries: for each function one that tells how to unwind its
// code (FDE), and before it one that FDEs have in common (CIE). Beside a Mercury half
// the entries of the inputs say in a wrong way where their CIE is, and a finalizer makes the
// section anew. It is then judged by what it tells of each function, not by its bytes.

const frameSection = ".debug_frame"

// Places in an entry of 64-bit DWARF.
const (
	frameCIE      = 12 // where its CIE is; all ones in a CIE
	frameLocation = 20 // of what code it speaks
	frameRange    = 28 // how long that is
	frameRules    = 36
)

// frameAddress is the relocation at the place of an FDE: R_CUDA_64.
const frameAddress = 2

// A frame is an FDE.
type frame struct {
	at  uint64 // in its section
	cie []byte
	own []byte // length of the code, and rules
}

// readFrames reads the FDEs of a section. The CIE of one is where it says or, of inputs,
// the last one before it.
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

// hasRules reports whether f says more than how long the code is.
func (f frame) hasRules() bool { return !zero(f.own[frameRules-frameRange:]) }

// checkFrames compares what is told of each function with what the input tells that
// defines it. Of one that has another name, or that another file defines too, there may be
// entries without rules (RELOC-411).
func (c *checker) checkFrames() {
	told := map[spot][]frame{} // by the place of the code
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

// checkFramesOf compares the call frames in p of the functions that its object defines.
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
		here := told[spot{e.out.Section, e.out.Value + offset}]
		several := len(here) > 1 || c.hasAlias(e)
		if several && !f.hasRules() {
			continue // an earlier link did not find the function after its alias (MERC-229)
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

// finalizeFrame makes the rules of f those of finalized code. The frame is of the code at offset, in bytes, of e.
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

// hasAlias reports whether another name stands for the code of e.
func (c *checker) hasAlias(e *entity) bool {
	return slices.ContainsFunc(c.program.entities, func(f *entity) bool { return f.alias == e })
}
