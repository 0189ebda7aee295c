package catalogue

import "slices"

// joinableSizes are the sizes, in bytes, of the parts of .nv.constant3 that nvlink compares.
var joinableSizes = []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}

// IsJoinable reports whether nvlink keeps one of equal parts of .nv.constant3 of a size and alignment, in bytes.
// Parts of 4 and 8 bytes are compared only where they are aligned like words of that size (EMIT-016, E-335).
func IsJoinable(size, align uint64) bool {
	return slices.Contains(joinableSizes, size) && (size > 8 || align == size)
}
