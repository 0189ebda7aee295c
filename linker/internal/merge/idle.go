package merge

import (
	"iter"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// A mapped file occupies memory once its pages are read: the system loads 16 pages for each. If most of a file
// is discarded, such as non-prevailing weak functions, its pages are unmapped after the merge. A very small
// remainder is copied. A larger one is mapped again while the output is written.

// A keptPiece is the piece of a side that holds bytes of the input.
type keptPiece struct {
	side  *program.Side
	piece int // in side.Pieces
	size  int // of the bytes
}

// keep records that the next piece of side contains size bytes of the input, if its pages can be unmapped.
func (in *merger) keep(side *program.Side, size int) {
	if size > 0 && in.object.Unmap != nil {
		in.kept = append(in.kept, keptPiece{side, len(side.Pieces), size})
	}
}

// If less than the first part of a file stays, its pages are unmapped. If less than the second stays, it is
// copied.
const (
	idlePart   = 2
	copiedPart = 4
)

// unmap releases the memory of an object. Of a mapped file these are the pages, if most of it is discarded. described are
// the module attributes from the object.
func (in *merger) unmap(described []*program.Attribute) {
	size := 0
	for _, k := range in.kept {
		size += k.size
	}
	data := in.object.File.Bytes()
	if in.object.Unmap == nil || size >= len(data)/idlePart && !in.object.Lost {
		return
	}
	in.copyPayloads(described)
	if size < len(data)/copiedPart || in.object.Lost {
		in.copyPieces(size)
	} else {
		in.ReadAgain = append(in.ReadAgain, in.object.Unmap)
	}
	in.object.Unmap()
}

// copyPieces copies the contents that the program references in the input into one block of memory of so many bytes.
func (in *merger) copyPieces(size int) {
	room := make([]byte, 0, size)
	for _, k := range in.kept {
		if k.piece < len(k.side.Pieces) { // otherwise another definition replaced it
			p, from := &k.side.Pieces[k.piece], len(room)
			room = append(room, p.Data...)
			p.Data = room[from:len(room):len(room)]
		}
	}
}

// copyPayloads copies the attribute payloads in the input into one block of memory. Later phases read all of them,
// and the system would load up to 2 MB for each.
func (in *merger) copyPayloads(described []*program.Attribute) {
	size := 0
	for r := range in.attributes(described) {
		size += len(r.Payload)
	}
	room := make([]byte, 0, size)
	for r := range in.attributes(described) {
		from := len(room)
		room = append(room, r.Payload...)
		r.Payload = room[from:len(room):len(room)]
	}
}

// attributes yields the attributes from the input: those of modules (described) and those of functions.
func (in *merger) attributes(described []*program.Attribute) iter.Seq[*nvinfo.Record] {
	return func(yield func(*nvinfo.Record) bool) {
		for _, a := range described {
			if !yield(&a.Record) {
				return
			}
		}
		for _, records := range in.pushed {
			for i := range records {
				if !yield(&records[i]) {
					return
				}
			}
		}
	}
}
