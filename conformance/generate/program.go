// Package generate makes random CUDA programs of several translation units, as PTX text.
//
// A Program is a model: units contain symbols, functions contain statements, and a statement lists the symbols that it
// uses. Declarations follow from uses. So a program can be reduced (reduce.go) and still compiles. A statement is a
// block that works on two registers of its function: x (32 bits, the value so far) and p (64 bits, an address).
// Statements share nothing else.
//
// A construct is a kind of statement. To add one, write a function that makes it (construct_*.go) and add a row to the
// table constructs.
package generate

import (
	"fmt"
	"slices"
	"strings"
)

// A Program is a set of units that can be linked together. A few programs contain an error on purpose.
type Program struct {
	SM           int
	Version      int // PTX version: 90 is 9.0
	Units        []*Unit
	Declarations map[string]string // declaration of a symbol for units that do not define it
}

// A Unit is one translation unit.
type Unit struct {
	Name        string
	Independent bool // .target texmode_independent
	LineInfo    bool // has .loc directives, and is compiled with --generate-line-info
	Symbols     []*Symbol
}

// A Symbol is a function or variable of a unit. Several units can have a weak, common or static symbol of the same
// name.
type Symbol struct {
	Name string
	// Head is the text of a function before its body, or of a variable before its initialiser.
	Head    string
	Forward string // declares a function of this unit before all definitions

	Function bool
	Entry    bool // a kernel
	Prologue string
	Body     []Statement
	Epilogue string

	Alias   bool    // whether this is another name for the function that Initial names
	Initial []Value // initial value of a variable; empty for uninitialised memory
	Tail    string  // text after the head, for other symbols
}

// A Value is one element of an initialiser.
type Value struct {
	Text string // "%s" stands for the symbol
	Uses string // empty for a number
}

// A Statement is one block of a function's body.
type Statement struct {
	Construct string // name of the construct that made it
	Text      string
	Uses      []string
}

// PTX returns the text of one unit.
func (p *Program) PTX(u *Unit) string {
	var b strings.Builder
	target := fmt.Sprintf("sm_%d", p.SM)
	if u.Independent {
		target += ", texmode_independent"
	}
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n.address_size 64\n", p.Version/10, p.Version%10, target)
	if u.LineInfo {
		fmt.Fprintf(&b, ".file 1 \"%s.cu\"\n", u.Name)
	}
	defined := map[string]bool{}
	for _, s := range u.Symbols {
		defined[s.Name] = true
	}
	for _, name := range u.uses() {
		if d := p.Declarations[name]; !defined[name] && d != "" {
			b.WriteString(d + "\n")
		}
	}
	for _, s := range u.Symbols {
		if s.Forward != "" && !u.lostAlias(s) {
			b.WriteString(s.Forward + "\n")
		}
	}
	for _, s := range u.variables() {
		s.writeVariable(&b)
	}
	line := 1
	for _, s := range u.Symbols {
		if s.Function {
			line = s.writeFunction(&b, u.LineInfo, line)
		}
	}
	for _, s := range u.Symbols {
		if s.Alias && !u.lostAlias(s) {
			fmt.Fprintf(&b, ".alias %s, %s;\n", s.Name, s.Initial[0].Uses)
		}
	}
	return b.String()
}

// lostAlias reports whether s is an alias of a function that was removed from the unit.
func (u *Unit) lostAlias(s *Symbol) bool {
	return s.Alias && (len(s.Initial) == 0 || u.find(s.Initial[0].Uses) == nil)
}

// variables returns the variables of the unit. Each comes after the variables that its initialiser refers to.
func (u *Unit) variables() []*Symbol {
	var list []*Symbol
	done := map[*Symbol]bool{}
	var visit func(s *Symbol)
	visit = func(s *Symbol) {
		if s.Function || s.Alias || done[s] {
			return
		}
		done[s] = true
		for _, v := range s.Initial {
			if other := u.find(v.Uses); other != nil {
				visit(other)
			}
		}
		list = append(list, s)
	}
	for _, s := range u.Symbols {
		visit(s)
	}
	return list
}

func (s *Symbol) writeVariable(b *strings.Builder) {
	b.WriteString(s.Head)
	if len(s.Initial) > 0 {
		b.WriteString(" = {")
		for i, v := range s.Initial {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.ReplaceAll(v.Text, "%s", v.Uses))
		}
		b.WriteString("}")
	}
	b.WriteString(s.Tail + ";\n")
}

func (s *Symbol) writeFunction(b *strings.Builder, lines bool, line int) int {
	fmt.Fprintf(b, "%s\n{\n%s", s.Head, s.Prologue)
	for _, t := range s.Body {
		if lines {
			fmt.Fprintf(b, "  .loc 1 %d 1\n", line)
			line++
		}
		fmt.Fprintf(b, "  { // %s\n%s  }\n", t.Construct, t.Text)
	}
	b.WriteString(s.Epilogue + "}\n")
	return line
}

// Flags returns the ptxas options for the unit.
func (u *Unit) Flags() []string {
	if u.LineInfo {
		return []string{"--generate-line-info"}
	}
	return nil
}

// uses returns the name of every symbol that u refers to. Each occurs once, in the order of the text.
func (u *Unit) uses() []string {
	var list []string
	seen := map[string]bool{}
	add := func(name string) {
		if name != "" && !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	for _, s := range u.Symbols {
		for _, v := range s.Initial {
			add(v.Uses)
		}
		for _, t := range s.Body {
			for _, name := range t.Uses {
				add(name)
			}
		}
	}
	return list
}

// find returns the symbol of that name in the unit.
func (u *Unit) find(name string) *Symbol {
	for _, s := range u.Symbols {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Clone returns a copy that can be changed without changing p.
func (p *Program) Clone() *Program {
	c := &Program{SM: p.SM, Version: p.Version, Declarations: p.Declarations}
	for _, u := range p.Units {
		v := *u
		v.Symbols = nil
		for _, s := range u.Symbols {
			t := *s
			t.Body = slices.Clone(s.Body)
			t.Initial = slices.Clone(s.Initial)
			v.Symbols = append(v.Symbols, &t)
		}
		c.Units = append(c.Units, &v)
	}
	return c
}
