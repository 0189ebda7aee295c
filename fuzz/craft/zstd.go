package craft

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Encoders write only a few of the forms that a Zstandard frame may have (RFC 8878). A decoder must read all of them.

// Zstd compresses b to one frame.
func Zstd(b []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// ZstdForms compresses b to frames with rare forms: a skippable frame, then a frame with blocks of all kinds in turn,
// and then the rest with a checksum.
func ZstdForms(b []byte) []byte {
	const rest = 39
	cut := max(0, len(b)-rest)
	le := binary.LittleEndian
	out := le.AppendUint32(nil, 0x184d2a53)
	out = append(le.AppendUint32(out, 3), "abc"...)
	const size4, dictionary1, window = 2 << 6, 1, 7 << 3
	out = append(le.AppendUint32(out, 0xfd2fb528), size4|dictionary1, window, 0)
	out = le.AppendUint32(out, uint32(cut))
	return append(zstdBlocks(out, b[:cut]), Zstd(b[cut:])...)
}

// ZstdHeaders stores b in frames whose headers have each form in turn: with and without a window, with sizes of up to
// eight bytes, and with dictionary numbers, which are 0, of up to four bytes. The first window is the largest that every
// decoder supports. The others are as large as the block. The last frame holds the rest. A frame with a checksum comes first.
func ZstdHeaders(b []byte) []byte {
	le := binary.LittleEndian
	const single, mostSmall, piece = 1 << 5, 255, 300
	n := min(len(b), piece)
	out := Zstd(b[:n])
	b = b[n:]
	for i := 0; i < 32 && len(b) > 0; i++ {
		descriptor := i&3<<6 | i>>2&1*single | i>>3
		n := min(len(b), piece)
		window := 13 << 3
		if i > 0 && descriptor&single == 0 {
			window = i / 2 & 7
			n = min(len(b), 1<<10+window<<7)
		}
		if descriptor>>6 == 0 && descriptor&single != 0 {
			n = min(len(b), mostSmall)
		}
		if descriptor>>6 == 1 && n <= mostSmall {
			descriptor |= 3 << 6 // two bytes are for larger sizes
		}
		if i == 31 {
			n = len(b)
		}
		out = append(le.AppendUint32(out, 0xfd2fb528), byte(descriptor))
		if descriptor&single == 0 {
			out = append(out, byte(window))
		}
		out = append(out, make([]byte, [4]int{0, 1, 2, 4}[descriptor&3])...)
		switch descriptor >> 6 {
		case 0:
			if descriptor&single != 0 {
				out = append(out, byte(n))
			}
		case 1:
			out = le.AppendUint16(out, uint16(n-mostSmall-1))
		case 2:
			out = le.AppendUint32(out, uint32(n))
		case 3:
			out = le.AppendUint64(out, uint64(n))
		}
		for most := 1 << 16; n > most; b, n = b[most:], n-most {
			out = zstdBlock(out, rawBlock, 0, b[:most])
		}
		out = zstdBlock(out, rawBlock, lastBlock, b[:n])
		b = b[n:]
	}
	return out
}

// ZstdMatches compresses b to a frame that may have two edge cases. If the first sixteen bytes occur a second time, a
// match starts at the first byte. If there are enough zeros, a block has more sequences than two bytes can count.
func ZstdMatches(b []byte) []byte {
	le := binary.LittleEndian
	const size4, window = 2 << 6, 9 << 3
	out := append(le.AppendUint32(nil, 0xfd2fb528), size4, window)
	out = le.AppendUint32(out, uint32(len(b)))
	const first, many, shortest = 16, 0x7f00 + 0x102, 3
	head := -1
	if len(b) > first {
		if i := bytes.Index(b[first:], b[:first]); i >= 0 {
			head = first + i
		}
	}
	zeros := bytes.Index(b, make([]byte, before+many*shortest))
	for at := 0; at < len(b); {
		switch {
		case at > 0 && at == head:
			code := bits.Len(uint(at+3)) - 1
			stored := []byte{0, 1, oneCode, 0, byte(code), first - shortest}
			sequence := le.AppendUint32(nil, uint32(1<<code|(at+3)&^(1<<code)))
			out = zstdBlock(out, compressedBlock, 0, append(stored, bytes.TrimRight(sequence, "\x00")...))
			at += first
		case zeros >= 0 && at == zeros+before:
			out = zstdBlock(out, compressedBlock, 0, le.AppendUint16([]byte{0, 255}, many-0x7f00), oneCode, 0, 0, 0, 1)
			at += many * shortest
		default:
			end := min(len(b), at+1<<16)
			for _, next := range []int{head, zeros + before} {
				if next > at {
					end = min(end, next)
				}
			}
			out = zstdBlock(out, rawBlock, 0, b[at:end])
			at = end
		}
	}
	return zstdBlock(out, rawBlock, lastBlock, nil)
}

// before is the number of zeros before the zeros that are written as matches. The distances of the first matches are 1,
// 4 and 8.
const before = 8

// Parts of a Zstandard block.
const (
	lastBlock       = 1
	rawBlock        = 0
	compressedBlock = 2
	oneCode         = 0x54 // a single code for each of literals, distances and matches
)

// zstdBlock appends a block.
func zstdBlock(out []byte, kind, last int, stored []byte, more ...byte) []byte {
	h := (len(stored)+len(more))<<3 | kind<<1 | last
	return append(append(append(out, byte(h), byte(h>>8), byte(h>>16)), stored...), more...)
}

// zstdBlocks appends the blocks of a frame.
func zstdBlocks(out, b []byte) []byte {
	const last, raw, repeated, compressed = 1, 0, 1, 2
	block := func(kind, size int, stored []byte) {
		h := size<<3 | kind<<1
		out = append(append(out, byte(h), byte(h>>8), byte(h>>16)), stored...)
	}
	const shortest, longest = 36, 1000 // runs of zeros that become a block
	runs := 0
	for len(b) > 0 {
		zeros := min(len(b)-len(bytes.TrimLeft(b, "\x00")), longest)
		if zeros < shortest {
			n := len(b)
			if i := bytes.Index(b, make([]byte, shortest)); i > 0 {
				n = i
			}
			n = min(n, longest)
			if runs%2 == 0 {
				block(raw, n, b[:n])
			} else {
				stored := append(literals(0, n), b[:n]...)
				block(compressed, len(stored)+1, append(stored, 0))
			}
			b = b[n:]
			continue
		}
		var stored []byte
		switch runs % 6 {
		case 0:
			block(repeated, zeros, []byte{0})
		case 1: // a literal for all
			stored = append(literals(1, zeros), 0, 0)
		case 2, 3: // first literals with a one-bit code whose table has the weight of the first byte, then the same table again
			code := make([]byte, zeros/8+1)
			code[zeros/8] = 1 << (zeros % 8)
			if runs%6 == 2 {
				code = append([]byte{128, 0x10}, code...)
			}
			h := runs%6 | zeros<<4 | len(code)<<14
			stored = append([]byte{byte(h), byte(h >> 8), byte(h >> 16)}, code...)
			stored = append(stored, 0)
		case 4, 5: // first a literal and a sequence with one code each, then the same codes again
			zeros = shortest - 1
			const one, modes, again, before, most, bits = 1, 0x54, 0xfc, 2, 31, 4
			stored = append(literals(0, 1), 0, one)
			if runs%6 == 4 {
				stored = append(stored, modes, one, before, most, bits)
			} else {
				stored = append(stored, again, bits)
			}
		}
		if stored != nil {
			block(compressed, len(stored), stored)
		}
		b = b[zeros:]
		runs++
	}
	block(raw, 0, nil)
	out[len(out)-3] |= last
	return out
}

// literals returns the header of n uncompressed literals.
func literals(kind, n int) []byte {
	switch {
	case n < 32:
		return []byte{byte(kind | n<<3)}
	case n < 1<<12:
		return []byte{byte(kind | 1<<2 | n<<4), byte(n >> 4)}
	}
	return []byte{byte(kind | 3<<2 | n<<4), byte(n >> 4), byte(n >> 12)}
}
