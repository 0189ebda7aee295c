package sass

import (
	"fmt"
	"math/bits"
	"strings"
)

// A File is one of the four kinds of registers.
type File uint8

// The files, in the order in which they are printed.
const (
	General          File = iota // R0-R254
	Uniform                      // UR0-UR254
	Predicate                    // P0-P6
	UniformPredicate             // UP0-UP6
)

var fileNames = [...]string{"R", "UR", "P", "UP"}

func (f File) String() string { return fileNames[f] }

// Registers is a set of registers. It never contains the zero register and the true predicate, which hold no
// value.
type Registers struct {
	R, UR [4]uint64
	P, UP uint8
}

// Add adds count registers of a file to s, starting with number first. Registers that do not exist are ignored.
func (s *Registers) Add(file File, first, count uint) {
	switch file {
	case General:
		addNumbers(&s.R, first, count)
	case Uniform:
		addNumbers(&s.UR, first, count)
	case Predicate:
		s.P |= predicates(first, count)
	case UniformPredicate:
		s.UP |= predicates(first, count)
	}
}

func addNumbers(set *[4]uint64, first, count uint) {
	for n := first; n < min(first+count, 255); n++ {
		set[n/64] |= 1 << (n % 64)
	}
}

func predicates(first, count uint) uint8 {
	return uint8((1<<min(first+count, 7) - 1) &^ (1<<min(first, 7) - 1))
}

// Union returns the registers that are in s or in t.
func (s Registers) Union(t Registers) Registers {
	for i := range s.R {
		s.R[i] |= t.R[i]
		s.UR[i] |= t.UR[i]
	}
	s.P |= t.P
	s.UP |= t.UP
	return s
}

// Marks returns a word in which each register of s sets one bit. Several registers may share a bit. If two
// words have no common bit, the sets have no common register.
func (s *Registers) Marks() uint64 {
	return s.R[0] | s.R[1] | s.R[2] | s.R[3] | bits.RotateLeft64(s.UR[0]|s.UR[1]|s.UR[2]|s.UR[3], 32) | uint64(s.P)<<48 | uint64(s.UP)<<56
}

// Remove removes the registers of t from s.
func (s *Registers) Remove(t *Registers) {
	for i := range s.R {
		s.R[i] &^= t.R[i]
		s.UR[i] &^= t.UR[i]
	}
	s.P &^= t.P
	s.UP &^= t.UP
}

// Overlaps reports whether s and t have a common register.
func (s Registers) Overlaps(t Registers) bool {
	common := uint64(s.P&t.P | s.UP&t.UP)
	for i := range s.R {
		common |= s.R[i]&t.R[i] | s.UR[i]&t.UR[i]
	}
	return common != 0
}

// Files returns a bit for each file in which s and t have a common register.
func (s *Registers) Files(t *Registers) (files uint8) {
	var r, ur uint64
	for i := range s.R {
		r |= s.R[i] & t.R[i]
		ur |= s.UR[i] & t.UR[i]
	}
	for file, common := range [...]uint64{General: r, Uniform: ur, Predicate: uint64(s.P & t.P), UniformPredicate: uint64(s.UP & t.UP)} {
		if common != 0 {
			files |= 1 << file
		}
	}
	return files
}

// Only returns the registers of s in one file.
func (s Registers) Only(file File) Registers {
	switch file {
	case General:
		return Registers{R: s.R}
	case Uniform:
		return Registers{UR: s.UR}
	case Predicate:
		return Registers{P: s.P}
	}
	return Registers{UP: s.UP}
}

// Has reports whether register n of a file is in s.
func (s Registers) Has(file File, n uint) bool {
	var one Registers
	one.Add(file, n, 1)
	return s.Overlaps(one)
}

// All yields the registers of s, file by file, in ascending order.
func (s Registers) All(yield func(File, uint) bool) {
	for file, words := range [...][]uint64{s.R[:], s.UR[:], {uint64(s.P)}, {uint64(s.UP)}} {
		for i, w := range words {
			for ; w != 0; w &= w - 1 {
				if !yield(File(file), uint(i*64+bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// String lists the registers with the disassembler's names.
func (s Registers) String() string {
	var names []string
	for file, n := range s.All {
		names = append(names, fmt.Sprintf("%v%d", file, n))
	}
	return strings.Join(names, " ")
}
