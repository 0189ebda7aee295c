package zstd

import (
	"encoding/binary"
	"math/bits"
)

// reversedBits reads bits from the end of a stream towards its start. The last byte contains the first bits,
// below a marker bit.
type reversedBits struct {
	data []byte // preceded by wordSize zeros
	left int    // number of remaining bits; negative if too many were read
	word uint64 // the next bits, starting at the top
}

// wordSize is the size of a word in bytes. At least wordBits of its bits can be read.
const (
	wordSize = 8
	wordBits = 56
)

// reversed starts to read a stream. Its result is valid until the next call.
func (d *decoder) reversed(data []byte) (reversedBits, bool) {
	if len(data) == 0 || data[len(data)-1] == 0 {
		return reversedBits{}, false
	}
	d.stream = append(append(d.stream[:0], make([]byte, wordSize)...), data...)
	return reversedBits{data: d.stream, left: 8*len(data) - 1 - bits.LeadingZeros8(data[len(data)-1])}, true
}

// fill makes at least wordBits bits available. Before the start of the stream all bits are zero.
func (b *reversedBits) fill() {
	if b.left <= 0 {
		b.word = 0
		return
	}
	first := (b.left - 1) >> 3 // the byte of the stream that contains the next bit
	b.word = binary.LittleEndian.Uint64(b.data[first+1:]) << (-b.left & 7)
}

// take returns the next n bits.
func (b *reversedBits) take(n uint8) int {
	v := b.word >> (64 - n)
	b.word <<= n
	b.left -= int(n)
	return int(v)
}

// forwardBits reads bits from the start of a stream.
type forwardBits struct {
	data []byte
	next int
}

// peek returns the next n bits, at most 16. After the end of the stream all bits are zero.
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
