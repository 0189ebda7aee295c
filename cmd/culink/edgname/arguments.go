package edgname

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Template arguments, and the expressions that stand in them and in types.

// arguments reads I ... E.
func (p *parser) arguments() string {
	p.expect("I")
	list := p.argumentList()
	return p.spend("<" + strings.Join(list, ", ") + ">")
}

// argumentList reads arguments up to an E; packs are spread.
func (p *parser) argumentList() []string {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	var list []string
	for !p.take("E") && !p.failed {
		switch {
		case p.take("J"):
			list = append(list, p.argumentList()...)
		case p.take("X"):
			list = append(list, p.expression())
			p.expect("E")
		case p.peek() == 'L':
			list = append(list, p.literal())
		default:
			list = append(list, p.declare(p.typ(), ""))
		}
	}
	return list
}

// literal reads L type value E, or the name of an entity.
func (p *parser) literal() string {
	p.expect("L")
	if p.take("_Z") {
		n := p.name()
		if p.peek() != 'E' {
			if n.template && !n.unreturning {
				p.typ()
			}
			p.parameters()
		}
		p.expect("E")
		return n.text
	}
	c := p.peek()
	t := p.declare(p.typ(), "")
	end := strings.IndexByte(p.rest, 'E')
	if end < 0 {
		p.fail()
		return ""
	}
	value := p.rest[:end]
	p.rest = p.rest[end+1:]
	switch {
	case value == "":
		value = "0"
	case c == 'f' || c == 'd':
		value = float(value)
	case value[0] == 'n':
		value = "-" + value[1:]
	}
	return p.spend("(" + t + ")" + value)
}

// float gives the value of a floating-point literal, which is its bits in hexadecimal.
func float(hex string) string {
	bits, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return hex
	}
	value, size := math.Float64frombits(bits), 64
	if len(hex) <= 8 {
		value, size = float64(math.Float32frombits(uint32(bits))), 32
	}
	text := strconv.FormatFloat(value, 'g', -1, size)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// unary and binary operators of expressions, beside which an operand stands.
var unary = map[string]bool{"ps": true, "ng": true, "ad": true, "de": true, "nt": true, "co": true}

// expression reads an expression.
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
		return p.declare(p.parameter(), "")
	case c == 'X':
		p.take("X")
		text := p.expression()
		p.expect("E")
		return text
	case p.take("fp"):
		p.qualifiers()
		return fmt.Sprintf("param#%d", p.index(10)+1)
	case p.take("st"):
		return "sizeof(" + p.declare(p.typ(), "") + ")"
	case p.take("sz"):
		return "sizeof(" + p.expression() + ")"
	case p.take("sp"):
		return p.expression() + "..."
	case p.take("sr"):
		return p.unresolved()
	case p.take("cl"):
		callee := p.expression()
		var list []string
		for !p.take("E") && !p.failed {
			list = append(list, p.expression())
		}
		return callee + "(" + strings.Join(list, ", ") + ")"
	case p.take("cv"):
		t := p.declare(p.typ(), "")
		return "(" + t + ")" + p.expression()
	case p.take("dt"):
		object := p.expression()
		return object + "." + p.expression()
	case '0' <= c && c <= '9':
		return p.member()
	}
	if len(p.rest) < 2 {
		p.fail()
		return ""
	}
	code := p.rest[:2]
	op, ok := operators[code]
	if !ok {
		p.fail()
		return ""
	}
	p.rest = p.rest[2:]
	switch {
	case unary[code]:
		return op + p.operand()
	case code == "qu":
		condition, yes := p.operand(), p.operand()
		return condition + "?" + yes + ":" + p.operand()
	}
	left := p.operand()
	return left + op + p.operand()
}

// operand reads an expression inside another.
func (p *parser) operand() string {
	compound := false
	if len(p.rest) >= 2 {
		_, compound = operators[p.rest[:2]]
		compound = compound && !strings.HasPrefix(p.rest, "cl") && !unary[p.rest[:2]]
	}
	text := p.expression()
	if compound {
		return "(" + text + ")"
	}
	return text
}

// unresolved reads a member of a type that depends on template parameters.
func (p *parser) unresolved() string {
	if p.take("N") {
		text := p.declare(p.typ(), "")
		for !p.take("E") && !p.failed {
			text += "::" + p.member()
		}
		return text + "::" + p.member()
	}
	scope := p.declare(p.typ(), "")
	return scope + "::" + p.member()
}

// member reads a simple name, with template arguments or without.
func (p *parser) member() string {
	text := p.source()
	if p.peek() == 'I' {
		text += p.arguments()
	}
	return text
}
