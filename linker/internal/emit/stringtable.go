package emit

import "hash/maphash"

// A stringTable is .strtab or .shstrtab: strings with a NUL after each, no string twice. It finds
// strings by their hashes in its own bytes, where a map would hold each of them again.
type stringTable struct {
	bytes []byte
	slots []stringSlot // a power of two; after a slot that is taken the next one counts
	taken int
	seed  maphash.Seed
	as    map[uint32]string // by place, the strings in whose place something else is written

	emptyFirst bool // the empty string stands where the table begins, not after its first NUL
}

// A stringSlot is free while at is 0, where no string that was added stands.
type stringSlot struct {
	hash, at uint32
}

// newStringTable returns a table with room for so many strings of so many bytes together.
func newStringTable(number, size int) *stringTable {
	slots := 16
	for slots < number+number/2 {
		slots *= 2
	}
	return &stringTable{bytes: append(make([]byte, 0, size+number+1), 0), slots: make([]stringSlot, slots), seed: maphash.MakeSeed()}
}

// find returns where s is; 0 for what is not there.
func (t *stringTable) find(s string) (at uint32, ok bool) {
	if s == "" && t.emptyFirst {
		return 0, true
	}
	slot := t.slot(s, t.hash(s))
	return slot.at, slot.at != 0
}

// add returns where s is, and adds it if it is not there.
func (t *stringTable) add(s string) uint32 {
	return t.addAs(s, func(b []byte) []byte { return append(append(b, s...), 0) })
}

// addAs is add of a string in whose place write appends something else, and its NUL.
func (t *stringTable) addAs(s string, write func([]byte) []byte) uint32 {
	if s == "" && t.emptyFirst {
		return 0
	}
	hash := t.hash(s)
	slot := t.slot(s, hash)
	if slot.at != 0 {
		return slot.at
	}
	at := uint32(len(t.bytes))
	*slot = stringSlot{hash, at}
	t.bytes = write(t.bytes)
	if !t.spells(at, s) {
		if t.as == nil {
			t.as = map[uint32]string{}
		}
		t.as[at] = s
	}
	if t.taken++; t.taken > len(t.slots)/4*3 {
		t.grow()
	}
	return at
}

func (t *stringTable) hash(s string) uint32 { return uint32(maphash.String(t.seed, s)) }

// slot returns the slot of s, or the free one that it would have.
func (t *stringTable) slot(s string, hash uint32) *stringSlot {
	for i := int(hash); ; i++ {
		slot := &t.slots[i&(len(t.slots)-1)]
		if slot.at == 0 || slot.hash == hash && t.is(slot.at, s) {
			return slot
		}
	}
}

// is reports whether the string that was added at a place is s.
func (t *stringTable) is(at uint32, s string) bool {
	if other, ok := t.as[at]; ok {
		return other == s
	}
	return t.spells(at, s)
}

// spells reports whether the bytes at a place are s and its NUL.
func (t *stringTable) spells(at uint32, s string) bool {
	rest := t.bytes[at:]
	return len(rest) > len(s) && rest[len(s)] == 0 && string(rest[:len(s)]) == s
}

// grow doubles the slots.
func (t *stringTable) grow() {
	old := t.slots
	t.slots = make([]stringSlot, 2*len(old))
	for _, slot := range old {
		if slot.at == 0 {
			continue
		}
		i := int(slot.hash)
		for t.slots[i&(len(t.slots)-1)].at != 0 {
			i++
		}
		t.slots[i&(len(t.slots)-1)] = slot
	}
}
