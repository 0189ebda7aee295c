// Package limit bounds what one link may take of the machine.
//
// A file of some kilobytes can ask for any amount of memory and time: compressed code decodes
// to many times its size, tables that share their bytes are read once for each of them, a
// response file can name others over and over. Limits for each file do not help, because an
// archive holds thousands. So a link has one [Budget], from which every part of it takes
// before it takes memory (LIMIT-001).
//
// [Kind.Row] describes a limit; --limit sets it. Honest links stay far below the defaults.
package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is what a limit is about.
type Kind uint8

// The kinds of limits, in the order of the table.
const (
	Read      Kind = iota // bytes of input files
	Decoded               // bytes of compressed code, decoded
	Shared                // bytes of tables and names that a file uses more than once
	Responses             // response files that are opened
	Matches               // steps in matching kernels with patterns
	LookUps               // files asked for, and names of folders read, to find libraries
	kinds
)

// A Row describes a limit.
type Row struct {
	Name string // in --limit
	Most uint64 // default
	Help string
}

// Row describes the limit.
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

// decodedForRead is how many bytes may be decoded for each byte that was read, beside the
// limit: real code is compressed to a tenth at best.
const decodedForRead = 64

// Limits are a number for each kind; 0 stands for the default.
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

// Set sets a limit as --limit spells it: "decoded=2G". The suffixes K, M and G stand for
// powers of 1024. The error wraps ErrName or ErrNumber.
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

// A Budget is what a link has left. The zero value has the defaults. It is for one goroutine.
type Budget struct {
	Limits Limits
	used   [kinds]uint64
}

// An Error tells that a link asks for more than a limit allows.
type Error struct {
	Kind Kind
	Most uint64
}

func (e *Error) Error() string {
	return fmt.Sprintf("more than %d %s", e.Most, table[e.Kind].Help)
}

// Name is the limit's name in --limit.
func (e *Error) Name() string { return table[e.Kind].Name }

// Take takes n from what is left of a kind. The error is an *Error, after which all that is
// left stays.
func (b *Budget) Take(k Kind, n uint64) error {
	if n > b.Left(k) {
		return &Error{k, b.Limits.Most(k)}
	}
	b.used[k] += n
	return nil
}

// Left is what is left of a kind.
func (b *Budget) Left(k Kind) uint64 {
	most := b.Limits.Most(k)
	if k == Decoded {
		most += decodedForRead * b.used[Read]
	}
	return most - min(most, b.used[k])
}
