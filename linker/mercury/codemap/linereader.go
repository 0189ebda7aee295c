package codemap

import (
	"encoding/binary"

	"github.com/culink/culink/linker/mercury/capsule"
)

// Standard opcodes of a line program, which are below its opcode base, and its extended opcodes.
const (
	lineExtended   = 0
	lineCopy       = 1
	lineAdvancePC  = 2
	lineAdvance    = 3
	lineConstAddPC = 8
	lineFixedAdd   = 9

	lineEndSequence = 1
	lineSetAddress  = 2
	lineMark        = 0x92 // marks the start and end of parts without a source line
)

// lineHead is the length of the part of a header before the line program's own parameters: length, version,
// length of the header.
const lineHead = 4 + 2 + 4

// A lineProgram is a decoded program of a section.
type lineProgram struct {
	at        int    // in the section
	head      []byte // the part before its instructions
	sequences []lineSequence

	lineBase, lineRange, base int    // parameters
	lengths                   []byte // numbers of operands of the instructions below base
}

// A lineSequence contains the rows of one function.
type lineSequence struct {
	section    []byte // the section with its instructions
	located    bool   // its address is set
	at         int    // offset in the section of the instruction that sets the address
	relocation uint64 // of the address
	steps      []lineStep
	end        []byte // the instruction that ends it; empty if there is none
	last       lineStep
}

// A lineStep is a row of the table, or an instruction that is kept unchanged.
type lineStep struct {
	at   uint64 // address of a row in the old code; of an instruction, its offset in the section
	line int64  // of the row, relative to the first
	size uint32 // of an instruction
	kind stepKind
}

// A stepKind is the kind of a [lineStep].
type stepKind uint8

const (
	lineRow         stepKind = iota
	specialRow               // a row of an instruction that also moves address and line
	silentAddress            // an intermediate address without a row
	silentRow                // an address and a line without a row, before a kept instruction
	keptInstruction          // an instruction that is kept unchanged
)

func (s *lineStep) isRow() bool { return s.kind <= specialRow }

// instruction returns the instruction that step keeps, or nil if step is a row.
func (s *lineSequence) instruction(step *lineStep) []byte {
	if step.kind != keptInstruction {
		return nil
	}
	return s.section[step.at:][:step.size]
}

// A lineReader reads the programs of a section, one by one.
type lineReader struct {
	section  []byte
	pos, end int // in section: the current offset, and the end of the program
	place    capsule.Place
	skims    bool // the steps are not kept

	lineProgram // the last program read
	steps       []lineStep
	now         lineSequence // the sequence being read
	first       int          // its first step
	said        bool         // it has a step
	address     uint64
	line        int64
	advanced    bool // the last instruction moved the address
	moved       bool // an instruction since the last row moved address or line
}

func (r *lineReader) fail(msg string, value any) error { return r.place.Fail(r.pos, msg, value) }

// program reads the program at pos and moves to the next one. It discards the previous program.
func (r *lineReader) program() error {
	b := r.section[r.pos:]
	if len(b) < lineHead+5 {
		return r.fail("line program is shorter than its header", len(b))
	}
	length, version := uint64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint16(b[4:])
	if length+4 > uint64(len(b)) || length+4 < lineHead+5 {
		return r.fail("line program is longer than its section", length)
	}
	if version != 2 && version != 3 { // the compiler of 13.5 writes 3
		return r.fail("unknown version of a line program", version)
	}
	head := uint64(binary.LittleEndian.Uint32(b[6:])) + lineHead
	r.steps = r.steps[:0]
	r.lineProgram = lineProgram{at: r.pos, sequences: r.sequences[:0], lineBase: int(int8(b[12])), lineRange: int(b[13]), base: int(b[14])}
	if head > length+4 || head < lineHead+5+uint64(r.base)-1 || r.lineRange == 0 || r.base <= lineFixedAdd {
		return r.fail("line program with a wrong header", head)
	}
	r.head, r.lengths = b[:head], b[lineHead+5:lineHead+5+r.base-1]
	r.end = r.pos + int(length) + 4
	r.pos += int(head)
	r.begin()
	for r.pos < r.end {
		if err := r.step(); err != nil {
			return err
		}
	}
	r.finish(nil)
	return nil
}

// begin starts a sequence.
func (r *lineReader) begin() {
	r.now, r.address, r.line = lineSequence{section: r.section}, 0, 0
	r.first, r.said, r.moved = len(r.steps), false, false
}

// finish ends a sequence, unless it is empty.
func (r *lineReader) finish(end []byte) {
	r.now.steps, r.now.end, r.now.last = r.steps[r.first:], end, lineStep{at: r.address, line: r.line}
	if end != nil || r.now.located || r.said {
		r.sequences = append(r.sequences, r.now)
	}
	r.begin()
}

func (r *lineReader) add(step lineStep) {
	r.said = true
	if !r.skims {
		r.steps = append(r.steps, step)
	}
}

func (r *lineReader) row(kind stepKind) {
	r.add(lineStep{at: r.address, line: r.line, kind: kind})
	r.moved = false
}

// keep adds the instruction of the given size at pos unchanged. If the address or line moved before it,
// that move is added first (KIT-133).
func (r *lineReader) keep(size int) {
	if r.moved {
		r.row(silentRow)
	}
	r.add(lineStep{at: uint64(r.pos), size: uint32(size), kind: keptInstruction})
}

// step reads one instruction.
func (r *lineReader) step() error {
	op, b := r.section[r.pos], r.section[r.pos+1:r.end]
	size := 1
	advanced := r.advanced
	r.advanced = op == lineAdvancePC
	special := int(op) - r.base
	switch {
	case special >= 0:
		r.address += uint64(special / r.lineRange)
		r.line += int64(r.lineBase + special%r.lineRange)
		r.row(specialRow)
	case op == lineExtended:
		return r.extended()
	case op == lineCopy:
		r.row(lineRow)
	case op == lineAdvancePC:
		if advanced {
			r.row(silentAddress)
		}
		n, v := sleb(b) // signed, as nvlink writes it; DWARF's is unsigned
		r.address += uint64(v)
		r.moved = true
		size += n
	case op == lineAdvance:
		n, v := sleb(b)
		r.line += v
		r.moved = true
		size += n
	case op == lineConstAddPC:
		r.address += uint64((255 - r.base) / r.lineRange)
		r.moved = true
	case op == lineFixedAdd:
		if len(b) < 2 {
			return r.fail("line program ends inside an instruction", op)
		}
		r.address += uint64(binary.LittleEndian.Uint16(b))
		r.moved = true
		size += 2
	default:
		for range r.lengths[op-1] {
			size += leb(r.section[r.pos+size : r.end])
		}
		r.keep(size)
	}
	r.pos += size
	return nil
}

// extended reads an extended instruction: 0, length, opcode, operands.
func (r *lineReader) extended() error {
	n, length := uleb(r.section[r.pos+1 : r.end])
	operand := r.pos + 1 + n + 1
	end := uint64(r.pos+1+n) + length
	if length == 0 || end > uint64(r.end) {
		return r.fail("line program ends inside an instruction", length)
	}
	b := r.section[r.pos:end]
	switch r.section[operand-1] {
	case lineSetAddress:
		if r.now.located || r.said {
			r.finish(nil)
		}
		r.begin()
		r.now.located, r.now.at, r.now.relocation = true, r.pos, uint64(operand)
		r.keep(len(b))
	case lineEndSequence:
		r.finish(b)
	default:
		r.keep(len(b))
	}
	r.pos = int(end)
	return nil
}
