package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// All mutants of a campaign are part of one program, which is built once. For each mutant, the program has a changed
// copy of its function. The original function starts with a switch that calls the copy of the selected mutant. Package
// mutant, which exists only in the overlay, has the number of the selected mutant. It also records the mutants whose
// statements a process executes. Mutants outside functions or in init functions are built separately.

// chosenBy is the environment variable that selects the mutant of a process. Its value is the number of the mutant, or 0
// for none. After it there may be a blank and the name of a file. In this file the process records the mutants that it
// executes.
const chosenBy = "CULINK_MUTANT"

// mutantPackage returns the source of package mutant for n mutants. If the environment variable is not set, as in test
// processes, package mutant reads the same information from file.
func mutantPackage(n int, file string) string {
	return fmt.Sprintf(`package mutant

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// Number is that of the mutant that this process is; 0 is none.
var Number int

var (
	notes string
	noted [%d]atomic.Bool
)

func init() {
	text := os.Getenv(%q)
	if text == "" {
		data, _ := os.ReadFile(%q)
		text = string(data)
	}
	number, name, _ := strings.Cut(text, " ")
	Number, _ = strconv.Atoi(number)
	notes = name
}

// Executes notes that this process comes to the statement of a mutant.
func Executes(i int) {
	if notes != "" && noted[i].CompareAndSwap(false, true) {
		f, err := os.OpenFile(notes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			fmt.Fprintln(f, i)
			f.Close()
		}
	}
}
`, n+1, chosenBy, file)
}

// mutantImport is the import path of package mutant. The whole linker may import it.
const mutantImport = module + "linker/mutant"

// A together is a source file with all of its mutants inserted.
type together struct {
	text   string
	copies []lineOf // lines at which the copies start, in order
}

// A lineOf is the line at which the copy for a mutant starts.
type lineOf struct{ line, number int }

// at returns the number of the mutant whose copy contains a line, or 0 if there is none.
func (t together) at(line int) (number int) {
	for _, c := range t.copies {
		if c.line <= line {
			number = c.number
		}
	}
	return number
}

// An insertion is a text to insert into a source at an offset.
type insertion struct {
	at   int
	text string
}

// A joiner inserts mutants into one source file.
type joiner struct {
	source   []byte
	files    *token.FileSet
	inserted []insertion
	copies   strings.Builder
	starts   []lineOf
}

// join inserts the mutants of functions into the source of their file. It also inserts code that records when they are
// executed. uses lists mutants outside functions, by the first line of a function that uses their declaration. Code to
// record these is inserted too.
func join(name string, source []byte, mutants []*point, uses map[int][]int) (together, error) {
	j := &joiner{source: source, files: token.NewFileSet()}
	tree, err := parser.ParseFile(j.files, name, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return together{}, err
	}
	j.insert(tree.Name.End(), `; import mutant__ "`+mutantImport+`"`)
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			for _, number := range uses[j.files.Position(f.Pos()).Line] {
				j.note(f.Body.Lbrace+1, number)
			}
			j.function(f, mutants)
		}
	}
	slices.SortStableFunc(j.inserted, func(a, b insertion) int { return a.at - b.at })
	var b strings.Builder
	last := 0
	for _, i := range j.inserted {
		b.Write(source[last:i.at])
		b.WriteString(i.text)
		last = i.at
	}
	b.Write(source[last:])
	lines := strings.Count(b.String(), "\n")
	for i := range j.starts {
		j.starts[i].line += lines
	}
	const used = "\nvar _ = mutant__.Number\n" // keeps the import in use if no mutant compiles
	return together{b.String() + j.copies.String() + used, j.starts}, nil
}

func (j *joiner) offset(p token.Pos) int { return j.files.Position(p).Offset }

func (j *joiner) insert(at token.Pos, text string) {
	j.inserted = append(j.inserted, insertion{j.offset(at), text})
}

func (j *joiner) note(at token.Pos, number int) {
	j.insert(at, fmt.Sprintf(" mutant__.Executes(%d); ", number))
}

// function inserts the mutants of f, if there are any.
func (j *joiner) function(f *ast.FuncDecl, mutants []*point) {
	inside := func(p *point) bool { return j.offset(f.Body.Pos()) <= p.offset && p.offset < j.offset(f.Body.End()) }
	mutants = slices.DeleteFunc(slices.Clone(mutants), func(p *point) bool { return !inside(p) })
	if len(mutants) == 0 {
		return
	}
	call := j.call(f)
	var choose strings.Builder
	choose.WriteString(" switch mutant__.Number {")
	for _, p := range mutants {
		copied := fmt.Sprintf("%s__%d", f.Name.Name, p.number)
		if f.Type.Results == nil {
			fmt.Fprintf(&choose, " case %d: %s; return;", p.number, call(copied))
		} else {
			fmt.Fprintf(&choose, " case %d: return %s;", p.number, call(copied))
		}
		j.copy(f, p, copied)
	}
	choose.WriteString(" };")
	j.insert(f.Body.Lbrace+1, choose.String())
	for _, p := range mutants {
		j.note(j.statement(f.Body, p.offset), p.number)
	}
}

// call returns a function that makes the text of a call from f to another function of the same type. It gives names to
// unnamed parameters.
func (j *joiner) call(f *ast.FuncDecl) func(name string) string {
	var receiver, arguments, types []string
	if f.Recv != nil {
		receiver = j.name(f.Recv, "r__")
	}
	if f.Type.TypeParams != nil {
		types = j.name(f.Type.TypeParams, "t__")
	}
	arguments = j.name(f.Type.Params, "p__")
	return func(name string) string {
		if receiver != nil {
			name = receiver[0] + "." + name
		}
		if types != nil {
			name += "[" + strings.Join(types, ", ") + "]"
		}
		return name + "(" + strings.Join(arguments, ", ") + ")"
	}
}

// name gives names to unnamed parameters. It returns the names of all parameters, as the arguments of a call.
func (j *joiner) name(list *ast.FieldList, prefix string) (names []string) {
	for _, field := range list.List {
		dots := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			dots = "..."
		}
		if len(field.Names) == 0 {
			names = append(names, fmt.Sprintf("%s%d%s", prefix, len(names), dots))
			j.insert(field.Type.Pos(), strings.TrimSuffix(names[len(names)-1], dots)+" ")
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = fmt.Sprintf("_%s%d", prefix, len(names))
				j.insert(id.End(), name[1:])
			}
			names = append(names, name+dots)
		}
	}
	return names
}

// copy adds a copy of f with another name and with the change of one mutant.
func (j *joiner) copy(f *ast.FuncDecl, p *point, name string) {
	j.copies.WriteString("\n")
	j.starts = append(j.starts, lineOf{1 + strings.Count(j.copies.String(), "\n"), p.number})
	from, to := j.offset(f.Name.Pos()), j.offset(f.Name.End())
	j.copies.Write(j.source[j.offset(f.Pos()):from])
	j.copies.WriteString(name)
	j.copies.Write(j.source[to:p.offset])
	j.copies.WriteString(p.To)
	j.copies.Write(j.source[p.offset+len(p.From) : j.offset(f.End())])
	j.copies.WriteString("\n")
}

// statement returns the start of the statement that contains an offset, in the innermost list of statements.
func (j *joiner) statement(body *ast.BlockStmt, offset int) (begins token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, s := range list {
			switch s.(type) {
			case *ast.CaseClause, *ast.CommClause: // nothing can be inserted before these
			default:
				if j.offset(s.Pos()) <= offset && offset < j.offset(s.End()) {
					begins = s.Pos()
				}
			}
		}
		return true
	})
	return begins
}
