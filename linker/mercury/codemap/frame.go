package codemap

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
)

// codeAlignment is the unit of advances in .debug_frame. Every common entry that the
// compiler emits has this value.
const codeAlignment = 4

// These are call frame instructions. If the high two bits of an instruction are not 0, they are the opcode and the low six
// bits are an operand.
const (
	frameAdvance  = 0x40 // low bits: delta
	frameOffset   = 0x80 // low bits: register; operand: offset
	frameAdvance1 = 0x02
	frameAdvance2 = 0x03
	frameAdvance4 = 0x04
)

// frameOperands lists the operands of the other instructions. They are numbers in LEB128. For some instructions an
// expression follows, preceded by its length.
var frameOperands = map[byte]frameOperand{
	0x00: {}, 0x05: {numbers: 2}, 0x06: {numbers: 1}, 0x07: {numbers: 1}, 0x08: {numbers: 1}, 0x09: {numbers: 2},
	0x0a: {}, 0x0b: {}, 0x0c: {numbers: 2}, 0x0d: {numbers: 1}, 0x0e: {numbers: 1},
	0x0f: {expression: true}, 0x10: {1, true}, 0x11: {numbers: 2}, 0x12: {numbers: 2}, 0x13: {numbers: 1},
}

// A frameOperand describes the operands of an instruction.
type frameOperand struct {
	numbers    int
	expression bool
}

// length returns the length of the operands, which begin at b.
func (o frameOperand) length(b []byte) int {
	used := 0
	for range o.numbers {
		used += leb(b[used:])
	}
	if o.expression {
		n, length := uleb(b[used:])
		used += n + int(min(length, uint64(len(b))))
	}
	return min(used, len(b))
}

// frameHead is the length of the fields before the instructions of a frame entry: ffffffff, length, common entry,
// function, and size of the function's code.
const frameHead = 4 + 8 + 8 + 8 + 8

// Frame maps a frame entry of the function in .debug_frame, in place. It changes the length of the code, and the advances
// between the places where registers are saved. The code that the entry describes begins at the offset from.
func (m Map) Frame(entry []byte, from uint64, at capsule.Place) error {
	if len(entry) < frameHead || binary.LittleEndian.Uint32(entry) != 0xffffffff {
		return at.Fail(0, "frame entry is not of 64 bits, or too short", len(entry))
	}
	size := entry[frameHead-8:]
	old, now := from, m.Offset(from) // current code offset, before and after the map
	binary.LittleEndian.PutUint64(size, m.Offset(from+binary.LittleEndian.Uint64(size))-now)
	move := func(delta uint64) uint64 {
		old += delta * codeAlignment
		before := now
		now = m.beforeParts(old)
		return (now - before) / codeAlignment
	}
	for pos := frameHead; pos < len(entry); {
		b := entry[pos+1:]
		used := 0
		switch op := entry[pos]; {
		case op&0xc0 == frameAdvance:
			entry[pos] = frameAdvance | byte(move(uint64(op&0x3f)))
		case op&0xc0 == frameOffset:
			used = leb(b)
		case op&0xc0 != 0: // restore
		case op == frameAdvance1 && len(b) >= 1:
			b[0], used = byte(move(uint64(b[0]))), 1
		case op == frameAdvance2 && len(b) >= 2:
			binary.LittleEndian.PutUint16(b, uint16(move(uint64(binary.LittleEndian.Uint16(b)))))
			used = 2
		case op == frameAdvance4 && len(b) >= 4:
			binary.LittleEndian.PutUint32(b, uint32(move(uint64(binary.LittleEndian.Uint32(b)))))
			used = 4
		default:
			operands, known := frameOperands[op]
			if !known {
				return at.Fail(pos, "unknown call frame instruction", op)
			}
			used = operands.length(b)
		}
		pos += 1 + used
	}
	return nil
}

// A frameEvent is a code offset with its frame instructions.
type frameEvent struct {
	at    uint64
	rules []byte
}

// frameEvents decodes the instructions of a frame entry. unit is the unit of its advances. If inner is set, the entry is
// one of the Mercury form, and offsets without rules are dropped, except for the last one. An entry that cannot be decoded
// has no events.
func frameEvents(entry []byte, unit int64, inner bool) []frameEvent {
	var events []frameEvent
	now := frameEvent{}
	advance := func(delta int64) {
		if len(now.rules) > 0 || !inner && now.at > 0 {
			events = append(events, now)
		}
		now = frameEvent{at: now.at + uint64(delta*unit)}
	}
	for pos := min(frameHead, len(entry)); pos < len(entry); {
		b := entry[pos+1:]
		used := 0
		switch op := entry[pos]; {
		case op == 0:
			pos++
			continue
		case op&0xc0 == frameAdvance:
			advance(int64(op & 0x3f))
			pos++
			continue
		case op == frameAdvance4 && len(b) >= 4:
			advance(int64(int32(binary.LittleEndian.Uint32(b))))
			pos += 5
			continue
		case op&0xc0 == frameOffset:
			used = leb(b)
		case op&0xc0 != 0: // restore
		default:
			operands, known := frameOperands[op]
			if !known {
				return nil
			}
			used = operands.length(b)
		}
		now.rules = append(now.rules, entry[pos:pos+1+used]...)
		pos += 1 + used
	}
	return append(events, now)
}

// AddFrames returns entry, the frame entry of code c, with the rules of the entries of replaced code added. These are
// entries of its Mercury form. nvlink keeps one table for all of them, and interprets their offsets as those of the
// prevailing code (MERC-227).
func AddFrames(c *capsule.Code, entry []byte, replaced [][]byte) []byte {
	events := frameEvents(entry, codeAlignment, false)
	added := map[uint64][]byte{} // the last rules for an offset prevail
	for _, r := range replaced {
		for _, e := range frameEvents(r, 1, true) {
			if start, ok := c.Next(e.at); ok && start.Mercury == e.at {
				added[start.Machine] = e.rules
			}
		}
	}
	for _, e := range events {
		delete(added, e.at)
	}
	if len(added) == 0 || len(events) == 0 || len(entry) < frameHead {
		return entry
	}
	for at, rules := range added {
		events = append(events, frameEvent{at, rules})
	}
	slices.SortFunc(events, func(a, b frameEvent) int { return cmp.Compare(a.at, b.at) })
	return appendFrame(entry[:frameHead], events)
}

// FrameOf returns the frame entry of code c. inner is the entry of its Mercury form (MERC-229). If an offset has several
// sets of rules, the last one prevails.
func FrameOf(c *capsule.Code, inner []byte) []byte {
	var events []frameEvent
	for _, e := range frameEvents(inner, 1, true) {
		e.at = c.Machine(e.at)
		if last := len(events) - 1; last >= 0 && events[last].at == e.at {
			events = events[:last]
		}
		events = append(events, e)
	}
	entry := appendFrame(inner[:min(frameHead, len(inner))], events)
	if len(entry) >= frameHead {
		binary.LittleEndian.PutUint64(entry[frameHead-8:], c.Size())
	}
	return entry
}

// appendFrame returns a frame entry with the given head and events. The events are in ascending order.
func appendFrame(head []byte, events []frameEvent) []byte {
	out := slices.Clone(head)
	var now uint64
	for _, e := range events {
		if e.at > now {
			out = binary.LittleEndian.AppendUint32(append(out, frameAdvance4), uint32((e.at-now)/codeAlignment))
			now = e.at
		}
		out = append(out, e.rules...)
	}
	out = append(out, make([]byte, -len(out)&7)...)
	binary.LittleEndian.PutUint64(out[4:], uint64(len(out)-12))
	return out
}
