package linker_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A source is a Go file of the repository, with its comments.
type source struct {
	name string // from the root
	file *ast.File
}

// position returns a place in the source for a message.
func (s source) position(pos token.Pos) token.Position { return sourceFiles.Position(pos) }

// isTest reports whether the file contains tests.
func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

var sourceFiles = token.NewFileSet()

// parseSources parses the files once for all tests.
var parseSources = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "shared"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		file, err := parser.ParseFile(sourceFiles, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		list = append(list, source{strings.TrimPrefix(filepath.ToSlash(name), "../"), file})
		return err
	})
	return list, err
})

// sources returns the Go files of the repository outside of testdata.
func sources(t *testing.T) []source {
	t.Helper()
	list, err := parseSources()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
