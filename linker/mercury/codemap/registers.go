package codemap

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
)

// Registers maps .nv_debug_info_reg_sass, which lists the code ranges in which a PTX variable is held in a
// register:
//
//	name of the function, NUL, u32 number of entries, then for each
//	u32, name of the variable, NUL, u32 register, u32 begin, u32 end
//
// It changes section in place. become returns the outcome of a function, given its name and the offset of
// its record (MERC-116). A range that began at a dropped instruction begins at the last kept instruction
// before it. A range that began or ended at an instruction before which others were inserted does so at that
// instruction (KIT-995). The ranges of a dropped function are set to zero. If a weak function has several records, the
// ranges of all but the first are set to zero. If that first record describes a discarded definition, its
// ranges in the Mercury form are read from inner, the copy of the section in the Mercury half (MERC-126).
func Registers(section, inner []byte, at capsule.Place, policy RegisterPolicy, become func(function string, offset int) Outcome) error {
	for pos := 0; pos < len(section); {
		begin := pos
		name, entries, next, err := registerEntries(section, pos, at)
		if err != nil {
			return err
		}
		pos = next
		switch o := become(string(name), begin); {
		case !o.Kept:
			for _, e := range entries {
				clear(e.places)
			}
		case o.Replaced != nil:
			moveReplaced(entries, innerEntries(inner, begin, name, len(entries)), o.Replaced, policy)
		default:
			for _, e := range entries {
				binary.LittleEndian.PutUint32(e.places, uint32(o.Map.stayed(uint64(e.begin()))))
				binary.LittleEndian.PutUint32(e.places[registerEnd:], uint32(o.Map.own(uint64(e.end()))))
			}
		}
	}
	return nil
}

// A RegisterPolicy holds how releases differ for the registers of discarded definitions.
type RegisterPolicy struct {
	Paired     bool // an entry whose end is not found has no begin (KIT-440)
	AfterPause bool // an entry begins after the NOPs that follow an instruction (KIT-441)
}

// A registerEntry is the code range in which a variable is held in a register.
type registerEntry struct {
	variable []byte
	register uint32
	places   []byte // two words, begin and end
}

const (
	registerEnd    = 4 // of the word for the end, in the places of an entry
	registerPlaces = 8 // bytes of both words
)

func (e *registerEntry) begin() uint32 { return binary.LittleEndian.Uint32(e.places) }
func (e *registerEntry) end() uint32   { return binary.LittleEndian.Uint32(e.places[registerEnd:]) }

// registerEntries reads the record at pos and returns the offset of the next one.
func registerEntries(section []byte, pos int, at capsule.Place) (name []byte, entries []registerEntry, next int, err error) {
	early := func() error { return at.Fail(pos, "record of registers ends early", len(section)-pos) }
	name, next, ok := cutName(section, pos, 4)
	if !ok {
		return nil, nil, 0, early()
	}
	count := binary.LittleEndian.Uint32(section[next:])
	for pos = next + 4; count > 0; count-- {
		variable, next, ok := cutName(section, pos+4, 4+registerPlaces)
		if !ok {
			return nil, nil, 0, early()
		}
		pos = next + 4 + registerPlaces
		entries = append(entries, registerEntry{variable, binary.LittleEndian.Uint32(section[next:]), section[next+4 : pos]})
	}
	return name, entries, pos, nil
}

// innerEntries reads the copy of a function's record that has count entries. It returns nil if the copy
// has a different record there.
func innerEntries(inner []byte, pos int, name []byte, count int) []registerEntry {
	copied, entries, _, err := registerEntries(inner, pos, capsule.Place{})
	if err != nil || !bytes.Equal(copied, name) || len(entries) != count {
		return nil
	}
	return entries
}

// moveReplaced maps the entries of a discarded definition to the prevailing one. An offset is mapped to
// the instruction at the same offset of the Mercury form, or to zero if there is none. Both halves list
// each entry once, but in different orders. Both lists are therefore sorted by variable, by register, and
// then by offset.
func moveReplaced(entries, inner []registerEntry, stays *capsule.Code, policy RegisterPolicy) {
	order := func(a, b registerEntry) int {
		return cmp.Or(bytes.Compare(a.variable, b.variable), cmp.Compare(a.register, b.register), cmp.Compare(a.begin(), b.begin()), cmp.Compare(a.end(), b.end()))
	}
	slices.SortStableFunc(entries, order)
	slices.SortStableFunc(inner, order)
	for i, e := range entries {
		var begin, end uint64
		if inner != nil && bytes.Equal(inner[i].variable, e.variable) && inner[i].register == e.register {
			begin, end = registerPlacesIn(stays, &inner[i], policy)
			if policy.Paired && end == 0 {
				begin = 0
			}
		}
		binary.LittleEndian.PutUint32(e.places, uint32(begin))
		binary.LittleEndian.PutUint32(e.places[registerEnd:], uint32(end))
	}
}

// registerPlacesIn returns the offsets in code of the instructions at the begin and end of an entry of the
// Mercury half. Each is 0 if no instruction begins there. If the Mercury instruction is several machine
// instructions, the offset is that of the last one.
func registerPlacesIn(code *capsule.Code, e *registerEntry, policy RegisterPolicy) (begin, end uint64) {
	if s, ok := code.Next(uint64(e.begin())); ok && s.Mercury == uint64(e.begin()) {
		begin = s.Own
		if policy.AfterPause {
			begin = s.Last
		}
	}
	if s, ok := code.Next(uint64(e.end())); ok && s.Mercury == uint64(e.end()) {
		end = s.Own
	}
	return begin, end
}

// cutName reads the name at offset pos of b. It returns the offset after the name, and whether at least
// follow bytes remain there.
func cutName(b []byte, pos, follow int) (name []byte, next int, ok bool) {
	if pos > len(b) {
		return nil, 0, false
	}
	n := bytes.IndexByte(b[pos:], 0)
	next = pos + n + 1
	return b[pos:max(pos, pos+n)], next, n >= 0 && next+follow <= len(b)
}
