// Package late compiles regular expressions when they are first used. A run over the corpus
// starts cuconform anew twice for each link, as its supervisor and as the linker: neither uses any.
package late

import (
	"regexp"
	"sync"
)

// Regexp returns the regular expression expr, which it compiles at the first call.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
