package mercury

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

// withTwoAdds takes IADD where it does, and reports whether that is anywhere.
func withTwoAdds(steps []step) (changed bool) {
	for i := range steps {
		x := &steps[i]
		if x.op() == opIADD3 && x.high&addsTwoMask == addsTwo {
			x.replaced, changed = true, true
			x.low = x.low&^0x1ff | opIADD
			x.high = x.high&^addsTwo | addsTwoIADD
		}
	}
	return changed
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
