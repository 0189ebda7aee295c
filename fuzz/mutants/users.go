package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// What stands outside of functions is noticed by those that name it, or that name what is made of
// it. Names alone count, of whatever they are: too many functions cost time, too few would hide a check.

// A place is a line of a file.
type place struct {
	file string
	line int
}

// users are the names in the source of the linker.
type users struct {
	functions map[string][]place  // where those begin that have this name in them
	made      map[string][]string // names declared outside of functions with this one in their declaration
}

func newUsers() *users { return &users{map[string][]place{}, map[string][]string{}} }

// read notes the names in a file.
func (u *users) read(name string, files *token.FileSet, tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			begins := place{name, files.Position(d.Pos()).Line}
			for _, n := range namesIn(d) {
				u.functions[n] = append(u.functions[n], begins)
			}
		case *ast.GenDecl:
			for _, n := range namesIn(d) {
				u.made[n] = append(u.made[n], declared(d)...)
			}
		}
	}
}

// namesIn lists the names in a piece of source, each once.
func namesIn(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// declared lists the names that a declaration is of.
func declared(d *ast.GenDecl) (names []string) {
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok {
			for _, id := range v.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// of lists where the functions begin that may do something else when what has these names is another.
func (u *users) of(names []string) (begins []place) {
	todo := slices.Clone(names)
	seen := map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if !seen[name] {
			seen[name] = true
			begins = append(begins, u.functions[name]...)
			todo = append(todo, u.made[name]...)
		}
	}
	return begins
}
