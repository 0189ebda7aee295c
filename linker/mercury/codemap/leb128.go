package codemap

// DWARF numbers have seven bits in each byte, low ones first. The high bit means that more bytes follow.

// leb returns the length of the number at the start of b. The result is at most the length of b.
func leb(b []byte) int {
	for i, x := range b {
		if x < 0x80 {
			return i + 1
		}
	}
	return len(b)
}

// uleb reads the unsigned number at the start of b.
func uleb(b []byte) (size int, v uint64) {
	size = leb(b)
	for i, x := range b[:size] {
		if i < 10 {
			v |= uint64(x&0x7f) << (7 * i)
		}
	}
	return size, v
}

// sleb reads the signed number at the start of b.
func sleb(b []byte) (size int, v int64) {
	size, u := uleb(b)
	if size > 0 && size < 10 && b[size-1]&0x40 != 0 {
		u |= ^uint64(0) << (7 * size)
	}
	return size, int64(u)
}

// appendSLEB appends a signed number.
func appendSLEB(b []byte, v int64) []byte {
	for {
		x := byte(v & 0x7f)
		v >>= 7
		if v == 0 && x&0x40 == 0 || v == -1 && x&0x40 != 0 {
			return append(b, x)
		}
		b = append(b, x|0x80)
	}
}
