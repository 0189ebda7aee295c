package zstd

import "sync"

// tables holds the codes that later blocks of a frame may use again.
type tables struct {
	literals                   *codes
	lengths, distances, copies table // number of literals before a match; distances and lengths of matches
}

// A field is one of the three numbers of a sequence: section 3.1.1.3.2.
type field struct {
	most, mostLog int          // largest code; largest table size, as a logarithm
	usual         func() table // the default, if the block contains none
}

var (
	lengthField = field{35, 9, usual(6, []int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1})}
	distanceField = field{31, 8, usual(5, []int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1})}
	copyField = field{52, 9, usual(6, []int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		-1, -1, -1, -1, -1, -1, -1})}
)

func usual(log int, counts []int16) func() table {
	return sync.OnceValue(func() table { return makeTable(counts, log) })
}

// These are the numbers of extra bits of the length codes. The range of each code begins where that of the
// previous one ends.
const (
	lengthBits = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x01\x01\x01\x02\x02\x03\x03\x04\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
	copyBits = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x01\x01\x01\x02\x02\x03\x03\x04\x04\x05\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
	shortestMatch = 3
)

var (
	lengthBases = sync.OnceValue(func() []int { return basesOf(lengthBits, 0) })
	copyBases   = sync.OnceValue(func() []int { return basesOf(copyBits, shortestMatch) })
)

func basesOf(widths string, base int) []int {
	bases := make([]int, len(widths))
	for i, width := range []byte(widths) {
		bases[i] = base
		base += 1 << width
	}
	return bases
}

// table reads the coding of a field.
func (f field) table(in *input, mode uint8, before table) (table, error) {
	switch mode {
	case 0:
		return f.usual(), nil
	case 1: // a single code for all sequences
		data := in.take(1)
		if data == nil || int(data[0]) > f.most {
			return nil, corrupt("a code of sequences")
		}
		return table{{symbol: data[0]}}, nil
	case 2:
		t, used, err := readTable(in.data, f.most, f.mostLog)
		if err == nil {
			in.take(used)
		}
		return t, err
	}
	if before == nil {
		return nil, corrupt("sequences without a table")
	}
	return before, nil
}

// sequences executes the sequences of a block. Each copies some literals, and then some bytes from the decoded
// output.
func (d *decoder) sequences(in input, literals []byte) error {
	n, err := countSequences(&in)
	if err != nil {
		return err
	}
	if n > 0 {
		if literals, err = d.carryOut(n, in, literals); err != nil {
			return err
		}
	} else if len(in.data) > 0 {
		return corrupt("a block has another length")
	}
	return d.add(literals)
}

func countSequences(in *input) (int, error) {
	first, ok := in.number(1)
	n := int(first)
	switch {
	case n == 255:
		var more uint64
		more, ok = in.number(2)
		n = int(more) + 0x7f00
	case n > 127:
		var low uint64
		low, ok = in.number(1)
		n = (n-128)<<8 + int(low)
	}
	if !ok {
		return 0, corrupt("a block without sequences")
	}
	return n, nil
}

// carryOut executes n sequences, and returns the remaining literals.
func (d *decoder) carryOut(n int, in input, literals []byte) ([]byte, error) {
	modes := in.take(1)
	if modes == nil || modes[0]&3 != 0 {
		return nil, corrupt("the header of sequences")
	}
	var err error
	t := &d.tables
	if t.lengths, err = lengthField.table(&in, modes[0]>>6, t.lengths); err != nil {
		return nil, err
	}
	if t.distances, err = distanceField.table(&in, modes[0]>>4&3, t.distances); err != nil {
		return nil, err
	}
	if t.copies, err = copyField.table(&in, modes[0]>>2&3, t.copies); err != nil {
		return nil, err
	}
	b, ok := d.reversed(in.data)
	if !ok {
		return nil, corrupt("sequences without an end")
	}
	lengthBases, copyBases := lengthBases(), copyBases()
	length, distance, copied := t.lengths.start(&b), t.distances.start(&b), t.copies.start(&b)
	for i := range n {
		b.fill()
		code := uint32(1)<<distance.symbol + uint32(b.take(distance.symbol))
		match := copyBases[copied.symbol] + b.take(copyBits[copied.symbol])
		b.fill()
		before := lengthBases[length.symbol] + b.take(lengthBits[length.symbol])
		if i < n-1 {
			length = t.lengths.next(length, &b)
			copied = t.copies.next(copied, &b)
			distance = t.distances.next(distance, &b)
		}
		if before > len(literals) || before+match > d.most-len(d.out) || b.left < 0 {
			return nil, corrupt("a sequence")
		}
		d.out = append(d.out, literals[:before]...)
		literals = literals[before:]
		if err := d.copyMatch(d.distance(code, before == 0), match); err != nil {
			return nil, err
		}
	}
	if b.left != 0 {
		return nil, corrupt("sequences have another length")
	}
	return literals, nil
}

// distance returns the distance that a code stands for: one of the last three distances, or a new one (section
// 3.1.1.5). The result 0 is invalid for a match. It occurs if the code stands for one less than the last
// distance, and that is 1.
func (d *decoder) distance(code uint32, atOnce bool) int {
	r := &d.repeated
	if code > 3 {
		*r = [3]uint32{code - 3, r[0], r[1]}
		return int(r[0])
	}
	if atOnce { // no literals: the last distance would continue the previous match
		code++
	}
	switch code {
	case 1:
	case 2:
		r[0], r[1] = r[1], r[0]
	case 3:
		*r = [3]uint32{r[2], r[0], r[1]}
	default:
		*r = [3]uint32{r[0] - 1, r[0], r[1]}
	}
	return int(r[0])
}

// copyMatch copies n bytes from a distance before the end. The distance may be smaller than n.
func (d *decoder) copyMatch(distance, n int) error {
	end := len(d.out)
	if distance == 0 || distance > end-d.start {
		return corrupt("a match before the beginning")
	}
	d.out = d.out[:end+n]
	from, to := d.out[end-distance:], d.out[end:]
	for len(to) > 0 { // the number of bytes that can be copied doubles each time
		to = to[copy(to, from[:len(from)-len(to)]):]
	}
	return nil
}
