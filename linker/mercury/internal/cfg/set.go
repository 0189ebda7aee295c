package cfg

import (
	"math/bits"
)

// A Set is a bit set of small numbers.
type Set []uint64

// NewSet returns a set for numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// NewSets returns count sets of numbers below n. They share one allocation.
func NewSets(count, n int) []Set {
	words := (n + 63) / 64
	all := make(Set, count*words)
	sets := make([]Set, count)
	for i := range sets {
		sets[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return sets
}

// Has reports whether i is in s.
func (s Set) Has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// Add adds i to s.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Remove removes i from s.
func (s Set) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// AddAll adds the numbers of t, and reports whether one was new.
func (s Set) AddAll(t Set) (grown bool) {
	for i, w := range t {
		grown = grown || w&^s[i] != 0
		s[i] |= w
	}
	return grown
}

// RemoveAll removes the numbers of t.
func (s Set) RemoveAll(t Set) {
	for i, w := range t {
		s[i] &^= w
	}
}

// Meets reports whether s and t have a number in common.
func (s Set) Meets(t Set) bool {
	for i, w := range t {
		if w&s[i] != 0 {
			return true
		}
	}
	return false
}

// MeetsBoth reports whether s, t and u have a number in common.
func (s Set) MeetsBoth(t, u Set) bool {
	for i, w := range t {
		if w&u[i]&s[i] != 0 {
			return true
		}
	}
	return false
}

// Holds reports whether t and u have common numbers, all of which are in s.
func (s Set) Holds(t, u Set) bool {
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

// Take sets s to the intersection of t and u, and reports whether it is not empty.
func (s Set) Take(t, u Set) (some bool) {
	all := uint64(0)
	for i, w := range t {
		w &= u[i]
		s[i] = w
		all |= w
	}
	return all != 0
}

// Keep removes the numbers that are not in t.
func (s Set) Keep(t Set) {
	for i, w := range t {
		s[i] &= w
	}
}

// From reports whether s has a number that is at least least.
func (s Set) From(least int) bool {
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

// Some reports whether s is not empty.
func (s Set) Some() bool {
	for _, w := range s {
		if w != 0 {
			return true
		}
	}
	return false
}

// Clear removes all numbers.
func (s Set) Clear() { clear(s) }

// All yields the numbers in ascending order.
func (s Set) All(yield func(int) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(i*64 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// Last returns the greatest number; the set must not be empty.
func (s Set) Last() int {
	i := len(s) - 1
	for i > 0 && s[i] == 0 {
		i--
	}
	return i*64 + bits.Len64(s[i]) - 1
}

// First returns the smallest number.
func (s Set) First() (i int, ok bool) {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}
