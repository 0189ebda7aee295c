package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Users install commands with "go install ./cmd/...". These commands need no C compiler and have a help text. culink and
// cuconform have full help. Any other command has a usage line with the page that explains it.
func TestCommandsArePeoples(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob("../*/main.go")
	if err != nil || len(mains) < 4 {
		t.Fatal(mains, err)
	}
	for _, name := range mains {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			if imported.Path.Value == `"C"` {
				t.Errorf("%s needs a C compiler", name)
			}
		}
		command := filepath.Base(filepath.Dir(name))
		usage := ""
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				if value, _ := strconv.Unquote(text.Value); strings.HasPrefix(value, "usage: "+command) {
					usage = value
				}
			}
			return true
		})
		if command != "cuconform" && !strings.Contains(usage, "docs/") {
			t.Errorf("%s says not what it is for: %q", name, usage)
		}
	}
}
