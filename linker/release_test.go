package linker_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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
	files := token.NewFileSet()
	for _, folder := range []string{"linker", "cmd", "conformance", "fuzz"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(name string, _ fs.DirEntry, err error) error {
			file := strings.TrimPrefix(filepath.ToSlash(name), "../")
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, chooser) || slices.Contains(speaksOfReleases, file) {
				return err
			}
			parsed, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && release.MatchString(text.Value) {
					t.Errorf("%s names a release: %s", files.Position(text.Pos()), text.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
