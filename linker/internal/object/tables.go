package object

import (
	"sync"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/limit"
)

// The decoded tables of an input need nearly as much memory as its file. They are needed when the input is checked and
// again when it is merged. All inputs are checked before the first one is merged. In between an input is closed, and
// other inputs reuse the memory of its tables.

// Tables holds the memory of the tables of closed inputs. Any number of goroutines may use it. Inputs without Tables are
// never closed.
type Tables struct {
	mu      sync.Mutex
	free    []tables
	scratch []*scratch
}

// tables are the sections and the symbols of one input.
type tables struct {
	sections []cubin.Section
	symbols  []cubin.Symbol
}

// take returns memory for tables. It is empty if no closed input has left any.
func (t *Tables) take() (room tables) {
	if t == nil {
		return tables{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.free) - 1; last >= 0 {
		room, t.free = t.free[last], t.free[:last]
	}
	return room
}

func (t *Tables) leave(room tables) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, room)
}

// Release returns the memory of the tables to the system. It is called after the last input is closed.
func (t *Tables) Release() {
	if t == nil {
		return
	}
	for _, room := range t.free {
		limit.Discard(room.sections[:cap(room.sections)])
		limit.Discard(room.symbols[:cap(room.symbols)])
	}
	t.free, t.scratch = nil, nil
}

// scratch is memory that the check of an input needs while it runs.
type scratch struct {
	names     map[string]uint32 // sections by name
	one, more sectionMap
}

// takeScratch returns empty scratch memory for an input with the given number of sections.
func (t *Tables) takeScratch(sections int) *scratch {
	s := t.usedScratch()
	if s == nil {
		s = &scratch{names: map[string]uint32{}}
	}
	clear(s.names)
	s.one, s.more = s.one.emptied(sections), s.more.emptied(sections)
	return s
}

// usedScratch returns scratch memory that another input has left, or nil.
func (t *Tables) usedScratch() *scratch {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.scratch) - 1
	if last < 0 {
		return nil
	}
	s := t.scratch[last]
	t.scratch = t.scratch[:last]
	return s
}

func (t *Tables) leaveScratch(s *scratch) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scratch = append(t.scratch, s)
}

// Close releases the tables of o until Reopen is called. Two kinds of inputs stay open. If an input has a Mercury half,
// its tables belong to those of the plain half. If an input has lost relocations, later phases search its tables.
func (o *Object) Close() {
	if o.tables == nil || o.Closed() || o.HasMercury() || o.Unreadable != "" || o.LostRelocations() {
		return
	}
	o.tables.leave(tables{o.File.Sections, o.Symbols})
	o.File.Sections, o.Symbols = nil, nil
}

// Closed reports whether o has no tables.
func (o *Object) Closed() bool { return o.File.Sections == nil }

// Reopen reads the tables of o again if it is closed.
func (o *Object) Reopen() {
	if !o.Closed() {
		return
	}
	room := o.tables.take()
	o.File.Reread(room.sections)
	o.typeSections()
	_ = o.readSymbols(room.symbols) // Open has read the same bytes without an error
	o.setCodeHeaders()
}
