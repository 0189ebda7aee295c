package sound

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// From sm_100 on a cubin contains its program twice, as machine code and as Mercury code. A finalizer makes new machine
// code from the Mercury code (docs/rules.md, MERC). In an executable the machine code of a function is that of the input
// or that of the finalizer (package mercury). The finalizer moves code, and references to the moved code must change
// with it. So the checker first changes the inputs as if they already contained the moved code, and then checks
// everything else as usual.

// Kinds of code that a file contains, as flags in the low byte of e_flags.
const (
	bareKind    = 1
	capsuleKind = 2
	machineKind = 4
)

// hasMercury reports whether o contains Mercury code.
func (o *object) hasMercury() bool {
	return o.file.Flags&(bareKind|capsuleKind) != 0
}

// findKind determines whether the output must contain Mercury code. For a Mercury target it must if all inputs contain
// Mercury code (MERC-301).
func (c *checker) findKind() {
	c.mercury = c.link.Target.Mercury()
	for _, o := range c.program.objects {
		c.mercury = c.mercury && o.hasMercury()
	}
}

// finalize replaces the machine code of the inputs with the machine code that the output must have.
func (c *checker) finalize() {
	waits := c.mercury && c.waitsAtExit()
	for _, e := range c.program.entities {
		p := e.piece()
		if e.kind != function || p == nil || p.owner != e || p.section.Flags&cubin.FlagExec == 0 {
			continue
		}
		if _, changes := mercury.Retarget(p.data, nil, p.object.file.SM(), c.link.Target.Number); changes&mercury.Timing != 0 {
			p.rescheduled = true // also where nothing else is done (MERC-306)
		}
		if !c.mercury {
			continue
		}
		capsule := p.copy
		if capsule == nil || !capsule.isCapsule() {
			c.report("code."+e.name, "Mercury code in "+p.object.name, "none")
			continue
		}
		kit := c.link.Target.Profile
		f := mercury.FunctionOf(p.recordsOf(e), kit.Finalizer, kit.Current(p.object.file.SM()), c.link.Target.Number)
		f.Text, f.Capsule, f.Entry, f.Whole = p.data, capsule.data, e.isKernel(), p.object.isWhole()
		f.Partial, f.Debug, f.WaitsAtExit = c.link.Relocatable, c.link.DebugCode, waits
		result, err := mercury.Finalize(f)
		if err == nil && kit.Finalizer.FillsProducts {
			result, p.unspaced = c.spacedAsWritten(e, f, result)
		}
		switch {
		case err != nil:
			c.report("code."+e.name, "code that a finalizer can read in "+p.object.name, "%v", err)
		case result.Changes&mercury.Target != 0:
			c.report("code."+e.name, "code for "+c.link.Target.Name, "code that must not run there, and cannot be judged")
		default:
			p.rescheduled = result.Changes&(mercury.Scoreboards|mercury.Reallocated|mercury.Timing) != 0 || kit.Finalizer.WaitsAtCalls || kit.Finalizer.RenewsCode && f.From.Early || f.Stub
			c.takeFinalized(e, f, result)
		}
	}
}

// takeFinalized takes over what the finalizer made of f, the code of e, unless the output contains the code of the input.
func (c *checker) takeFinalized(e *entity, f mercury.Function, result mercury.Result) {
	p := e.piece()
	before := &given{section: p.section, places: result.Map}
	switch changed := result.Map.Moved() || result.Changes&mercury.Replaced != 0; {
	case changed && !c.standsUnmoved(e, p):
		p.given = before
		p.move(e, result)
	case changed && !result.Map.Moved():
		p.shortened = result.Capsule
	case f.Stub && !c.standsUnmoved(e, p): // MERC-260
		p.data, p.copy.data = result.Text, result.Capsule
	}
}

// recordsOf returns the attributes of e. p is the code of e.
func (p *piece) recordsOf(e *entity) (list []nvinfo.Record) {
	for i, q := range p.object.pieces {
		if q.owner == e {
			list = append(list, p.object.infos[uint32(i)]...)
		}
	}
	return list
}

// waitsAtExit reports whether the link is for debuggers. The code of such a link waits for errors at exits (MERC-123).
func (c *checker) waitsAtExit() bool {
	return c.link.DebugCode || slices.ContainsFunc(c.program.objects, func(o *object) bool {
		module := o.file.Section(".nv.merc.nv.info")
		return module != nil && slices.ContainsFunc(o.infos[module.Index], func(r nvinfo.Record) bool { return r.Code == nvinfo.GenErrbarAtExit })
	})
}

// standsUnmoved reports whether the output contains the code of e exactly as the input does. Such code is correct too,
// without the changes of the finalizer.
func (c *checker) standsUnmoved(e *entity, p *piece) bool {
	return slices.ContainsFunc(c.out.symbols, func(y cubin.Symbol) bool {
		if y.Name != e.name || y.Type != cubin.SymFunc || !y.Defined() {
			return false
		}
		got := c.out.span(y.Section, 0, p.section.Size)
		return got != nil && bytes.Equal(p.masked(got, 0), p.masked(p.data, 0))
	})
}

// move replaces p, the code of e, with the result of the finalizer. It updates the offsets in relocations, attributes
// and tables.
func (p *piece) move(e *entity, result mercury.Result) {
	p.movePlaces(e, result)
	p.places = result.Map
	section := *p.section
	section.Size = uint64(len(result.Text))
	p.section, p.data, e.size = &section, result.Text, section.Size
	p.copy.data = result.Capsule
	for i := range p.relocations {
		r := &p.relocations[i]
		r.Offset = result.Map.Offset(r.Offset)
		if p.object.entities[r.Symbol] == e && r.Addend > 0 {
			r.Addend = int64(result.Map.Offset(uint64(r.Addend)))
		}
	}
	for i, q := range p.object.pieces {
		if q.owner != e || q.plain != nil {
			continue
		}
		for k, r := range p.object.infos[uint32(i)] {
			p.object.infos[uint32(i)][k] = result.Map.Record(r)
		}
		if tables := q.tables(); len(tables) > 0 {
			q.data = bytes.Clone(q.data)
			result.Map.Words(q.data, tables)
		}
	}
}

// tables lists the offsets of the words in p, the constants of a function, that refer to places in its code. At these
// offsets the Mercury half has relocations.
func (p *piece) tables() []uint64 {
	if bank, ok := p.section.ConstantBank(); !ok || bank != 2 || p.copy == nil {
		return nil
	}
	var places []uint64
	for _, r := range p.copy.relocations {
		places = append(places, r.Offset)
	}
	return places
}

// finalizeDebug updates the debug information of the inputs for code that has moved. It drops the parts about functions
// that are not in the output.
//
// Before: matchSymbols has found the symbols of the output.
func (c *checker) finalizeDebug() {
	c.lost, c.told = map[lostLines]int{}, map[string]bool{}
	if !c.mercury {
		return
	}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if err := c.finalizePiece(p); err != nil {
				c.report("section"+p.section.Name, "a section that a finalizer can read in "+o.name, "%v", err)
			}
		}
	}
}

func (c *checker) finalizePiece(p *piece) error {
	switch p.section.Name {
	case ".debug_line", ".nv_debug_line_sass":
		return c.finalizeLines(p)
	case ".nv_debug_info_reg_sass":
		return c.finalizeRegisters(p)
	case ".debug_info", ".debug_loc":
		inner := map[uint64]uint64{} // places in the Mercury half, by the offset of the relocation
		if p.copy != nil {
			for _, r := range p.copy.relocations {
				inner[r.Offset] = uint64(r.Addend)
			}
		}
		for i := range p.relocations {
			r := &p.relocations[i]
			e := p.object.entities[r.Symbol]
			if e == nil || e.kind != function || r.Addend <= 0 {
				continue
			}
			var code *capsule.Code // the prevailing code, if that of this file is discarded
			at, ok := inner[r.Offset]
			if ok && p.object.lost(r.Symbol) {
				code = e.innerCode()
			}
			if code != nil {
				r.Addend = int64(code.Machine(at)) // MERC-124
			} else {
				r.Addend = int64(e.places().Offset(uint64(r.Addend)))
			}
		}
	}
	return nil
}

// finalizeRegisters updates the register records of p for code that has moved. Only the first record of a function
// counts. If it belongs to a discarded definition, its offsets are replaced with those of the prevailing code
// (MERC-126).
func (c *checker) finalizeRegisters(p *piece) error {
	var inner []byte
	if p.copy != nil {
		inner = p.copy.data
	}
	p.data = bytes.Clone(p.data)
	policy := mercury.RegisterPolicyOf(c.link.Target.Profile)
	return codemap.Registers(p.data, inner, capsule.Place{}, policy, func(name string, _ int) codemap.Outcome {
		e := c.linkedFunction(name)
		if c.told[name] || e == nil {
			return codemap.Outcome{}
		}
		c.told[name] = true
		outcome := codemap.Outcome{Kept: true, Map: e.places()}
		if i := slices.Index(p.object.entities, e); i >= 0 && p.object.lost(uint32(i)) {
			outcome.Replaced = e.innerCode()
		}
		return outcome
	})
}

// places returns the map from old to new offsets in the code of e.
func (e *entity) places() codemap.Map {
	if p := e.piece(); p != nil {
		return p.places
	}
	return codemap.Map{}
}

// linkedFunction finds the first function called name that is in the output.
func (c *checker) linkedFunction(name string) *entity {
	i := slices.IndexFunc(c.program.entities, func(e *entity) bool {
		return e.kind == function && e.name == name && e.out != nil && e.out.Defined()
	})
	if i < 0 {
		return nil
	}
	return c.program.entities[i]
}

// finalizeLines rebuilds the line programs of p for the functions in the output. The lines of a discarded definition may
// be dropped or may describe the prevailing definition instead (MERC-117).
func (c *checker) finalizeLines(p *piece) error {
	at := map[uint64]fixup{}
	for _, r := range p.relocations {
		at[r.Offset] = r
	}
	data, places, err := codemap.Lines(p.data, c.lineCopy(p), capsule.Place{}, c.link.Target.Profile.Emit.EndsEmptyLines, func(offset uint64) codemap.Outcome {
		r, ok := at[offset]
		if !ok {
			return codemap.Outcome{}
		}
		e, lost := p.object.entities[r.Symbol], p.object.lost(r.Symbol)
		if e == nil || e.kind != function {
			return codemap.Outcome{Kept: true}
		}
		if e.out == nil || lost && !c.keepsLines(p, e) {
			return codemap.Outcome{}
		}
		outcome := codemap.Outcome{Map: e.places(), Number: e.out.Index, Kept: true, Unfound: c.standsBehindAlias(e)}
		if lost {
			outcome.Replaced = e.innerCode()
		}
		return outcome
	})
	if err != nil {
		return err
	}
	var kept []fixup
	for _, r := range slices.Concat(p.relocations, p.headFixups()) {
		if offset, ok := places.Offset(r.Offset); ok {
			r.Offset = offset
			kept = append(kept, r)
		}
	}
	section := *p.section
	section.Size = uint64(len(data))
	p.section, p.data, p.relocations = &section, data, kept
	return nil
}

// lineCopy returns the copy of line table p in the Mercury half.
func (c *checker) lineCopy(p *piece) codemap.LineCopy {
	if p.copy == nil {
		return codemap.LineCopy{}
	}
	numbers := map[uint64]uint32{}
	for _, r := range p.copy.relocations {
		if e := p.object.entities[r.Symbol]; e != nil && e.out != nil {
			numbers[r.Offset] = e.out.Index
		}
	}
	return codemap.LineCopy{Section: p.copy.data, Number: func(relocation uint64) uint32 { return numbers[relocation] }}
}

// headFixups returns the relocations in the headers of the line programs of p. Only the copy of p in the Mercury half
// has relocations there.
func (p *piece) headFixups() (list []fixup) {
	if p.copy == nil {
		return nil
	}
	plainTypes := map[uint32]uint32{ // types of data relocations outside the Mercury half, by their types inside
		reloc.MercuryAbs64: reloc.CUDA64,
		reloc.MercuryAbs32: reloc.CUDA32,
	}
	own, inner := lineHeads(p.data), lineHeads(p.copy.data)
	for i := range min(len(own), len(inner)) {
		for _, r := range p.copy.relocations {
			typ, ok := plainTypes[r.Type]
			if offset := r.Offset - inner[i].from; ok && r.Offset >= inner[i].from && offset < own[i].size {
				r.Type, r.Offset = typ, own[i].from+offset
				list = append(list, r)
			}
		}
	}
	return list
}

// A lineHead is the header of a line program.
type lineHead struct{ from, size uint64 }

// lineHeads finds the headers in a line table. It stops at the first header that it cannot read.
func lineHeads(data []byte) (list []lineHead) {
	const lengths = 10 // size of the program's length, its version and the length of its header
	for at := uint64(0); uint64(len(data))-at >= lengths; {
		list = append(list, lineHead{at, lengths + uint64(le.Uint32(data[at+6:]))})
		size := 4 + uint64(le.Uint32(data[at:]))
		if size > uint64(len(data))-at {
			break
		}
		at += size
	}
	return list
}

// standsBehindAlias reports whether an alias of e precedes e in the symbol table of the output. Up to 13.4 (KIT-104),
// nvlink then does not find the place to which the code of e has moved (MERC-118).
func (c *checker) standsBehindAlias(e *entity) bool {
	return !c.link.Target.Profile.Emit.FindsBehindAliases && slices.ContainsFunc(c.program.entities, func(f *entity) bool {
		return f.alias == e && f.out != nil && f.out.Index < e.out.Index
	})
}

// innerCode returns the code of e as its Mercury form describes it, or nil if the Mercury form cannot be read.
func (e *entity) innerCode() *capsule.Code {
	p := e.piece()
	if p == nil || p.copy == nil || !p.copy.isCapsule() {
		return nil
	}
	capsule, err := capsule.Open(p.copy.data, capsule.Place{})
	if err != nil {
		return nil
	}
	return capsule.Code(p.data)
}

// keepsLines reports whether the output keeps a reference to e in the lines of p for a discarded definition of e. It
// does if the lines refer to e more often than those of the prevailing definition. Each call counts one reference, so
// keepsLines must be called once for each reference.
func (c *checker) keepsLines(p *piece, e *entity) bool {
	key := lostLines{p.section.Name, e}
	left, counted := c.lost[key]
	if !counted {
		for _, l := range c.out.relocations[c.out.byName[p.section.Name]] {
			if l.Symbol == e.out.Index {
				left++
			}
		}
		for _, q := range e.object.pieces {
			for _, r := range q.relocations {
				if q.section.Name == p.section.Name && e.object.entities[r.Symbol] == e {
					left--
				}
			}
		}
	}
	c.lost[key] = left - 1
	return left > 0
}

// lostLines is a key for the lines of one section about discarded definitions of one function.
type lostLines struct {
	section string
	of      *entity
}

var le = binary.LittleEndian
