// Package reloc describes the relocation types of CUDA device code: their names, the bits that they patch, the
// values of these bits, and their treatment by a link.
//
// A relocation consists of a place (a byte offset in a section), a symbol and a type. The type has at most
// three actions. Each writes a bit field at the place with a value such as the symbol's value, its high half,
// or the number of its constant bank. [Type.Apply] executes the actions. The linker first calls
// [Type.Disposition], because most relocations are not resolved at link time. Only the driver knows the
// addresses of functions and global variables, so their relocations are passed on to it.
//
// The types are in two tables, cuda.go and mercury.go. [Lookup] and [LookupMercury] read them. Sources: seed
// document 003, and nvlink 13.0.88 tested with forged relocations (forged/testdata/outcomes.txt, docs/relocations.md).
package reloc

import (
	"fmt"
	"iter"
)

// MercuryBase is the first number of the R_MERCURY types, which occur in .nv.merc.rela.* sections.
const MercuryBase = 0x10000

// A Type is one kind of relocation.
type Type struct {
	Number  uint32 // as in r_info
	Name    string // "R_CUDA_ABS32_32"
	Use     Use
	Final   uint32 // the number of a kept relocation in an executable (RELOC-012)
	Actions Actions
}

// A row is a type in a table. Its index is its number. Numbers in a row count from the first number of the
// table.
type row struct {
	name    string
	use     Use
	final   uint32
	actions Actions
}

// numbered returns the types of a table whose numbers start at first.
func numbered(first uint32, rows []row) []Type {
	types := make([]Type, len(rows))
	for i, r := range rows {
		types[i] = Type{first + uint32(i), r.name, r.use, first + r.final, r.actions}
	}
	return types
}

// Actions are the actions of a type at its place, in order. Unused ones are [End].
type Actions [3]Action

// Lookup finds type n of a .rel or .rela section. For an unknown number it returns a type of use [Last], and
// false.
func Lookup(n uint32) (t *Type, known bool) {
	if n < uint32(len(cuda)) {
		return &cuda[n], true
	}
	return unknown(n, Last), false
}

// LookupMercury finds type n of a .nv.merc.rela.* section. For an unknown number it returns false and a type of
// use [Last]. If n is in the range of the R_CUDA types, the use is [Invalid].
func LookupMercury(n uint32) (t *Type, known bool) {
	switch i := n - MercuryBase; {
	case n < MercuryBase:
		return unknown(n, Invalid), false
	case i < uint32(len(mercury)):
		return &mercury[i], true
	}
	return unknown(n, Last), false
}

// UnknownType returns type n of a .rel or .rela section as one that a release does not know, of use [Last].
func UnknownType(n uint32) *Type { return unknown(n, Last) }

func unknown(n uint32, use Use) *Type {
	return &Type{Number: n, Name: fmt.Sprintf("relocation %#x", n), Use: use, Final: n}
}

// Types returns every type: the R_CUDA types, then the R_MERCURY types, each sorted by number.
func Types() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		for _, table := range [][]Type{cuda, mercury} {
			for i := range table {
				if !yield(&table[i]) {
					return
				}
			}
		}
	}
}

func (t *Type) String() string { return t.Name }
