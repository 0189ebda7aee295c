package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// A declaration outside functions affects the functions that use its name, and those that use names derived from it. The
// analysis compares only names, and not what they denote. If it finds too many functions, this costs time. If it found
// too few, a check would be missed.

// A place is a line of a file.
type place struct {
	file string
	line int
}

// users holds the names in the source of the linker.
type users struct {
	functions map[string][]place  // starts of the functions that contain a name, by name
	made      map[string][]string // names whose declarations outside functions contain a name, by that name
}

func newUsers() *users { return &users{map[string][]place{}, map[string][]string{}} }

// read records the names in a file.
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

// namesIn returns the names in a piece of source, each once.
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

// declared returns the names that a declaration declares.
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

// of returns the starts of the functions whose behaviour may depend on declarations of these names.
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
