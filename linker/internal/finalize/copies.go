package finalize

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/culink/culink/linker/mercury"
)

// Functions of a program often have identical code. For example, each file has a copy of a static function
// in a header, or template instances differ only in their types. The result of the finalizer depends only
// on a function's code and on how it is linked. The finalizer therefore runs once for all copies.

// originals returns, for each function, the number of the first function that has the same finalized code.
// For most functions this is their own number. hashes holds a hash for each function; equal code has equal
// hashes.
func originals(functions []*mercury.Function, hashes []uint64) []int {
	first := make(map[uint64]int, len(functions))
	numbers := make([]int, len(functions))
	for i, f := range functions {
		numbers[i] = i
		if f == nil {
			continue
		}
		if original, seen := first[hashes[i]]; !seen {
			first[hashes[i]] = i
		} else if sameFinal(functions[original], f) {
			numbers[i] = original
		}
	}
	return numbers
}

// hashOf returns a hash of the code of f.
func hashOf(seed maphash.Seed, f *mercury.Function) uint64 { return maphash.Bytes(seed, f.Text) }

// sameFinal reports whether two functions of one link have the same finalized code.
func sameFinal(f, g *mercury.Function) bool {
	return f.Input == g.Input && f.Entry == g.Entry && f.Stub == g.Stub && f.Whole == g.Whole && f.From == g.From &&
		bytes.Equal(f.Text, g.Text) && bytes.Equal(withoutText(f.Capsule), withoutText(g.Capsule)) &&
		maps.EqualFunc(f.Targets, g.Targets, slices.Equal)
}

// textNumber is the size in bytes of the first field of a capsule, the section number of its code.
const textNumber = 4

// withoutText returns a capsule without that number.
func withoutText(capsule []byte) []byte { return capsule[min(textNumber, len(capsule)):] }

// forCopy adapts the finalizer's result for original to f, a copy of it.
func forCopy(f, original *mercury.Function, result mercury.Result) mercury.Result {
	if isSame(result.Text, original.Text) {
		result.Text = f.Text
	} else {
		result.Text = bytes.Clone(result.Text)
	}
	if isSame(result.Capsule, original.Capsule) {
		result.Capsule = f.Capsule
	} else {
		result.Capsule = slices.Concat(f.Capsule[:textNumber], withoutText(result.Capsule))
	}
	return result
}

// isSame reports whether two slices share the same memory.
func isSame(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
