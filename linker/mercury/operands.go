package mercury

// A set of registers is what an instruction reads, or what it writes. To hand out the
// scoreboards of a function anew one must know both for each of its instructions
// (operands_table.go): a result is waited for where the next one touches it.
//
// The zero register and the true predicate hold nothing, and are in no set.
type registers struct {
	r     [4]uint64 // R0-R254
	ur    [4]uint64 // UR0-UR254
	p, up uint8     // P0-P6, UP0-UP6
}

// general gives the general registers of s.
func (s registers) general() registers { return registers{r: s.r} }

func (s registers) union(t registers) registers {
	for i := range s.r {
		s.r[i] |= t.r[i]
		s.ur[i] |= t.ur[i]
	}
	s.p |= t.p
	s.up |= t.up
	return s
}

func (s registers) overlaps(t registers) bool {
	common := uint64(s.p&t.p | s.up&t.up)
	for i := range s.r {
		common |= s.r[i]&t.r[i] | s.ur[i]&t.ur[i]
	}
	return common != 0
}

// add puts count registers into s, from number first. Those behind the last do not exist.
func (s *registers) add(file registerFile, first, count uint) {
	for n := first; n < first+count; n++ {
		switch {
		case file == general && n < 255:
			s.r[n/64] |= 1 << (n % 64)
		case file == uniform && n < 255:
			s.ur[n/64] |= 1 << (n % 64)
		case file == predicate && n < 7:
			s.p |= 1 << n
		case file == uniformPredicate && n < 7:
			s.up |= 1 << n
		}
	}
}

// A registerFile is where registers stand.
type registerFile byte

const (
	general          registerFile = 'R'
	uniform          registerFile = 'U'
	predicate        registerFile = 'P'
	uniformPredicate registerFile = 'Q'
)

// An operandForm is one form of an instruction: which bits make it that form, and where
// its registers stand. Modifiers give the width of an operand, so one opcode has as many
// forms as they make a difference; a bit outside mask makes none.
//
// The operands are words such as "wR16x2": the two general registers from the one that
// the field at bit 16 names are written. "r" are read ones; the files are R, U (uniform), P
// and Q (uniform predicates). The field of a register has 8 bits, of a predicate 3.
type operandForm struct {
	mask, bits instruction
	operands   string
}

// operands gives the registers that x writes and those that it reads, the guard among
// them. It is false for an instruction of a form that was never measured: such a one may
// read and write anything.
func (x instruction) operands() (writes, reads registers, ok bool) {
	for _, f := range operandForms[x.low&0xfff] {
		if x.low&f.mask.low == f.bits.low && x.high&f.mask.high == f.bits.high {
			writes, reads = x.registers(f.operands)
			return writes, reads, true
		}
	}
	return registers{}, registers{}, false
}

// registers gathers what the operands of a form name in x.
func (x instruction) registers(operands string) (writes, reads registers) {
	number := func(i int) (n uint, next int) {
		for i < len(operands) && '0' <= operands[i] && operands[i] <= '9' {
			n = n*10 + uint(operands[i]-'0')
			i++
		}
		return n, i
	}
	for i := 0; i < len(operands); i++ { // over the space
		set := &reads
		if operands[i] == 'w' {
			set = &writes
		}
		file := registerFile(operands[i+1])
		at, count := uint(0), uint(1)
		at, i = number(i + 2)
		if i < len(operands) && operands[i] == 'x' {
			count, i = number(i + 1)
		}
		first := x.field(at)
		switch file {
		case predicate, uniformPredicate:
			set.add(file, first&7, 1)
		default:
			if first != 255 { // all of a group is the zero register then
				set.add(file, first, count)
			}
		}
	}
	return writes, reads
}

// field reads the eight bits at a position; no register's number crosses the halves.
func (x instruction) field(at uint) uint {
	if at < 64 {
		return uint(x.low >> at & 0xff)
	}
	return uint(x.high >> (at - 64) & 0xff)
}
