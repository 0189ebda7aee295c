package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A concatenated entry (KIT-200) contains several images in one payload, which is compressed as a whole. It has
// a table at the offset of its options:
//
//	offset  table                offset  record of an image
//	0       number of images, 4  0       kind, 2 bytes
//	4       size of the table,   4       offset in the decoded payload, 4
//	        this head included   8       size in the decoded payload, 8
//	8       records              16      as in the header of an entry
//
// A record has the 64 bytes of an entry's header, followed by the identifier and the options of its image.
// Offsets in a record count from its start.

// tableHead is the size in bytes of the table before the records.
const tableHead = 8

// compressionFlags are the flags that describe the storage of a payload. Those of the entry apply to its
// images.
const compressionFlags = FlagLegacy | FlagLZ4 | FlagReserved | FlagZstd | FlagScrambled

// ErrImage is the error for an image outside the decoded payload of its entry.
var ErrImage = errors.New("image past the end of the decoded payload")

// An extent is the place of an image in a decoded payload, in bytes.
type extent struct{ offset, size uint64 }

// Images lists the images of a concatenated entry as entries with the index of e. [Entry.Decode] of an image
// decodes the whole payload. A caller that needs several images should decode e and extract them with
// [Entry.Image]. The error is a *FormatError whose offset counts from the start of e. The images that are
// returned with it are inside the header. As in nvlink, the table ends with its last image, whatever its
// recorded size is.
func (e *Entry) Images() ([]Entry, error) {
	le := binary.LittleEndian
	fail := func(at uint64, msg string, value any) error {
		return &FormatError{fmt.Sprintf("entry %d (concat)", e.Index), int64(at), msg, value}
	}
	if len(e.head) < EntryHeaderSize {
		return nil, fail(4, "header is too short", len(e.head))
	}
	start := uint64(le.Uint32(e.head[offOptions:]))
	table := slice(e.head, start, tableHead)
	if table == nil {
		return nil, fail(offOptions, "table of images past the end of the header", start)
	}
	var images []Entry
	at := start + tableHead
	for n := range le.Uint32(table) {
		if slice(e.head, at, EntryHeaderSize) == nil {
			return images, fail(at, fmt.Sprintf("record of image %d past the end of the header", n), len(e.head))
		}
		record := e.head[at:]
		image := *e
		image.Kind = Kind(le.Uint16(record))
		image.image = &extent{uint64(le.Uint32(record[4:])), le.Uint64(record[8:])}
		image.readTarget(record)
		image.Flags = image.Flags&^compressionFlags | e.Flags&compressionFlags
		size := recordSize(record)
		image.head = slice(e.head, at, size)
		images = append(images, image)
		if size == 0 {
			return images, fail(at+offOptions, fmt.Sprintf("options of image %d past the end of the header", n), le.Uint32(record[offOptions:]))
		}
		at += size
	}
	return images, nil
}

// recordSize returns the size in bytes of the record at the start of b, or 0 if the options are outside b. The
// record ends with the options. Without options it ends with the identifier: the text and a zero, padded to a
// multiple of eight bytes. A record without both is only a header.
func recordSize(b []byte) uint64 {
	le := binary.LittleEndian
	field := func(b []byte, at int) uint64 { return uint64(le.Uint32(b[at:])) }
	begin, length := field(b, offIdent), field(b, offIdentSize)
	if options := field(b, offOptions); options != 0 {
		place := slice(b, options, 8)
		if place == nil {
			return 0
		}
		begin, length = field(place, 0), field(place, 4)
	} else if begin == 0 {
		return EntryHeaderSize
	}
	return max(EntryHeaderSize, begin) + (length+8)&^7
}

// Expand replaces each concatenated entry with its images. If a table is invalid, it returns the error of the
// first such table, together with all valid entries and images.
func Expand(entries []Entry) (expanded []Entry, err error) {
	for i := range entries {
		if entries[i].Kind != Concat {
			expanded = append(expanded, entries[i])
			continue
		}
		images, wrong := entries[i].Images()
		expanded = append(expanded, images...)
		if err == nil {
			err = wrong
		}
	}
	return expanded, err
}

// Image returns image e from the decoded payload of its concatenated entry. If e is not an image it returns the
// whole payload. The error wraps ErrImage.
func (e *Entry) Image(payload []byte) ([]byte, error) {
	if e.image == nil {
		return payload, nil
	}
	image := slice(payload, e.image.offset, e.image.size)
	if image == nil {
		return nil, fmt.Errorf("%w: %d bytes at %#x of %d", ErrImage, e.image.size, e.image.offset, len(payload))
	}
	return image[:len(image):len(image)], nil
}

// cut returns that part of the image that is inside the payload. nvlink does not check that this is the whole
// image.
func (x *extent) cut(payload []byte) ([]byte, error) {
	if x.size > memoryLimit {
		return nil, ErrTooLarge
	}
	n := uint64(len(payload))
	end := min(x.offset+x.size, n)
	return payload[min(x.offset, n):end:end], nil
}

// IsImage reports whether e is an image of a concatenated entry. Decoding an image decodes the whole entry.
func (e *Entry) IsImage() bool { return e.image != nil }
