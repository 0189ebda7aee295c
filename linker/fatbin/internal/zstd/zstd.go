// Package zstd decodes Zstandard frames, as RFC 8878 describes them: what nvcc compresses the
// entries of fat binaries with.
//
// The libraries that do so make tables and read random numbers when a program starts that imports
// them. That was a tenth of a small link, which decodes nothing.
package zstd

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errCorrupt is what Decode returns of data that are no frames.
var errCorrupt = errors.New("zstd: corrupt data")

func corrupt(what string) error { return fmt.Errorf("%w: %s", errCorrupt, what) }

// Limits of the format, section 3.1.1.2.
const (
	maxBlock  = 128 << 10 // bytes that a block decodes to
	minWindow = 8 << 20   // window in bytes that every decoder should have
)

const (
	frameMagic     = 0xFD2FB528
	skippableMagic = 0x184D2A50 // and the fifteen numbers after it
)

// Decode returns what the frames of data decode to. It stops soon after more than size bytes,
// which are then part of the result. Memory grows with what is decoded, whatever a frame says of
// itself.
func Decode(data []byte, size uint64) ([]byte, error) {
	d := decoder{in: input{data}, size: size}
	const usual = 4 // times as large as the data
	d.out = make([]byte, 0, min(size, uint64(usual*len(data))))
	for len(d.in.data) > 0 && !d.full() {
		if err := d.frame(); err != nil {
			return nil, err
		}
	}
	return d.out, nil
}

// An input is read from its beginning.
type input struct{ data []byte }

// take returns the next n bytes; nil if there are not so many.
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

// A decoder decodes frames, one after the other.
type decoder struct {
	in   input
	size uint64 // bytes of out that are enough
	out  []byte

	start     int // where the frame begins in out
	mostBlock int // bytes that a block of the frame may decode to
	tables    tables
	repeated  [3]uint32 // the last distances of matches, the newest first
	literals  []byte    // room for those of a block
}

// full reports whether there is more than was asked for.
func (d *decoder) full() bool { return uint64(len(d.out)) > d.size }

// frame decodes a frame: section 3.1.1.
func (d *decoder) frame() error {
	magic, _ := d.in.number(4)
	if magic&^0xf == skippableMagic {
		length, ok := d.in.number(4)
		if !ok || length > uint64(len(d.in.data)) {
			return corrupt("a skippable frame has no end")
		}
		d.in.take(int(length))
		return nil
	}
	if magic != frameMagic {
		return corrupt("no frame begins")
	}
	h, err := d.header()
	if err != nil {
		return err
	}
	d.start, d.mostBlock = len(d.out), int(min(maxBlock, h.window))
	d.tables, d.repeated = tables{}, [3]uint32{1, 4, 8}
	for last := false; !last; {
		if last, err = d.block(); err != nil || d.full() {
			return err
		}
	}
	content := d.out[d.start:]
	if h.sized && uint64(len(content)) != h.size {
		return corrupt("the contents have another size than the frame says")
	}
	if h.checked {
		if sum, ok := d.in.number(4); !ok || uint32(sum) != uint32(checksum(content)) {
			return corrupt("the contents have another checksum")
		}
	}
	return nil
}

// A header is that of a frame: section 3.1.1.1.
type header struct {
	window  uint64
	size    uint64 // of the contents
	sized   bool   // size is known
	checked bool   // a checksum comes at the end
}

func (d *decoder) header() (h header, err error) {
	const single, reserved, checked = 1 << 5, 1 << 3, 1 << 2
	descriptor, ok := d.in.number(1)
	if !ok || descriptor&reserved != 0 {
		return h, corrupt("the header of a frame")
	}
	h.checked = descriptor&checked != 0
	if descriptor&single == 0 {
		var w uint64
		w, ok = d.in.number(1)
		h.window = 1 << (10 + w>>3)
		h.window += h.window / 8 * (w & 7)
	}
	dictionary, okDictionary := d.in.number([4]int{0, 1, 2, 4}[descriptor&3])
	if dictionary != 0 {
		return h, errors.New("zstd: the frame needs a dictionary")
	}
	length := [4]int{0, 2, 4, 8}[descriptor>>6]
	if length == 0 && descriptor&single != 0 {
		length = 1
	}
	var okSize bool
	h.size, okSize = d.in.number(length)
	h.sized = length > 0
	if length == 2 {
		h.size += 256
	}
	if descriptor&single != 0 {
		h.window = h.size
	}
	if !ok || !okDictionary || !okSize {
		return h, corrupt("the header of a frame has no end")
	}
	if h.window > max(minWindow, d.size) {
		return h, errors.New("zstd: the frame needs too much memory")
	}
	return h, nil
}

// block decodes a block, and reports whether it is the last of the frame: section 3.1.1.2.
func (d *decoder) block() (last bool, err error) {
	h, ok := d.in.number(3)
	last, kind, size := h&1 != 0, h>>1&3, int(h>>3)
	if !ok || size > d.mostBlock {
		return false, corrupt("the header of a block")
	}
	stored := size
	if kind == 1 {
		stored = 1
	}
	data := d.in.take(stored)
	if len(data) != stored {
		return false, corrupt("a block has no end")
	}
	switch kind {
	case 0:
		d.out = append(d.out, data...)
	case 1:
		for range size {
			d.out = append(d.out, data[0])
		}
	case 2:
		err = d.compressed(data)
	default:
		err = corrupt("a block of a reserved kind")
	}
	return last, err
}

// compressed decodes a compressed block: section 3.1.1.3.
func (d *decoder) compressed(data []byte) error {
	in := input{data}
	literals, err := d.readLiterals(&in)
	if err != nil {
		return err
	}
	return d.sequences(in, literals)
}
