package linker_test

import (
	"fmt"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// promisedRow matches a package in the first table of docs/library.md.
var promisedRow = regexp.MustCompile("(?m)^\\| `(linker[a-z/]*)` \\|")

// ourRow matches a package in the second table.
var ourRow = regexp.MustCompile("`(linker/[a-z/]+)`")

// apiFile lists every exported name of the promised packages except constants, one on each line.
const apiFile = "testdata/api.txt"

// TestPromisedNames fails if the exported names of the promised packages differ from a list, so that every change
// is noticed. -update rewrites the list. A change must be mentioned in CHANGELOG.md. Every package must be in one
// of the two tables of docs/library.md.
func TestPromisedNames(t *testing.T) {
	house := loadHouse(t)
	page, err := os.ReadFile("../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	promised, ours, ok := strings.Cut(string(page), "## Not promised")
	if !ok {
		t.Fatal("docs/library.md has no part \"Not promised\"")
	}
	var lines []string
	stands := map[string]bool{}
	for _, m := range promisedRow.FindAllStringSubmatch(promised, -1) {
		stands[m[1]] = true
		p := house.packages[module+m[1]]
		if p == nil {
			t.Errorf("docs/library.md promises %s, which does not exist", m[1])
			continue
		}
		lines = append(lines, exported(p)...)
	}
	for _, m := range ourRow.FindAllStringSubmatch(ours, -1) {
		stands[m[1]] = true
	}
	for name := range house.packages {
		short := strings.TrimPrefix(name, module)
		if !stands[short] && !strings.Contains(short, "/internal") && house.packages[name].Name() != "main" {
			t.Errorf("docs/library.md does not say whether %s is promised", short)
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(apiFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("promised names have changed; note it in CHANGELOG.md, and run go test ./linker -run TestPromisedNames -update\n%s", diff)
	}
}

// exported returns what a package exports: its names, and the exported fields and methods of its types.
func exported(p *types.Package) (lines []string) {
	short := func(other *types.Package) string { return other.Name() }
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if _, constant := o.(*types.Const); constant || !o.Exported() {
			continue // sets of constants grow
		}
		add("%s", strings.TrimPrefix(types.ObjectString(o, short), "type "))
		named, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !ok || !isType || named.Obj().Pkg() != p {
			continue
		}
		lines = lines[:len(lines)-1] // the fields follow one by one
		if structure, ok := named.Underlying().(*types.Struct); ok {
			add("%s.%s struct", p.Name(), name)
			for f := range structure.Fields() {
				if f.Exported() {
					add("%s.%s.%s %s", p.Name(), name, f.Name(), types.TypeString(f.Type(), short))
				}
			}
		} else {
			add("%s.%s %s", p.Name(), name, types.TypeString(named.Underlying(), short))
		}
		for m := range named.Methods() {
			if m.Exported() {
				add("%s.%s.%s%s", p.Name(), name, m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), short), "func"))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
