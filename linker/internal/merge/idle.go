package merge

import (
	"bytes"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// A mapped file of which little stays, as of one whose weak functions lost, takes memory as long as pages of
// it are read: the system loads 16 pages for each. So its pages go when it is merged, and what stays of it
// is copied if that is very little.

// A keptPiece is the piece of a side that holds bytes of the input.
type keptPiece struct {
	side  *program.Side
	piece int // in side.Pieces
	size  int // of the bytes
}

// keep notes that the next piece of side holds so many bytes of the input.
func (in *merger) keep(side *program.Side, size int) {
	if size > 0 {
		in.kept = append(in.kept, keptPiece{side, len(side.Pieces), size})
	}
}

// The parts of a file that stay, below which its pages go, and what stays is copied.
const (
	idlePart   = 2
	copiedPart = 4
)

// letGo lets the pages of a file go of which little stays. described are the attributes of modules that came from it.
func (in *merger) letGo(described []*program.Attribute) {
	size := 0
	for _, k := range in.kept {
		size += k.size
	}
	data := in.object.File.Bytes()
	if in.object.Idle == nil || size >= len(data)/idlePart {
		return
	}
	if size < len(data)/copiedPart {
		in.copyKept(described)
	}
	in.object.Idle(data)
}

// copyKept copies what the program has borrowed of the input.
func (in *merger) copyKept(described []*program.Attribute) {
	for _, k := range in.kept {
		if k.piece < len(k.side.Pieces) { // else another definition took its place
			p := &k.side.Pieces[k.piece]
			p.Data = bytes.Clone(p.Data)
		}
	}
	for _, a := range described {
		copyPayload(&a.Record)
	}
	for _, records := range in.pushed {
		for i := range records {
			copyPayload(&records[i])
		}
	}
}

func copyPayload(r *nvinfo.Record) { r.Payload = bytes.Clone(r.Payload) }
