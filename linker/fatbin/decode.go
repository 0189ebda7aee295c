package fatbin

import (
	"errors"
	"fmt"

	"github.com/culink/culink/linker/fatbin/internal/lz4"
	"github.com/culink/culink/linker/fatbin/internal/zstd"
)

// A payload is stored plain, as one LZ4 block without size prefix, or as one zstd frame. The entry contains the
// decoded size. Decoding never produces more than that, so that a small file cannot use much memory.

// MaxDecoded is the maximum size in bytes of a decoded payload for Decode. DecodeAtMost uses the caller's
// limit.
const MaxDecoded = 1 << 30

// mostOf is the maximum number of decoded bytes for each byte of compressed payload. LZ4 counts lengths in
// bytes of up to 255. A zstd block of four bytes can represent 128 KiB.
var mostOf = [...]uint64{Plain: 1, LZ4: 255, Zstd: 32 << 10, Reserved: 1}

// memoryLimit is the decoded size in bytes from which nvlink runs out of memory. That error differs from the
// one for a payload that is too short.
const memoryLimit = 1 << 35

// minReserved and maxReserved are limits for a payload with FlagReserved. nvlink reports a payload of a size
// between them as corrupt, twice (LOAD-018).
const minReserved, maxReserved = 7, 18

// Errors of Decode.
var (
	ErrTooLarge  = errors.New("decoded payload is too large")
	ErrLimit     = errors.New("decoded payload is larger than allowed")
	ErrTruncated = errors.New("payload goes past the end of the file")
	ErrCorrupt   = errors.New("compressed payload is corrupt")
	ErrShort     = errors.New("compressed payload holds less than its entry says")
	// ErrUnknownCompression is the error for a compression that this package cannot read: that of old toolkits,
	// one that is not used, and that of intermediate code that only NVIDIA's tools can read.
	ErrUnknownCompression = errors.New("unknown compression")
	// ErrOthersDecode is the error for a corrupt payload, of which a decoder that checks less makes some bytes.
	ErrOthersDecode = zstd.ErrOthersDecode
)

// A DecodeError describes which entry could not be decoded, and why. It wraps one of the errors above.
type DecodeError struct {
	Entry *Entry
	Err   error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("fat binary: entry %d (%s): %v", e.Entry.Index, e.Entry.Name(), e.Err)
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Compression is the way in which a payload is stored.
type Compression uint8

// The ways of storing a payload.
const (
	Plain Compression = iota
	LZ4
	Zstd
	Reserved // FlagReserved
	Legacy   // old toolkits
)

// Compression returns how the payload is stored. If several flags are set, the first in this order counts.
func (e *Entry) Compression() Compression {
	switch {
	case e.Flags&FlagLegacy != 0:
		return Legacy
	case e.Flags&FlagLZ4 != 0:
		return LZ4
	case e.Flags&FlagReserved != 0:
		return Reserved
	case e.Flags&FlagZstd != 0:
		return Zstd
	}
	return Plain
}

// Scrambled reports whether the payload is compressed and then scrambled, as intermediate code may be. Only the
// compiler can read such a payload.
func (e *Entry) Scrambled() bool { return e.Flags&FlagScrambled != 0 && e.Compression() != Plain }

// Decode returns the contents of the entry. If the payload is plain, the result uses the memory of the
// container. The error is a *DecodeError.
func (e *Entry) Decode() ([]byte, error) { return e.DecodeAtMost(MaxDecoded) }

// DecodeAtMost is Decode with a maximum decoded size. For a larger payload it allocates nothing, and returns an
// error that wraps ErrLimit.
func (e *Entry) DecodeAtMost(most uint64) ([]byte, error) {
	out, err := e.decode(most)
	if err == nil && e.image != nil {
		out, err = e.image.cut(out)
	}
	if err != nil {
		return nil, &DecodeError{e, err}
	}
	return out, nil
}

// IsTooLarge reports whether nvlink runs out of memory for the decoded payload.
func (e *Entry) IsTooLarge() bool { return e.DecodedSize > memoryLimit }

func (e *Entry) decode(most uint64) ([]byte, error) {
	size := uint64(e.CompressedSize)
	c := e.Compression()
	switch {
	case c == Plain:
		size = e.PayloadSize
	case c == Reserved && minReserved <= size && size <= maxReserved:
		return nil, ErrCorrupt
	case c == Legacy, c == Reserved && size > 0:
		return nil, ErrUnknownCompression
	case e.IsTooLarge():
		return nil, ErrTooLarge
	case size == 0 && (c == LZ4 || c == Zstd && e.DecodedSize > 0):
		return nil, ErrShort
	}
	if size > uint64(len(e.rest)) {
		return nil, ErrTruncated
	}
	stored := e.rest[:size:size]
	if c == Plain || size == 0 {
		return stored, nil
	}
	room := min(e.DecodedSize, size*mostOf[c])
	if room > most {
		return nil, fmt.Errorf("%w: %d bytes", ErrLimit, room)
	}
	decode := zstd.Decode
	if c == LZ4 {
		decode = lz4.Decode
	}
	out, err := decode(stored, room)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case uint64(len(out)) < e.DecodedSize:
		return nil, fmt.Errorf("%w: %d of %d bytes", ErrShort, len(out), e.DecodedSize)
	}
	return out, nil
}
