package lto

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/culink/culink/linker/arch"
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

// Offsets of the versions: pairs of bytes, and a last one of two bytes.
var offPairs = [...]int{4, 6, 8}

const offLastVersion = 10

// latestForm is a bit of the last version.
const latestForm = 0x10

// IsCode reports whether data begins as a file of intermediate code does.
func IsCode(data []byte) bool {
	return len(data) >= headerSize && bytes.HasPrefix(data, []byte(magic))
}

// CheckHeader returns an error when data is no file of intermediate code, or one of a version
// that a release ("13.0.88") does not read; it wraps [ErrNoCode] or [ErrOtherVersion].
func CheckHeader(data []byte, toolkit string) error {
	release, err := arch.Find(toolkit)
	if err != nil {
		return err
	}
	reads := release.CodeVersions()
	if !IsCode(data) {
		return ErrNoCode
	}
	for i, at := range offPairs {
		pair := reads.Pairs[i]
		if major, minor := data[at], data[at+1]; major != pair.Major || minor > pair.Minor {
			return fmt.Errorf("%w: %d.%d at %#x, of %d.0 to %d.%d", ErrOtherVersion, major, minor, at, pair.Major, pair.Major, pair.Minor)
		}
	}
	if last := binary.LittleEndian.Uint16(data[offLastVersion:]); last > reads.Last {
		return fmt.Errorf("%w: %d at %#x, of 0 to %d", ErrOtherVersion, last, offLastVersion, reads.Last)
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

// IsLatest reports whether a file of intermediate code is in the form of the newest architectures, sm_100 and later, and
// not in that of NVVM 7.0; the last version says it.
func IsLatest(data []byte) bool {
	return IsCode(data) && data[offLastVersion]&latestForm != 0
}

// AtMost returns a file of intermediate code that says it is for the architecture with that
// number at most: data itself, or a changed copy. nvlink takes code for later architectures than
// the target, which libnvJitLink refuses by this number alone.
func AtMost(data []byte, number int) []byte {
	if Arch(data) <= number {
		return data
	}
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint16(data[offArch:], uint16(10*number))
	return data
}
