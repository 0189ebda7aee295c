package capsule

import "encoding/binary"

// Filled returns the capsule of code with n NOPs before its last Mercury instruction, which is the branch to itself and the padding.
// Each NOP is taken unchanged, and the padding becomes shorter by one. ok is false if the padding is too short.
func (c *Capsule) Filled(n int) (filled *Capsule, ok bool) {
	var w writer
	for i, m := range c.Instructions() {
		if i < c.n-1 {
			w.add(c.data[m.At : m.At+m.size])
			continue
		}
		if m.size == 0 || m.Record != nil || m.Count <= n {
			return nil, false
		}
		for range n {
			w.add(nil)
		}
		w.add(binary.LittleEndian.AppendUint16(nil, uint16(m.Count-n)<<countBits|countAlone))
	}
	filled, err := Open(w.capsule(c), Place{})
	return filled, err == nil
}
