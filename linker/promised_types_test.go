package linker_test

import (
	"go/types"
	"os"
	"strings"
	"testing"
)

// TestPromisedTypes checks what the promised packages export. A type of a package that is not promised is an
// error, because users could not name it. A variable is an error too, unless it is an error value.
func TestPromisedTypes(t *testing.T) {
	t.Parallel()
	house := loadHouse(t)
	page, err := os.ReadFile("../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	promised := map[string]bool{}
	for _, m := range promisedRow.FindAllStringSubmatch(string(page), -1) {
		promised[module+m[1]] = true
	}
	for name := range promised {
		p := house.packages[name]
		w := &promiseWalk{promised: promised, fault: t.Errorf}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				w.object(o)
			}
		}
	}
}

// A promiseWalk visits the types in the exported names of a package.
type promiseWalk struct {
	promised map[string]bool // packages
	fault    func(format string, args ...any)
}

// object visits an exported name. For a type, it also visits the exported fields and methods.
func (w *promiseWalk) object(o types.Object) {
	where := o.Pkg().Name() + "." + o.Name()
	if _, isVar := o.(*types.Var); isVar && o.Type() != types.Universe.Lookup("error").Type() {
		w.fault("%s is a variable, which every caller could change", where)
	}
	name, isType := o.(*types.TypeName)
	if !isType {
		w.visit(where, o.Type())
		return
	}
	named, ok := o.Type().(*types.Named)
	if !ok || name.IsAlias() {
		w.visit(where, types.Unalias(o.Type()))
		return
	}
	w.visit(where, named.Underlying())
	for m := range named.Methods() {
		if m.Exported() {
			w.visit(where+"."+m.Name(), m.Type())
		}
	}
}

// visit reports parts of a type that are in packages without a promise.
func (w *promiseWalk) visit(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), module) && !w.promised[p.Path()] {
			w.fault("%s has type %s.%s, which docs/library.md does not promise", where, p.Name(), t.Obj().Name())
		}
		for a := range t.TypeArgs().Types() {
			w.visit(where, a)
		}
	case *types.Alias:
		w.visit(where, t.Rhs())
	case *types.Signature:
		w.visit(where, t.Params())
		w.visit(where, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(where, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.visit(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.visit(where+"."+m.Name(), m.Type())
			}
		}
	case *types.Map:
		w.visit(where, t.Key())
		w.visit(where, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.visit(where, t.Elem())
	}
}
