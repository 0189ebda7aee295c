package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Compilers before 13.0 write capsules in ways of their own, and finalizers write them anew as later
// compilers do.
//
// The capsules of 12.8 have another header (MERC-106). They also choose otherwise which machine instructions are Mercury instructions as they are, and
// which need a short record that says what they are (MERC-107). Up to 12.9 a WARPSYNC stands for two machine
// instructions: itself and a NOP, which later finalizers leave out (MERC-108).

// Renew returns a capsule of 12.8 as later compilers write it; any other is none. text is its
// machine code. What is damaged stays so, for OpenCapsule to say.
func Renew(capsule, text []byte) (renewed []byte, early bool) {
	if !isEarly(capsule) {
		return nil, false
	}
	count := binary.LittleEndian.Uint32(capsule[4:])
	head := binary.LittleEndian.AppendUint32(capsule[:4:4], capsuleForm)
	head = binary.LittleEndian.AppendUint32(head, count&^formBits)
	later := slices.Concat(head, capsule[earlyHeader:])
	c, err := OpenCapsule(later, Place{})
	if err != nil || c.Machine()*InstructionSize > len(text) {
		return later, true
	}
	var w capsuleWriter
	for _, m := range c.Instructions() {
		record := c.data[m.at : m.at+m.size]
		if m.Count == 1 && (m.size == 0 || m.size == shortRecord) {
			record = laterRecord(machine.Decode(text[m.First*InstructionSize:]), record)
		}
		w.add(record)
	}
	return w.capsule(c), true
}

// A capsuleWriter puts the Mercury instructions of a capsule together.
type capsuleWriter struct {
	bits, records []byte
	n             int
}

// add takes the record of the next instruction; empty where that is a machine instruction as it is.
func (w *capsuleWriter) add(record []byte) {
	if w.n%32 == 0 {
		w.bits = append(w.bits, 0, 0, 0, 0)
	}
	if len(record) == 0 {
		w.bits[w.n/8] |= 1 << (w.n % 8)
	}
	w.records = append(w.records, record...)
	w.n++
}

// capsule returns the capsule of all that was added, for the code of c.
func (w *capsuleWriter) capsule(c *Capsule) []byte {
	last := c.header - 4
	count := binary.LittleEndian.Uint32(c.data[last:])&formBits | uint32(w.n)
	if c.header == capsuleHeader {
		count = uint32(w.n)
	}
	head := binary.LittleEndian.AppendUint32(c.data[:last:last], count)
	return slices.Concat(head, w.bits, w.records)
}

// shortRecord is the length of a record that leaves the operands to the machine instruction.
const shortRecord = 4

// laterDefaults are the short records of 12.8 for what later compilers take as it is.
var laterDefaults = map[[shortRecord]byte]bool{
	{0x41, 0x08, 0x04, 0x0c}: true, // BSSY.RELIABLE
	{0x41, 0x09, 0x00, 0x0a}: true, // BSYNC
	{0x41, 0x09, 0x04, 0x0a}: true, // BSYNC.RELIABLE
	{0x42, 0x07, 0x06, 0x0e}: true, // BRXU
	{0x42, 0x08, 0x00, 0x06}: true, // BSSY
	{0x42, 0x0a, 0x0a, 0x0e}: true, // CALL.REL
	{0x42, 0x10, 0x0c, 0x26}: true, // DSETP of registers
	{0x42, 0x10, 0x0e, 0x26}: true, // of a uniform one
	{0x42, 0x10, 0x10, 0x32}: true, // FSETP with a constant
	{0x42, 0x10, 0x12, 0x26}: true, // of registers
	{0x42, 0x10, 0x14, 0x26}: true, // of a uniform one
	{0x42, 0x10, 0x2c, 0x26}: true, // HSETP2 of a uniform one
	{0x41, 0x1a, 0x08, 0x0a}: true, // FSET
	{0x41, 0x1f, 0x06, 0x04}: true, // IDP.2A of a uniform one
	{0x42, 0x22, 0x2a, 0x06}: true, // LDL
	{0x42, 0x22, 0x3a, 0x06}: true, // LDS
	{0x42, 0x2a, 0x08, 0x14}: true, // ULOP3 of an exclusive disjunction
	{0x42, 0x1d, 0x0e, 0x06}: true, // UIADD3 of a constant, with carries
	{0x41, 0x41, 0x0a, 0x04}: true, // VIMNMX3 of a uniform one
	{0x41, 0x42, 0x00, 0x04}: true, // VIADDMNMX of registers
	{0x42, 0x42, 0x02, 0x06}: true, // with a constant, as the last operand
	{0x42, 0x42, 0x06, 0x06}: true, // or another one
	{0x41, 0x42, 0x08, 0x04}: true, // of a uniform one
	{0x41, 0x50, 0x0a, 0x0a}: true, // MUFU.RSQ of a uniform one
	{0x41, 0x52, 0x0a, 0x0a}: true, // another function of one
	{0x41, 0x12, 0x94, 0x0a}: true, // F2F to single precision
	{0x41, 0x12, 0x96, 0x0a}: true, // of uniform ones
	{0x41, 0x12, 0xb8, 0x0a}: true, // I2F to double precision, of 16, 32, 64 and 8 bits
	{0x41, 0x12, 0xbc, 0x0a}: true,
	{0x41, 0x12, 0xc0, 0x0a}: true,
	{0x41, 0x12, 0xc4, 0x0a}: true,
	{0x41, 0x12, 0xba, 0x0a}: true, // the same of uniform registers
	{0x41, 0x12, 0xbe, 0x0a}: true,
	{0x41, 0x12, 0xc2, 0x0a}: true,
	{0x41, 0x12, 0xc6, 0x0a}: true,
}

// isLaterDefault reports whether later compilers take x as it is where 12.8 has this short record. halved: x converts to a
// format of 16 bits.
func isLaterDefault(x machine.Instr, early [shortRecord]byte, halved bool) bool {
	const (
		never = 0xf << (87 - 64) // a predicate to combine with that is !PT
		upper = 1 << (80 - 64)   // of SHF
	)
	switch early {
	case [...]byte{0x42, 0x10, 0x2e, 0x14}, [...]byte{0x42, 0x10, 0x30, 0x06}, [...]byte{0x42, 0x10, 0x32, 0x14}: // ISETP, also unsigned
		return x.High&never == never
	case [...]byte{0x41, 0x35, 0x0a, 0x04}: // SHF with a uniform register
		return x.High&upper != 0
	case [...]byte{0x41, 0x12, 0x48, 0x0a}, [...]byte{0x41, 0x12, 0x40, 0x0a}, [...]byte{0x41, 0x12, 0x46, 0x0a}: // I2F of 8, 32 and, uniform, 64 bits
		return !halved
	}
	return laterDefaults[early]
}

// laterRecords are the short records of later compilers for what 12.8 takes as it is, by the form of the operation.
var laterRecords = map[uint64][]byte{
	0x800 | sass.OpCALLAbs: {0x42, 0x0a, 0x02, 0x0e},
	0x800 | sass.OpRET:     {0x42, 0x33, 0x00, 0x0e},
	0xc00 | sass.OpIDP:     {0x41, 0x1e, 0x02, 0x04}, // IDP.4A of a uniform register
	0x200 | sass.OpULOP3:   {0x41, 0x27, 0x10, 0x04}, // a conjunction
	0xc00 | sass.OpFCHK:    {0x41, 0x14, 0x04, 0x0a},
	0xc00 | sass.OpFRND:    {0x41, 0x12, 0x90, 0x44},
}

// I2F has one record for all results in 12.8, later for half precision alone.
var (
	fromHalfWords = []byte{0x41, 0x12, 0x3c, 0x0a} // 12.8 has none
	fromLongs     = []byte{0x41, 0x12, 0x44, 0x0a} // 12.8 has none
)

// shortenProducts marks the products of integer matrices among steps that have records with their operands, and
// reports whether there are any: the Mercury form of such a one is later a short one (KIT-173).
func (c *Capsule) shortenProducts(steps []step) (found bool) {
	if !slices.ContainsFunc(steps, func(x step) bool { return x.Op() == sass.OpIMMA }) {
		return false
	}
	long := cfg.NewSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) > shortRecord {
			long.Add(m.First)
		}
	}
	for i := range steps {
		if x := &steps[i]; x.Op() == sass.OpIMMA && !x.inserted && long.Has(x.old) {
			x.replaced, found = true, true
		}
	}
	return found
}

// laterRecord returns the record that x has in the capsules of later compilers, if it has had the
// given one, or none, in one of 12.8.
func laterRecord(x machine.Instr, early []byte) []byte {
	const toHalf = 1 // in bits 75 and 76; 0: to another format of 16 bits
	halved := x.High>>(75-64)&3 <= toHalf
	switch {
	case len(early) == 0 && laterRecords[x.Low&0xfff] != nil:
		return laterRecords[x.Low&0xfff]
	case len(early) > 0:
		if isLaterDefault(x, [shortRecord]byte(early), halved) {
			return nil
		}
	case halved && x.Low&0xfff == 0x200|sass.OpI2F:
		return fromHalfWords
	case halved && x.Low&0xfff == 0x200|sass.OpI2F64:
		return fromLongs
	}
	return early
}

// withoutNOPs returns steps, of the code of c, without the NOPs after a WARPSYNC. In optimized code a NOP that waits, or
// whose time the WARPSYNC cannot take, stays; the WARPSYNC stalls for it, except for the one cycle that each instruction
// takes, which retimeEarly adds where it is needed. In other code every instruction waits for all, and the WARPSYNC stays
// as it is.
func (c *Capsule) withoutNOPs(steps []step, optimized bool) []step {
	return c.changeEach(steps, func(_ Mercury, own []step) []step {
		if len(own) != 2 || !precedesNOP(own[0].Instr, own[1].Instr) || optimized && !replacesNOP(own[0].Instr, own[1].Instr) {
			return own
		}
		if stall := own[1].Stall(); optimized && stall > 1 { // one cycle is what each instruction takes
			own[0].Instr = own[0].WithBoundedStall(own[0].Stall() + stall).YieldingIfLong()
		}
		own[0].absorbs = true
		return own[:1]
	})
}

// changeEach returns steps, of the code of c, with what change makes of those of each Mercury instruction, and those after
// the last one.
func (c *Capsule) changeEach(steps []step, change func(m Mercury, own []step) []step) []step {
	kept := make([]step, 0, len(steps))
	for _, m := range c.Instructions() {
		n := 0
		for n < len(steps) && steps[n].old < m.First+m.Count {
			n++
		}
		own := steps[:n]
		steps = steps[n:]
		kept = append(kept, change(m, own)...)
	}
	return append(kept, steps...)
}

// renewShifts writes the shifts anew that make the operand of a BAR, of one Mercury instruction with it, where early
// compilers shift the high one of two words, the low one of which is zero; it reports whether there are any (MERC-252).
func (c *Capsule) renewShifts(steps []step) (changed bool) {
	c.changeEach(steps, func(_ Mercury, own []step) []step {
		if slices.ContainsFunc(own, func(x step) bool { return x.Op() == sass.OpBAR }) {
			for i := range own {
				if low, ok := shiftOfLow(own[i].Instr); ok {
					own[i].Instr, changed = low, true
				}
			}
		}
		return own
	})
	return changed
}

// shiftOfLow returns SHF.R.U32 R, R', n, RZ for SHF.R.U32.HI R, RZ, n, R', which does the same.
func shiftOfLow(x machine.Instr) (machine.Instr, bool) {
	const (
		form, formBits = 0x819, 0xfff // with a number
		zero           = 0xff         // RZ
		right, high    = 0x116 << 8, 1 << (80 - 64)
		modifiers      = 0xfffff << 8
	)
	if x.Low&formBits != form || x.Low>>24&0xff != zero || x.High&modifiers != right {
		return x, false
	}
	low, from := x.Low&^(0xff<<24), x.High&0xff
	return machine.Word(low|from<<24, x.High&^high|zero), true
}

// withResults returns steps, of the code of c, with each B2R that reads what a BAR gave before the ENDCOLLECTIVE of that, and
// of one Mercury instruction with it, which early compilers have after it (MERC-253).
func (c *Capsule) withResults(steps []step) []step {
	moved := cfg.NewSet(len(steps)) // by place in steps, each B2R
	end := -1                       // of a Mercury instruction that gives something
	first := 0
	c.changeEach(steps, func(m Mercury, own []step) []step {
		if first == end && m.Record == nil && len(own) == 1 && own[0].Op() == sass.OpB2R {
			moved.Add(first)
		}
		first += len(own)
		if n := len(own); n > 1 && own[n-1].Op() == sass.OpENDCOLLECTIVE && slices.ContainsFunc(own, func(x step) bool { return x.Op() == sass.OpBAR }) {
			end = first
		}
		return own
	})
	out := make([]step, 0, len(steps))
	for i, x := range steps {
		if n := len(out); moved.Has(i) {
			result := step{Instr: x.Instr, old: out[n-1].old, inserted: true}
			out = slices.Insert(out, n-1, result)
			continue
		}
		out = append(out, x)
	}
	return out
}

// precedesNOP reports whether x is a WARPSYNC and next is a NOP.
func precedesNOP(x, next machine.Instr) bool {
	return x.Op() == sass.OpWARPSYNC && !x.Collective() && next.Op() == sass.OpNOP
}

// replacesNOP reports whether x can stall for NOP next, which waits for nothing.
func replacesNOP(x, next machine.Instr) bool {
	return next.WaitMask() == 0 && x.Stall()+next.Stall() <= machine.LongestStall
}

// remainderLast puts the shortest of several NOPs that take time last, where early compilers have it first, lets one
// alone beside the longest stall say of other warps what a long stall does (MERC-109), and reports whether there are any.
func remainderLast(steps []step) (changed bool) {
	fills := func(k int) bool { return k >= 0 && k < len(steps) && steps[k].Stall() == machine.LongestStall }
	for i := 0; i < len(steps); i++ {
		n := 0
		for i+n < len(steps) && steps[i+n].Op() == sass.OpNOP && steps[i+n].WaitMask() == 0 && (n == 0 || fills(i+n)) {
			n++
		}
		stall := steps[i].Stall()
		switch {
		case n == 1 && (fills(i-1) || fills(i+1)) && !steps[i].Yields():
			steps[i].Instr = steps[i].WithYield(true)
			changed = true
		case n > 1 && stall < machine.LongestStall:
			steps[i].High = steps[i+n-1].High
			steps[i+n-1].Instr = steps[i+n-1].WithStall(steps[i+n-1].Stall() - (machine.LongestStall - stall))
			changed = true
		}
		i += max(n-1, 0)
	}
	return changed
}
