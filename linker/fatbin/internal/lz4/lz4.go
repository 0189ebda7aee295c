// Package lz4 decodes LZ4 blocks without a frame. nvcc compresses the entries of fat binaries in this format if
// it is asked for speed.
//
// The usual library queries the processor's features when a program that imports it starts. On a virtual
// machine this takes longer than decoding a small entry.
package lz4

import (
	"encoding/binary"
	"errors"
)

// errCorrupt is the error of Decode for data that is not a valid block, or decodes to too many bytes.
var errCorrupt = errors.New("lz4: corrupt data")

// A block is a list of sequences. A sequence consists of a token, literals, and a match, which repeats earlier
// bytes. The high half of the token is the length of the literals. The low half is the length of the match less
// minMatch. The value lengthFollows means that further bytes of the length follow. The last sequence has only
// literals, at least lastLiterals of them, and the low half of its token is ignored. A sequence is the last one
// if its literals reach within matchLimit bytes of the maximum decoded size, or within inputLimit of the end of
// the block (LOAD-055).
const (
	lengthFollows = 15
	minMatch      = 4
	lastLiterals  = 5
	matchLimit    = 12
	inputLimit    = 2 + 1 + lastLiterals
)

// Decode returns the decoded block. It is an error if this is more than size bytes.
func Decode(block []byte, size uint64) ([]byte, error) {
	d := decoder{in: block, out: make([]byte, 0, size)}
	for len(d.in) > 0 {
		last, ok := d.sequence()
		switch {
		case !ok:
			return nil, errCorrupt
		case last:
			return d.out, nil
		}
	}
	return nil, errCorrupt
}

// A decoder decodes a block.
type decoder struct {
	in  []byte // the remaining input
	out []byte // its capacity is the maximum output
}

// room returns the number of bytes that may still be added.
func (d *decoder) room() int { return cap(d.out) - len(d.out) }

// sequence decodes a sequence; ok reports whether it is valid.
func (d *decoder) sequence() (last, ok bool) {
	token := d.in[0]
	d.in = d.in[1:]
	literals, ok := d.length(token >> 4)
	if !ok || literals > len(d.in) || literals > d.room() {
		return false, false
	}
	last = literals > d.room()-matchLimit || literals > len(d.in)-inputLimit
	d.out = append(d.out, d.in[:literals]...)
	d.in = d.in[literals:]
	if last {
		return true, len(d.in) == 0
	}
	distance := int(binary.LittleEndian.Uint16(d.in))
	d.in = d.in[2:]
	match, ok := d.length(token & lengthFollows)
	if match += minMatch; !ok || distance > len(d.out) || match > d.room()-lastLiterals {
		return false, false
	}
	d.repeat(distance, match)
	return false, true
}

// length returns a length from its half of the token and the bytes that follow.
func (d *decoder) length(half byte) (n int, ok bool) {
	n = int(half)
	if n < lengthFollows {
		return n, true
	}
	for i, b := range d.in {
		if n += int(b); n > cap(d.out) {
			return 0, false
		}
		if b < 255 {
			d.in = d.in[i+1:]
			return n, true
		}
	}
	return 0, false
}

// repeat appends n bytes that begin distance bytes before the end. If they extend beyond the end, they repeat
// themselves. A distance of 0 appends zeros.
func (d *decoder) repeat(distance, n int) {
	if distance == 0 {
		d.out = append(d.out, make([]byte, n)...)
		return
	}
	for n > 0 {
		from := d.out[len(d.out)-distance:]
		from = from[:min(n, len(from))]
		d.out = append(d.out, from...)
		n -= len(from)
		distance += len(from)
	}
}
