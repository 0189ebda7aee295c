package object

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// FramePairs holds the offsets of the entries of .debug_frame in both halves of an input.
type FramePairs struct{ plain, mercury []int64 }

// PairFrames finds the entries of .debug_frame in both halves.
func PairFrames(plain, mercury []byte) *FramePairs {
	return &FramePairs{Frames(plain), Frames(mercury)}
}

// Plain translates the offset of an entry in the Mercury half into the offset of the same entry
// in the plain half. An offset without an entry is returned unchanged.
func (p *FramePairs) Plain(at int64) int64 {
	if i, ok := slices.BinarySearch(p.mercury, at); ok && i < len(p.plain) {
		return p.plain[i]
	}
	return at
}

// Frames returns the offsets of the entries of .debug_frame.
func Frames(data []byte) []int64 {
	n := 0
	for range frames(data) {
		n++
	}
	places := make([]int64, 0, n)
	for at := range frames(data) {
		places = append(places, int64(at))
	}
	return places
}

// HasWholeFrames reports whether the last entry of .debug_frame in the Mercury half ends with the section. A CIE may
// be cut off within its own header (KIT-176).
func (o *Object) HasWholeFrames() bool {
	const (
		head          = 12 // of an entry of 64-bit DWARF, as NVIDIA's are
		first, behind = 21, 28
	)
	s := o.File.Section(cubin.MercuryName(".debug_frame"))
	if s == nil || o.Mercury == nil {
		return true
	}
	data := o.Data(s.Index)
	for len(data) >= head {
		size := binary.LittleEndian.Uint64(data[4:])
		if size > uint64(len(data)-head) {
			isCommon := len(data) >= first && binary.LittleEndian.Uint64(data[head:]) == math.MaxUint64
			return isCommon && len(data) < behind
		}
		data = data[head+int(size):]
	}
	return len(data) == 0
}

// frames yields the offsets of the entries of .debug_frame.
func frames(data []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; len(data)-at >= 4; {
			if !yield(at) {
				return
			}
			size, header := uint64(binary.LittleEndian.Uint32(data[at:])), 4
			if size == math.MaxUint32 { // 64-bit DWARF
				if len(data)-at < 12 {
					return
				}
				size, header = binary.LittleEndian.Uint64(data[at+4:]), 12
			}
			if size > uint64(len(data)-at-header) {
				return
			}
			at += header + int(size)
		}
	}
}
