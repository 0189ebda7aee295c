// Package reloc knows the relocation types of CUDA device code: what each is
// called, which bits it patches with what, and what a link does with it.
//
// A relocation names a place (a byte offset in a section), a symbol and a type.
// The type's actions, at most three, say which bit fields at that place are
// written and from what: the symbol's value, its high half, the number of its
// constant bank. [Type.Apply] executes them. Before that the linker asks
// [Type.Disposition], because most relocations are not executed at link time at all:
// the addresses of functions and global variables are known only to the driver,
// and their relocations are passed on to it.
//
// The knowledge is two tables, cuda.go and mercury.go; [Lookup] and
// [LookupMercury] read them. Sources: seed document 003, and nvlink 13.0.88 asked
// with forged relocations (testdata/outcomes.txt, docs/relocations.md).
package reloc

import (
	"fmt"
	"iter"
)

// MercuryBase is the number that the R_MERCURY types, those of .nv.merc.rela.*
// sections, count from.
const MercuryBase = 0x10000

// A Type is one kind of relocation.
type Type struct {
	Number  uint32 // as in r_info
	Name    string // "R_CUDA_ABS32_32"
	Use     Use
	Final   uint32 // the number that a kept relocation carries in an executable (RELOC-012)
	Actions Actions
}

// A row is a type whose number is where it stands in its table. Numbers in it count from the first of
// the table.
type row struct {
	name    string
	use     Use
	final   uint32
	actions Actions
}

// numbered makes the types of a table, whose numbers count from first.
func numbered(first uint32, rows []row) []Type {
	types := make([]Type, len(rows))
	for i, r := range rows {
		types[i] = Type{first + uint32(i), r.name, r.use, first + r.final, r.actions}
	}
	return types
}

// Actions are what a type does to its place, in order; unused ones are [End].
type Actions [3]Action

// Lookup finds type n of a .rel or .rela section. For a number that is no type it
// gives a type of use [Last], and false.
func Lookup(n uint32) (t *Type, known bool) {
	if n < uint32(len(cuda)) {
		return &cuda[n], true
	}
	return unknown(n, Last), false
}

// LookupMercury finds type n of a .nv.merc.rela.* section. For a number that is no
// type it gives a type of use [Invalid], when it is one of the R_CUDA types, or
// [Last], and false.
func LookupMercury(n uint32) (t *Type, known bool) {
	switch i := n - MercuryBase; {
	case n < MercuryBase:
		return unknown(n, Invalid), false
	case i < uint32(len(mercury)):
		return &mercury[i], true
	}
	return unknown(n, Last), false
}

func unknown(n uint32, use Use) *Type {
	return &Type{Number: n, Name: fmt.Sprintf("relocation %#x", n), Use: use, Final: n}
}

// Types returns every type, the R_CUDA types first, each table by number.
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
