// Package limit limits the resources of one link.
//
// A file of some kilobytes can require any amount of memory and time. Compressed code decodes to many times its
// size. Tables that use the same bytes are read once for each table. A response file can include others many
// times. A limit for each file does not help, because an archive contains thousands of files. A link therefore
// has one [Budget], and every part of the link takes from this budget before it allocates memory (LIMIT-001).
//
// [Kind.Row] describes a limit, and --limit sets it. Ordinary links stay far below the defaults.
package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is the resource that a limit bounds.
type Kind uint8

// The kinds of limits, in the order of the table.
const (
	Read      Kind = iota // bytes of input files
	Decoded               // bytes of compressed code, decoded
	Shared                // bytes of tables and names that a file uses more than once
	Responses             // response files that are opened
	Matches               // steps in matching kernels with patterns
	LookUps               // file look-ups, and names of folders read, to find libraries
	kinds
)

// A Row describes a limit.
type Row struct {
	Name string // name in --limit
	Most uint64 // default
	Help string
}

// Row returns the description of the limit.
func (k Kind) Row() Row { return table[k] }

// table lists the limits by Kind.
var table = [kinds]Row{
	Read:      {"read", 16 << 30, "bytes of the input files"},
	Decoded:   {"decoded", 256 << 20, "bytes of decoded code, and 64 more for each byte read"},
	Shared:    {"shared", 1 << 20, "bytes of sections and names that lie in one place of an input"},
	Responses: {"responses", 10_000, "response files opened"},
	Matches:   {"matches", 1 << 28, "bytes compared to match kernels with names from host code"},
	LookUps:   {"lookups", 1 << 20, "files and names of folders looked at to find libraries"},
}

// decodedForRead is the number of bytes that may be decoded for each byte read, in addition to the limit.
// Compression makes real code at most ten times smaller.
const decodedForRead = 64

// Limits contains a limit for each kind. 0 means the default.
type Limits [kinds]uint64

// Most returns the limit of a kind.
func (l *Limits) Most(k Kind) uint64 {
	if l[k] != 0 {
		return l[k]
	}
	return table[k].Most
}

// Errors of Set.
var (
	ErrName   = errors.New("no such limit")
	ErrNumber = errors.New("not a positive number")
)

// Set sets a limit from the syntax of --limit: "decoded=2G". The suffixes K, M and G are powers of 1024. The
// error wraps ErrName or ErrNumber.
func (l *Limits) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	for k := range table {
		if table[k].Name == name {
			n, err := parse(value)
			if err != nil {
				return fmt.Errorf("limit %s: %w: %q", name, err, value)
			}
			l[k] = n
			return nil
		}
	}
	return fmt.Errorf("%w: %q", ErrName, name)
}

func parse(text string) (uint64, error) {
	shift := 0
	for i, suffix := range []string{"K", "M", "G"} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			text, shift = digits, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(text, 10, 64-shift)
	if err != nil || n == 0 {
		return 0, ErrNumber
	}
	return n << shift, nil
}

// A Budget tracks the remaining resources of a link. The zero value has the default limits. It must be used by
// one goroutine only.
type Budget struct {
	Limits Limits
	used   [kinds]uint64
}

// An Error reports that a link needs more than a limit allows.
type Error struct {
	Kind Kind
	Most uint64
}

func (e *Error) Error() string {
	return fmt.Sprintf("more than %d %s", e.Most, table[e.Kind].Help)
}

// Name returns the name of the limit in --limit.
func (e *Error) Name() string { return table[e.Kind].Name }

// Take takes n from the remaining budget of a kind. If less is left, it returns an *Error, and the budget does
// not change.
func (b *Budget) Take(k Kind, n uint64) error {
	if n > b.Left(k) {
		return &Error{k, b.Limits.Most(k)}
	}
	b.used[k] += n
	return nil
}

// Left returns the remaining budget of a kind.
func (b *Budget) Left(k Kind) uint64 {
	most := b.Limits.Most(k)
	if k == Decoded {
		most += decodedForRead * b.used[Read]
	}
	return most - min(most, b.used[k])
}
