// Package edgname prints mangled C++ names in readable form. It has the style of nvlink and of the other tools
// with EDG's demangler: `T1 add<int>(const T1 *)`. Template parameters are printed as T1, T2; qualifiers come
// first; literals have their type, as in `(int)5`.
//
// The package parses the mangling of the Itanium C++ ABI. Names with unknown parts are not changed.
package edgname

import (
	"strconv"
	"strings"
)

// Demangle returns the readable form of a symbol's name, or the name itself if it is not mangled (REACH-024).
func Demangle(name string) string { return demangle(name, cloneOf) }

// DemangleByMembers is Demangle in the style of releases up to 11.8. They show the copy of a function for another one as a
// member of the other one (KIT-770).
func DemangleByMembers(name string) string { return demangle(name, memberOf) }

func demangle(name string, copyFor func(of, name string, mangled bool) (string, bool)) string {
	mangled, ok := strings.CutPrefix(strings.TrimPrefix(withoutModule(name), "$"), "_Z")
	if !ok {
		return name
	}
	p := &parser{rest: mangled, fuel: maxWork}
	text := p.encoding()
	for !p.failed && p.function && p.take("$") {
		switch {
		case strings.Trim(p.rest, "0123456789") == "" && p.rest != "": // a static function
			p.rest, p.function = "", false
		case p.take("_Z"): // compilers name a copy of g for the kernel k $k$g
			text, _ = copyFor(text, p.encoding(), true)
		case '0' <= p.peek() && p.peek() <= '9':
			p.fail()
		default:
			if text, ok = copyFor(text, p.rest, false); !ok {
				return name
			}
			p.rest, p.function = "", false
		}
		p.spend(text)
	}
	if p.failed || p.rest != "" {
		return name
	}
	return text
}

// cloneOf formats the name of a copy of a function for another one.
func cloneOf(of, name string, _ bool) (string, bool) { return "[clone " + of + "] " + name, true }

// memberOf formats the name of a copy as that of a member. ok is false if the name of the copied function is not mangled.
func memberOf(of, name string, mangled bool) (text string, ok bool) { return of + "::" + name, mangled }

// withoutModule removes nvcc's prefix of static kernels. It is __nv_static_N__ and a module id of N characters.
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

// maxWork limits the number of characters that one name may print. Without a limit, a few substitutions could
// expand to a text of any length.
const maxWork = 1 << 18

// A parser parses a mangled name from left to right without backtracking. After a failure all its results are
// empty.
type parser struct {
	rest     string
	subs     []*node // the meanings of S_, S0_, ...
	depth    int
	fuel     int
	failed   bool
	function bool // the last encoding was that of a function
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

// take reports whether prefix comes next, and skips it if it does.
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

// enter limits the depth of a recursive rule. The caller must defer leave.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail()
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }

// number parses decimal digits. The letter n before them stands for a minus sign.
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

// index parses an index in the given base. The first index has no digits: `_` is 0, and `0_` is 1.
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

// encoding parses a whole symbol: a function with its types, or another entity.
func (p *parser) encoding() string {
	if !p.enter() {
		return ""
	}
	defer p.leave()
	p.function = false
	if p.peek() == 'T' || strings.HasPrefix(p.rest, "GV") {
		return p.special()
	}
	n := p.name()
	if p.rest == "" || p.peek() == 'E' || p.failed {
		p.function = false // the name may contain that of a function
		return n.text + n.variant
	}
	var result *node
	if n.template && !n.unreturning {
		result = p.typ()
	}
	d := n.text + "(" + p.parameters() + ")" + n.qualifiers
	if result != nil {
		d = join(p.declare(result, ""), d) // C++ would write it around the name too
	}
	p.function = true
	return p.spend(d + n.variant)
}

// classData returns the text for a table of a class.
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

// special parses symbols that compilers generate in addition to functions and variables.
func (p *parser) special() string {
	if len(p.rest) >= 2 {
		if text := classData(p.rest[:2]); text != "" {
			p.rest = p.rest[2:]
			return text + p.declare(p.typ(), "")
		}
	}
	switch {
	case p.take("GV"):
		text := "Initialization guard variable for " + p.name().text
		p.function = false // of the function that contains the variable
		return text
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

// parameters parses the types of a function's parameters, up to an E or the end.
func (p *parser) parameters() string {
	if p.take("v") {
		return ""
	}
	var list []string
	for p.rest != "" && p.peek() != 'E' && p.peek() != '.' && p.peek() != '$' {
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
