package linker_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The most that a function may be: decisions as gocyclo counts them, and lines. The lines of tests are
// not counted, because most of them are tables of cases.
const (
	mostDecisions = 26
	mostLines     = 70
)

// TestFunctionsAreSmall holds the limits for every function of the repository that nobody generates.
func TestFunctionsAreSmall(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "shared"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n, lines := decisions(f), fset.Position(f.End()).Line-fset.Position(f.Pos()).Line+1
			if n <= mostDecisions && (lines <= mostLines || strings.HasSuffix(name, "_test.go")) {
				continue
			}
			t.Errorf("%s: %s has %d decisions, at most %d, and %d lines, at most %d", fset.Position(f.Pos()), f.Name.Name, n, mostDecisions, lines, mostLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// decisions is the cyclomatic number of f with the function literals in it: 1, and 1 for each if, loop, case
// that is no default, && and ||.
func decisions(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
