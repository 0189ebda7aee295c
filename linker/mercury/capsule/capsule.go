package capsule

import (
	"encoding/binary"
	"iter"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// A Capsule is a section .nv.capmerc.text.<f>: the Mercury form of function f. It accompanies the machine code
// and refers to it.
//
//	u32 section number of .text.<f>
//	u32 0xc0000001
//	u32 number of Mercury instructions
//	one bit for each, low bits first, padded to whole words
//	a record for each whose bit is 0
//
// An instruction whose bit is 1 is the machine instruction at its place. A record contains the Mercury
// instruction itself. Its first byte determines its size: 01 is 16 bytes, 02 is 32, 03 is 48; 41 and 42 are
// short forms, 4 bytes, of the first two. If the Mercury instruction expands to a number of machine
// instructions other than one, a half-word precedes the record: the number above bit 7, and 51 below. A
// half-word without a record, with 50 below, represents that many unchanged machine instructions. The last
// record is of this kind and covers the branch to itself and the padding at the end of every function.
//
// A record of 16 bytes that begins with 31, or of 32 bytes with 32, directs the scheduling of the following
// instructions in the finalizer, and represents no machine instruction. The compiler writes such records in
// kernels with "cutlass" in their names (MERC-105).
//
// A capsule therefore determines which machine instructions each Mercury instruction represents. Together they
// are all instructions of the function (MERC-101).
type Capsule struct {
	data    []byte
	n       int // number of Mercury instructions
	header  int // length of the part before the bits
	machine int
}

// The capsules of 12.8 have a header of 8 bytes (MERC-106):
//
//	u32 section number of .text.<f>
//	u32 number of Mercury instructions, and bit 30
const (
	capsuleForm   = 0xc0000001
	capsuleHeader = 12

	earlyForm   = 1 << 30 // the two highest bits of the second word are these
	earlyHeader = 8
	formBits    = 3 << 30

	countAlone  = 0x50 // low seven bits of a count: unchanged machine instructions
	countBefore = 0x51 // a record follows
	countBits   = 7    // of the kind, below the count
	maxCount    = 1<<(16-countBits) - 1

	hint     = 0x31 // a record that represents no machine instruction
	longHint = 0x32 // the same, of 32 bytes
)

// A Mercury is one Mercury instruction of a capsule.
type Mercury struct {
	// First is the number of the first machine instruction that the Mercury instruction represents. Count is
	// how many it represents.
	First, Count int
	// Record is the record of the Mercury instruction without the count, or nil for unchanged machine
	// instructions. It shares the memory of the capsule.
	Record []byte

	At   int // of the count, or of the record, in the capsule
	size int // of both; 0 if there is neither
}

// A Place is the origin of bytes, for errors.
type Place struct {
	File   string
	Part   string // the section's name
	Offset int64  // of the bytes in the file
}

// Fail returns a *cubin.FormatError for a value at offset at of the bytes.
func (p Place) Fail(at int, msg string, value any) error {
	return &cubin.FormatError{File: p.File, Part: p.Part, Offset: p.Offset + int64(at), Msg: msg, Value: value}
}

// Open checks a capsule completely. The result uses the memory of data.
func Open(data []byte, at Place) (*Capsule, error) {
	c, err := openHeader(data, at)
	if err != nil {
		return nil, err
	}
	pos := c.records()
	for i := c.n; i < (pos-c.header)*8; i++ {
		if c.taken(i) {
			return nil, at.Fail(c.header+i/8, "bits after those of the last instruction", i)
		}
	}
	for i := range c.n {
		m := Mercury{Count: 1}
		if !c.taken(i) {
			var problem string
			if m, problem = readRecord(data, pos); problem != "" {
				return nil, at.Fail(pos, problem, i)
			}
			pos += m.size
		}
		c.machine += m.Count
	}
	if pos != len(data) {
		return nil, at.Fail(pos, "bytes after the last record of a capsule", len(data)-pos)
	}
	return c, nil
}

// CheckHeader checks that a capsule has a header, and enough space for the number of instructions that the
// header gives. A link with -r checks nothing else.
func CheckHeader(data []byte, at Place) error {
	_, err := openHeader(data, at)
	return err
}

// openHeader reads the part before the records of a capsule.
func openHeader(data []byte, at Place) (*Capsule, error) {
	c := &Capsule{data: data, header: capsuleHeader}
	early := isEarly(data)
	if early {
		c.header = earlyHeader
	}
	if len(data) < c.header {
		return nil, at.Fail(0, "capsule is shorter than its header", len(data))
	}
	if form := binary.LittleEndian.Uint32(data[4:]); !early && form != capsuleForm {
		return nil, at.Fail(4, "unknown form of capsule", form)
	}
	n := binary.LittleEndian.Uint32(data[c.header-4:])
	if early {
		n &^= formBits
	}
	if uint64(n)/8 > uint64(len(data)) {
		return nil, at.Fail(c.header-4, "capsule is too short for its instructions", n)
	}
	c.n = int(n)
	if c.records() > len(data) {
		return nil, at.Fail(c.header-4, "capsule is too short for its instructions", n)
	}
	return c, nil
}

// isEarly reports whether a capsule has the header of 12.8.
func isEarly(data []byte) bool {
	return len(data) >= earlyHeader && binary.LittleEndian.Uint32(data[4:])&formBits == earlyForm
}

// taken reports whether Mercury instruction i is a machine instruction that is taken unchanged.
func (c *Capsule) taken(i int) bool { return c.data[c.header+i/8]>>(i%8)&1 == 1 }

// records returns the offset of the first record.
func (c *Capsule) records() int { return c.header + (c.n+31)/32*4 }

// Machine returns the number of machine instructions that the capsule represents.
func (c *Capsule) Machine() int { return c.machine }

// Instructions returns the Mercury instructions in order, with their numbers.
func (c *Capsule) Instructions() iter.Seq2[int, Mercury] {
	return func(yield func(int, Mercury) bool) {
		pos, machine := c.records(), 0
		for i := range c.n {
			m := Mercury{Count: 1}
			if !c.taken(i) {
				m, _ = readRecord(c.data, pos)
				pos += m.size
			}
			m.First = machine
			machine += m.Count
			if !yield(i, m) {
				return
			}
		}
	}
}

// readRecord reads the record at pos. problem describes an error in the record, and is empty if there is none.
func readRecord(data []byte, pos int) (m Mercury, problem string) {
	m = Mercury{Count: 1, At: pos}
	if pos+2 > len(data) {
		return m, "capsule ends before its last record"
	}
	count := binary.LittleEndian.Uint16(data[pos:])
	switch count & (1<<countBits - 1) {
	case countAlone:
		m.Count, m.size = int(count>>countBits), 2
		return m, ""
	case countBefore:
		m.Count, m.size = int(count>>countBits), 2
		pos += 2
	}
	if pos == len(data) {
		return m, "capsule ends inside a record"
	}
	size := 0
	switch data[pos] {
	case hint, longHint:
		if m.size > 0 {
			return m, "count before a record that stands for no machine instruction"
		}
		m.Count, size = 0, 16
		if data[pos] == longHint {
			size = 32
		}
	case 0x01:
		size = 16
	case 0x02:
		size = 32
	case 0x03:
		size = 48
	case 0x41, 0x42:
		size = 4
	default:
		return m, "unknown kind of record"
	}
	if pos+size > len(data) {
		return m, "capsule ends inside a record"
	}
	m.size += size
	m.Record = data[pos : pos+size]
	return m, ""
}

// SetText sets the number of the .text section that the capsule belongs to. capsule holds the section's bytes,
// which Open has checked.
func SetText(capsule []byte, section uint32) {
	binary.LittleEndian.PutUint32(capsule, section)
}

// An Operand is a value that a relocation writes into an instruction.
type Operand struct {
	Machine int // number of the machine instruction
	Size    int // of the value in bytes: 4, or 2 for an offset in a constant bank
	Value   uint32
}

// OperandSize returns the Size of the operand that a resolved relocation of type R_CUDA_* writes. It is 0 for
// types that are left to the driver. The value of the operand is that of the relocation: symbol plus addend.
func OperandSize(relocation uint32) int {
	switch relocation {
	case reloc.Abs32At32, reloc.ConstField22:
		return 4
	case reloc.Abs16At32, reloc.ConstField21:
		return 2
	}
	return 0
}

// Patch writes operands to the records of the Mercury instructions. The operands are in ascending order of
// their instructions. Each is written to the last word of the record, or to the low half of that word.
// Unchanged machine instructions have no record: their operands are only in the machine code. Only the two
// types for the fields of constants have been seen with records (MERC-103).
func (c *Capsule) Patch(operands []Operand) {
	for _, m := range c.Instructions() {
		for len(operands) > 0 && operands[0].Machine < m.First+m.Count {
			if field := len(m.Record) - 4; field >= 4 {
				if operands[0].Size == 2 {
					binary.LittleEndian.PutUint16(m.Record[field:], uint16(operands[0].Value))
				} else {
					binary.LittleEndian.PutUint32(m.Record[field:], operands[0].Value)
				}
			}
			operands = operands[1:]
		}
		if len(operands) == 0 {
			return
		}
	}
}
