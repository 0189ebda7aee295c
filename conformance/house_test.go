package conformance

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors lists the packages of the table in docs/architecture.md, from the top down. The last one is this package.
var floors = []string{"attempt", "recipe", "suite", "sandbox", "judge", "plan", "report", "record", ""}

// The packages of the harness import each other only as docs/architecture.md allows. A package of the table imports only
// packages of the table above it. Of the other packages of conformance, it imports only those that import none of the
// table.
func TestPackagesImportWhatComesBefore(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{"": importsOf(t, ".")}
	for _, e := range entries {
		if e.IsDir() {
			imports[e.Name()] = importsOf(t, e.Name())
		}
	}
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	place := 0
	for floor, name := range floors {
		row := "\n| `" + path.Base(path.Join("conformance", name)) + "` | "
		at := strings.Index(string(page), row)
		if at < place {
			t.Errorf("docs/architecture.md has no row of %q, or it stands elsewhere", name)
		}
		place = at
		for _, imported := range imports[name] {
			switch below := slices.Index(floors, imported); {
			case below >= floor:
				t.Errorf("conformance/%s imports conformance/%s, which comes after it", name, imported)
			case below < 0 && slices.ContainsFunc(imports[imported], func(next string) bool { return slices.Contains(floors, next) }):
				t.Errorf("conformance/%s imports conformance/%s, which stands on packages of the table", name, imported)
			}
		}
	}
}

// importsOf returns the packages of conformance that the files of a folder import, without the test files.
func importsOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	const root = "github.com/culink/culink/conformance"
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if name, ok := strings.CutPrefix(imported, root); ok {
				names = append(names, strings.TrimPrefix(name, "/"))
			}
		}
	}
	return names
}
