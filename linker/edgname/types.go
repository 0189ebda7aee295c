package edgname

import (
	"fmt"
	"strings"
)

// Types are parsed into small trees, because C++ writes them around the declared name. For example, an array
// of pointers to functions has parts on both sides of the name.

// A node is a type. A node without kind is text.
type node struct {
	kind   kind
	text   string // a plain type; qualifiers; the size of an array; the sign of a pointer, or a vendor's word; parameters
	suffix string // qualifiers of a function type
	of     *node  // the type that it points to, qualifies, contains or returns
	last   string // of a class: the name of its constructors
	tight  bool   // no blank follows: it was parsed as the scope or the template of a name
}

type kind uint8

const (
	plain kind = iota
	pointer
	qualified
	array
	function
)

// declare prints type n around declarator d. If d is empty, it prints the type alone.
func (p *parser) declare(n *node, d string) string {
	for n != nil && p.spend(d) == d && !p.failed {
		switch n.kind {
		case pointer:
			d = n.text + d
			if inner := n.of.unqualified(); inner != nil && (inner.kind == array || inner.kind == function) {
				d = "(" + d + ")"
			}
		case qualified:
			if inner := n.of; inner != nil && inner.kind != pointer {
				return n.text + " " + p.declare(inner, d)
			}
			d = n.text + " " + d
		case array:
			d += "[" + n.text + "]"
		case function:
			d += "(" + n.text + ")" + n.suffix
		default:
			if n.tight {
				return p.spend(n.text + d)
			}
			return p.spend(join(n.text, d))
		}
		n = n.of
	}
	p.fail()
	return ""
}

func (n *node) unqualified() *node {
	for n != nil && n.kind == qualified {
		n = n.of
	}
	return n
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// remember adds n to the substitutions.
func (p *parser) remember(n *node) *node {
	p.subs = append(p.subs, n)
	return n
}

// standard contains the substitutions with names.
var standard = [256]string{
	'a': "std::allocator", 'b': "std::basic_string",
	's': "std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
	'i': "std::basic_istream<char, std::char_traits<char>>",
	'o': "std::basic_ostream<char, std::char_traits<char>>",
	'd': "std::basic_iostream<char, std::char_traits<char>>",
}

func (p *parser) substitution() *node {
	p.expect("S")
	if text := standard[p.peek()]; text != "" {
		p.rest = p.rest[1:]
		return &node{text: text, tight: true}
	}
	if i := p.index(36); !p.failed && i < len(p.subs) {
		return p.subs[i]
	}
	p.fail()
	return &node{}
}

// builtins contains the built-in types whose code has one letter. The index is that letter.
var builtins = [256]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char",
	's': "short", 't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long",
	'x': "long long", 'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128",
	'f': "float", 'd': "double", 'e': "long double", 'g': "__float128",
}

// extended contains the built-in types whose code has two letters, the first of which is D. The index is the
// second letter.
var extended = [256]string{
	'n': "std::nullptr_t", 'i': "char32_t", 's': "char16_t", 'u': "char8_t", 'a': "auto", 'c': "decltype(auto)",
	'h': "__fp16", 'd': "decimal64", 'e': "decimal128", 'f': "decimal32",
}

var signs = [256]string{'P': "*", 'R': "&", 'O': "&&"}

// typ parses a type.
func (p *parser) typ() *node {
	if !p.enter() {
		return &node{}
	}
	defer p.leave()
	c := p.peek()
	if sign := signs[c]; sign != "" {
		p.rest = p.rest[1:]
		return p.remember(&node{kind: pointer, text: sign, of: p.typ()})
	}
	if text := builtins[c]; text != "" {
		p.rest = p.rest[1:]
		return &node{text: text}
	}
	switch c {
	case 'r', 'V', 'K':
		return p.remember(p.qualifiedType())
	case 'U':
		p.take("U")
		text := p.source()
		if p.peek() == 'I' {
			text += p.arguments()
		}
		return p.remember(&node{kind: pointer, text: text, of: p.typ()})
	case 'F':
		return p.remember(p.functionType())
	case 'A':
		return p.remember(p.arrayType())
	case 'M':
		p.take("M")
		class := p.declare(p.typ(), "")
		return p.remember(&node{kind: pointer, text: " :: " + class + "::*", of: p.typ()})
	case 'T':
		return p.parameter()
	case 'S':
		if !strings.HasPrefix(p.rest, "St") {
			n := p.substitution()
			if p.peek() == 'I' {
				n = p.remember(&node{text: p.declare(n, "") + p.arguments(), tight: true})
			}
			return n
		}
	case 'D':
		return p.extendedType()
	case 'u':
		p.take("u")
		return p.remember(&node{text: p.source()})
	case 'N':
		n, whole := p.nested()
		if whole == nil {
			p.fail()
			return &node{}
		}
		return p.remember(&node{text: n.text, last: n.last})
	}
	if c == 0 || strings.IndexByte("SZ0123456789", c) < 0 {
		p.fail()
		return &node{}
	}
	n := p.name()
	return p.remember(&node{text: n.text, last: n.last})
}

// templateParameter parses the number of a template parameter, which is printed as T1, T2, ...
func (p *parser) templateParameter() string {
	p.expect("T")
	return fmt.Sprintf("T%d", p.index(10)+1)
}

// parameter parses a template parameter that is a type, or a template followed by its arguments.
func (p *parser) parameter() *node {
	n := p.remember(&node{text: p.templateParameter()})
	if p.peek() == 'I' {
		n = p.remember(&node{text: n.text + p.arguments()})
	}
	return n
}

// qualifiedType parses qualifiers and their type. Duplicate qualifiers are dropped.
func (p *parser) qualifiedType() *node {
	text := p.qualifiers()
	of := p.typ()
	switch of.kind {
	case function:
		return &node{kind: function, text: of.text, of: of.of, suffix: " " + text}
	case qualified:
		text, of = qualifierWords(text+of.text), of.of
	}
	return &node{kind: qualified, text: text, of: of}
}

func (p *parser) arrayType() *node {
	p.expect("A")
	size := ""
	if c := p.peek(); '0' <= c && c <= '9' {
		size, _ = p.number()
	} else if c != '_' {
		size = p.expression()
	}
	p.expect("_")
	return &node{kind: array, text: size, of: p.typ()}
}

func (p *parser) functionType() *node {
	p.expect("F")
	p.take("Y")
	result := p.typ()
	n := &node{kind: function, of: result, text: p.parameters()}
	switch {
	case p.take("R"):
		n.suffix = " &"
	case p.take("O"):
		n.suffix = " &&"
	}
	p.expect("E")
	return n
}

func (p *parser) extendedType() *node {
	p.expect("D")
	c := p.peek()
	switch {
	case p.take("p"):
		n := &node{text: p.declare(p.typ(), "") + "..."}
		return p.remember(n)
	case p.take("T"):
		n := &node{text: "decltype((" + p.expression() + "))"}
		p.expect("E")
		return p.remember(n)
	case p.take("t"):
		n := &node{text: "decltype(" + p.expression() + ")"}
		p.expect("E")
		return p.remember(n)
	case p.take("v"):
		size, _ := p.number()
		p.expect("_")
		element := p.declare(p.typ(), "")
		return p.remember(&node{text: fmt.Sprintf("%s __attribute((vector_size(%s*sizeof(%[1]s)))) ", element, size)})
	case p.take("F"):
		bits, _ := p.number()
		p.take("_")
		return &node{text: "_Float" + bits}
	case p.take("o"): // noexcept function
		return p.typ()
	}
	if text := extended[c]; text != "" {
		p.rest = p.rest[1:]
		return &node{text: text}
	}
	p.fail()
	return &node{}
}

// qualifiers parses restrict, volatile and const.
func (p *parser) qualifiers() string {
	text := ""
	for _, q := range []struct{ code, word string }{{"r", "restrict"}, {"V", "volatile"}, {"K", "const"}} {
		if p.take(q.code) {
			text += q.word
		}
	}
	return qualifierWords(text)
}

// qualifierWords returns the qualifiers in a text, in the order in which they are printed.
func qualifierWords(text string) string {
	var words []string
	for _, word := range []string{"const", "volatile", "restrict"} {
		if strings.Contains(text, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
