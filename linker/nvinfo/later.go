package nvinfo

import (
	"encoding/binary"
	"slices"
)

// firstLater is the first release whose compilers schedule as its finalizer does (KIT-060).
const firstLater = 131

// MadeLater reports whether the attributes of a function are those of a compiler after 13.0.
func MadeLater(list []Record) bool {
	return slices.ContainsFunc(list, func(r Record) bool {
		return r.Code == CudaAPIVersion && len(r.Payload) == 4 && binary.LittleEndian.Uint32(r.Payload) >= firstLater
	})
}
