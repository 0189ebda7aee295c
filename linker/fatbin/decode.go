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
	ErrTooLarge = errors.New("decoded payload is too large")
	ErrCorrupt  = errors.New("compressed payload is corrupt")
	// ErrScrambled is for intermediate code that only NVIDIA's tools can read.
	ErrScrambled = errors.New("payload is scrambled")
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

// Compression names the way in which the payload is stored.
func (e *Entry) Compression() string {
	switch {
	case e.Flags&FlagLZ4 != 0:
		return "lz4"
	case e.Flags&FlagZstd != 0:
		return "zstd"
	}
	return "none"
}

// Decode gives the contents of the entry. A plain payload is borrowed from the
// container. The error is a *DecodeError.
func (e *Entry) Decode() ([]byte, error) {
	if e.Flags&FlagScrambled != 0 {
		return nil, &DecodeError{e, ErrScrambled}
	}
	if e.Compression() == "none" {
		return e.Payload, nil
	}
	if e.DecodedSize > MaxDecoded {
		return nil, &DecodeError{e, ErrTooLarge}
	}
	if uint64(e.CompressedSize) > uint64(len(e.Payload)) {
		return nil, &DecodeError{e, fmt.Errorf("%w: %d bytes stored, %d said", ErrCorrupt, len(e.Payload), e.CompressedSize)}
	}
	decode := decodeZstd
	if e.Flags&FlagLZ4 != 0 {
		decode = decodeLZ4
	}
	out, err := decode(e.Payload[:e.CompressedSize], e.DecodedSize)
	if err == nil && uint64(len(out)) != e.DecodedSize {
		err = fmt.Errorf("%d bytes decoded, %d said", len(out), e.DecodedSize)
	}
	if err != nil {
		return nil, &DecodeError{e, fmt.Errorf("%w: %w", ErrCorrupt, err)}
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

// decodeZstd reads one frame. Its buffer grows with what is decoded and ends at
// one byte more than size, whatever the frame says of itself.
func decodeZstd(in []byte, size uint64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxDecoded), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Reset(bytes.NewReader(in)); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(d, int64(size)+1))
}
