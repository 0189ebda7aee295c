package codematch

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
)

// A linker could set control bits to any value. A missing wait makes a program fail occasionally. So a schedule other
// than nvlink's counts as a known difference only if a compiler made it, which means that the input has it. The
// scoreboards of a function (those that an instruction sets and those that it waits for) must either all be nvlink's or
// all be the input's. The same holds for its stalls (numbers of cycles, and operands that are kept for reuse).
//
// A final link drops instructions and adds others. The instructions of the output are paired with those of the input, in
// order. The linker added the instructions without a pair, so these must have nvlink's control bits. The comparison uses
// only the encoding of instructions, and not the rules of the finalizer.

// Chosen reports whether the control bits of a function in got were made by a known tool. They must be those of want,
// nvlink's code of the same function, or those of one of the inputs.
func Chosen(want, got []byte, inputs [][]byte) bool {
	if len(want) != len(got) || len(got)%sass.Size != 0 {
		return false
	}
	for _, part := range controlParts {
		if part.equal(want, got, identity(len(got)/sass.Size)) {
			continue
		}
		if !slices.ContainsFunc(inputs, func(in []byte) bool {
			pairs := pair(got, in)
			return part.equal(in, got, pairs) && part.added(want, got, pairs)
		}) {
			return false
		}
	}
	return true
}

// Codes returns the code of a file's functions by the names of their sections. It returns nothing for a file that cannot
// be read.
func Codes(data []byte) map[string][][]byte {
	f, err := cubin.Open("", data)
	if err != nil {
		return nil
	}
	codes := map[string][][]byte{}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Flags&cubin.FlagExec != 0 {
			if code, err := f.Data(s.Index); err == nil {
				codes[s.Name] = append(codes[s.Name], code)
			}
		}
	}
	return codes
}

// A controlPart is a part of the control bits of an instruction, as masks of its two words.
type controlPart struct{ low, high uint64 }

// The control bits begin at bit 105: four bits for stalls, one for yield, three for each of two scoreboards to set, six
// for the wait mask, and four for reuse.
var controlParts = []controlPart{
	{low: 7 << 44, high: (1<<12 - 1) << 46}, // scoreboards; the lower mask is for those of DEPBAR
	{high: (1<<5-1)<<41 | (1<<4-1)<<58},     // stalls
}

// opDEPBAR is the opcode of an instruction that waits for the scoreboard in its operand.
const opDEPBAR = 0x91a

// of returns the part of an instruction.
func (p controlPart) of(code []byte, i int) [2]uint64 {
	low, high := words(code, i)
	if low&0xfff != opDEPBAR {
		low = 0
	}
	return [2]uint64{low & p.low, high & p.high}
}

// equal reports whether a part of the control bits is the same in two codes, for the instructions of got that have a
// pair in other.
func (p controlPart) equal(other, got []byte, pairs []int) bool {
	for i, k := range pairs {
		if k != none && p.of(other, k) != p.of(got, i) {
			return false
		}
	}
	return true
}

// added reports whether a part of the control bits is the same in nvlink's code and in got, for the instructions without
// a pair.
func (p controlPart) added(want, got []byte, pairs []int) bool {
	for i, k := range pairs {
		if k == none && p.of(want, i) != p.of(got, i) {
			return false
		}
	}
	return true
}

// none stands for an instruction without a pair.
const none = -1

// identity pairs each of n instructions with the one at the same index.
func identity(n int) []int {
	pairs := make([]int, n)
	for i := range pairs {
		pairs[i] = i
	}
	return pairs
}

// mostPairs limits the work of [pair], which is the product of two lengths.
const mostPairs = 1 << 24

// pair finds, for each instruction of got, the corresponding instruction of in. It keeps the order, makes as many pairs
// as possible, and prefers pairs with more equal bits.
func pair(got, in []byte) []int {
	n, m := len(got)/sass.Size, len(in)/sass.Size
	pairs := make([]int, n)
	if n*m > mostPairs {
		for i := range pairs {
			pairs[i] = none
		}
		return pairs
	}
	best := make([][]int32, n+1) // best result for the instructions from two indices on
	for i := range best {
		best[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			best[i][k] = max(best[i+1][k], best[i][k+1])
			if s := likeness(got, i, in, k); s > 0 {
				best[i][k] = max(best[i][k], s+best[i+1][k+1])
			}
		}
	}
	for i, k := 0, 0; i < n; {
		s := int32(0)
		if k < m {
			s = likeness(got, i, in, k)
		}
		switch {
		case s > 0 && best[i][k] == s+best[i+1][k+1]:
			pairs[i] = k
			i, k = i+1, k+1
		case k < m && best[i][k] == best[i][k+1]:
			k++
		default:
			pairs[i] = none
			i++
		}
	}
	return pairs
}

// likeness returns how well two instructions match, or 0 if they cannot be a pair. Their operands may differ
// because of relocations and displacements. Their opcode and predicate may not.
func likeness(a []byte, i int, b []byte, k int) int32 {
	aLow, aHigh := words(a, i)
	bLow, bHigh := words(b, k)
	if (aLow^bLow)&0xffff != 0 {
		return 0
	}
	const control = (1<<23 - 1) << 41
	fit := int32(8)
	if (aLow^bLow)&0xffffffff == 0 {
		fit += 2
	}
	if aLow == bLow {
		fit += 2
	}
	if (aHigh^bHigh)&^control == 0 {
		fit += 2
	}
	if aHigh == bHigh {
		fit++
	}
	return fit
}

func words(code []byte, i int) (low, high uint64) {
	at := i * sass.Size
	return binary.LittleEndian.Uint64(code[at:]), binary.LittleEndian.Uint64(code[at+8:])
}
