package input

import (
	"os"
	"slices"
	"unsafe"

	"github.com/culink/culink/linker/limit"
)

// After a link has merged its objects, it needs little of many of them. It therefore releases their memory. Pages of a
// mapped file are loaded again if they are read. The contents of small files, which were copied, are lost.
// Options.Passing allows that.

// Pages are the memory of one object in a region.
type Pages struct {
	in       *region
	from, to int
}

// A region is a mapped file, or a room with the contents of small files. Its objects are merged in their order.
type region struct {
	data []byte
	lost bool // it is a room, whose contents cannot be loaded again
	done int  // of a mapped file: pages before this offset are unmapped
	left int  // of a room: the number of bytes of files that are not merged yet
}

// doneAtOnce is the number of bytes of an archive that are unmapped together. Members are not unmapped one by one,
// because they share pages.
const doneAtOnce = 256 << 10

// Pages returns the pages of each object. They are nil for an object whose memory cannot be released.
func (l *Loaded) Pages() []*Pages {
	pages := make([]*Pages, len(l.Objects))
	regions := make([]region, 0, len(l.mapped)+len(l.rooms))
	for _, m := range l.mapped {
		regions = append(regions, region{data: m.data})
	}
	for _, r := range l.rooms {
		regions = append(regions, region{data: r.data, lost: true, left: r.filled})
	}
	address := func(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }
	compare := func(r region, to uintptr) int {
		switch from := address(r.data); {
		case to < from:
			return 1
		case to-from >= uintptr(len(r.data)):
			return -1
		}
		return 0
	}
	slices.SortFunc(regions, func(a, b region) int { return compare(a, address(b.data)) })
	for i := range l.Objects {
		data := l.Objects[i].Data
		if at, found := slices.BinarySearchFunc(regions, address(data), compare); found {
			from := int(address(data) - address(regions[at].data))
			pages[i] = &Pages{&regions[at], from, from + len(data)}
		}
	}
	return pages
}

// Lost reports whether the bytes of the object are lost after Done.
func (p *Pages) Lost() bool { return p.in.lost }

// Idle unmaps a file that is one object, before its merge.
func (p *Pages) Idle() {
	if !p.in.lost && p.to-p.from == len(p.in.data) {
		limit.Release(p.in.data)
	}
}

// Done releases the memory of an object that has been merged. A mapped file is unmapped as a whole. Members of an
// archive are unmapped many at a time, with the pages before them. A room is released with its last file.
func (p *Pages) Done() {
	r, page := p.in, os.Getpagesize()
	from, to := (p.from+page-1)/page*page, p.to/page*page
	switch {
	case r.lost:
		if r.left -= p.to - p.from; r.left == 0 {
			limit.Release(r.data[:len(r.data)/page*page])
		}
	case p.to-p.from == len(r.data):
		limit.Release(r.data)
	case to > r.done:
		if to-r.done >= doneAtOnce {
			limit.Release(r.data[r.done:to])
			r.done = to
		}
	case from < to:
		limit.Release(r.data[from:to])
	}
}

// roomSize is the size in bytes of the memory that small files share.
const roomSize = 256 << 10

// A room holds the contents of small files, one after the other. A file that is larger than a quarter of roomSize has a
// room of its own.
type room struct {
	data   []byte
	filled int // how many bytes are contents of files
	listed bool
}
