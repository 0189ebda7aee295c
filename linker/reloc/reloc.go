// Package reloc knows the relocation types of CUDA device code: what each is
// called, which bits it patches with what, and what a link does with it.
//
// A relocation names a place (a byte offset in a section), a symbol and a type.
// The type's actions, at most three, say which bit fields at that place are
// written and from what: the symbol's value, its high half, the number of its
// constant bank. [Type.Apply] executes them. Before that the linker asks
// [Type.Fate], because most relocations are not executed at link time at all:
// the addresses of functions and global variables are known only to the driver,
// and their relocations are passed on to it.
//
// The knowledge is two tables, [CUDA] and [Mercury]; everything else reads them.
// Sources: seed document 003, and nvlink 13.0.88 asked with forged relocations
// (docs/relocations.md, testdata/outcomes.txt).
package reloc

// MercuryBase is the number of the first R_MERCURY type. The types of Mercury
// sections (.nv.merc.rela.*) count from here.
const MercuryBase = 0x10000

// A Type is one kind of relocation: a row of [CUDA] or [Mercury].
type Type struct {
	Number  uint32 // as in r_info
	Name    string // "R_CUDA_ABS32_32"
	Use     Use
	Final   uint32 // the number that a kept relocation carries in an executable
	Actions Actions
}

// Actions are what a type does to its place, in order; unused ones are [End].
type Actions [3]Action

// Lookup finds the type with number n, of either table.
func Lookup(n uint32) (*Type, bool) {
	table := CUDA[:]
	if n >= MercuryBase {
		table, n = Mercury[:], n-MercuryBase
	}
	if n >= uint32(len(table)) {
		return nil, false
	}
	return &table[n], true
}

func (t *Type) String() string { return t.Name }
