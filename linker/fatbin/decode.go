package fatbin

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A payload is stored plain, as one LZ4 block without size prefix, or as one
// zstd frame. The entry says how large it is decoded; nothing larger is ever
// made of it, so a small file cannot take much memory.

// MaxDecoded is the largest decoded payload in bytes that Decode makes.
const MaxDecoded = 1 << 30

// lz4Ratio is the most that an LZ4 block can grow: one byte of input stands for
// at most 255 bytes of output.
const lz4Ratio = 255

// Errors of Decode.
var (
	ErrTooLarge  = errors.New("decoded payload is too large")
	ErrTruncated = errors.New("payload goes past the end of the file")
	ErrCorrupt   = errors.New("compressed payload is corrupt")
	ErrShort     = errors.New("compressed payload holds less than its entry says")
	// ErrUnknownCompression is for the compression of old toolkits, and for
	// intermediate code that only NVIDIA's tools can read.
	ErrUnknownCompression = errors.New("unknown compression")
)

// A DecodeError says which entry could not be decoded, and why. It wraps one of
// the errors above.
type DecodeError struct {
	Entry *Entry
	Err   error
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("fat binary: entry %d (%s): %v", e.Entry.Index, e.Entry.Name(), e.Err)
}

// Unwrap gives the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Compression tells how a payload is stored.
type Compression uint8

// The ways of storing a payload.
const (
	Plain Compression = iota
	LZ4
	Zstd
	UnknownCompression
)

// Compression tells how the payload is stored: of several flags the first in
// this order counts.
func (e *Entry) Compression() Compression {
	switch {
	case e.Flags&(FlagScrambled|FlagLegacy) != 0:
		return UnknownCompression
	case e.Flags&FlagLZ4 != 0:
		return LZ4
	case e.Flags&FlagZstd != 0:
		return Zstd
	}
	return Plain
}

// Decode gives the contents of the entry. A plain payload is borrowed from the
// container. The error is a *DecodeError.
func (e *Entry) Decode() ([]byte, error) {
	out, err := e.decode()
	if err != nil {
		return nil, &DecodeError{e, err}
	}
	return out, nil
}

func (e *Entry) decode() ([]byte, error) {
	size := uint64(e.CompressedSize)
	c := e.Compression()
	switch {
	case c == UnknownCompression:
		return nil, ErrUnknownCompression
	case c == Plain:
		size = e.PayloadSize
	case e.DecodedSize > MaxDecoded:
		return nil, ErrTooLarge
	case size == 0 && (c == LZ4 || e.DecodedSize > 0):
		return nil, ErrShort
	}
	if size > uint64(len(e.rest)) {
		return nil, ErrTruncated
	}
	stored := e.rest[:size:size]
	if c == Plain || size == 0 {
		return stored, nil
	}
	decode := decodeZstd
	if c == LZ4 {
		decode = decodeLZ4
	}
	out, err := decode(stored, e.DecodedSize)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case uint64(len(out)) > e.DecodedSize:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrCorrupt, e.DecodedSize)
	case uint64(len(out)) < e.DecodedSize:
		return nil, fmt.Errorf("%w: %d of %d bytes", ErrShort, len(out), e.DecodedSize)
	}
	return out, nil
}

func decodeLZ4(in []byte, size uint64) ([]byte, error) {
	if size > lz4Ratio*uint64(len(in)) {
		return nil, errors.New("more bytes said than the block can hold")
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(in, out)
	return out[:max(n, 0)], err
}

// A zstd block of four bytes can stand for zstdBlock bytes, and no encoder asks
// for a window larger than both minWindow and what it encodes.
const (
	zstdBlock = 128 << 10
	minWindow = 8 << 20
)

// decodeZstd reads one frame. Its buffer grows with what is decoded and ends at
// one byte more than size, whatever the frame says of itself.
func decodeZstd(in []byte, size uint64) ([]byte, error) {
	if size/zstdBlock > uint64(len(in)) {
		return nil, errors.New("more bytes said than the frame can hold")
	}
	d, err := zstd.NewReader(bytes.NewReader(in), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(max(minWindow, size)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return io.ReadAll(io.LimitReader(d, int64(size)+1))
}
