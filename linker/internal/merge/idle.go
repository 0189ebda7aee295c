package merge

import (
	"iter"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// A mapped file occupies memory as soon as its pages are read, and each read loads 16 pages. If the merge discards most
// of a file, for example weak functions that do not prevail, it then unmaps the pages of the file. What the program still
// needs of the file is copied if it is very small. Otherwise it is mapped again when the output is written.

// A keptPiece is a piece of a side that holds bytes of the input.
type keptPiece struct {
	side  *program.Side
	piece int // in side.Pieces
	size  int // of the bytes
}

// keep records that the next piece of side holds size bytes of the input. It does so only if the pages of the input can
// be unmapped.
func (in *merger) keep(side *program.Side, size int) {
	if size > 0 && in.object.Unmap != nil {
		in.kept = append(in.kept, keptPiece{side, len(side.Pieces), size})
	}
}

// If the program needs less than the first share of a file, the pages of the file are unmapped. If it needs less than the
// second share, that part is copied.
const (
	idlePart   = 2
	copiedPart = 4
)

// unmap releases the memory of an object. For a mapped file, these are its pages, if most of the file is discarded.
// described holds the module attributes from the object.
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

// copyPieces copies the contents that the program uses from the input into one block of memory. size is their number of
// bytes.
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

// copyPayloads copies the attribute payloads of the input into one block of memory. Later phases read all of them, and
// reading each from the file would load up to 2 MB.
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

// attributes yields the attributes that came from the input: the module attributes (described) and those of functions.
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
