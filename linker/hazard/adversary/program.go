package adversary

import (
	"errors"
	"fmt"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

const (
	none = -1 // no scoreboard; no place in the code
	pt   = 7  // the true predicate
)

// An instruction is decoded once, before paths are followed.
type instruction struct {
	sass.Instruction
	operation     uint16
	writes, reads sass.Registers
	guard         condition
	results       int8  // scoreboard for results
	operands      int8  // scoreboard for operands
	waits         uint8 // a bit for each scoreboard
	down          int8  // the scoreboard of a DEPBAR
	left          int   // maximum number of events that may be outstanding
	stall         int
	longest       int // maximum number of cycles that matter for its outstanding events
	target        int // of a branch or call; none if it is not in the code
}

// A condition must hold for an instruction to be executed.
type condition struct {
	file    sass.File
	number  uint8 // pt: no condition
	negated bool
}

// A program is a function in the form that the adversary executes.
type program struct {
	machine hazard.Machine
	code    []instruction
	tables  map[int][]int
}

var errUnknown = errors.New("an instruction of an unknown form")

// programOf decodes a function.
func programOf(f hazard.Function) (*program, error) {
	machine, ok := hazard.MachineOf(f.SM)
	if !ok {
		return nil, fmt.Errorf("sm_%d was never measured", f.SM)
	}
	p := &program{machine: machine, tables: map[int][]int{}}
	for text := f.Text; len(text) >= sass.Size; text = text[sass.Size:] {
		x, err := decode(sass.Decode(text), len(p.code), f.SM)
		if err != nil {
			return nil, err
		}
		p.code = append(p.code, x)
	}
	most := map[uint16]int{}
	for i := range p.code {
		x := &p.code[i]
		if _, ok := most[x.operation]; !ok {
			most[x.operation] = machine.Longest(x.Instruction)
		}
		x.longest = most[x.operation]
		if t := p.code[i].target; t < 0 || t >= len(p.code) {
			p.code[i].target = none
		}
	}
	for at, targets := range f.Tables {
		for _, to := range targets {
			p.tables[int(at/sass.Size)] = append(p.tables[int(at/sass.Size)], int(to/sass.Size))
		}
	}
	return p, nil
}

// decode decodes the instruction at a place.
func decode(word sass.Instruction, at, sm int) (instruction, error) {
	x := instruction{
		Instruction: word, operation: uint16(word.Op()),
		guard:   condition{sass.Predicate, uint8(word.Field(12, 3)), word.Bit(15)},
		results: scoreboard(word.WriteBarrier()), operands: scoreboard(word.ReadBarrier()),
		waits: uint8(word.WaitMask()), down: none, stall: word.Stall(), target: none,
	}
	if x.operation == sass.OpDEPBAR {
		x.waits |= uint8(word.Field(32, 6))
		if word.Bit(47) {
			x.down, x.left = int8(word.Field(44, 3)), int(word.Field(38, 6))
		}
	}
	switch kind := word.Opcode() >> 9; {
	case x.operation == sass.OpBRA, x.operation == sass.OpWARPSYNC && word.Bit(86), x.operation == sass.OpCALLRel && kind == 4:
		x.target = at + 1 + int(distance(word, sm)/sass.Size)
	}
	form, ok := sass.FormOf(word, sm)
	if ok {
		x.writes, x.reads = sass.UsesOf(form.Operands(), word, sm)
		for _, o := range form.Operands() {
			if o.At == 12 && o.File == sass.UniformPredicate {
				x.guard.file = o.File
			}
		}
		return x, nil
	}
	switch x.operation {
	case sass.OpCALLAbs, sass.OpCALLRel, sass.OpRET: // the disassembler rejects code with only one of these
		if kind := word.Opcode() >> 9; kind == 1 || x.operation == sass.OpRET {
			x.reads.Add(sass.General, uint(word.Field(24, 8)), 2)
		}
		return x, nil
	}
	return x, errUnknown
}

func scoreboard(field int) int8 {
	if field > 5 {
		return none
	}
	return int8(field)
}

// distance returns the displacement of a branch in bytes, relative to the next instruction.
func distance(x sass.Instruction, sm int) int64 {
	if sm < 90 {
		return int64(x.Field(34, 48)) << 16 >> 16 * 4
	}
	return int64(x.Field(34, 47)<<8|x.Field(16, 8)) << 9 >> 9 * 4
}
