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

// pairAddress is the start of the record of a 64-bit address in another block of the cluster (MAPA). The second of its two machine
// instructions moves the upper half (MERC-263).
var pairAddress = []byte{0x01, 0x39, 0x10, 0x0a}

const (
	copyOperands = 10 // the half-words, in the record
	copyShift    = 6
	copyZero     = 1<<10 - 1 // RZ, in a half-word

	moveGeneral     = 0x202 // MOV to a general register from a general one
	moveUniform     = 0xc02 // from a uniform one
	opcodeBits      = 0xfff
	uniformContents = 1 << 32 // not the initial value of any register

	zero = 255 // RZ, in a machine instruction

	frameUndefined = 0x07
	frameSameValue = 0x08
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
	lowest, ok = register, c.of(register) == register
	for r, first := range c {
		if first == register && (!ok || r < lowest) {
			lowest, ok = r, true
		}
	}
	return lowest, ok
}

// rule returns the frame instruction that describes where the initial value of register is.
func (c contents) rule(register uint64) []byte {
	at, ok := c.holder(register)
	switch {
	case !ok:
		return binary.AppendUvarint([]byte{frameUndefined}, generalFirst+register)
	case at == register:
		return binary.AppendUvarint([]byte{frameSameValue}, generalFirst+register)
	}
	return binary.AppendUvarint(binary.AppendUvarint([]byte{frameRegister}, generalFirst+register), generalFirst+at)
}

// A registerMove is a move that counts.
type registerMove struct {
	at       int // index of the machine instruction
	to, from uint64
}

// moves lists the moves that m makes in code: those of a pair, that of the upper half of an address, or that of the result of a
// warp-synchronous operation. A move of zero does not count (MERC-263).
func moves(m capsule.Mercury, code []machine.Instr) (list []registerMove) {
	if i := m.First + 1; m.Count == 2 && bytes.HasPrefix(m.Record, pairAddress) && i < len(code) {
		if x := code[i]; x.Low&opcodeBits == moveGeneral && x.Low>>32&0xff != zero {
			list = append(list, registerMove{i, x.Destination(), x.Low >> 32 & 0xff})
		}
		return list
	}
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
		if from != copyZero {
			list = append(list, registerMove{at, to, from})
		}
		at++
	}
	return list
}

// copyEvents returns the frame events for the moves in code. A move overwrites what its register holds: the initial value of that
// register, or a copy of another one's. The rule of the latter is written anew, even if its value stays where it was (MERC-263).
// c is the capsule of code.
func copyEvents(c *capsule.Capsule, code []machine.Instr) (events []frameEvent) {
	now := contents{}
	for _, m := range c.Instructions() {
		for _, x := range moves(m, code) {
			first := now.of(x.to)
			if now.of(x.from) == first {
				continue // it gets its own value back, according to the moves
			}
			now[x.to] = now.of(x.from)
			if first != uniformContents {
				events = append(events, frameEvent{uint64(x.at) * machine.Size, now.rule(first)})
			}
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
