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

// speaksOfReleases lists the files whose texts may name releases. They have nvlink's own messages, the descriptions of
// attributes, and clients and compilers of pinned versions.
var speaksOfReleases = []string{"linker/diag/messages.go", "linker/nvinfo/attribute.go", "cmd/internal/clients/python.go", "cmd/internal/compilers/table.go"}

// TestOnlyTheChooserNamesARelease checks that only linker/arch/releases.go decides which release culink emulates.
// Everything that depends on the release is in the rows next to it (KIT-003). Comments may name a release.
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
