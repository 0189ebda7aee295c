package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// A mutant differs from the source in one point. Each kind of point is one row or one case in this file: the syntax that
// it matches, and the replacement. A replacement that does not compile is not counted as a mutant.

// A point is one change of one file.
type point struct {
	File     string // path from the root of the module, separated by slashes
	Function string // in which it is; "" outside of all
	Line     int
	Column   int
	begins   int      // first line of the function; 0 for a point outside functions
	declares []string // declared names, outside functions
	From, To string   // the removed text and its replacement
	offset   int      // offset of From in the file
	nth      int      // index among the equal changes in the function
	around   string   // short hash of the function's text
	number   int      // number in the campaign, from 1
	anywhere bool     // any check may execute it
}

// isAlone reports whether a mutant is built as a separate program. It must be if it is outside functions or in an init
// function, because an init function cannot be called.
func (p *point) isAlone() bool { return p.begins == 0 || p.Function == "init" }

// Key identifies a point as long as the function around it is unchanged. The function may move within the file.
func (p *point) Key() string {
	return fmt.Sprintf("%s %s %s %s→%s %d", p.File, p.Function, p.around, flat(p.From), flat(p.To), p.nth)
}

func (p *point) String() string {
	return fmt.Sprintf("%s:%d %s: %s → %s", p.File, p.Line, p.Function, flat(p.From), flat(p.To))
}

// flat returns source text as a short word without blanks, which separate the fields of a result.
func flat(source string) string {
	const most = 60
	s := strings.Join(strings.Fields(source), "_")
	if len(s) > most {
		sum := sha256.Sum256([]byte(source))
		s = fmt.Sprintf("%s~%x", strings.ToValidUTF8(s[:most], ""), sum[:3])
	}
	if s == "" {
		return "∅"
	}
	return s
}

// apply returns the source with the change.
func (p *point) apply(source []byte) []byte {
	return []byte(string(source[:p.offset]) + p.To + string(source[p.offset+len(p.From):]))
}

// otherOperator maps an operator to its replacement.
var otherOperator = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL, token.REM: token.QUO,
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.OR, token.AND_NOT: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.OR_ASSIGN: token.AND_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN, token.AND_NOT_ASSIGN: token.OR_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// pointsOf returns the points of one file, and adds its names to u.
func pointsOf(name string, source []byte, u *users) ([]*point, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	u.read(name, files, tree)
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	f := &finder{files: files, name: name, source: source, times: map[string]int{}}
	for _, d := range tree.Decls {
		if function, ok := d.(*ast.FuncDecl); ok {
			f.enter(functionName(function), function)
			if function.Body != nil {
				ast.Inspect(function.Body, f.visit)
			}
		} else if g := d.(*ast.GenDecl); g.Tok == token.VAR || g.Tok == token.CONST {
			f.enter("", g)
			ast.Inspect(g, f.visit)
		}
	}
	return f.points, nil
}

// functionName returns the name of a function as "Type.Method" or "Function".
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
			continue
		case *ast.IndexExpr:
			receiver = t.X
			continue
		case *ast.Ident:
			return t.Name + "." + d.Name.Name
		}
		return d.Name.Name
	}
}

// A finder collects the points of a file.
type finder struct {
	files    *token.FileSet
	name     string
	source   []byte
	function string
	begins   int
	declares []string
	around   string
	times    map[string]int
	points   []*point
}

// enter sets the declaration that the next points belong to.
func (f *finder) enter(function string, d ast.Node) {
	sum := sha256.Sum256([]byte(f.text(d)))
	f.function, f.around, f.begins = function, fmt.Sprintf("%x", sum[:4]), 0
	f.declares = nil
	if g, ok := d.(*ast.GenDecl); ok {
		f.declares = declared(g)
	} else {
		f.begins = f.files.Position(d.Pos()).Line
	}
}

func (f *finder) offset(p token.Pos) int { return f.files.Position(p).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

// add records a replacement of text at a position.
func (f *finder) add(at token.Pos, from, to string) {
	change := fmt.Sprintf("%s %s %s→%s", f.function, f.around, from, to)
	place := f.files.Position(at)
	p := &point{
		File: f.name, Function: f.function, Line: place.Line, Column: place.Column, begins: f.begins, declares: f.declares,
		From: from, To: to, offset: place.Offset, nth: f.times[change], around: f.around,
	}
	if p.Function == "" {
		p.Function = "-"
	}
	f.times[change]++
	f.points = append(f.points, p)
}

// operator records the replacement of an operator, if there is one.
func (f *finder) operator(at token.Pos, op token.Token) {
	if other, ok := otherOperator[op]; ok {
		f.add(at, op.String(), other.String())
	}
}

// drop records the removal of a statement.
func (f *finder) drop(s ast.Stmt) { f.add(s.Pos(), f.text(s), "") }

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n.Pos(), "!", "")
		}
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
		f.drop(n)
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			f.drop(n)
		}
	case *ast.ExprStmt:
		f.drop(n)
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			f.drop(n)
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 0 {
			f.drop(n)
		}
	case *ast.IfStmt:
		switch n.Cond.(type) {
		case *ast.Ident, *ast.CallExpr, *ast.SelectorExpr:
			f.add(n.Cond.Pos(), f.text(n.Cond), "!"+f.text(n.Cond))
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			f.add(n.Pos(), n.Value, "("+n.Value+" + 1)")
		}
	case *ast.Ident:
		if value, err := strconv.ParseBool(n.Name); err == nil && (n.Name == "true" || n.Name == "false") {
			f.add(n.Pos(), n.Name, strconv.FormatBool(!value))
		}
	case *ast.CallExpr:
		return f.call(n)
	}
	return true
}

// call visits the parts of a call. It omits the capacity in make and slices.Grow, which does not change the behaviour,
// and panic, which marks an impossible case.
func (f *finder) call(n *ast.CallExpr) bool {
	switch f.text(n.Fun) {
	case "make":
		if len(n.Args) == 3 {
			ast.Inspect(n.Args[1], f.visit)
			return false
		}
		_, isMap := n.Args[0].(*ast.MapType)
		return !isMap
	case "slices.Grow":
		ast.Inspect(n.Args[0], f.visit)
		return false
	case "panic":
		return false
	}
	return true
}
