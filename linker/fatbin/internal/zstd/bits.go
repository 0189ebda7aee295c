package zstd

import (
	"encoding/binary"
	"math/bits"
)

// Bits are read from the end of a stream to its beginning: the last byte holds the first ones,
// below a mark.
type reversedBits struct {
	data []byte
	left int // bits that are not read; below 0 where more were read than there are
}

func readReversed(data []byte) (reversedBits, bool) {
	if len(data) == 0 || data[len(data)-1] == 0 {
		return reversedBits{}, false
	}
	return reversedBits{data, 8*len(data) - 1 - bits.LeadingZeros8(data[len(data)-1])}, true
}

// peek returns the next n bits, at most 56. Below the beginning there are zeros.
func (b *reversedBits) peek(n int) uint64 {
	low := b.left - n
	if low < 0 {
		if b.left <= 0 {
			return 0
		}
		all := reversedBits{b.data, b.left}
		return all.peek(b.left) << -low
	}
	rest := b.data[low>>3:]
	var word uint64
	if len(rest) >= 8 {
		word = binary.LittleEndian.Uint64(rest)
	} else {
		for i, c := range rest {
			word |= uint64(c) << (8 * i)
		}
	}
	return word >> (low & 7) & (1<<n - 1)
}

func (b *reversedBits) read(n int) uint64 {
	v := b.peek(n)
	b.left -= n
	return v
}

// forwardBits are read from the beginning of a stream.
type forwardBits struct {
	data []byte
	next int
}

// peek returns the next n bits, at most 16. After the end there are zeros.
func (b *forwardBits) peek(n int) int {
	var word int
	for i := range 3 {
		if at := b.next>>3 + i; at < len(b.data) {
			word |= int(b.data[at]) << (8 * i)
		}
	}
	return word >> (b.next & 7) & (1<<n - 1)
}

func (b *forwardBits) read(n int) int {
	v := b.peek(n)
	b.next += n
	return v
}
