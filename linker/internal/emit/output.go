package emit

import (
	"fmt"
	"io"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/parallel"
)

// Most bytes of a linked file are bytes of its inputs. They go from there to the file, once:
// the places of all sections are known before the first byte is written, and only what is
// small, or has values of relocations in it, is put together before.

// An Output is a linked file whose places and numbers are all decided.
type Output struct {
	image   *cubin.Image
	rows    []*row // with bytes of their own, by place
	threads int
}

// newOutput checks that the sections lie one after the other, between the header and the
// tables.
func newOutput(image *cubin.Image, table []*row, threads int) (*Output, error) {
	o := &Output{image: image, threads: threads}
	at := uint64(cubin.HeaderSize)
	for _, r := range table {
		held := r.Held()
		if held == 0 || r.noBits() || r.sharesBytes() {
			continue
		}
		if r.offset < at || held > image.Size || r.offset+held > image.Header.ShOff {
			return nil, fmt.Errorf("section %s: %d bytes at %#x do not fit after %#x", r.Name, held, r.offset, at)
		}
		at = r.offset + held
		o.rows = append(o.rows, r)
	}
	return o, nil
}

// Bytes returns the file.
func (o *Output) Bytes() ([]byte, error) {
	file, err := o.image.Encode()
	if err != nil {
		return nil, err
	}
	parallel.Do(o.threads, len(o.rows), func(i int) {
		r := o.rows[i]
		r.WriteTo(file[r.offset:][:r.Held()])
	})
	return file, nil
}

// WriteTo writes the file to w, from its beginning to its end.
func (o *Output) WriteTo(w io.Writer) (int64, error) {
	s := &stream{to: w, room: make([]byte, 0, roomSize)}
	s.write(o.image.AppendHeader(nil))
	for _, r := range o.rows {
		s.fill(r.offset)
		held := r.Held()
		if r.Written() {
			for data := range r.Parts() {
				s.fill(r.offset + data.Offset)
				s.write(data.Data)
			}
			continue
		}
		r.WriteTo(s.next(held))
	}
	s.fill(o.image.Header.ShOff)
	s.write(o.image.AppendTables(nil))
	s.fill(o.image.Size)
	s.flush()
	return s.written, s.err
}

// A stream writes what is long at once, and collects what is short.
type stream struct {
	to   io.Writer
	room []byte // not written yet
	at   uint64 // after room

	written int64
	err     error
}

// roomSize is how many bytes a stream collects; what is longer than longPart is written from
// where it is.
const (
	roomSize = 256 << 10
	longPart = 64 << 10
)

func (s *stream) write(data []byte) {
	if len(data) < longPart {
		copy(s.next(uint64(len(data))), data)
		return
	}
	s.flush()
	s.put(data)
	s.at += uint64(len(data))
}

// next makes room for n zero bytes and returns it; it is valid until the next call.
func (s *stream) next(n uint64) []byte {
	if n > uint64(cap(s.room)-len(s.room)) {
		s.flush()
		if n > uint64(cap(s.room)) {
			s.room = make([]byte, 0, n)
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
	s.put(s.room)
	s.room = s.room[:0]
}

func (s *stream) put(data []byte) {
	if s.err == nil && len(data) > 0 {
		var n int
		n, s.err = s.to.Write(data)
		s.written += int64(n)
	}
}
