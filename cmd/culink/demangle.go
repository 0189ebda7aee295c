package main

import (
	"regexp"

	"github.com/ianlancetaylor/demangle"
)

// pointerMark is a pointer or reference behind the name of its type.
var pointerMark = regexp.MustCompile(`([\w>])([*&])`)

// demangleFilter gives the C++ name behind a symbol as nvlink's call graph shows it,
// with a space before the stars (REACH-020); other names stay.
func demangleFilter(name string) string {
	return pointerMark.ReplaceAllString(demangle.Filter(name), "$1 $2")
}
