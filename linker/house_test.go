package linker_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// These tests check which packages of the linker import each other, and which packages set the fields of the
// model that they share.

var update = flag.Bool("update", false, "rewrite the comments of the model that say who sets a field")

const module = "github.com/culink/culink/"

// phases are the packages of linker/internal in the order in which a link runs them. Each imports only packages
// before it.
var phases = []string{"object", "program", "merge", "reach", "layout", "finalize", "relocate", "emit", "check", "tell"}

// TestPhasesImportWhatComesBefore checks the order of the phases, and that other packages do not import them.
func TestPhasesImportWhatComesBefore(t *testing.T) {
	t.Parallel()
	house := loadHouse(t)
	for _, name := range slices.Sorted(maps.Keys(house.packages)) {
		rank, isPhase := slices.Index(phases, strings.TrimPrefix(name, module+"linker/internal/")), strings.HasPrefix(name, module+"linker/internal/")
		if isPhase && rank < 0 {
			t.Errorf("%s is no phase: give it a place in the list", name)
			continue
		}
		for _, imported := range house.packages[name].Imports() {
			phase, ok := strings.CutPrefix(imported.Path(), module+"linker/internal/")
			switch {
			case !ok || name == module+"linker":
			case !isPhase:
				t.Errorf("%s imports phase %s: only linker does", name, phase)
			case slices.Index(phases, phase) >= rank:
				t.Errorf("%s imports %s, which comes after it", name, phase)
			}
		}
	}
}

// A floor is a package of the finalizer.
type floor struct {
	name  string   // below linker/mercury
	knows []string // the other packages of the linker that it may import
}

// finalizer lists the packages of linker/mercury from the bottom up. Each imports only packages before it. The
// table of passes imports package hazard for its proofs.
var finalizer = []floor{
	{"internal/machine", []string{"sass", "arch"}},
	{"internal/cfg", []string{"sass", "arch"}},
	{"internal/scoreboard", []string{"sass", "arch"}},
	{"capsule", []string{"sass", "cubin", "reloc"}},
	{"codemap", []string{"sass", "nvinfo"}},
	{"internal/stall", []string{"sass"}},
	{"", []string{"sass", "arch", "nvinfo", "hazard"}},
}

// TestSchedulerImportsWhatIsBelow checks the imports of the finalizer's packages.
func TestSchedulerImportsWhatIsBelow(t *testing.T) {
	t.Parallel()
	const root = module + "linker/mercury"
	within := func(path string) (name string, ok bool) {
		name, ok = strings.CutPrefix(path, root)
		return strings.TrimPrefix(name, "/"), ok && !strings.HasSuffix(path, "machinetest")
	}
	floorOf := func(name string) int {
		return slices.IndexFunc(finalizer, func(f floor) bool { return f.name == name })
	}
	house := loadHouse(t)
	for path, p := range house.packages {
		own, isFinalizer := within(path)
		if !isFinalizer {
			continue
		}
		floor := floorOf(own)
		if floor < 0 {
			t.Errorf("%s has no floor: give it a place in the list", path)
			continue
		}
		for _, imported := range p.Imports() {
			below, ok := within(imported.Path())
			switch other, isLinker := strings.CutPrefix(imported.Path(), module+"linker/"); {
			case ok && floorOf(below) >= floor:
				t.Errorf("%s imports %s, which is not below it", path, imported.Path())
			case !ok && isLinker && !slices.Contains(finalizer[floor].knows, other):
				t.Errorf("%s imports %s: it may import %v", path, imported.Path(), finalizer[floor].knows)
			}
		}
	}
}

// TestFinalizerComparesSMsInOneFile checks that only package machine knows in what the SMs of Mercury code
// differ.
func TestFinalizerComparesSMsInOneFile(t *testing.T) {
	t.Parallel()
	const place = "linker/mercury/internal/machine/sm.go"
	found := 0
	for _, s := range sources(t) {
		if s.isTest() || !strings.HasPrefix(s.name, "linker/mercury/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch e, ok := n.(*ast.BinaryExpr); {
			case !ok || !isSM(e.X) && !isSM(e.Y):
			case s.name == place:
				found++
			default:
				t.Errorf("%s: an SM is compared: ask a function of %s", s.position(n.Pos()), place)
			}
			return true
		})
	}
	if found == 0 {
		t.Errorf("%s compares no SMs", place)
	}
}

// isSM reports whether an expression is the number of an SM with Mercury code.
func isSM(e ast.Expr) bool {
	number, ok := e.(*ast.BasicLit)
	return ok && slices.Contains([]string{"100", "101", "103", "107", "110", "120", "121"}, number.Value)
}

// setBy matches the end of a field's comment if packages other than the field's own set the field.
var setBy = regexp.MustCompile(`;? ?set by ([a-z, ]+)$`)

// TestModelSaysWhoSetsAField compares the comment of each exported field of package program with the packages
// that assign the field.
func TestModelSaysWhoSetsAField(t *testing.T) {
	t.Parallel()
	house := loadHouse(t)
	model := house.packages[module+"linker/internal/program"]
	setters := map[types.Object]map[string]bool{}
	for name, files := range house.files {
		phase, ok := strings.CutPrefix(name, module+"linker/internal/")
		if !ok {
			continue
		}
		for _, field := range house.assigned(files) {
			if field.Pkg() == model && field.Exported() {
				if setters[field] == nil {
					setters[field] = map[string]bool{}
				}
				setters[field][phase] = true
			}
		}
	}
	edits := map[string][]string{}
	for _, file := range house.files[model.Path()] {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := s.Type.(*ast.StructType)
			if !ok || s.Name.Name == "Options" {
				return true
			}
			for _, field := range st.Fields.List {
				for _, name := range namesOf(field) {
					if !name.IsExported() {
						continue
					}
					by := setters[house.info.Defs[name]]
					delete(by, "program")
					want := strings.Join(slices.SortedFunc(maps.Keys(by), func(a, b string) int {
						return slices.Index(phases, a) - slices.Index(phases, b)
					}), ", ")
					text := strings.TrimSpace(field.Comment.Text())
					got := ""
					if m := setBy.FindStringSubmatch(text); m != nil {
						got = m[1]
					}
					if got == want {
						continue
					}
					at := house.fset.Position(name.Pos())
					if !*update {
						t.Errorf("%s: %s.%s is set by %q, its comment says %q (go test ./linker -run %s -update)", at, s.Name.Name, name.Name, want, got, t.Name())
						continue
					}
					if len(field.Names) > 1 {
						t.Errorf("%s: one field a line, please", at)
						continue
					}
					edits[at.Filename] = append(edits[at.Filename], fmt.Sprintf("%d:%s", at.Line, want))
				}
			}
			return true
		})
	}
	for name, lines := range edits {
		rewrite(t, name, lines)
	}
}

// namesOf returns the names of a field. An embedded field has the name of its type.
func namesOf(field *ast.Field) []*ast.Ident {
	if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
		return []*ast.Ident{id}
	}
	return field.Names
}

// rewrite writes the setters into the comments of the given lines. Each element of lines is "number:setters".
func rewrite(t *testing.T, name string, lines []string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Split(string(data), "\n")
	for _, l := range lines {
		var number int
		fmt.Sscanf(l, "%d:", &number)
		_, want, _ := strings.Cut(l, ":")
		code, comment, _ := strings.Cut(text[number-1], "//")
		comment = strings.TrimSpace(setBy.ReplaceAllString(strings.TrimSpace(comment), ""))
		switch {
		case want == "" && comment == "":
			text[number-1] = strings.TrimRight(code, " \t")
			continue
		case want == "":
		case comment == "":
			comment = "set by " + want
		default:
			comment += "; set by " + want
		}
		text[number-1] = strings.TrimRight(code, " \t") + " // " + comment
	}
	if err := os.WriteFile(name, []byte(strings.Join(text, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestPhasesAreUsed reports code of the phases that only tests use.
func TestPhasesAreUsed(t *testing.T) {
	t.Parallel()
	house := loadHouse(t)
	used := map[types.Object]bool{}
	for _, o := range house.info.Uses {
		used[o] = true
		if f, ok := o.(*types.Func); ok {
			used[f.Origin()] = true
		}
	}
	for _, p := range house.packages {
		if !strings.HasPrefix(p.Path(), module+"linker/internal/") {
			continue
		}
		scope := p.Scope()
		for _, name := range scope.Names() {
			o := scope.Lookup(name)
			if c, ok := o.(*types.Const); ok && c.Val().ExactString() == "0" {
				continue // the zero of a list
			}
			if !used[o] {
				t.Errorf("%s: nothing but a test uses %s", house.fset.Position(o.Pos()), name)
			}
			named, ok := o.Type().(*types.Named)
			if _, isType := o.(*types.TypeName); !ok || !isType {
				continue
			}
			for i := range named.NumMethods() {
				if m := named.Method(i); !used[m] && m.Name() != "String" && m.Name() != "Error" {
					t.Errorf("%s: nothing but a test uses %s.%s", house.fset.Position(m.Pos()), name, m.Name())
				}
			}
		}
	}
}

// A house holds package linker and all packages below it, parsed and type-checked without tests.
type house struct {
	fset     *token.FileSet
	packages map[string]*types.Package
	files    map[string][]*ast.File
	info     *types.Info
}

var loadOnce = sync.OnceValues(func() (*house, error) {
	h := &house{
		fset: token.NewFileSet(), packages: map[string]*types.Package{}, files: map[string][]*ast.File{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
	}
	return h, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() == "testdata" || d.Name() == "programtest" || d.Name() == "machinetest" { // only used by tests
			return err
		}
		if sources, _ := filepath.Glob(filepath.Join(name, "*.go")); len(sources) > 0 {
			_, err = h.Import(path.Join(module+"linker", filepath.ToSlash(name)))
		}
		return err
	})
})

func loadHouse(t *testing.T) *house {
	t.Helper()
	h, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var compiled = importer.Default()

// Import type-checks a package of the house. It imports any other package in compiled form.
func (h *house) Import(name string) (*types.Package, error) {
	if p := h.packages[name]; p != nil {
		return p, nil
	}
	dir, ok := strings.CutPrefix(name, module+"linker")
	if !ok {
		return compiled.Import(name)
	}
	sources, err := filepath.Glob(filepath.Join(".", filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(h.fset, source, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ignored(f) {
			continue
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, nil
	}
	config := types.Config{Importer: h, Error: func(error) {}} // other systems' files have errors here
	p, _ := config.Check(name, h.fset, files, h.info)
	h.packages[name], h.files[name] = p, files
	return p, nil
}

// ignored reports whether a build tag excludes f, as for a generator.
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() < f.Package && strings.HasPrefix(group.List[0].Text, "//go:build") {
			return true
		}
	}
	return false
}

// assigned returns the fields that files assign: with =, op=, ++, in literals, by methods with a pointer
// receiver, or through their address.
func (h *house) assigned(files []*ast.File) (fields []types.Object) {
	note := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.SliceExpr:
				e = x.X
				continue
			case *ast.ParenExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				if v, ok := h.info.Uses[x.Sel].(*types.Var); ok && v.IsField() {
					fields = append(fields, v)
				}
			}
			return
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					note(e)
				}
			case *ast.IncDecStmt:
				note(n.X)
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok {
					if v, ok := h.info.Uses[id].(*types.Var); ok && v.IsField() {
						fields = append(fields, v)
					}
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					if s := h.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
						if _, ok := s.Obj().Type().(*types.Signature).Recv().Type().(*types.Pointer); ok {
							if _, isPointer := s.Recv().(*types.Pointer); !isPointer {
								note(sel.X)
							}
						}
					}
				}
			}
			return true
		})
	}
	return fields
}
