// Package late compiles regular expressions at their first use. A run over the corpus starts cuconform twice for each
// link, as its supervisor and as the linker. Neither needs a regular expression, so compiling them at start-up would
// waste time.
package late

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the regular expression expr. The first call compiles it.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
