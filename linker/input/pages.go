package input

import (
	"slices"
	"unsafe"
)

// A mapped file takes memory for its pages that were read. A link needs little of many objects after it has merged them.
// Their pages are unmapped then, and loaded again if they are read.

// Pages are the part of a mapped file that holds one object.
type Pages struct {
	file     *mapping
	from, to int
}

// A mapping is a mapped file whose objects are merged in their order.
type mapping struct {
	data []byte
	done int // the pages before are unmapped
}

// largestPage is the largest page of any system, in bytes.
const largestPage = 64 << 10

// doneAtOnce is how many bytes of an archive are unmapped together: its members share pages.
const doneAtOnce = 256 << 10

// Pages returns the pages of each object, or nil for an object that is in no mapped file.
func (l *Loaded) Pages() []*Pages {
	pages := make([]*Pages, len(l.Objects))
	if len(l.mapped) == 0 {
		return pages
	}
	address := func(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }
	files := make([]mapping, len(l.mapped))
	for i, m := range l.mapped {
		files[i].data = m.data
	}
	compare := func(a mapping, to uintptr) int {
		switch from := address(a.data); {
		case to < from:
			return 1
		case to-from >= uintptr(len(a.data)):
			return -1
		}
		return 0
	}
	slices.SortFunc(files, func(a, b mapping) int { return compare(a, address(b.data)) })
	for i := range l.Objects {
		data := l.Objects[i].Data
		if at, found := slices.BinarySearchFunc(files, address(data), compare); found {
			from := int(address(data) - address(files[at].data))
			pages[i] = &Pages{&files[at], from, from + len(data)}
		}
	}
	return pages
}

// Idle unmaps a file that is one object, before its merge.
func (p *Pages) Idle() {
	if p.to-p.from == len(p.file.data) {
		letGo(p.file.data)
	}
}

// Done unmaps the pages of an object that was merged. Those of a member of an archive go with the pages before them, many members at once.
func (p *Pages) Done() {
	f := p.file
	from, to := (p.from+largestPage-1)/largestPage*largestPage, p.to/largestPage*largestPage
	switch {
	case p.to-p.from == len(f.data):
		letGo(f.data)
	case to > f.done:
		if to-f.done >= doneAtOnce {
			letGo(f.data[f.done:to])
			f.done = to
		}
	case from < to:
		letGo(f.data[from:to])
	}
}
