package mercury

import "slices"

// Between the products of matrices, and before what reads them, code waits for fixed times.
// Later releases let other instructions take that time than earlier ones: NOPs, or an addition
// of nothing that never is done (KIT-055). By which rule they choose is not known. Whoever judges
// an output takes from it where they stand.

// emptyAddition is `@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ`, as far as the low half says.
const emptyAddition = 0x000000fffffff290

// takesTime reports whether x does nothing else.
func (x instruction) takesTime() bool {
	return x.isDistance() || x.low == emptyAddition
}

// spacedLike returns steps with what takes time in the places where code has it, if both are the
// same otherwise.
func spacedLike(steps []step, text []byte) (spaced []step, ok bool) {
	if len(text) == 0 || len(text)%InstructionSize != 0 {
		return nil, false
	}
	code := body(text)
	different := false
	for len(steps) > 0 || len(code) > 0 {
		switch {
		case len(steps) > 0 && len(code) > 0 && steps[0].low&0xfff == code[0].low&0xfff:
			spaced = append(spaced, steps[0])
			steps, code = steps[1:], code[1:]
		case len(steps) > 0 && steps[0].takesTime():
			steps, different = steps[1:], true
		case len(steps) > 0 && len(code) > 0 && code[0].takesTime():
			spaced = append(spaced, step{instruction: code[0], old: steps[0].old, inserted: true})
			code, different = code[1:], true
		default:
			return nil, false
		}
	}
	return spaced, different
}

// SameButSpacing reports whether two capsules have the same records, except that one may be the
// short form of another, and that what takes time has none.
func SameButSpacing(a, b []byte) bool {
	x, err := OpenCapsule(a, Place{})
	if err != nil {
		return false
	}
	y, err := OpenCapsule(b, Place{})
	if err != nil {
		return false
	}
	return slices.EqualFunc(x.withRecords(), y.withRecords(), sameRecord)
}

// withRecords lists the records of Mercury instructions.
func (c *Capsule) withRecords() (list [][]byte) {
	for _, m := range c.Instructions() {
		if m.Record != nil {
			list = append(list, m.Record)
		}
	}
	return list
}

// sameRecord compares records by the part that the short form has as well.
func sameRecord(a, b []byte) bool {
	const short, head = 0x40, 4
	if len(a) == len(b) {
		return slices.Equal(a, b)
	}
	return a[0]|short == b[0]|short && slices.Equal(a[1:head], b[1:head])
}
