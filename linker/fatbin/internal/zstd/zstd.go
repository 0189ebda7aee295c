// Package zstd decodes Zstandard frames (RFC 8878). nvcc compresses the entries of fat binaries in this format.
//
// The usual libraries build tables and read random numbers when a program that imports them starts. That took a
// sixth of the time of a small link, which decodes nothing.
package zstd

import (
	"errors"
	"fmt"
	"math"
)

// errCorrupt is the error of Decode for data that is not valid frames.
var errCorrupt = errors.New("zstd: corrupt data")

func corrupt(what string) error { return fmt.Errorf("%w: %s", errCorrupt, what) }

// ErrOthersDecode is the error of Decode for literals that are not valid, and that decoders which check less decode to
// some bytes.
var ErrOthersDecode = fmt.Errorf("%w that other decoders may accept", errCorrupt)

func acceptedElsewhere(what string) error { return fmt.Errorf("%w: %s", ErrOthersDecode, what) }

// Decode returns the decoded frames of data. If these are more than size bytes, it returns an error. The output
// buffer is allocated once, because several copies of a growing buffer would exist until the next garbage
// collection.
func Decode(data []byte, size uint64) ([]byte, error) {
	d := decoder{in: input{data}, size: min(size, math.MaxInt)}
	d.out = make([]byte, 0, min(d.size, contentsOf(d.in, d.size)))
	for len(d.in.data) > 0 {
		if err := d.frame(); err != nil {
			return nil, err
		}
	}
	return d.out, nil
}

// A decoder decodes frames, one after the other.
type decoder struct {
	in   input
	size uint64 // maximum size of out in bytes
	out  []byte // its capacity is enough for all blocks

	start    int // start of the frame in out
	most     int // maximum size of out after the block
	tables   tables
	repeated [3]uint32 // the last distances of matches, newest first
	literals []byte    // buffer for those of a block
	stream   []byte    // buffer for a stream that is read backwards
}

// frame decodes a frame (section 3.1.1).
func (d *decoder) frame() error {
	f, err := d.in.frame(d.size)
	if err != nil || f.skipped {
		return err
	}
	d.start, d.tables, d.repeated = len(d.out), tables{}, [3]uint32{1, 4, 8}
	for last := false; !last; {
		b, err := d.in.block(f)
		if err != nil {
			return err
		}
		d.most = min(len(d.out)+f.mostBlock, cap(d.out))
		if err := d.block(b, f.mostBlock); err != nil {
			return err
		}
		last = b.last
	}
	contents := d.out[d.start:]
	if f.sized && uint64(len(contents)) != f.size {
		return corrupt("the contents have another size than the frame says")
	}
	if f.checked {
		if sum, ok := d.in.number(4); !ok || uint32(sum) != uint32(checksum(contents)) {
			return corrupt("the contents have another checksum")
		}
	}
	return nil
}

// block decodes a block (section 3.1.1.2).
func (d *decoder) block(b block, most int) error {
	switch b.kind {
	case rawBlock:
		return d.add(b.data)
	case repeatedBlock:
		return d.addAgain(b.data, b.size)
	}
	in := input{b.data}
	literals, err := d.readLiterals(&in, most)
	if err != nil {
		return err
	}
	return d.sequences(in, literals)
}

// add appends the contents of an uncompressed block.
func (d *decoder) add(data []byte) error {
	if len(data) > d.most-len(d.out) {
		return corrupt("a block is too large")
	}
	d.out = append(d.out, data...)
	return nil
}

// addAgain appends a byte n times.
func (d *decoder) addAgain(data []byte, n int) error {
	if n == 0 {
		return nil
	}
	if n > d.most-len(d.out) {
		return corrupt("a block is too large")
	}
	d.out = append(d.out, data...)
	return d.copyMatch(1, n-1)
}
