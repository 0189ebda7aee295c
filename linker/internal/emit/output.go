package emit

import (
	"fmt"
	"io"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/parallel"
)

// Most bytes of a linked file come from its inputs and are copied only once, directly into the file.
// This is possible because all section offsets are known before the first byte is written. Only small
// parts, and parts with relocated values, are prepared in memory.

// An Output is a linked file with all offsets and numbers fixed.
type Output struct {
	*emitter
	image *cubin.Image // header and program headers
	rows  []*row       // with bytes of their own, by place
}

// newOutput checks that the sections are in order, without overlap, between the header and the tables.
func newOutput(image *cubin.Image, e *emitter) (*Output, error) {
	o := &Output{emitter: e, image: image, rows: make([]*row, 0, len(e.table))}
	at := uint64(cubin.HeaderSize)
	for _, r := range e.table {
		held := r.Held()
		if held == 0 || r.noBits() || r.shared {
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
	parallel.Do(o.Options.Threads, len(o.rows), func(i int) {
		r := o.rows[i]
		r.WriteTo(file[r.offset:][:r.Held()])
	})
	at := file[o.image.Header.ShOff:]
	o.putHeaders(func() []byte {
		header := at[:cubin.SectionHeaderSize]
		at = at[cubin.SectionHeaderSize:]
		return header
	})
	return file, nil
}

// putHeaders writes the section table. It writes each header into a buffer that next returns.
func (o *Output) putHeaders(next func() []byte) {
	null := o.nullHeader()
	null.PutHeader(next())
	for _, r := range o.table {
		h := o.header(r)
		h.PutHeader(next())
	}
}

// WriteTo writes the file to w, from its beginning to its end.
func (o *Output) WriteTo(w io.Writer) (int64, error) {
	s := newStream(w, o.image.Size, o.Options.Threads != 1 && o.image.Size >= besideFrom, o.ReadAgain)
	s.write(o.image.AppendHeader(nil))
	for _, r := range o.rows {
		s.fill(r.offset)
		if r.Written() {
			for data := range r.Parts() {
				s.fill(r.offset + data.Offset)
				s.write(data.Data)
			}
			continue
		}
		r.WriteParts(partSize, s.next)
	}
	s.fill(o.image.Header.ShOff)
	o.putHeaders(func() []byte { return s.next(cubin.SectionHeaderSize) })
	s.write(o.image.AppendTables(nil)) // the program headers
	s.fill(o.image.Size)
	return s.end()
}
