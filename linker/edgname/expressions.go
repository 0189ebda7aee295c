package edgname

import (
	"fmt"
	"strings"
	"sync"
)

// Expressions occur in template arguments, and in types that depend on template arguments. No parentheses are
// printed around operands, whatever the precedence of operators is.

// shapes contains the expressions with a fixed number of operands, by code. $e stands for an expression, $t for
// a type, and $m for a member, in the order of the mangling. The map is created when it is first used, because
// most links do not need it.
var shapes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ps": "+$e", "ng": "-$e", "ad": "&$e", "de": "*$e", "nt": "!$e", "co": "~$e",
		"pp_": "++$e", "mm_": "--$e", "pp": "$e++", "mm": "$e--",
		"dt": "($e.$m)", "pt": "($e->$m)", "ds": "$e.*$e", "ix": "$e[$e]", "qu": "$e?$e:$e",
		"st": "sizeof($t)", "sz": "sizeof($e)", "at": "alignof($t)", "az": "alignof($e)",
		"ti": "typeid($t)", "te": "typeid($e)", "nx": "noexcept($e)",
		"sp": "$e...", "sZ": "sizeof...($e)",
		"dc": "dynamic_cast<$t>($e)", "sc": "static_cast<$t>($e)",
		"cc": "const_cast<$t>($e)", "rc": "reinterpret_cast<$t>($e)",
		"dl": "delete $e", "da": "delete[] $e",
		"tr": "throw", "tw": "throw $e", "aw": "co_await$e",
		"di": ".$m=$e", "dx": "[$e]=$e", "dX": "[$e ... $e]=$e", // in braces
		"ss": "$e<=>$e",
	}
})

// shape parses the operands of an expression and inserts them.
func (p *parser) shape(shape string) string {
	var text strings.Builder
	for !p.failed {
		before, rest, ok := strings.Cut(shape, "$")
		text.WriteString(before)
		if !ok {
			break
		}
		switch rest[0] {
		case 'e':
			text.WriteString(p.expression())
		case 't':
			text.WriteString(p.declare(p.typ(), ""))
		case 'm':
			text.WriteString(p.member())
		}
		shape = rest[1:]
	}
	return p.spend(text.String())
}

// expression parses an expression.
func (p *parser) expression() string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	c := p.peek()
	switch {
	case c == 'L':
		return p.literal()
	case c == 'T':
		return p.templateParameter()
	case p.take("X"):
		text := p.expression()
		p.expect("E")
		return text
	case p.take("gs"):
		return "::" + p.expression()
	case strings.HasPrefix(p.rest, "fp"), len(p.rest) > 2 && p.rest[:2] == "fL" && isDigit(p.rest[2]):
		return p.functionParameter()
	case c == 'f':
		return p.fold()
	case p.take("cl"):
		callee := p.expression()
		return callee + "(" + p.expressions() + ")"
	case p.take("cp"):
		callee := p.expression()
		return "(" + callee + ")(" + p.expressions() + ")"
	case p.take("cv"):
		t := p.declare(p.typ(), "")
		if p.take("_") {
			return t + "(" + p.expressions() + ")"
		}
		return "(" + t + ")" + p.expression()
	case p.take("tl"):
		t := p.declare(p.typ(), "")
		return t + "{" + p.expressions() + "}"
	case p.take("il"):
		return "{" + p.expressions() + "}"
	case p.take("nw"):
		return p.allocation("new")
	case p.take("na"):
		return p.allocation("new[]")
	case isDigit(c), strings.HasPrefix(p.rest, "sr"), strings.HasPrefix(p.rest, "on"):
		return p.member()
	}
	for _, size := range []int{3, 2} {
		if size > len(p.rest) {
			continue
		}
		code := p.rest[:size]
		shape, ok := shapes()[code]
		if !ok {
			var operator string
			operator, ok = operators()[code]
			shape = "$e" + operator + "$e"
		}
		if ok {
			p.rest = p.rest[size:]
			return p.shape(shape)
		}
	}
	p.fail()
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// expressions parses a list of expressions, up to an E.
func (p *parser) expressions() string {
	var list []string
	for !p.take("E") && !p.failed {
		list = append(list, p.expression())
	}
	return p.spend(strings.Join(list, ", "))
}

// functionParameter parses a parameter of the function or of an enclosing function, or the pointer this.
func (p *parser) functionParameter() string {
	up := 0
	if p.take("fL") {
		_, up = p.number()
		up++
		p.expect("p")
	} else {
		p.expect("fp")
		if p.take("T") {
			return "this"
		}
	}
	text := join(p.qualifiers(), fmt.Sprintf("param#%d", p.index(10)+1))
	switch up {
	case 0:
		return text
	case 1:
		return text + "[up 1 level]"
	}
	return fmt.Sprintf("%s[up %d levels]", text, up)
}

// fold parses a fold over an operator.
func (p *parser) fold() string {
	if len(p.rest) < 4 || operators()[p.rest[2:4]] == "" {
		p.fail()
		return ""
	}
	direction, op := p.rest[1], operators()[p.rest[2:4]]
	p.rest = p.rest[4:]
	switch direction {
	case 'l':
		return "(..." + op + p.expression() + ")"
	case 'r':
		return "(" + p.expression() + op + "...)"
	case 'L', 'R':
		left := p.expression()
		return "(" + left + op + "..." + op + p.expression() + ")"
	}
	p.fail()
	return ""
}

// allocation parses the operands of new: placement arguments, a type, initial values.
func (p *parser) allocation(word string) string {
	text := word + " "
	var places []string
	for !p.take("_") && !p.failed {
		places = append(places, p.expression())
	}
	if len(places) > 0 {
		text += "(" + strings.Join(places, ", ") + ") "
	}
	text += p.declare(p.typ(), "")
	if p.take("pi") {
		return p.spend(text + "(" + p.expressions() + ")")
	}
	p.expect("E")
	return text
}

// member parses the name of a member, with any scope.
func (p *parser) member() string {
	switch {
	case p.take("gs"):
		return "::" + p.member()
	case p.take("sr"):
		return p.unresolved()
	case p.take("on"):
		return p.templateID(p.plain("").text)
	case p.take("dn"):
		if !isDigit(p.peek()) {
			return "~" + p.declare(p.typ(), "")
		}
		return "~" + p.simple()
	}
	return p.simple()
}

// unresolved parses a member of a type that depends on template parameters, with its scopes.
func (p *parser) unresolved() string {
	text, closed := "", true
	switch {
	case p.take("N"):
		text = p.declare(p.typ(), "")
	case isDigit(p.peek()):
		text = p.simple()
	default:
		text, closed = p.declare(p.typ(), ""), false
	}
	for closed && !p.take("E") && !p.failed {
		text += "::" + p.simple()
	}
	return p.spend(text + "::" + p.member())
}

// simple parses a name with or without template arguments.
func (p *parser) simple() string { return p.templateID(p.source()) }

// templateID parses the arguments of a template with the given name, if there are any.
func (p *parser) templateID(name string) string {
	if p.peek() == 'I' {
		name += p.arguments()
	}
	return name
}
