package lto

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/culink/culink/linker/arch"
)

// A file of intermediate code begins with a header of 24 bytes. It contains, in little endian, the magic, four
// versions, the size of the header, and fields that are not read here. The first three versions are pairs of a
// major and a minor byte. nvlink checks the magic and the versions first. It reads no file of another major
// version, or of a minor version later than its own (LTO-010).

const (
	magic         = "\xed\x43\x4e\x7f"
	headerSize    = 24
	offHeaderSize = 12
	offArch       = 26 // after the header: ten times the architecture number
)

// These are the offsets of the versions. All but the last version are pairs of bytes. The last one has two
// bytes.
var offPairs = [...]int{4, 6, 8}

const offLastVersion = 10

// latestForm is a flag in the last version.
const latestForm = 0x10

// IsCode reports whether data begins like a file of intermediate code.
func IsCode(data []byte) bool {
	return len(data) >= headerSize && bytes.HasPrefix(data, []byte(magic))
}

// CheckHeader returns an error if data is not a file of intermediate code, or has a version that a release does
// not read. toolkit is the release, as "13.0.88". The error wraps [ErrNoCode] or [ErrOtherVersion].
func CheckHeader(data []byte, toolkit string) error {
	release, err := arch.Find(toolkit)
	if err != nil {
		return err
	}
	reads := release.CodeVersions()
	if !IsCode(data) {
		if reads.Cut && bytes.HasPrefix(data, []byte(magic)) {
			return fmt.Errorf("%w: the header ends after %d bytes", ErrOtherVersion, len(data))
		}
		return ErrNoCode
	}
	for i, at := range offPairs {
		pair := reads.Pairs[i]
		if major, minor := data[at], data[at+1]; major != pair.Major || minor > pair.Minor {
			return fmt.Errorf("%w: %d.%d at %#x, of %d.0 to %d.%d", ErrOtherVersion, major, minor, at, pair.Major, pair.Major, pair.Minor)
		}
	}
	if last := binary.LittleEndian.Uint16(data[offLastVersion:]); last < reads.First || last > reads.Last {
		return fmt.Errorf("%w: %d at %#x, of %d to %d", ErrOtherVersion, last, offLastVersion, reads.First, reads.Last)
	}
	return nil
}

// Arch returns the architecture number of a file of intermediate code, or 0 if it is unknown.
func Arch(data []byte) int {
	if len(data) < offArch+2 || binary.LittleEndian.Uint16(data[offHeaderSize:]) != headerSize {
		return 0
	}
	return int(binary.LittleEndian.Uint16(data[offArch:])) / 10
}

// IsLatest reports whether a file of intermediate code has the format for sm_100 and later, and not that of
// NVVM 7.0. The last version shows this.
func IsLatest(data []byte) bool {
	return IsCode(data) && data[offLastVersion]&latestForm != 0
}

// AtMost returns a file of intermediate code whose architecture number is at most number. That is data itself,
// or a copy with a changed number. nvlink accepts code for later architectures than the target. libnvJitLink
// refuses such code because of this number alone.
func AtMost(data []byte, number int) []byte {
	if Arch(data) <= number {
		return data
	}
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint16(data[offArch:], uint16(10*number))
	return data
}
