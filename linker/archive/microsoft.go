package archive

import (
	"bytes"
	"iter"
	"strings"

	"github.com/culink/culink/linker/limit"
)

// In Microsoft's format there are two symbol tables, and long names end at a NUL. nvlink.exe checks the name of
// a member only when it links the member. A slash must then end the name (WIN-011). A bounded archive has the errors of
// WIN-960.

// Objects yields the members of a [Microsoft] archive that begin as objects, for the others do not matter. isObject gets
// the bytes after a member's header. In a thin archive too, nvlink.exe takes these for the contents: they decide whether
// the member is an object, and if it is none, it is skipped with the size in its header (WIN-012).
func (how Reading) Objects(data []byte, budget *limit.Budget, isObject func([]byte) bool) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		for m, err := range how.members(data, budget, isObject) {
			if err == nil && !isObject(m.Rest) {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// microsoftMember is member for [Microsoft]. In an archive that is not bounded, a truncated header ends the archive, and a
// size may exceed its end.
func (r *reader) microsoftMember(at int) (m *Member, next int, err error) {
	if len(r.data)-at < HeaderSize {
		if r.bounded {
			return nil, 0, &FormatError{at, "header", string(r.data[at:]), ErrFormat}
		}
		return nil, len(r.data), nil
	}
	text := r.data[at : at+HeaderSize]
	h := header{offset: at, name: field(text[:16]), size: field(text[48:58])}
	if r.bounded {
		h.name = wholeField(text[:16])
	}
	size := parseSize(h.size)
	rest := r.data[at+HeaderSize:]
	if r.thin && !h.isTable() && !r.isObject(rest) {
		switch err := r.checkSize(h, size, len(rest)); {
		case err != nil && r.bounded:
			return nil, 0, err
		case err != nil: // a negative size
			return nil, len(r.data), nil
		}
		stored := min(size+size&1, int64(len(rest)))
		return nil, at + HeaderSize + int(stored), nil
	}
	contents, stored, err := r.contents(h, size, rest)
	if err != nil {
		return nil, 0, err
	}
	next = at + HeaderSize + stored
	if h.isTable() {
		return nil, next, nil
	}
	name, nameErr, err := r.microsoftName(h)
	if err != nil {
		return nil, 0, err
	}
	if r.thin {
		return &Member{Name: name, Size: size, Rest: rest, NameErr: nameErr}, next, nil
	}
	return &Member{Name: name, NameErr: nameErr, Data: contents, Size: size, Rest: rest, Cut: int64(len(contents)) < size}, next, nil
}

// microsoftName returns the name of a member, and what is wrong with the name. A long name ends at a NUL or a slash. In
// a bounded archive these are in the table of names. In another one the name may also end with the archive, wherever its
// table ends, and a name outside the archive is empty. err is an error of the budget.
func (r *reader) microsoftName(h header) (name string, wrong, err error) {
	short, rest, ok := strings.Cut(h.name, "/")
	switch {
	case !ok:
		return "", &FormatError{h.offset, "name", h.name, ErrFormat}, nil
	case short != "":
		return upToNUL(short), nil, nil
	case r.lacksNames():
		return "", &FormatError{h.offset, "name", h.name, ErrNoLongNames}, nil
	}
	offset, tableEnd := parseSize(leadingDigits(rest)), len(r.data)
	if r.bounded {
		tableEnd = r.namesEnd
	}
	if offset >= int64(tableEnd-r.longNames) {
		if r.bounded {
			wrong = &FormatError{h.offset, "name", h.name, ErrLongNameRange}
		}
		return "", wrong, nil
	}
	text := r.data[r.longNames+int(offset) : tableEnd]
	switch end := bytes.IndexAny(text, "/\x00"); {
	case end >= 0:
		text = text[:end]
	case r.bounded:
		return "", &FormatError{h.offset, "name", h.name, ErrUnterminated}, nil
	}
	return string(text), nil, r.share(len(text))
}
