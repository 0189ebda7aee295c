// Package lz4 decodes blocks of LZ4, without a frame around them: what nvcc compresses the entries
// of fat binaries with when it is asked for speed.
//
// The library that does so asks the processor what it can do when a program starts that imports
// it, which on a virtual machine takes longer than to decode a small entry.
package lz4

import (
	"encoding/binary"
	"errors"
)

// errCorrupt is what Decode returns of data that are no block, or one of too many bytes.
var errCorrupt = errors.New("lz4: corrupt data")

// A block is a list of sequences: a token, literals, and a match, which repeats bytes from before. The
// token has the length of the literals in its high half, that of the match, less minMatch, in its
// low half; lengthFollows there says that bytes follow that are part of the length. The last sequence has
// literals alone, lastLiterals of them at least, and what its token says of a match means nothing. A sequence is the
// last one when its literals reach within matchLimit bytes of what the block may decode to, or within
// inputLimit of its end (LOAD-055).
const (
	lengthFollows = 15
	minMatch      = 4
	lastLiterals  = 5
	matchLimit    = 12
	inputLimit    = 2 + 1 + lastLiterals
)

// Decode returns what the block decodes to, at most size bytes; more is an error.
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
	in  []byte // what is left
	out []byte // its capacity is the most that may come
}

// room is how many more bytes may come.
func (d *decoder) room() int { return cap(d.out) - len(d.out) }

// sequence decodes a sequence; ok reports whether it is sound.
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

// length returns a length whose half of the token is given.
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

// repeat appends n bytes that begin distance bytes before the end. They may reach beyond the end:
// then they repeat themselves. At a distance of 0 there are zeros.
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
