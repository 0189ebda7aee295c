package emit

import "hash/maphash"

// A stringTable is .strtab or .shstrtab, that is, NUL-terminated strings without duplicates. It finds
// strings by hash in its own bytes. A map would store each of them again.
type stringTable struct {
	bytes []byte
	slots []stringSlot // a power of two, with linear probing
	taken int
	seed  maphash.Seed
	as    map[uint32]string // by offset, the strings for which other bytes are stored

	emptyFirst bool // the empty string is at the start of the table, not after its first NUL
}

// A stringSlot refers to a string in the table. While at is 0 it is free, because no added string is at
// offset 0.
type stringSlot struct {
	hash, at uint32
}

// newStringTable returns a table with room for number strings of size bytes in total.
func newStringTable(number, size int) *stringTable {
	slots := 16
	for slots < number+number/2 {
		slots *= 2
	}
	return &stringTable{bytes: append(make([]byte, 0, size+number+1), 0), slots: make([]stringSlot, slots), seed: maphash.MakeSeed()}
}

// find returns the offset of s, or 0 if it is not in the table.
func (t *stringTable) find(s string) (at uint32, ok bool) {
	if s == "" && t.emptyFirst {
		return 0, true
	}
	slot := t.slot(s, t.hash(s))
	return slot.at, slot.at != 0
}

// add returns the offset of s, and adds s if it is not in the table.
func (t *stringTable) add(s string) uint32 {
	return t.addAs(s, func(b []byte) []byte { return append(append(b, s...), 0) })
}

// append stores s again, even if it is in the table already, and returns its offset. find does not find
// this copy.
func (t *stringTable) append(s string) uint32 {
	at := uint32(len(t.bytes))
	t.bytes = append(append(t.bytes, s...), 0)
	return at
}

// addAs is like add, but write appends the bytes to store for a new string, with their NUL.
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

// slot returns the slot of s, or the free slot in which s would be stored.
func (t *stringTable) slot(s string, hash uint32) *stringSlot {
	for i := int(hash); ; i++ {
		slot := &t.slots[i&(len(t.slots)-1)]
		if slot.at == 0 || slot.hash == hash && t.is(slot.at, s) {
			return slot
		}
	}
}

// is reports whether s is the string that was added at offset at.
func (t *stringTable) is(at uint32, s string) bool {
	if other, ok := t.as[at]; ok {
		return other == s
	}
	return t.spells(at, s)
}

// spells reports whether the bytes at offset at are s and its NUL.
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
