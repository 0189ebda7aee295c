package edgname

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// This file parses the names of namespaces, classes, functions, operators, and entities that are local to a
// function.

// A name is the part of a function's text before its parameters.
type name struct {
	text        string
	last        string // its last component, without template arguments: the name of constructors
	template    bool   // ends in template arguments
	unreturning bool   // a constructor, destructor or conversion: no return type
	qualifiers  string // of a member function: " const"
	variant     string // the variant of a constructor or destructor body
}

// name parses the name of an entity.
func (p *parser) name() name {
	if !p.enter() {
		return name{}
	}
	defer p.leave()
	switch {
	case p.peek() == 'N':
		n, _ := p.nested()
		return n
	case p.peek() == 'Z':
		return p.local()
	}
	var n name
	substituted := false
	if p.peek() == 'S' && !strings.HasPrefix(p.rest, "St") {
		n.text = p.declare(p.substitution(), "")
		substituted = true
	} else {
		std := p.take("St")
		n = p.unqualified("")
		if std {
			n.text = "std::" + n.text
		}
	}
	if p.peek() == 'I' {
		if !substituted {
			p.remember(&node{text: n.text, tight: true})
		}
		n.text += p.arguments()
		n.template = true
	}
	return n
}

// nested parses N ... E. A later substitution can refer to every component except the last one. whole is the
// last component as a type.
func (p *parser) nested() (n name, whole *node) {
	p.expect("N")
	n.qualifiers = p.memberQualifiers()
	for first := true; !p.take("E"); first = false {
		if p.failed {
			return n, nil
		}
		c := p.peek()
		switch {
		case c == 'S' && !strings.HasPrefix(p.rest, "St"):
			if !first {
				p.fail()
			}
			s := p.substitution()
			n.text, n.last = p.declare(s, ""), s.last
			whole = s
			continue
		case strings.HasPrefix(p.rest, "St"):
			p.take("St")
			n.text = "std"
			continue
		case c == 'T':
			whole = p.parameter()
			whole.tight = true
			n.text = p.declare(whole, "")
			continue
		case c == 'D' && (strings.HasPrefix(p.rest, "DT") || strings.HasPrefix(p.rest, "Dt")):
			n.text = p.declare(p.typ(), "")
			whole = p.remember(&node{text: n.text, tight: true})
			continue
		case c == 'I':
			n.text += p.arguments()
			n.template = true
		case c == 'M':
			p.take("M")
			continue
		default:
			part := p.unqualified(n.last)
			if n.text != "" && part.text != "" {
				n.text += "::"
			}
			n.text += part.text
			n.last, n.unreturning, n.variant = part.last, part.unreturning, part.variant
			n.template = false
		}
		n.text = p.spend(n.text)
		whole = &node{text: n.text, last: n.last, tight: true}
		if p.peek() != 'E' {
			p.remember(whole)
		}
	}
	if whole == nil {
		p.fail()
	}
	return n, whole
}

// memberQualifiers parses the qualifiers after the parameters of a member function.
func (p *parser) memberQualifiers() string {
	text := p.qualifiers()
	switch {
	case p.take("R"):
		text += " &"
	case p.take("O"):
		text += " &&"
	}
	if text != "" && text[0] != ' ' {
		text = " " + text
	}
	return text
}

// local parses an entity inside a function. Its form is Z function E entity.
func (p *parser) local() name {
	p.expect("Z")
	scope := p.encoding()
	p.expect("E")
	if p.take("s") {
		p.discriminator()
		return name{text: scope + "::string literal"}
	}
	n := p.name()
	n.text = scope + "::" + n.text + p.discriminator()
	return n
}

// discriminator parses the number that distinguishes entities of the same name in one function.
func (p *parser) discriminator() string {
	if p.peek() != '_' {
		return ""
	}
	double := p.take("__")
	if !double {
		p.take("_")
	}
	_, n := p.number()
	if double {
		p.expect("_")
	}
	return fmt.Sprintf(" (instance %d)", n+2)
}

// A structor is a constructor or a destructor.
type structor struct{ code, tilde, variant string }

var structors = [...]structor{
	{"C1", "", ""}, {"C2", "", " [subobject]"}, {"C3", "", " [allocating]"},
	{"D0", "~", " [deleting]"}, {"D1", "~", ""}, {"D2", "~", " [subobject]"},
}

// unqualified parses one component of a name. class is the name of the enclosing class.
func (p *parser) unqualified(class string) name {
	n := p.plain(class)
	for p.take("B") {
		n.text += "[abi:" + p.source() + "]"
	}
	return n
}

func (p *parser) plain(class string) name {
	c := p.peek()
	switch {
	case '0' <= c && c <= '9':
		text := p.source()
		return name{text: text, last: text}
	case strings.HasPrefix(p.rest, "Ut"):
		p.take("Ut")
		return name{text: fmt.Sprintf("[unnamed type (instance %d)]", p.index(10)+1)}
	case strings.HasPrefix(p.rest, "Ul"):
		p.take("Ul")
		parameters := p.parameters()
		p.expect("E")
		return name{text: fmt.Sprintf("[lambda(%s) (instance %d)]", parameters, p.index(10)+1)}
	}
	if len(p.rest) >= 2 {
		if i := slices.IndexFunc(structors[:], func(s structor) bool { return s.code == p.rest[:2] }); i >= 0 && class != "" {
			s := structors[i]
			p.rest = p.rest[2:]
			return name{text: s.tilde + class, last: class, unreturning: true, variant: s.variant}
		}
		switch {
		case p.take("CI1"):
			return p.inherited(" [complete inheriting]")
		case p.take("CI2"):
			return p.inherited(" [base inheriting]")
		case p.take("cv"):
			return name{text: "operator " + p.declare(p.typ(), ""), unreturning: true}
		case p.take("li"):
			return name{text: `operator ""` + p.source()}
		}
		if op, ok := operators()[p.rest[:2]]; ok {
			p.rest = p.rest[2:]
			return name{text: "operator " + op}
		}
	}
	p.fail()
	return name{}
}

// inherited parses the class from which a constructor is inherited.
func (p *parser) inherited(variant string) name {
	return name{text: p.declare(p.typ(), ""), unreturning: true, variant: variant}
}

// source parses a name that is preceded by its length.
func (p *parser) source() string {
	_, n := p.number()
	if n <= 0 || n > len(p.rest) {
		p.fail()
		return ""
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	switch {
	case strings.HasPrefix(text, "_GLOBAL__N_"):
		return "<unnamed>"
	case strings.HasPrefix(text, "_INTERNAL"): // nvcc's namespace for static entities
		return ""
	}
	return p.spend(text)
}

// operators maps codes of operators to their spelling after "operator".
var operators = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"nw": "new ", "na": "new[] ", "dl": "delete ", "da": "delete[] ",
		"ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%",
		"an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
		"aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=",
		"lt": "<", "gt": ">", "le": "<=", "ge": ">=", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--",
		"cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "qu": "?",
	}
})
