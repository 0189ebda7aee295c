package cubin

// MaxPadding limits how many bytes of the output, and of the sections in it, may be padding or unused space.
// Without this limit, a damaged header could create a file of the size of the address space (EMIT-501).
const MaxPadding = 32 << 20

// MaxConstant is the size of a constant bank, in bytes.
const MaxConstant = 0x10000

func AlignUp(n, align uint64) uint64 {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}
