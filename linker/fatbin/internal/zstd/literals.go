package zstd

import "math/bits"

// A code is what the next bits of a stream of literals stand for: a byte, and the number of bits used.
type code struct{ symbol, bits uint8 }

// maxCode is the length in bits of the longest code (section 4.2.1).
const maxCode = 11

// codes is a table of Huffman codes, indexed by the next maxCode bits.
type codes [1 << maxCode]code

// readLiterals reads the literals of a block, at most most bytes: section 3.1.1.3.1.
func (d *decoder) readLiterals(in *input, most int) ([]byte, error) {
	if len(in.data) == 0 {
		return nil, corrupt("a block has no literals")
	}
	kind, format := in.data[0]&3, in.data[0]>>2&3
	if kind < 2 {
		return d.plainLiterals(in, kind == 1, format, most)
	}
	bytes, width := [4]int{3, 3, 4, 5}[format], [4]int{10, 10, 14, 18}[format]
	h, ok := in.number(bytes)
	size, stored := int(h>>4&(1<<width-1)), int(h>>(4+width))
	data := in.take(stored)
	if !ok || len(data) != stored || size > most {
		return nil, corrupt("the header of literals")
	}
	if kind == 2 {
		codes, used, err := d.readCodes(data)
		if err != nil {
			return nil, err
		}
		d.tables.literals, data = codes, data[used:]
	}
	if d.tables.literals == nil {
		return nil, corrupt("literals without a table")
	}
	d.makeRoom(size)
	if format == 0 {
		return d.literals, d.decode(d.literals, data)
	}
	return d.literals, d.fourStreams(data)
}

// plainLiterals reads uncompressed literals. If same is set, one stored byte is repeated for all of them.
func (d *decoder) plainLiterals(in *input, same bool, format uint8, most int) ([]byte, error) {
	bytes := [4]int{1, 2, 1, 3}[format]
	h, ok := in.number(bytes)
	size := int(h >> 4)
	if bytes == 1 {
		size = int(h >> 3)
	}
	if !ok || size > most {
		return nil, corrupt("the header of literals")
	}
	if !same {
		data := in.take(size)
		if len(data) != size {
			return nil, corrupt("literals have no end")
		}
		return data, nil
	}
	data := in.take(1)
	if data == nil {
		return nil, corrupt("literals have no end")
	}
	d.makeRoom(size)
	for i := range d.literals {
		d.literals[i] = data[0]
	}
	return d.literals, nil
}

// makeRoom sets the size of the buffer for the literals of a block.
func (d *decoder) makeRoom(size int) {
	if size > cap(d.literals) {
		d.literals = make([]byte, size)
	}
	d.literals = d.literals[:size]
}

// fourStreams decodes literals that are split into four streams: section 4.2.2.
func (d *decoder) fourStreams(data []byte) error {
	in := input{data}
	var sizes [4]int
	for i := range 3 {
		size, ok := in.number(2)
		if sizes[i] = int(size); !ok {
			return corrupt("the sizes of streams")
		}
	}
	sizes[3] = len(data) - 6 - sizes[0] - sizes[1] - sizes[2]
	to, part := d.literals, (len(d.literals)+3)/4
	for i, size := range sizes {
		if i == 3 {
			part = len(to)
		}
		if size < 0 || size > len(in.data) || part > len(to) {
			return corrupt("the sizes of streams")
		}
		if err := d.decode(to[:part], in.take(size)); err != nil {
			return err
		}
		to = to[part:]
	}
	return nil
}

// literalsAtOnce is the minimum number of codes in a word.
const literalsAtOnce = wordBits / maxCode

// decode fills to from a stream.
func (d *decoder) decode(to, data []byte) error {
	b, ok := d.reversed(data)
	if !ok {
		return corrupt("a stream of literals without an end")
	}
	codes := d.tables.literals
	for len(to) > 0 && b.left >= 0 {
		now := to[:min(len(to), literalsAtOnce)]
		b.fill()
		for i := range now {
			next := codes[b.word>>(64-maxCode)]
			now[i] = next.symbol
			b.take(next.bits)
		}
		to = to[len(now):]
	}
	if b.left != 0 {
		return acceptedElsewhere("a stream of literals has another length")
	}
	return nil
}

// readCodes reads a table of codes (section 4.2.1), and returns its size in bytes.
func (d *decoder) readCodes(data []byte) (*codes, int, error) {
	if len(data) == 0 {
		return nil, 0, corrupt("literals without a table")
	}
	weights, used := make([]uint8, 0, 256), int(data[0])
	if n := used - 127; n > 0 { // each in four bits
		used = (n + 1) / 2
		if 1+used > len(data) {
			return nil, 0, corrupt("a table of codes has no end")
		}
		for i := range n {
			weights = append(weights, data[1+i/2]>>(4-4*(i&1))&15)
		}
	} else {
		if 1+used > len(data) {
			return nil, 0, corrupt("a table of codes has no end")
		}
		var err error
		if weights, err = d.readWeights(weights, data[1:1+used]); err != nil {
			return nil, 0, err
		}
	}
	made, err := makeCodes(weights)
	return made, 1 + used, err
}

// readWeights reads compressed weights (section 4.2.1.2).
func (d *decoder) readWeights(weights []uint8, data []byte) ([]uint8, error) {
	const mostLog = 6
	t, used, err := readTable(data, 255, mostLog)
	if err != nil {
		return nil, err
	}
	b, ok := d.reversed(data[used:])
	if !ok {
		return nil, corrupt("weights of codes without an end")
	}
	// Two states are used in turn. The stream ends when the next state would need more bits than are left.
	now, other := t.start(&b), t.start(&b)
	if b.left < 0 {
		return nil, corrupt("weights of codes without an end")
	}
	for {
		weights = append(weights, now.symbol)
		if len(weights) > 254 {
			return nil, corrupt("too many codes")
		}
		if b.left < int(now.bits) {
			return append(weights, other.symbol), nil
		}
		b.fill()
		now, other = other, t.next(now, &b)
	}
}

// makeCodes builds the table of codes from these weights and a last weight that fills the table. A symbol of
// weight w has 1<<(w-1) entries. Symbols of low weight come first.
func makeCodes(weights []uint8) (*codes, error) {
	sum := 0
	for _, w := range weights {
		if w > maxCode {
			return nil, acceptedElsewhere("a code is too long")
		}
		sum += 1 << w >> 1
	}
	width := bits.Len(uint(sum))
	left := 1<<width - sum
	if sum == 0 || left&(left-1) != 0 {
		return nil, corrupt("codes that fill no table")
	}
	if width > maxCode {
		return nil, acceptedElsewhere("a code is too long")
	}
	weights = append(weights, uint8(bits.Len(uint(left))))
	t := new(codes)
	at := 0
	for w := 1; w <= width; w++ {
		for symbol, of := range weights {
			if int(of) != w {
				continue
			}
			// A code of fewer than maxCode bits occupies all entries whose index begins with it.
			to := t[at:][:1<<(w-1+maxCode-width)]
			for i := range to {
				to[i] = code{uint8(symbol), uint8(width + 1 - w)}
			}
			at += len(to)
		}
	}
	return t, nil
}
