package emit

import (
	"io"
	"runtime/debug"
)

// A stream writes long parts directly, and collects short ones in a buffer. For a large file, it writes one part
// while the next one is prepared.
type stream struct {
	to   io.Writer
	most uint64 // capacity of room
	room []byte // buffer of bytes not written yet
	at   uint64 // file offset after room

	unmaps []func() // unmap the pages of inputs that parts were read from
	since  uint64   // bytes written since the last unmapping

	parts chan part   // parts for the writing goroutine; nil: parts are written at once
	rooms chan []byte // free buffers
	ended chan bool   // closed when everything is written

	written int64
	err     error
	failed  any // the panic of the writing goroutine
}

// A part of the file is a buffer, or bytes of an input.
type part struct {
	data []byte
	room bool
}

// roomSize is the size of a stream's buffer, which holds a few parts of partSize. Parts longer than longPart are
// written without a copy. For a file of at least besideFrom bytes, a separate goroutine writes.
const (
	roomSize   = 128 << 10
	partSize   = 32 << 10
	longPart   = 64 << 10
	besideFrom = 1 << 20
)

// Writing the output loads pages of mapped inputs into memory again. They are unmapped each time that a certain
// number of bytes was written. That number is readAtOnce, or readOfEachFile for each input if that is more.
const (
	readAtOnce     = 256 << 10
	readOfEachFile = 16 << 10
)

// newStream returns a stream for a file of the given size. The functions in unmaps release the pages of inputs.
func newStream(w io.Writer, size uint64, beside bool, unmaps []func()) *stream {
	s := &stream{to: w, most: min(size, roomSize), unmaps: unmaps}
	if beside {
		s.parts, s.rooms, s.ended = make(chan part), make(chan []byte, 1), make(chan bool)
		s.rooms <- nil // made when it is needed
		faults := debug.SetPanicOnFault(false)
		debug.SetPanicOnFault(faults)
		go s.writeBeside(faults)
	}
	return s
}

// writeBeside writes parts until there are no more. If it panics, as after a fault in a mapped input, the panic is
// passed on to the end of the stream.
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

// tryPut is like put, but returns the value of a panic instead of panicking. It also returns an earlier one.
func (s *stream) tryPut(data []byte) (failed any) {
	if s.failed != nil {
		return s.failed
	}
	defer func() { failed = recover() }()
	s.put(data)
	return nil
}

// end writes the rest.
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

// next returns a buffer of n zero bytes. The buffer is valid until the next call.
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

// fill writes zeros up to an offset of the file.
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

// hand writes p, or passes it to the writing goroutine.
func (s *stream) hand(p part) {
	if s.parts != nil {
		s.parts <- p
	} else {
		s.put(p.data)
	}
	if s.since += uint64(len(p.data)); s.since >= max(readAtOnce, readOfEachFile*uint64(len(s.unmaps))) {
		s.since = 0
		for _, unmap := range s.unmaps {
			unmap()
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
