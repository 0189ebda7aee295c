package zstd

import (
	"encoding/binary"
	"errors"
)

// An input is read from its start.
type input struct{ data []byte }

// take returns the next n bytes, or nil if there are fewer.
func (in *input) take(n int) []byte {
	if n > len(in.data) {
		return nil
	}
	taken := in.data[:n:n]
	in.data = in.data[n:]
	return taken
}

// number reads a number of up to 8 bytes.
func (in *input) number(bytes int) (uint64, bool) {
	data := in.take(bytes)
	var room [8]byte
	copy(room[:], data)
	return binary.LittleEndian.Uint64(room[:]), data != nil || bytes == 0
}

const (
	frameMagic     = 0xFD2FB528
	skippableMagic = 0x184D2A50 // and the fifteen numbers after it
)

// Limits of the format, section 3.1.1.2.
const (
	maxBlock  = 128 << 10 // maximum decoded size of a block
	minWindow = 8 << 20   // window in bytes that every decoder should support
)

// A frame contains the decoded header of a frame: section 3.1.1.1.
type frame struct {
	skipped   bool   // a skippable frame, without contents
	mostBlock int    // maximum decoded size of a block
	size      uint64 // of the contents
	sized     bool   // size is known
	checked   bool   // a checksum follows the blocks
}

// frame reads the header of a frame with a window of at most window bytes, or the whole of a skippable frame.
func (in *input) frame(window uint64) (f frame, err error) {
	magic, _ := in.number(4)
	if magic&^0xf == skippableMagic {
		length, ok := in.number(4)
		if !ok || length > uint64(len(in.data)) {
			return f, corrupt("a skippable frame has no end")
		}
		in.take(int(length))
		return frame{skipped: true}, nil
	}
	if magic != frameMagic {
		return f, corrupt("no frame begins")
	}
	const single, reserved, checked = 1 << 5, 1 << 3, 1 << 2
	descriptor, ok := in.number(1)
	if !ok || descriptor&reserved != 0 {
		return f, corrupt("the header of a frame")
	}
	f.checked = descriptor&checked != 0
	var needed uint64
	if descriptor&single == 0 {
		var w uint64
		w, ok = in.number(1)
		needed = 1 << (10 + w>>3)
		needed += needed / 8 * (w & 7)
	}
	dictionary, okDictionary := in.number([4]int{0, 1, 2, 4}[descriptor&3])
	if dictionary != 0 {
		return f, errors.New("zstd: the frame needs a dictionary")
	}
	length := [4]int{0, 2, 4, 8}[descriptor>>6]
	if length == 0 && descriptor&single != 0 {
		length = 1
	}
	var okSize bool
	f.size, okSize = in.number(length)
	f.sized = length > 0
	if length == 2 {
		f.size += 256
	}
	if descriptor&single != 0 {
		needed = f.size
	}
	if !ok || !okDictionary || !okSize {
		return f, corrupt("the header of a frame has no end")
	}
	if needed > max(minWindow, window) {
		return f, errors.New("zstd: the frame needs too much memory")
	}
	f.mostBlock = int(min(maxBlock, needed))
	return f, nil
}

// A block is a part of a frame.
type block struct {
	last bool
	kind uint8
	size int // decoded size, or size of data
	data []byte
}

// The kinds of blocks, section 3.1.1.2.2.
const (
	rawBlock uint8 = iota
	repeatedBlock
	compressedBlock
	reservedBlock
)

// block reads the next block of a frame (section 3.1.1.2).
func (in *input) block(f frame) (block, error) {
	h, ok := in.number(3)
	b := block{last: h&1 != 0, kind: uint8(h >> 1 & 3), size: int(h >> 3)}
	if !ok || b.kind == reservedBlock || b.size > f.mostBlock {
		return b, corrupt("the header of a block")
	}
	stored := b.size
	if b.kind == repeatedBlock {
		stored = 1
	}
	b.data = in.take(stored)
	if len(b.data) != stored {
		return b, corrupt("a block has no end")
	}
	return b, nil
}

// contentsOf returns the maximum decoded size of the frames, up to the first damage.
func contentsOf(in input, window uint64) (most uint64) {
	for len(in.data) > 0 {
		f, err := in.frame(window)
		if err != nil {
			return most
		}
		for last := f.skipped; !last; {
			b, err := in.block(f)
			if err != nil {
				return most
			}
			if last = b.last; b.kind == compressedBlock {
				b.size = f.mostBlock
			}
			most += uint64(b.size)
		}
		if f.checked {
			in.take(4)
		}
	}
	return most
}
