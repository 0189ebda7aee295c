package fatbin

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A concatenated entry (KIT-200) holds several images in one payload, which is compressed as a whole. At
// the offset of its options it has a table:
//
//	offset  table                offset  record of an image
//	0       number of images, 4  0       kind, 2 bytes
//	4       size of the table,   4       offset in the decoded payload, 4
//	        this head included   8       size in the decoded payload, 8
//	8       records              16      as in the header of an entry
//
// A record has the 64 bytes of an entry's header, and after them the identifier and the options of its image. Offsets in a
// record count from its start.

// tableHead is the size in bytes of what stands before the records.
const tableHead = 8

// compressionFlags are the flags that say how a payload is stored: those of the entry hold for its images.
const compressionFlags = FlagLegacy | FlagLZ4 | FlagReserved | FlagZstd | FlagScrambled

// ErrImage says that an image is not within the decoded payload of its entry.
var ErrImage = errors.New("image past the end of the decoded payload")

// An extent is where an image lies in a decoded payload, in bytes.
type extent struct{ offset, size uint64 }

// Images lists the images of a concatenated entry as entries, each with the number of e. [Entry.Decode] of an
// image decodes the whole payload; who needs several decodes e, and has [Entry.Image] cut the result. The
// error is a *FormatError, whose offset counts from the start of e; the images that come with it lie within the header.
// As in nvlink, the table ends with its last image, whatever size it says.
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

// recordSize is the size in bytes of the record that b begins with. It ends with the options, or where it has none
// with the identifier: the text and a zero, filled up to a multiple of eight bytes; a record without both is a header. The
// size is 0 where the place of the options is not in b.
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

// Expand returns entries with the images of each concatenated entry in its place. With an error, that of the
// first table that does not fit, come all entries and images that do.
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

// Image returns the image e of a concatenated entry whose decoded payload is given, of which it is a part; the whole
// payload where e is no image. The error wraps ErrImage.
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

// cut returns what the payload has of the image: nvlink does not ask whether that is all of it.
func (x *extent) cut(payload []byte) ([]byte, error) {
	if x.size > memoryLimit {
		return nil, ErrTooLarge
	}
	n := uint64(len(payload))
	end := min(x.offset+x.size, n)
	return payload[min(x.offset, n):end:end], nil
}

// IsImage reports whether e is an image of a concatenated entry, so that more than itself is decoded for it.
func (e *Entry) IsImage() bool { return e.image != nil }
