package zstd

import "math/bits"

// A state is an entry of a table for finite state entropy: its symbol, and the base and number of bits for the
// next state (section 4.1).
type state struct {
	base   uint16
	symbol uint8
	bits   uint8
}

// The length of a table is a power of two.
type table []state

// log returns the number of bits that select the first state.
func (t table) log() int { return bits.Len(uint(len(t))) - 1 }

// start reads the bits that select the first state.
func (t table) start(b *reversedBits) state {
	b.fill()
	return t[b.take(uint8(t.log()))]
}

// next reads the bits that select the state after s.
func (t table) next(s state, b *reversedBits) state { return t[int(s.base)+b.take(s.bits)] }

// readTable reads the description of a table for symbols up to most (section 4.1.1), and returns its size in
// bytes.
func readTable(data []byte, most, mostLog int) (table, int, error) {
	b := forwardBits{data: data}
	log := b.read(4) + 5
	if log > mostLog {
		return nil, 0, corrupt("a table of states is too large")
	}
	var counts [256]int16
	n := 0
	for left := 1 << log; left > 0; n++ {
		if n > most {
			return nil, 0, corrupt("a table of states has too many symbols")
		}
		// Of the numbers up to left+1, the lower ones are stored with one bit less.
		width := bits.Len(uint(left + 1))
		short := 1<<width - 1 - (left + 1)
		count := b.read(width - 1)
		if count >= short {
			b.next -= width - 1
			if count = b.read(width); count >= 1<<(width-1) {
				count -= short
			}
		}
		count-- // -1 marks a symbol of probability lower than one state
		counts[n] = int16(count)
		left -= max(count, -count)
		for more := 3; count == 0 && more == 3; {
			more = b.read(2)
			if n += more; n > most {
				return nil, 0, corrupt("a table of states has too many symbols")
			}
		}
	}
	used := (b.next + 7) / 8
	if used > len(data) {
		return nil, 0, corrupt("a table of states has no end")
	}
	return makeTable(counts[:n], log), used, nil
}

// makeTable distributes the symbols over the states. counts contains the number of states of each (section
// 4.1.1).
func makeTable(counts []int16, log int) table {
	t := make(table, 1<<log)
	end := len(t)
	var next [256]uint16
	for symbol, count := range counts {
		if next[symbol] = uint16(count); count < 0 {
			end--
			t[end].symbol, next[symbol] = uint8(symbol), 1
		}
	}
	at, step := 0, len(t)>>1+len(t)>>3+3
	for symbol, count := range counts {
		for range max(count, 0) {
			t[at].symbol = uint8(symbol)
			for at = (at + step) & (len(t) - 1); at >= end; at = (at + step) & (len(t) - 1) {
			}
		}
	}
	for i := range t {
		s := &t[i]
		n := next[s.symbol]
		next[s.symbol]++
		s.bits = uint8(log + 1 - bits.Len16(n))
		s.base = n<<s.bits - uint16(len(t))
	}
	return t
}
