package emit

import (
	"io"
	"runtime/debug"
)

// A stream writes what is long at once, and collects what is short in a room. Of a large file
// one part is written while the next one is put together.
type stream struct {
	to   io.Writer
	most uint64 // bytes of room
	room []byte // not written yet
	at   uint64 // after room

	letGo []func() // let the pages of inputs go that parts were read from
	since uint64   // bytes handed on after that

	parts chan part   // to be written beside; nil: they are written at once
	rooms chan []byte // that may be filled
	ended chan bool   // closed when all is written

	written int64
	err     error
	failed  any // the panic of a write beside
}

// A part of the file is a room, or lies in an input.
type part struct {
	data []byte
	room bool
}

// roomSize is how many bytes a stream collects; what is longer than longPart is written from
// where it is. A file of besideFrom bytes is written beside.
const (
	roomSize   = 256 << 10
	longPart   = 64 << 10
	besideFrom = 1 << 20
)

// The pages of inputs that came back go again whenever so many bytes were written, and so many for each input.
const (
	readAtOnce     = 256 << 10
	readOfEachFile = 16 << 10
)

// newStream returns a stream of a file of a size. letGo are functions that let the pages of inputs go.
func newStream(w io.Writer, size uint64, beside bool, letGo []func()) *stream {
	s := &stream{to: w, most: min(size, roomSize), letGo: letGo}
	if beside {
		s.parts, s.rooms, s.ended = make(chan part), make(chan []byte, 1), make(chan bool)
		s.rooms <- nil // made when it is needed
		faults := debug.SetPanicOnFault(false)
		debug.SetPanicOnFault(faults)
		go s.writeBeside(faults)
	}
	return s
}

// writeBeside writes parts until there are no more. A panic, such as that for a fault of a
// mapped input, is that of the stream's end.
func (s *stream) writeBeside(faults bool) {
	debug.SetPanicOnFault(faults)
	defer close(s.ended)
	for p := range s.parts {
		s.failed = s.tryPut(p.data)
		if p.room {
			s.rooms <- p.data
		}
	}
}

// tryPut is put; it returns the panic, this one or the one before.
func (s *stream) tryPut(data []byte) (failed any) {
	if s.failed != nil {
		return s.failed
	}
	defer func() { failed = recover() }()
	s.put(data)
	return nil
}

// end writes what is left.
func (s *stream) end() (int64, error) {
	s.flush()
	if s.parts != nil {
		close(s.parts)
		if <-s.ended; s.failed != nil {
			panic(s.failed)
		}
	}
	return s.written, s.err
}

func (s *stream) write(data []byte) {
	if len(data) < longPart {
		copy(s.next(uint64(len(data))), data)
		return
	}
	s.flush()
	s.hand(part{data: data})
	s.at += uint64(len(data))
}

// next makes room for n zero bytes and returns it; it is valid until the next call.
func (s *stream) next(n uint64) []byte {
	if n > uint64(cap(s.room)-len(s.room)) {
		s.flush()
		if n > uint64(cap(s.room)) {
			s.room = make([]byte, 0, max(n, s.most))
		}
	}
	from := len(s.room)
	s.room = s.room[:from+int(n)]
	s.at += n
	clear(s.room[from:])
	return s.room[from:]
}

// fill writes zeros up to a place of the file.
func (s *stream) fill(to uint64) {
	for s.at < to {
		s.next(min(to-s.at, longPart))
	}
}

func (s *stream) flush() {
	if len(s.room) == 0 {
		return
	}
	s.hand(part{s.room, true})
	if s.parts != nil {
		s.room = <-s.rooms
	}
	s.room = s.room[:0]
}

// hand writes p, or lets it be written beside.
func (s *stream) hand(p part) {
	if s.parts != nil {
		s.parts <- p
	} else {
		s.put(p.data)
	}
	if s.since += uint64(len(p.data)); s.since >= max(readAtOnce, readOfEachFile*uint64(len(s.letGo))) {
		s.since = 0
		for _, letGo := range s.letGo {
			letGo()
		}
	}
}

func (s *stream) put(data []byte) {
	if s.err == nil {
		var n int
		n, s.err = s.to.Write(data)
		s.written += int64(n)
	}
}
