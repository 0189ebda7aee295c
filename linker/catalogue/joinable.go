package catalogue

import "slices"

// joinableSizes holds the sizes, in bytes, of the constants that nvlink compares.
var joinableSizes = []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}

// IsJoinable reports whether nvlink merges equal constants of this size and alignment, in bytes. The constants are
// parts of .nv.constant3 or compiler constants. Those of 4 and 8 bytes are compared only if they have the
// alignment of a word of that size (EMIT-016, E-335, LAYOUT-112).
func IsJoinable(size, align uint64) bool {
	return slices.Contains(joinableSizes, size) && (size > 8 || align == size)
}
