package zstd

import (
	"encoding/binary"
	"math/bits"
)

// Bits are read from the end of a stream to its beginning: the last byte holds the first ones,
// below a mark.
type reversedBits struct {
	data []byte // after wordSize zeros
	left int    // bits that are not taken; below 0 where more were taken than there are
	word uint64 // the next bits, the first one at the top
}

// wordSize is the size in bytes of a word; wordBits of its bits can be taken at least.
const (
	wordSize = 8
	wordBits = 56
)

// reversed begins to read a stream. What it returns is valid until the next call.
func (d *decoder) reversed(data []byte) (reversedBits, bool) {
	if len(data) == 0 || data[len(data)-1] == 0 {
		return reversedBits{}, false
	}
	d.stream = append(append(d.stream[:0], make([]byte, wordSize)...), data...)
	return reversedBits{data: d.stream, left: 8*len(data) - 1 - bits.LeadingZeros8(data[len(data)-1])}, true
}

// fill makes wordBits ready to be taken. Below the beginning there are zeros.
func (b *reversedBits) fill() {
	if b.left <= 0 {
		b.word = 0
		return
	}
	first := (b.left - 1) >> 3 // the byte of the stream with the next bit
	b.word = binary.LittleEndian.Uint64(b.data[first+1:]) << (-b.left & 7)
}

// take takes n bits.
func (b *reversedBits) take(n uint8) int {
	v := b.word >> (64 - n)
	b.word <<= n
	b.left -= int(n)
	return int(v)
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
