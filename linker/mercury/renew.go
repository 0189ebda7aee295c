package mercury

import (
	"bytes"
	"encoding/binary"
	"slices"
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
			record = decode(text[m.First*InstructionSize:]).shortRecord(record)
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
	{0x41, 0x09, 0x00, 0x0a}: true, // BSYNC
	{0x42, 0x07, 0x06, 0x0e}: true, // BRXU
	{0x42, 0x08, 0x00, 0x06}: true, // BSSY
	{0x42, 0x0a, 0x0a, 0x0e}: true, // CALL.REL
	{0x42, 0x10, 0x10, 0x32}: true, // FSETP with a constant
	{0x42, 0x22, 0x2a, 0x06}: true, // LDL
	{0x42, 0x22, 0x3a, 0x06}: true, // LDS
	{0x42, 0x42, 0x02, 0x06}: true, // 0x046 with a constant
	{0x41, 0x12, 0x94, 0x0a}: true, // F2F to single precision
	{0x41, 0x12, 0xb8, 0x0a}: true, // I2F to double precision, of 16, 32, 64 and 8 bits
	{0x41, 0x12, 0xbc, 0x0a}: true,
	{0x41, 0x12, 0xc0, 0x0a}: true,
	{0x41, 0x12, 0xc4, 0x0a}: true,
	{0x41, 0x12, 0xba, 0x0a}: true, // the same of uniform registers
	{0x41, 0x12, 0xbe, 0x0a}: true,
	{0x41, 0x12, 0xc2, 0x0a}: true,
	{0x41, 0x12, 0xc6, 0x0a}: true,
}

// I2F has one record for all results in 12.8, later for half precision alone.
var (
	fromBytes     = []byte{0x41, 0x12, 0x48, 0x0a}
	fromHalfWords = []byte{0x41, 0x12, 0x3c, 0x0a} // 12.8 has none
	fromWords     = []byte{0x41, 0x12, 0x40, 0x0a}
	fromLongs     = []byte{0x41, 0x12, 0x44, 0x0a} // 12.8 has none
)

// shortenProducts marks the products of integer matrices among steps that have records with their operands, and
// reports whether there are any: the Mercury form of such a one is later a short one (KIT-173).
func (c *Capsule) shortenProducts(steps []step) (found bool) {
	if !slices.ContainsFunc(steps, func(x step) bool { return x.op() == opIMMA }) {
		return false
	}
	long := newSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) > shortRecord {
			long.add(m.First)
		}
	}
	for i := range steps {
		if x := &steps[i]; x.op() == opIMMA && !x.inserted && long.has(x.old) {
			x.replaced, found = true, true
		}
	}
	return found
}

// shortRecord returns the record that x has in the capsules of later compilers, if it has had the
// given one, or none, in one of 12.8.
func (x instruction) shortRecord(early []byte) []byte {
	const (
		toHalf = 1 // in bits 75 and 76
		callTo = 0x800 | opCALLAbs
		retBy  = 0x800 | opRET
	)
	halved := x.high>>(75-64)&3 == toHalf
	switch {
	case x.low&0xfff == callTo:
		return []byte{0x42, 0x0a, 0x02, 0x0e}
	case x.low&0xfff == retBy:
		return []byte{0x42, 0x33, 0x00, 0x0e}
	case len(early) > 0:
		if laterDefaults[[shortRecord]byte(early)] || !halved && (bytes.Equal(early, fromBytes) || bytes.Equal(early, fromWords)) {
			return nil
		}
	case halved && x.low&0xfff == 0x200|opI2F:
		return fromHalfWords
	case halved && x.low&0xfff == 0x200|opI2F64:
		return fromLongs
	}
	return early
}

// withoutNOPs returns steps, of the code of c for an SM, without the NOPs behind a WARPSYNC. It takes the time of
// the NOP, where that is more than the one cycle that each instruction takes, or something needs that cycle.
func (c *Capsule) withoutNOPs(steps []step, sm int) []step {
	kept := make([]step, 0, len(steps))
	for _, m := range c.Instructions() {
		n := 0
		for n < len(steps) && steps[n].old < m.First+m.Count {
			n++
		}
		own := steps[:n]
		steps = steps[n:]
		if len(own) == 2 && own[0].takesNOP(own[1].instruction) {
			if stall := own[1].stall(); stall > 1 || !isSpare(kept, steps, int(own[0].stall()+stall), sm) {
				own[0].high += stall << scheduleStart
			}
			own[0].absorbs = true
			own = own[:1]
		}
		kept = append(kept, own...)
	}
	return append(kept, steps...)
}

// isSpare reports whether what comes later may begin a cycle sooner after what comes before, some cycles between.
func isSpare(before, later []step, between, sm int) bool {
	const longest = untilGuard + 1 // no result of fixed time takes longer
	for k, begin := 0, between; k < len(later) && begin < longest; k++ {
		x, known := newAct(later[k].instruction, sm)
		apart := begin
		for i := len(before) - 1; i >= 0 && !before[i].leaves(); i-- {
			if apart += int(before[i].stall()); apart > longest {
				break
			}
			from, alsoKnown := newAct(before[i].instruction, sm)
			if !known || !alsoKnown || apart <= x.afterFixed(&from) {
				return false
			}
		}
		begin += int(later[k].stall())
	}
	return true
}

// afterFixed is after, also of what has a fixed time before sm_120 alone: where that is not known, it is the longest.
func (x *act) afterFixed(from *act) int {
	if from.hasResults() && (from.isDouble() || from.isMatrixProduct()) && (from.writes.Overlaps(x.reads) || from.writes.Overlaps(x.writes)) {
		return untilGuard
	}
	return x.after(from)
}

// takesNOP reports whether x is a WARPSYNC for which the NOP behind it does nothing but take time.
func (x instruction) takesNOP(behind instruction) bool {
	const longest = 0xf
	return x.op() == opWARPSYNC && !x.collective() && behind.op() == opNOP &&
		behind.high>>waitMask&everyBoard == 0 && x.stall()+behind.stall() <= longest
}

// remainderLast puts the shortest of several NOPs that take time last, where early compilers have it first
// (MERC-109), and reports whether there are any.
func remainderLast(steps []step) (changed bool) {
	const longest = 0xf
	for i := 0; i < len(steps); i++ {
		n := 0
		for i+n < len(steps) && steps[i+n].op() == opNOP && steps[i+n].high>>waitMask&everyBoard == 0 && (n == 0 || steps[i+n].stall() == longest) {
			n++
		}
		if stall := steps[i].stall(); n > 1 && stall < longest {
			steps[i].high = steps[i+n-1].high
			steps[i+n-1].high -= (longest - stall) << scheduleStart
			changed = true
		}
		i += max(n-1, 0)
	}
	return changed
}
