package sound_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An error in a package that the checker shares with the linker could stay hidden from the checker. For each of these
// packages, docs/sound.md names another check.
func TestSharedPackagesAreNamed(t *testing.T) {
	page, err := os.ReadFile("../../docs/sound.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## What it shares with culink")
	table, _, _ = strings.Cut(table, "\n## ")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if _, part, ok := strings.Cut(path, "culink/culink/linker/"); ok {
				shared++
				if !strings.Contains(table, "`linker/"+part+"`") {
					t.Errorf("%s: linker/%s is not in the table", name, part)
				}
			}
		}
	}
	if shared == 0 {
		t.Error("no imports")
	}
}
