package mercury

import "github.com/culink/culink/linker/sass"

// From sm_120 on there is an addition of two numbers, IADD, beside the one of three. Later
// finalizers take it where the third is zero and nothing is carried (KIT-043).

const opIADD = 0x035

// firstTwoAdd is the first architecture with IADD.
const firstTwoAdd = 120

// What IADD3 says of the third number and of carries when there is none, and what IADD has there.
// The sign of the first number, and that the second is uniform, stay.
const (
	addsTwo     = 0x07ffe0ff
	addsTwoMask = (1<<scheduleStart - 1) &^ (1<<(72-64) | 1<<(91-64))
	addsTwoIADD = 0x078e0000
)

// withTwoAdds takes IADD where it does, and reports whether that is anywhere. sm is what the code
// was compiled for.
func withTwoAdds(steps []step, sm int) (changed bool) {
	for i := range steps {
		x := &steps[i]
		if x.op() == opIADD3 && x.high&addsTwoMask == addsTwo {
			x.replaced, changed = true, true
		}
	}
	if !changed {
		return false
	}
	for i := range steps {
		stallForAdds(steps[:i], steps[i], sm)
	}
	for i := range steps {
		if x := &steps[i]; x.replaced {
			x.low = x.low&^0x1ff | opIADD
			x.high = x.high&^addsTwo | addsTwoIADD
		}
	}
	return true
}

// stallForAdds lets what stands before x stall so long that x comes no earlier than the cycles of
// an addition after what it needs, where one of both becomes an IADD and both have fixed times (KIT-102).
func stallForAdds(before []step, x step, sm int) {
	_, reads, known := registersOf(x.instruction, sm)
	if !known || !x.hasFixedTime() {
		return
	}
	reads = reads.Only(sass.General)
	for i, since := len(before)-1, uint64(0); i >= 0; i-- {
		from := before[i]
		since += from.high >> scheduleStart & 0xf
		if since >= addCycles || from.branches() {
			return
		}
		writes, _, known := registersOf(from.instruction, sm)
		if !known {
			return
		}
		if (x.replaced || from.replaced) && from.hasFixedTime() && since == addCycles-1 && writes.Overlaps(reads) {
			before[len(before)-1].stallMore()
			return
		}
	}
}

// addCycles is how many cycles after its operands IADD comes, and its result after it.
const addCycles = 5

// hasFixedTime reports whether nothing counts x, which is no access to memory, conversion or double precision.
func (x instruction) hasFixedTime() bool {
	const firstCounted = 0x100
	return x.op() < firstCounted && x.queue() == 0 && x.writes() == noScoreboard && x.reads() == noScoreboard
}

// stallMore lets x stall for a cycle more. From three cycles on other warps may go on, but for what is counted.
func (x *instruction) stallMore() {
	x.high += 1 << scheduleStart
	if x.high>>scheduleStart&0xf == 3 && x.writes() == noScoreboard && x.reads() == noScoreboard {
		x.high &^= yields << scheduleStart
	}
}

// addRecord is the Mercury form of IADD: it refers to the machine instruction for its operands.
func addRecord(x instruction) []byte {
	switch x.low >> 9 & 7 {
	case 4: // a number in the instruction
		return []byte{0x42, 0x0c, 0x42, 0x06}
	case 6: // a uniform register
		return []byte{0x41, 0x0c, 0x44, 0x04}
	}
	return []byte{0x41, 0x0c, 0x40, 0x04}
}
