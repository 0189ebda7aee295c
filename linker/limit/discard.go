package limit

import (
	"os"
	"unsafe"
)

// Discard returns the memory of values that are no longer used to the system. It keeps the pages that it shares with other
// memory. The values are zero afterwards; what they pointed to must be referred to from elsewhere, if it is still used.
func Discard[T any](values []T) {
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), uintptr(len(values))*unsafe.Sizeof(*new(T)))
	page := os.Getpagesize()
	first := (page - int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(page))) % page
	if whole := (len(data) - first) / page * page; whole > 0 {
		Release(data[first : first+whole])
	}
}
