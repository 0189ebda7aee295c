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
	s := newStream(w, o.threads != 1 && o.image.Size >= besideFrom)
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
		r.WriteParts(roomSize, s.next)
	}
	s.fill(o.image.Header.ShOff)
	s.write(o.image.AppendTables(nil))
	s.fill(o.image.Size)
	return s.end()
}
