package sass

// An Operand is a group of registers that an instruction names: those from the one whose
// number stands in the instruction at bit At. The number of a register has eight bits, of
// a predicate three.
type Operand struct {
	Write bool // written, else read
	File  File
	At    uint8 // EveryPredicate for all of the file
	Count uint8

	Inverted bool // of a predicate: the number is seven less what stands there
}

// EveryPredicate is the place of operands that are not named: PR, all predicates at once, or those of a mask.
const EveryPredicate = 0xff

// A Form is a case of an opcode: instructions with Bits where Mask is set, of an SM from
// Since to Until, have these Operands. The guard is one of them.
type Form struct {
	Opcode       uint16
	Since, Until uint8
	Mask, Bits   Instruction
	list         uint16 // in operandLists
}

// Operands returns the operands of a form, which the caller must not change.
func (f *Form) Operands() []Operand { return operandLists[f.list] }

// FormOf returns the form of x on an SM. It is false for an instruction that is none of
// those measured: such a one may read and write anything.
func FormOf(x Instruction, sm int) (*Form, bool) {
	op := x.Opcode()
	i, end := 0, len(forms)
	for i < end { // not sort.Search: its calls take as long as the rest
		if half := (i + end) / 2; forms[half].Opcode < op {
			i = half + 1
		} else {
			end = half
		}
	}
	for ; i < len(forms) && forms[i].Opcode == op; i++ {
		if f := &forms[i]; int(f.Since) <= sm && sm <= int(f.Until) && x.matches(f.Mask, f.Bits) {
			return f, true
		}
	}
	return nil, false
}

// Uses returns the registers that x writes and those that it reads on an SM, the guard
// among them. It is false where [FormOf] is.
func Uses(x Instruction, sm int) (writes, reads Registers, known bool) {
	f, known := FormOf(x, sm)
	if !known {
		return Registers{}, Registers{}, false
	}
	writes, reads = UsesOf(f.Operands(), x, sm)
	return writes, reads, true
}

// UsesOf returns the registers that x writes and those that it reads on an SM if these are its
// operands.
func UsesOf(operands []Operand, x Instruction, sm int) (writes, reads Registers) {
	for i := range operands {
		if o := &operands[i]; o.Write {
			o.addTo(&writes, x, sm)
		} else {
			o.addTo(&reads, x, sm)
		}
	}
	return writes, reads
}

// Forms returns all forms, which the caller must not change, by opcode.
func Forms() []Form { return forms[:] }

func (o *Operand) addTo(set *Registers, x Instruction, sm int) {
	if o.At == EveryPredicate {
		for n := range uint(7) {
			set.Add(o.File, n, uint(selected(x)>>n&1))
		}
		return
	}
	bits := NumberBits(o.File, sm)
	last := uint(1)<<bits - 1
	first := uint(x.Field(uint(o.At), bits))
	if o.Inverted {
		first = last - first
	}
	if first != last { // all of a group is the zero register then, or the true predicate
		set.Add(o.File, first, uint(o.Count))
	}
}

// selected returns which of all predicates at once x is about, a bit for each: it has a mask as its
// last operand, which only an immediate number shows.
func selected(x Instruction) uint64 {
	const all, immediate, immediateAt = 1<<7 - 1, 4, 32
	if x.Opcode()>>9 == immediate {
		return x.Field(immediateAt, 7)
	}
	return all
}

// NumberBits returns how many bits the number of a register has in instructions of an SM. The
// last number is that of the zero register, or of the true predicate.
func NumberBits(file File, sm int) uint {
	switch {
	case file == Predicate || file == UniformPredicate:
		return 3
	case file == Uniform && sm < 100:
		return 6
	}
	return 8
}
