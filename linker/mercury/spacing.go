package mercury

import "slices"

// Between the products of matrices, and before what reads them, code waits for fixed times.
// Later releases let other instructions take that time than earlier ones: NOPs, or an addition
// of nothing that never is done (KIT-055). By which rule they choose is not known. Whoever judges
// an output takes from it where they stand.

// emptyAddition is `@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ`, as far as the low half says.
const emptyAddition = 0x000000fffffff290

// emptyAdditionHigh is its high half, which counts on nothing.
const emptyAdditionHigh = 0x000fc0000fffe0ff

// longestSpace is how long an instruction stalls at most in such a place: from twelve cycles on other warps go on.
const longestSpace = 11

// space takes the time that a NOP and an instruction beside it, which stalls for longer than that, take in code
// with products of matrices, with the addition of nothing in place of the NOP (KIT-109). It reports
// whether there was any.
func space(steps []step) (changed bool) {
	if !slices.ContainsFunc(steps, func(x step) bool { return x.isMatrixProduct() }) {
		return false
	}
	for i := range steps {
		if !steps[i].isDistance() {
			continue
		}
		for _, k := range [...]int{i - 1, i + 1} {
			if k < 0 || k >= len(steps) || steps[k].stall() <= longestSpace {
				continue
			}
			x, long := &steps[i].instruction, &steps[k].instruction
			if rest := x.stall() + long.stall() - longestSpace; rest <= longestSpace {
				*long = long.stallsOn(longestSpace)
				*x = instruction{emptyAddition, emptyAdditionHigh}.stallsOn(rest)
				changed = true
			}
			break
		}
	}
	return changed
}

// stallsOn returns x with a stall during which other warps do not go on.
func (x instruction) stallsOn(cycles uint64) instruction {
	x.high = x.high&^(0x1f<<scheduleStart) | (cycles|yields)<<scheduleStart
	return x
}

// takesTime reports whether x does nothing else.
func (x instruction) takesTime() bool {
	return x.isDistance() || x.low == emptyAddition || x.isEmptyMove()
}

// isEmptyMove reports whether x moves a uniform register to itself: from 13.3 on such moves go
// (KIT-055).
func (x instruction) isEmptyMove() bool {
	const registers = 0xff
	return x.low&0xfff == uniformMove && x.low>>16&registers == x.low>>32&registers
}

// uniformMove is UMOV from a uniform register.
const uniformMove = 0xc82

// spacedLike returns steps with what takes time in the places where code has it, if both are the
// same otherwise, with the numbers that they had; nil where both are the same, or differ more.
func spacedLike(steps []step, text []byte) (spaced []step, numbers []int) {
	if len(text) == 0 || len(text)%InstructionSize != 0 {
		return nil, nil
	}
	code := body(text)
	different := false
	for number := 0; number < len(steps) || len(code) > 0; {
		switch left := number < len(steps); {
		case left && len(code) > 0 && steps[number].low&0xfff == code[0].low&0xfff && steps[number].isEmptyMove() == code[0].isEmptyMove():
			spaced, numbers = append(spaced, steps[number]), append(numbers, number)
			number, code = number+1, code[1:]
		case left && steps[number].takesTime():
			number, different = number+1, true
		case left && len(code) > 0 && code[0].takesTime():
			spaced = append(spaced, step{instruction: code[0], old: steps[number].old, inserted: true, spacing: true})
			numbers, code, different = append(numbers, number), code[1:], true
		default:
			return nil, nil
		}
	}
	if !different {
		return nil, nil
	}
	return spaced, numbers
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
