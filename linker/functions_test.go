package linker_test

import (
	"go/ast"
	"go/token"
	"testing"
)

// These are the limits for a function: the number of decisions, counted as by gocyclo, and the number of
// lines. The lines of tests are not limited, because most tests are tables of cases.
const (
	mostDecisions = 26
	mostLines     = 70
)

// TestFunctionsAreSmall checks the limits for every function of the repository, except in generated files.
func TestFunctionsAreSmall(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		for _, declaration := range s.file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n, lines := decisions(f), s.position(f.End()).Line-s.position(f.Pos()).Line+1
			if n <= mostDecisions && (lines <= mostLines || s.isTest()) {
				continue
			}
			t.Errorf("%s: %s has %d decisions, at most %d, and %d lines, at most %d", s.position(f.Pos()), f.Name.Name, n, mostDecisions, lines, mostLines)
		}
	}
}

// decisions returns the cyclomatic number of f, including its function literals: 1, plus 1 for each if, loop,
// case other than default, && and ||.
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
