// Package edgname prints mangled C++ names for people, in the style of nvlink and of
// the other tools with EDG's demangler: `T1 add<int>(const T1 *)`. Template parameters
// stay T1, T2; qualifiers stand in front; literals have their type, as in `(int)5`.
//
// It reads the mangling of the Itanium C++ ABI. What it does not know, it leaves
// mangled.
package edgname

import (
	"strconv"
	"strings"
)

// Demangle returns the readable form of a symbol's name, or the name itself when it is
// not mangled (REACH-024).
func Demangle(name string) string {
	plain, _, _ := strings.Cut(withoutModule(name), "$") // static functions have a number after theirs
	mangled, ok := strings.CutPrefix(plain, "_Z")
	if !ok {
		return name
	}
	p := &parser{rest: mangled, fuel: maxWork}
	text := p.encoding()
	if p.failed || p.rest != "" {
		return name
	}
	return text
}

// withoutModule takes away what nvcc puts in front of the names of static kernels:
// __nv_static_N__ and a module id of N characters.
func withoutModule(name string) string {
	rest, ok := strings.CutPrefix(name, "__nv_static_")
	if !ok {
		return name
	}
	digits, rest, ok := strings.Cut(rest, "__")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || n > len(rest) {
		return name
	}
	return rest[n:]
}

// maxWork bounds the characters that one name may print, since a few substitutions
// can stand for a text of any length.
const maxWork = 1 << 18

// A parser reads a mangled name from left to right. It never goes back, and once it
// has failed, all that it gives is empty.
type parser struct {
	rest   string
	subs   []*node // what S_, S0_, ... stand for
	depth  int
	fuel   int
	failed bool
}

const maxDepth = 256

func (p *parser) fail() {
	p.failed, p.rest = true, ""
}

// spend counts text against the bound.
func (p *parser) spend(text string) string {
	if p.fuel -= len(text) + 1; p.fuel < 0 {
		p.fail()
		return ""
	}
	return text
}

func (p *parser) peek() byte {
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take consumes prefix if it is next.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) expect(prefix string) {
	if !p.take(prefix) {
		p.fail()
	}
}

// enter guards a recursive rule; leave must be deferred.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail()
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }

// number reads decimal digits; n marks a negative one.
func (p *parser) number() (text string, value int) {
	negative := p.take("n")
	i := 0
	for i < len(p.rest) && '0' <= p.rest[i] && p.rest[i] <= '9' {
		if value < 1<<24 {
			value = 10*value + int(p.rest[i]-'0')
		}
		i++
	}
	text, p.rest = p.rest[:i], p.rest[i:]
	if negative {
		text, value = "-"+text, -value
	}
	return text, value
}

// index reads the number of a sequence whose first element has none: `_` is 0, `0_` is
// 1, in the given base.
func (p *parser) index(base int) int {
	if p.take("_") {
		return 0
	}
	n := 0
	for !p.take("_") {
		c := p.peek()
		digit := strings.IndexByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:base], c)
		if c == 0 || digit < 0 || n > 1<<20 {
			p.fail()
			return 0
		}
		n = n*base + digit
		p.rest = p.rest[1:]
	}
	return n + 1
}

// encoding reads a whole symbol: a function with its types, or something else.
func (p *parser) encoding() string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	if p.peek() == 'T' || strings.HasPrefix(p.rest, "GV") {
		return p.special()
	}
	n := p.name()
	if p.rest == "" || p.peek() == 'E' || p.failed {
		return n.text + n.variant
	}
	var result *node
	if n.template && !n.unreturning {
		result = p.typ()
	}
	d := n.text + "(" + p.parameters() + ")" + n.qualifiers
	if result != nil {
		d = join(p.declare(result, ""), d) // whatever C++ would write around the name
	}
	return p.spend(d + n.variant)
}

// classData names the tables of a class.
func classData(code string) string {
	switch code {
	case "TV":
		return "Virtual function table for "
	case "TT":
		return "Virtual table table for "
	case "TI":
		return "Typeinfo for "
	case "TS":
		return "Typeinfo name for "
	}
	return ""
}

// special reads what compilers make beside functions and variables.
func (p *parser) special() string {
	if len(p.rest) >= 2 {
		if text := classData(p.rest[:2]); text != "" {
			p.rest = p.rest[2:]
			return text + p.declare(p.typ(), "")
		}
	}
	switch {
	case p.take("GV"):
		return "Initialization guard variable for " + p.name().text
	case p.take("Th"):
		offset, _ := p.number()
		p.expect("_")
		return "Thunk for (offset " + offset + ") " + p.encoding()
	case p.take("Tv"):
		offset, _ := p.number()
		p.expect("_")
		virtual, _ := p.number()
		p.expect("_")
		return "Thunk for (offset " + offset + ", virtual offset " + virtual + ") " + p.encoding()
	}
	p.fail()
	return ""
}

// parameters reads the types of a function's parameters, up to an E or the end.
func (p *parser) parameters() string {
	if p.take("v") {
		return ""
	}
	var list []string
	for p.rest != "" && p.peek() != 'E' && p.peek() != '.' {
		if p.take("z") {
			list = append(list, "...")
			break
		}
		list = append(list, p.declare(p.typ(), ""))
	}
	if len(list) == 0 {
		p.fail()
	}
	return strings.Join(list, ", ")
}
