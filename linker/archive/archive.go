// Package archive reads ar archives: GNU archives with short and long names, with and without a symbol table,
// and thin archives, whose members are separate files.
//
// An archive consists of an eight-byte magic and a sequence of members. A member is a header of 60 bytes of
// text and the contents, padded to an even offset. GNU names end in '/'. "/" and "/SYM64/" are symbol tables,
// "//" is the table of long names, and "/123" is the name at offset 123 of that table.
//
// The reader supports the same names as nvlink 13.0.88 (LOAD-020): BSD names are errors there too.
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

// Magic and ThinMagic are the first bytes of an archive.
const (
	Magic     = "!<arch>\n"
	ThinMagic = "!<thin>\n"
)

// HeaderSize is the size of a member's header in bytes.
const HeaderSize = 60

// These errors end the reading of an archive. Members wraps them in a FormatError.
var (
	ErrFormat        = errors.New("unexpected archive format")
	ErrNoLongNames   = errors.New("no table of long names")
	ErrLongNameRange = errors.New("long name outside the table")
	// Only [Bounded] returns ErrBounds and ErrUnterminated.
	ErrBounds       = errors.New("member goes past the end of the archive")
	ErrUnterminated = errors.New("long name without end in the table")
)

// A FormatError describes an invalid member header.
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
	Size int64  // bytes, from the header
	Rest []byte // from the contents to the end of the archive; nil in a thin archive, except for [Microsoft]
	Cut  bool   // the archive ends within the member

	// NameErr is the error of an invalid name. Only [Microsoft] sets it, because in that format the name of a
	// member that is not linked does not matter.
	NameErr error
}

// Is reports whether data is an archive.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// IsThin reports whether data is a thin archive.
func IsThin(data []byte) bool { return bytes.HasPrefix(data, []byte(ThinMagic)) }

// A Reading determines which kinds of damage in an archive are errors.
type Reading uint8

// These are the ways of reading. Loose skips a truncated member, and lets a long name extend beyond its table.
// Bounded reports both as errors, as nvlink does from 13.4 on (KIT-124). Microsoft is for archives as nvlink.exe reads
// them (WIN-011), and may be combined with Bounded.
const (
	Loose   Reading = 0
	Bounded Reading = 1 << (iota - 1)
	Microsoft
)

// A header contains the text before a member.
type header struct {
	offset     int
	name, size string
}

// Members is [Reading.Members] of Loose.
func Members(data []byte, budget *limit.Budget) iter.Seq2[Member, error] {
	return Loose.Members(data, budget)
}

// Members yields the members of an archive in order, without symbol tables and the table of long names. If
// there is an error, it is the last element. The magic is not checked (see [Is]). A member that extends beyond
// the end of the archive is cut off there.
//
// Many members can share one long name. If the total length of the names exceeds the size of the archive, the
// rest is taken from the budget (LIMIT-001). An error of the budget is yielded unchanged.
func (how Reading) Members(data []byte, budget *limit.Budget) iter.Seq2[Member, error] {
	return how.members(data, budget, func([]byte) bool { return true })
}

// members is Members. isObject is used for a thin archive by [Reading.Objects].
func (how Reading) members(data []byte, budget *limit.Budget, isObject func([]byte) bool) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		r := &reader{data: data, thin: IsThin(data), bounded: how&Bounded != 0, budget: budget, unshared: len(data), isObject: isObject}
		read := r.member
		if how&Microsoft != 0 {
			read = r.microsoftMember
		}
		for at := len(Magic); at < len(data); {
			m, next, err := read(at)
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
	bounded   bool
	longNames int // offset of the table of long names; 0 before it is read
	namesEnd  int // end of that table
	budget    *limit.Budget
	unshared  int // bytes of long names that are still covered by the size of the archive
	isObject  func([]byte) bool
}

// member reads the member whose header is at offset at. m is nil for a table. next is the offset of the
// following header.
func (r *reader) member(at int) (m *Member, next int, err error) {
	var text [HeaderSize]byte // a truncated part reads as zeros
	next = at + copy(text[:], r.data[at:])
	h := header{offset: at, name: field(text[:16]), size: field(text[48:58])}
	if r.bounded {
		if next < at+HeaderSize {
			return nil, 0, &FormatError{at, "header", h.name, ErrFormat}
		}
		h.name = wholeField(text[:16])
	}
	size := parseSize(h.size)
	rest := r.data[next:]
	contents, stored, err := r.contents(h, size, rest)
	if err != nil {
		return nil, 0, err
	}
	next += stored
	if h.isTable() {
		return nil, next, nil
	}
	name, err := r.memberName(h)
	if err != nil {
		return nil, 0, err
	}
	if r.thin {
		return &Member{Name: name, Size: size}, next, nil
	}
	return &Member{Name: name, Data: contents, Size: size, Rest: rest, Cut: int64(len(contents)) < size}, next, nil
}

// contents returns the contents of a member with this size in its header, and the number of bytes that they take up in
// the archive. rest is what follows the header. contents stores the place of a table of long names.
func (r *reader) contents(h header, size int64, rest []byte) (data []byte, stored int, err error) {
	if r.thin && !h.isTable() {
		return rest, 0, nil
	}
	if err := r.checkSize(h, size, len(rest)); err != nil {
		return nil, 0, err
	}
	n := min(size, int64(len(rest)))
	if h.isLongNames() {
		r.longNames = h.offset + HeaderSize
		r.namesEnd = r.longNames + int(n)
	}
	return rest[:n:n], int(n + n&1), nil
}

// checkSize returns an error for a size that ends the reading. There are rest bytes after the header.
func (r *reader) checkSize(h header, size int64, rest int) error {
	switch {
	case r.bounded && (size < 0 || size > int64(rest)):
		return &FormatError{h.offset, "size", h.size, ErrBounds}
	case size < 0:
		return &FormatError{h.offset, "size", h.size, ErrFormat}
	}
	return nil
}

// wholeField returns the text of a header field without trailing blanks. A NUL does not end it.
func wholeField(b []byte) string { return strings.TrimRight(string(b), " ") }

// field returns the text of a header field up to a NUL, without trailing blanks.
func field(b []byte) string {
	return strings.TrimRight(upToNUL(string(b)), " ")
}

// isLongNames reports whether the header is that of the table of long names. Anything may follow its two
// slashes.
func (h *header) isLongNames() bool { return strings.HasPrefix(h.name, "//") }

// isTable reports whether the header is that of a table such as a symbol table. Its name begins with a slash
// and is not the offset of a long name.
func (h *header) isTable() bool {
	rest, ok := strings.CutPrefix(h.name, "/")
	return ok && leadingDigits(rest) == ""
}

// parseSize parses a size as C's atoi does. It accepts blanks, a sign, and digits up to the first other
// character. The result for a field without digits is 0.
func parseSize(field string) int64 {
	digits := strings.TrimLeft(field, " \t")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	size, _ := strconv.ParseInt(leadingDigits(digits), 10, 64)
	if negative {
		return -size
	}
	return size
}

func leadingDigits(s string) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		return s[:end]
	}
	return s
}

// memberName cuts the name at its first slash, and looks up a long name. A long name may extend beyond its
// table, but not past a NUL. In a bounded archive it must end in the table.
func (r *reader) memberName(h header) (string, error) {
	short, rest, ok := strings.Cut(h.name, "/")
	if !ok && !r.bounded { // the name extends to the first NUL
		text, _, _ := bytes.Cut(r.data[h.offset:], []byte{0})
		short, rest, ok = strings.Cut(string(text), "/")
	}
	if !ok {
		return "", &FormatError{h.offset, "name", h.name, ErrFormat}
	}
	if short != "" {
		return upToNUL(short), nil
	}
	if r.lacksNames() {
		return "", &FormatError{h.offset, "name", h.name, ErrNoLongNames}
	}
	offset, _ := strconv.ParseUint("0"+leadingDigits(rest), 10, 63)
	tableEnd, ends, unended := len(r.data), "/\x00", ErrLongNameRange
	if r.bounded {
		tableEnd, ends, unended = r.namesEnd, "/", ErrUnterminated
	}
	if offset >= uint64(tableEnd-r.longNames) {
		return "", &FormatError{h.offset, "name", h.name, ErrLongNameRange}
	}
	text := r.data[r.longNames+int(offset) : tableEnd]
	end := bytes.IndexAny(text, ends)
	if end < 0 || text[end] == 0 {
		return "", &FormatError{h.offset, "name", h.name, unended}
	}
	return upToNUL(string(text[:end])), r.share(end)
}

// lacksNames reports whether there is no table of long names. In a bounded archive an empty one does not count.
func (r *reader) lacksNames() bool {
	return r.longNames == 0 || r.bounded && r.namesEnd == r.longNames
}

// share counts a long name of n bytes. Bytes beyond the size of the archive are taken from the budget.
func (r *reader) share(n int) error {
	if r.unshared -= n; r.unshared >= 0 {
		return nil
	}
	over := uint64(-r.unshared)
	r.unshared = 0
	return r.budget.Take(limit.Shared, over)
}

func upToNUL(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}
