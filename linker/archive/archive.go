// Package archive reads ar archives: GNU archives with short and long names,
// with and without symbol table, and thin archives, whose members are files of
// their own.
//
// An archive is an eight-byte magic and a row of members: a header of 60 bytes
// in text, then the contents, padded to an even offset. GNU names end in '/';
// "/" and "/SYM64/" are symbol tables, "//" is the table of long names, and
// "/123" is the name at offset 123 of that table.
//
// The reader knows what nvlink 13.0.88 knows (LOAD-020): BSD names are errors
// there too.
package archive

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Magic and ThinMagic begin an archive.
const (
	Magic     = "!<arch>\n"
	ThinMagic = "!<thin>\n"
)

// HeaderSize is the size of a member's header in bytes.
const HeaderSize = 60

// Errors that end an archive. Members wraps them in a FormatError.
var (
	ErrFormat        = errors.New("unexpected archive format")
	ErrNoLongNames   = errors.New("no table of long names")
	ErrLongNameRange = errors.New("long name outside the table")
)

// A FormatError says which member header is wrong.
type FormatError struct {
	Offset int // of the header, from the start of the archive, in bytes
	Field  string
	Value  string
	Err    error
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("archive: %s: %v at %#x: %q", e.Field, e.Err, e.Offset, e.Value)
}

// Unwrap gives the kind of error.
func (e *FormatError) Unwrap() error { return e.Err }

// A Member is one file in an archive.
type Member struct {
	Name string
	Data []byte // borrowed; nil in a thin archive, where Name is the path of the file
	Size int64  // bytes, as the header says
	Cut  bool   // the archive ends within the member
}

// Is tells whether data is an archive.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// IsThin tells whether data is a thin archive.
func IsThin(data []byte) bool { return bytes.HasPrefix(data, []byte(ThinMagic)) }

// A header is the text before a member, blanks at the end of fields dropped.
type header struct {
	offset     int
	name, size string
}

// Members yields the members of an archive in order; symbol tables and the
// table of long names are left out. An error is the last thing it yields. The
// magic is not looked at (see [Is]), and a member that goes past the end of the
// archive is cut there.
func Members(data []byte) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		r := &reader{data: data, thin: IsThin(data)}
		for at := len(Magic); at+HeaderSize <= len(data); {
			m, next, err := r.member(at)
			if err != nil {
				yield(Member{}, err)
				return
			}
			at = next
			if m != nil && !yield(*m, nil) {
				return
			}
		}
	}
}

type reader struct {
	data      []byte
	thin      bool
	longNames []byte
	hasLong   bool
}

// member reads the member whose header is at offset at; nil for a table.
// next is the offset of the following header.
func (r *reader) member(at int) (m *Member, next int, err error) {
	field := func(from, to int) string { return strings.TrimRight(string(r.data[at+from:at+to]), " ") }
	h := header{offset: at, name: field(0, 16), size: field(48, 58)}
	size, ok := parseSize(h.size)
	if !ok {
		return nil, 0, &FormatError{at, "size", h.size, ErrFormat}
	}
	table := h.name == "/" || h.name == "//" || h.name == "/SYM64/"
	contents := r.data[at+HeaderSize:]
	next = at + HeaderSize
	if table || !r.thin {
		stored := min(size, int64(len(contents)))
		contents = contents[:stored:stored]
		next += int(stored + stored&1)
	}
	if table {
		if h.name == "//" {
			r.longNames, r.hasLong = contents, true
		}
		return nil, next, nil
	}
	name, err := r.memberName(h)
	if err != nil {
		return nil, 0, err
	}
	m = &Member{Name: name, Data: contents, Size: size, Cut: !r.thin && int64(len(contents)) < size}
	if r.thin {
		m.Data = nil
	}
	return m, next, nil
}

// parseSize reads a size as C's atoi does: blanks, a sign, and digits up to the
// first character that is none.
func parseSize(field string) (int64, bool) {
	digits := strings.TrimPrefix(strings.TrimLeft(field, " \t"), "+")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	size, err := strconv.ParseInt(digits, 10, 64)
	return size, err == nil
}

// memberName cuts the name at its first slash, and looks up a long one.
func (r *reader) memberName(h header) (string, error) {
	short, rest, ok := strings.Cut(h.name, "/")
	if !ok {
		return "", &FormatError{h.offset, "name", h.name, ErrFormat}
	}
	if short != "" {
		return short, nil
	}
	offset, err := strconv.ParseUint(rest, 10, 32)
	if err != nil {
		return "", &FormatError{h.offset, "name", h.name, ErrFormat}
	}
	if !r.hasLong {
		return "", &FormatError{h.offset, "name", h.name, ErrNoLongNames}
	}
	if offset >= uint64(len(r.longNames)) {
		return "", &FormatError{h.offset, "name", h.name, ErrLongNameRange}
	}
	name, _, _ := bytes.Cut(r.longNames[offset:], []byte("/"))
	return string(name), nil
}
