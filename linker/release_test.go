package linker_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// speaksOfReleases are the files whose texts name releases: nvlink's own messages, and the
// description of attributes.
var speaksOfReleases = []string{"linker/diag/messages.go", "linker/nvinfo/attribute.go"}

// TestOnlyTheChooserNamesARelease: which release culink stands in for is decided in
// linker/arch/releases.go, and what depends on it stands in the rows beside it (KIT-003).
// Comments may name one.
func TestOnlyTheChooserNamesARelease(t *testing.T) {
	t.Parallel()
	const chooser = "linker/arch/"
	release := regexp.MustCompile(fmt.Sprintf(`\b%d\.%d\b`, arch.Default.Major, arch.Default.Minor))
	for _, s := range sources(t) {
		folder, _, _ := strings.Cut(s.name, "/")
		if s.isTest() || strings.HasPrefix(s.name, chooser) || !slices.Contains([]string{"linker", "cmd", "conformance", "fuzz"}, folder) || slices.Contains(speaksOfReleases, s.name) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && release.MatchString(text.Value) {
				t.Errorf("%s names a release: %s", s.position(text.Pos()), text.Value)
			}
			return true
		})
	}
}
