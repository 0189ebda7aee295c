package lto

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// A file of intermediate code begins with a header of 24 bytes, its numbers little-endian:
// the magic, four versions, the size of the header, and what nothing here reads. The first
// three versions are a major and a minor byte each. nvlink looks at the magic and at the
// versions as soon as it meets a file: of another major version, or of a later minor one
// than its own, it reads nothing (LTO-010).

const (
	magic         = "\xed\x43\x4e\x7f"
	headerSize    = 24
	offHeaderSize = 12
	offArch       = 26 // after the header: ten times the number of the architecture
)

// versions are the pairs that CUDA 13.0 reads, by offset.
var versions = []struct{ offset, major, minor int }{{4, 1, 0x41}, {6, 2, 0x62}, {8, 3, 2}}

// offLastVersion is where the version of two bytes is; lastVersion is the last that CUDA 13.0 reads.
const (
	offLastVersion = 10
	lastVersion    = 20
)

// IsCode reports whether data begins as a file of intermediate code does.
func IsCode(data []byte) bool {
	return len(data) >= headerSize && bytes.HasPrefix(data, []byte(magic))
}

// CheckHeader returns an error when data is no file of intermediate code, or one of a version
// that CUDA 13.0 does not read; it wraps [ErrNoCode] or [ErrOtherVersion].
func CheckHeader(data []byte) error {
	if !IsCode(data) {
		return ErrNoCode
	}
	for _, v := range versions {
		if major, minor := int(data[v.offset]), int(data[v.offset+1]); major != v.major || minor > v.minor {
			return fmt.Errorf("%w: %d.%d at %#x, of %d.0 to %d.%d", ErrOtherVersion, major, minor, v.offset, v.major, v.major, v.minor)
		}
	}
	if last := binary.LittleEndian.Uint16(data[offLastVersion:]); last > lastVersion {
		return fmt.Errorf("%w: %d at %#x, of 0 to %d", ErrOtherVersion, last, offLastVersion, lastVersion)
	}
	return nil
}

// Arch is the number of the architecture that a file of intermediate code is for; 0 when it is
// not known.
func Arch(data []byte) int {
	if len(data) < offArch+2 || binary.LittleEndian.Uint16(data[offHeaderSize:]) != headerSize {
		return 0
	}
	return int(binary.LittleEndian.Uint16(data[offArch:])) / 10
}
