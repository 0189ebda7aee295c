package edgname

import (
	"math"
	"strconv"
	"strings"
)

// Template arguments and literals.

// arguments parses I ... E.
func (p *parser) arguments() string {
	p.expect("I")
	list := p.argumentList()
	return p.spend("<" + strings.Join(list, ", ") + ">")
}

// argumentList parses arguments up to an E. It replaces a pack by its elements.
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

// literal parses L type value E, or the name of an entity.
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
	if p.take("DnE") {
		return "nullptr"
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
	case value == "": // the mangled name of a string contains only its type
		value = `"..."`
	case c == 'f' || c == 'd':
		value = float(value)
	case value[0] == 'n':
		value = "-" + value[1:]
	}
	return p.spend("(" + t + ")" + value)
}

// float returns the value of a floating-point literal from its bits in hexadecimal.
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
