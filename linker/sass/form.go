package sass

// An Operand is a group of consecutive registers in an instruction. Bit At is the first bit of the number of
// the first register. That number has eight bits for a register, and three for a predicate.
type Operand struct {
	Write bool // written; otherwise read
	File  File
	At    uint8 // EveryPredicate for the whole file
	Count uint8

	Inverted bool // of a predicate: the number is seven less the bits at At
}

// EveryPredicate is the place of implicit operands. These are PR, which stands for all predicates together, or
// the predicates in a mask.
const EveryPredicate = 0xff

// A Form is a case of an opcode. It holds for instructions of an SM from Since to Until that have Bits where
// Mask is set. They have these Operands, which include the guard.
type Form struct {
	Opcode       uint16
	Since, Until uint8
	Mask, Bits   Instruction
	list         uint16 // in operandLists
}

// Operands returns the operands of a form. The caller must not change them.
func (f *Form) Operands() []Operand { return operandLists[f.list] }

// FormOf returns the form of x on an SM. ok is false for an instruction that was not measured. Such an
// instruction may read and write any registers.
func FormOf(x Instruction, sm int) (*Form, bool) {
	if !x.fetches(sm) {
		return measured(x, sm)
	}
	for y := range x.withOtherMasks {
		if f, ok := measured(y, sm); ok {
			return f, true
		}
	}
	return nil, false
}

// measured returns the form in the table that x has.
func measured(x Instruction, sm int) (*Form, bool) {
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

// Uses returns the registers that x writes and those that it reads on an SM, including the guard. known is
// false if [FormOf] does not know x.
func Uses(x Instruction, sm int) (writes, reads Registers, known bool) {
	f, known := FormOf(x, sm)
	if !known {
		return Registers{}, Registers{}, false
	}
	writes, reads = UsesOf(f.Operands(), x, sm)
	return writes, reads, true
}

// UsesOf returns the registers that x writes and reads on an SM, given its operands.
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

// Forms returns all forms, sorted by opcode. The caller must not change them.
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
	if first == last { // the whole group is the zero register, or the true predicate
		return
	}
	count := uint(o.Count)
	if o.Write && o.File == General && x.fetches(sm) {
		count = x.components(o)
	}
	set.Add(o.File, first, count)
}

// selected returns a bit for each predicate that x uses, if x uses all predicates together. The last operand
// of x is a mask. It is known only if it is an immediate.
func selected(x Instruction) uint64 {
	const all, immediate, immediateAt = 1<<7 - 1, 4, 32
	if x.Opcode()>>9 == immediate {
		return x.Field(immediateAt, 7)
	}
	return all
}

// NumberBits returns the number of bits of a register number in instructions of an SM. The highest number is
// the zero register, or the true predicate.
func NumberBits(file File, sm int) uint {
	switch {
	case file == Predicate || file == UniformPredicate:
		return 3
	case file == Uniform && sm < 100:
		return 6
	}
	return 8
}
