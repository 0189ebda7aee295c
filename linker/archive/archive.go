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

	"github.com/culink/culink/linker/limit"
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

// Unwrap returns the kind of error.
func (e *FormatError) Unwrap() error { return e.Err }

// A Member is one file in an archive.
type Member struct {
	Name string
	Data []byte // borrowed; nil in a thin archive, where Name is the path of the file
	Size int64  // bytes, as the header says
	Cut  bool   // the archive ends within the member
}

// Is reports whether data is an archive.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// IsThin reports whether data is a thin archive.
func IsThin(data []byte) bool { return bytes.HasPrefix(data, []byte(ThinMagic)) }

// A header is the text before a member.
type header struct {
	offset     int
	name, size string
}

// Members yields the members of an archive in order; symbol tables and the
// table of long names are left out. An error is the last thing it yields. The
// magic is not looked at (see [Is]), and a member that goes past the end of the
// archive is cut there.
//
// Many members can have one long name. What the names have in all beyond the bytes of the
// archive is taken from the budget (LIMIT-001), whose error is yielded as it is.
func Members(data []byte, budget *limit.Budget) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		r := &reader{data: data, thin: IsThin(data), budget: budget, unshared: len(data)}
		for at := len(Magic); at < len(data); {
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
	longNames int // offset of the table of long names; 0 when there is none yet
	budget    *limit.Budget
	unshared  int // how many bytes of long names can still have a place of their own
}

// member reads the member whose header is at offset at; nil for a table.
// next is the offset of the following header.
func (r *reader) member(at int) (m *Member, next int, err error) {
	var text [HeaderSize]byte // what is cut off reads as zeros
	next = at + copy(text[:], r.data[at:])
	h := header{offset: at, name: field(text[:16]), size: field(text[48:58])}
	size, ok := parseSize(h.size)
	if !ok && next == at+HeaderSize {
		return nil, 0, &FormatError{at, "size", h.size, ErrFormat}
	}
	contents := r.data[next:]
	if h.isTable() || !r.thin {
		stored := min(size, int64(len(contents)))
		contents = contents[:stored:stored]
		next += int(stored + stored&1)
	}
	if h.isTable() {
		if h.isLongNames() {
			r.longNames = at + HeaderSize
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

// field is the text of a header's field up to a NUL, blanks at its end dropped.
func field(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return strings.TrimRight(string(text), " ")
}

// isLongNames tells the table of long names, whatever follows its two slashes.
func (h *header) isLongNames() bool { return strings.HasPrefix(h.name, "//") }

// isTable tells what is no member: the table of long names and symbol tables.
func (h *header) isTable() bool {
	return h.name == "/" || strings.HasPrefix(h.name, "/ ") || strings.HasPrefix(h.name, "/SYM64/") || h.isLongNames()
}

// parseSize reads a size as C's atoi does: blanks, a sign, and digits up to the
// first character that is none. There must be digits.
func parseSize(field string) (int64, bool) {
	digits := leadingDigits(strings.TrimPrefix(strings.TrimLeft(field, " \t"), "+"))
	size, err := strconv.ParseInt(digits, 10, 64)
	return size, err == nil
}

func leadingDigits(s string) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		return s[:end]
	}
	return s
}

// memberName cuts the name at its first slash, and looks up a long one, which
// may go on after its table, but not past a NUL.
func (r *reader) memberName(h header) (string, error) {
	short, rest, ok := strings.Cut(h.name, "/")
	if !ok {
		return "", &FormatError{h.offset, "name", h.name, ErrFormat}
	}
	if short != "" {
		return short, nil
	}
	if r.longNames == 0 {
		return "", &FormatError{h.offset, "name", h.name, ErrNoLongNames}
	}
	offset, _ := strconv.ParseUint("0"+leadingDigits(rest), 10, 63)
	if offset >= uint64(len(r.data)-r.longNames) {
		return "", &FormatError{h.offset, "name", h.name, ErrLongNameRange}
	}
	text := r.data[r.longNames+int(offset):]
	end := bytes.IndexAny(text, "/\x00")
	if end < 0 || text[end] == 0 {
		return "", &FormatError{h.offset, "name", h.name, ErrLongNameRange}
	}
	if r.unshared -= end; r.unshared < 0 {
		if err := r.budget.Take(limit.Shared, uint64(-r.unshared)); err != nil {
			return "", err
		}
		r.unshared = 0
	}
	return string(text[:end]), nil
}
