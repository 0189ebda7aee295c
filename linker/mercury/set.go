package mercury

import "math/bits"

// A set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

// newSets returns count sets of numbers below n, in one piece of memory.
func newSets(count, n int) []set {
	words := (n + 63) / 64
	all := make(set, count*words)
	sets := make([]set, count)
	for i := range sets {
		sets[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return sets
}

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// addAll adds the numbers of t, and reports whether one was new.
func (s set) addAll(t set) (grown bool) {
	for i, w := range t {
		grown = grown || w&^s[i] != 0
		s[i] |= w
	}
	return grown
}

func (s set) removeAll(t set) {
	for i, w := range t {
		s[i] &^= w
	}
}

// meets reports whether s and t have a number in common.
func (s set) meets(t set) bool {
	for i, w := range t {
		if w&s[i] != 0 {
			return true
		}
	}
	return false
}

// holds reports whether all that t and u have in common, and that is something, is in s.
func (s set) holds(t, u set) bool {
	some := uint64(0)
	for i, w := range t {
		w &= u[i]
		if w&^s[i] != 0 {
			return false
		}
		some |= w
	}
	return some != 0
}

// take makes s what t and u have in common, and reports whether that is something.
func (s set) take(t, u set) (some bool) {
	all := uint64(0)
	for i, w := range t {
		w &= u[i]
		s[i] = w
		all |= w
	}
	return all != 0
}

// keep removes what is not in t.
func (s set) keep(t set) {
	for i, w := range t {
		s[i] &= w
	}
}

// from reports whether a number that is not less than least is in s.
func (s set) from(least int) bool {
	for i := least / 64; i < len(s); i++ {
		w := s[i]
		if i == least/64 {
			w &^= 1<<(least%64) - 1
		}
		if w != 0 {
			return true
		}
	}
	return false
}

// some reports whether anything is in s.
func (s set) some() bool {
	for _, w := range s {
		if w != 0 {
			return true
		}
	}
	return false
}

func (s set) clear() { clear(s) }

// all returns the numbers, rising.
func (s set) all(yield func(int) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(i*64 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// last returns the greatest number of a set that has one.
func (s set) last() int {
	i := len(s) - 1
	for i > 0 && s[i] == 0 {
		i--
	}
	return i*64 + bits.Len64(s[i]) - 1
}

// first returns the smallest number.
func (s set) first() (i int, ok bool) {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}
