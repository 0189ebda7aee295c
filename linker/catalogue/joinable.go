package catalogue

import "slices"

// joinableSizes are the sizes, in bytes, of the constants that nvlink compares.
var joinableSizes = []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}

// IsJoinable reports whether nvlink keeps one of equal constants, parts of .nv.constant3 or the compiler's own,
// of a size and alignment, in bytes.
// Those of 4 and 8 bytes are compared only where they are aligned like words of that size (EMIT-016, E-335, LAYOUT-112).
func IsJoinable(size, align uint64) bool {
	return slices.Contains(joinableSizes, size) && (size > 8 || align == size)
}
