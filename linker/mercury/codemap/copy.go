package codemap

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// Two kinds of Mercury instructions move registers. A copy of a register pair becomes two moves. A
// warp-synchronous operation in divergent code with a result in a uniform register ends with a move of the
// result to a general register. Later finalizers describe these moves in call frames, as if callers needed the
// initial value of each register: the value is now in another register, or lost. They describe no other
// instruction in this way (KIT-105).

// pairCopy is the start of the record of a copy between pairs. Three half-words in the record hold register
// numbers, shifted left by 6 bits: the first register of the pair, its new value, and the new value of the
// second register.
var pairCopy = []byte{0x01, 0x00, 0x0a, 0x0a}

const (
	copyOperands = 10 // the half-words, in the record
	copyShift    = 6

	moveUniform     = 0xc02 // MOV to a general register from a uniform one
	opcodeBits      = 0xfff
	uniformContents = 1 << 32 // not the initial value of any register

	frameUndefined = 0x07
	frameRegister  = 0x09
	generalFirst   = 0x5000000 // the number of R0 in debug information
)

// contents maps a register to the register whose initial value it holds. A register that holds its own initial
// value is not in the map.
type contents map[uint64]uint64

func (c contents) of(register uint64) uint64 {
	if first, ok := c[register]; ok {
		return first
	}
	return register
}

// holder returns the lowest register that holds the initial value of register. ok is false if none does.
func (c contents) holder(register uint64) (lowest uint64, ok bool) {
	for r, first := range c {
		if first == register && (!ok || r < lowest) {
			lowest, ok = r, true
		}
	}
	return lowest, ok
}

// A registerMove is a move that counts.
type registerMove struct {
	at       int // index of the machine instruction
	to, from uint64
}

// moves lists the moves that m makes in code: those of a pair, or that of the result of a warp-synchronous
// operation.
func moves(m capsule.Mercury, code []machine.Instr) (list []registerMove) {
	if m.Count > 2 || !bytes.HasPrefix(m.Record, pairCopy) {
		for i := m.First; i < min(m.First+m.Count, len(code)) && m.Count > 1; i++ {
			if x := code[i]; x.Low&opcodeBits == moveUniform {
				list = append(list, registerMove{i, x.Low >> 16 & 0xff, uniformContents})
			}
		}
		return list
	}
	operand := func(i int) uint64 {
		return uint64(binary.LittleEndian.Uint16(m.Record[copyOperands+2*i:]) >> copyShift)
	}
	at := m.First // of the move
	for i := range 2 {
		to, from := operand(0)+uint64(i), operand(1+i)
		if to == from {
			at += m.Count - 1 // there is none if it is omitted (KIT-143)
			continue
		}
		list = append(list, registerMove{at, to, from})
		at++
	}
	return list
}

// copyEvents returns the frame events for the moves in code. c is the capsule of code.
func copyEvents(c *capsule.Capsule, code []machine.Instr) (events []frameEvent) {
	now, place := contents{}, map[uint64]uint64{}
	lost := map[uint64]bool{}
	for _, m := range c.Instructions() {
		for _, x := range moves(m, code) {
			first := now.of(x.to)
			if now.of(x.from) == first {
				continue // it gets its own value back, according to the moves
			}
			now[x.to] = now.of(x.from)
			if at, moved := place[first]; lost[first] || moved && at != x.to || !moved && first != x.to {
				continue // the rule for it stays valid
			}
			rules := binary.AppendUvarint([]byte{frameUndefined}, generalFirst+first)
			if at, ok := now.holder(first); ok {
				place[first] = at
				rules = binary.AppendUvarint(binary.AppendUvarint([]byte{frameRegister}, generalFirst+first), generalFirst+at)
			} else {
				lost[first] = true
			}
			events = append(events, frameEvent{uint64(x.at) * machine.Size, rules})
		}
	}
	return events
}

// commonRules returns the instructions of a common entry, which all frame entries of the section share. The
// fields before them are: ffffffff, length, ffffffffffffffff, version, augmentation, and three numbers, of
// which the last is the return address register.
func commonRules(common []byte) []byte {
	const numbers = 4 + 8 + 8 + 2
	rest := common[min(numbers, len(common)):]
	for range 3 {
		rest = rest[leb(rest):]
	}
	return rest
}

// undefinedRegisters returns the registers that a common entry marks as undefined.
func undefinedRegisters(common []byte) map[uint64]bool {
	undefined := map[uint64]bool{}
	for rules := commonRules(common); len(rules) > 0; {
		op := rules[0]
		operands, known := frameOperands[op]
		if !known {
			break
		}
		if op == frameUndefined {
			_, register := uleb(rules[1:])
			undefined[register] = true
		}
		rules = rules[1+operands.length(rules[1:]):]
	}
	return undefined
}

// AddCopies returns a frame entry of code with rules for the moves of copies. It adds a rule only if neither
// the entry nor its common entry has it. records is the capsule of the code. Registers that the common entry
// marks as undefined, as in code for debuggers, get no rules (KIT-261).
func AddCopies(entry, common, text, records []byte) []byte {
	c, err := capsule.Open(records, capsule.Place{})
	if err != nil || len(entry) < frameHead {
		return entry
	}
	events := frameEvents(entry, codeAlignment, false)
	undefined := undefinedRegisters(common)
	copies := slices.DeleteFunc(copyEvents(c, machine.Body(text)), func(e frameEvent) bool {
		_, register := uleb(e.rules[1:])
		return undefined[register] || slices.ContainsFunc(events, func(f frameEvent) bool { return f.at == e.at && bytes.Contains(f.rules, e.rules) })
	})
	if len(copies) == 0 || len(events) == 0 {
		return entry
	}
	events = append(events, copies...)
	slices.SortStableFunc(events, func(a, b frameEvent) int { return cmp.Compare(a.at, b.at) })
	return appendFrame(entry[:frameHead], events)
}
