package generate

import (
	"fmt"
	"strings"
)

// A variable is one that several statements can use.
type variable struct {
	name  string
	space string // "global", "const"
	size  int
	unit  *Unit // the only unit that may use it; nil if every unit may
}

// define adds a variable to a unit. linkage is empty for a static variable.
func (m *maker) define(u *Unit, name, linkage, head string, values []Value) {
	if linkage != "" {
		m.program.Declarations[name] = ".extern " + strings.Replace(head, ".attribute(.managed) ", "", 1) + ";"
		head = linkage + " " + head
	}
	u.Symbols = append(u.Symbols, &Symbol{Name: name, Head: head, Initial: values})
}

// sized returns a declaration, from its alignment on, and the size.
func (m *maker) sized(name string) (head string, size int) {
	switch m.rng.IntN(5) {
	case 0:
		return fmt.Sprintf(".u32 %s", name), 4
	case 1:
		return fmt.Sprintf(".align 8 .u64 %s", name), 8
	}
	size = 1 + m.rng.IntN(200)
	return fmt.Sprintf(".align %d .b8 %s[%d]", 1<<m.rng.IntN(6), name, size), size
}

// numbers returns an initialiser with the given probability, and otherwise nil.
func (m *maker) numbers(size, percent int) []Value {
	if !m.chance(percent) {
		return nil
	}
	n := 1
	if size != 4 && size != 8 {
		n = 1 + m.rng.IntN(min(size, 12))
	}
	var values []Value
	for range n {
		values = append(values, Value{Text: fmt.Sprint(1 + m.rng.IntN(100))})
	}
	return values
}

// plain returns a variable of a memory space. It is an existing one or a new one.
func (m *maker) plain(space string) variable {
	if len(m.reuse) > 0 && m.chance(40) {
		v := m.reuse[m.rng.IntN(len(m.reuse))]
		if v.space == space && (v.unit == nil || v.unit == m.here.unit) {
			return v
		}
	}
	linkage, u, prefix := ".visible", m.unit(), "g"
	if space == "const" {
		prefix = "c"
	}
	v := variable{name: m.name(prefix), space: space}
	switch r := m.rng.IntN(100); {
	case r < 20:
		linkage = ".weak"
	case r < 40:
		linkage, u, v.unit = "", m.here.unit, m.here.unit
	}
	head, size := m.sized(v.name)
	v.size = size
	percent := 50
	if space == "const" {
		percent = 80
	}
	values := m.numbers(size, percent)
	if !strings.Contains(head, "[") && len(values) > 0 {
		// PTX wants no braces in the initial value of a scalar. An array of one element has the same effect and accepts
		// braces.
		head = strings.Replace(head, v.name, v.name+"[1]", 1)
	}
	m.define(u, v.name, linkage, "."+space+" "+head, values)
	m.reuse = append(m.reuse, v)
	return v
}

func use(space, name string, at int, store bool) Statement {
	text := fmt.Sprintf("    .reg .u32 y;\n    ld.%s.u8 y, [%s+%d];\n    add.u32 x, x, y;\n", space, name, at)
	if store {
		text += fmt.Sprintf("    st.%s.u8 [%s+%d], x;\n", space, name, at)
	}
	return Statement{Text: text, Uses: []string{name}}
}

func makeGlobal(m *maker) (Statement, bool) {
	v := m.plain("global")
	return use("global", v.name, m.rng.IntN(v.size), m.chance(50)), true
}

func makeConstant(m *maker) (Statement, bool) {
	v := m.plain("const")
	if m.chance(30) {
		return Statement{Text: fmt.Sprintf("    .reg .u64 a;\n    .reg .u32 y;\n    mov.u64 a, %s;\n    cvta.const.u64 a, a;\n    ld.u8 y, [a+%d];\n    add.u32 x, x, y;\n", v.name, m.rng.IntN(v.size)), Uses: []string{v.name}}, true
	}
	return use("const", v.name, m.rng.IntN(v.size), false), true
}

// makeCommon uses a common symbol. In other units the symbol may have another size.
func makeCommon(m *maker) (Statement, bool) {
	name := fmt.Sprint("common", m.rng.IntN(m.few(4, 20)))
	size := 4 << m.rng.IntN(4)
	if m.here.unit.find(name) == nil {
		m.define(m.here.unit, name, ".common", fmt.Sprintf(".global .align %d .b8 %s[%d]", 1<<m.rng.IntN(5), name, size), nil)
		delete(m.program.Declarations, name) // each unit that uses it declares it
	}
	return use("global", name, m.rng.IntN(4), true), true
}

// makePointer uses a variable that holds addresses of other variables.
func makePointer(m *maker) (Statement, bool) {
	space := m.pick("global", "global", "const")
	u, name := m.unit(), m.name("ptr")
	back := m.here
	var values []Value
	for range 1 + m.rng.IntN(4) {
		m.here.unit = u
		target := m.plain(m.pick("global", "global", "const"))
		form := m.pick("%s", "%s", "generic(%s)", "%s+"+fmt.Sprint(m.rng.IntN(target.size)))
		if target.space == "const" {
			form = "generic(%s)"
		}
		values = append(values, Value{form, target.name})
		if m.chance(30) {
			values = append(values, Value{Text: fmt.Sprint(m.rng.IntN(9))})
		}
	}
	m.here = back
	m.define(u, name, ".visible", fmt.Sprintf(".%s .align 8 .u64 %s[%d]", space, name, len(values)), values)
	return Statement{Text: fmt.Sprintf("    .reg .u64 a;\n    .reg .u32 y;\n    ld.%s.u64 a, [%s];\n    ld.u8 y, [a];\n    add.u32 x, x, y;\n", space, name), Uses: []string{name}}, true
}

func makeManaged(m *maker) (Statement, bool) {
	name := m.name("managed")
	m.define(m.unit(), name, ".visible", fmt.Sprintf(".global .attribute(.managed) .align 4 .b8 %s[8]", name), m.numbers(7, 50))
	m.program.Declarations[name] = fmt.Sprintf(".extern .global .attribute(.managed) .align 4 .b8 %s[8];", name)
	return use("global", name, m.rng.IntN(8), true), true
}

// makeMask stores single bytes of an address.
func makeMask(m *maker) (Statement, bool) {
	u, name := m.here.unit, m.name("mask")
	target := m.plain("global")
	var values []Value
	for i := range 8 {
		values = append(values, Value{"0xff" + strings.Repeat("00", i) + "(%s)", target.name})
	}
	m.define(u, name, ".visible", fmt.Sprintf(".global .align 1 .u8 %s[8]", name), values[:1+m.rng.IntN(8)])
	return use("global", name, 0, false), true
}

// makeShared uses shared memory of this function only.
func makeShared(m *maker) (Statement, bool) {
	name, size := m.name("tile"), 1+m.rng.IntN(300)
	declare := fmt.Sprintf("    .shared .align %d .b8 %s[%d];\n", 1<<m.rng.IntN(6), name, size)
	return Statement{Text: declare + fmt.Sprintf("    .reg .u32 y;\n    st.shared.u8 [%s+%d], x;\n    bar.sync 0;\n    ld.shared.u8 y, [%s+%d];\n    add.u32 x, x, y;\n", name, m.rng.IntN(size), name, m.rng.IntN(size))}, true
}

// makeSharedModule uses a shared variable of the unit. Several kernels may reach it through functions.
func makeSharedModule(m *maker) (Statement, bool) {
	var here []*Symbol
	for _, s := range m.here.unit.Symbols {
		if strings.HasPrefix(s.Name, "sh") {
			here = append(here, s)
		}
	}
	if len(m.reuse) > 0 && m.chance(20) {
		if v := m.reuse[m.rng.IntN(len(m.reuse))]; v.space == "shared" { // of any unit
			return use("shared", v.name, m.rng.IntN(v.size), true), true
		}
	}
	if len(here) > 0 && m.chance(60) {
		return use("shared", here[m.rng.IntN(len(here))].Name, 0, true), true
	}
	name := m.name("sh")
	linkage := m.pick("", "", "", ".weak", ".visible")
	size := 1 + m.rng.IntN(200)
	m.define(m.here.unit, name, linkage, fmt.Sprintf(".shared .align %d .b8 %s[%d]", 1<<m.rng.IntN(6), name, size), nil)
	if linkage != "" {
		m.reuse = append(m.reuse, variable{name: name, space: "shared", size: size})
	}
	return use("shared", name, 0, true), true
}

// makeSharedEqual uses several shared variables of the unit. Their sizes and alignments have few different values, so
// the layout depends on the order of equal ones.
func makeSharedEqual(m *maker) (Statement, bool) {
	var s Statement
	for range 1 + m.rng.IntN(6) {
		name := fmt.Sprint("eq", m.rng.IntN(30), "_", m.here.unit.Name)
		if m.here.unit.find(name) == nil {
			linkage := m.pick("", "", ".visible")
			m.define(m.here.unit, name, linkage, fmt.Sprintf(".shared .align %d .b8 %s[%d]", 4<<m.rng.IntN(2), name, 8<<m.rng.IntN(2)), nil)
			delete(m.program.Declarations, name)
		}
		one := use("shared", name, m.rng.IntN(8), true)
		s.Text += "    {\n" + one.Text + "    }\n"
		s.Uses = append(s.Uses, name)
	}
	return s, true
}

// few returns a limit for the number of different names. It is small in most programs, so that units share names, and
// large in the others.
func (m *maker) few(small, large int) int {
	if m.many {
		return large
	}
	return small
}

// makeSharedAddress takes the generic address of shared memory.
func makeSharedAddress(m *maker) (Statement, bool) {
	name, size := m.name("tile"), 4+m.rng.IntN(100)
	return Statement{Text: fmt.Sprintf("    .shared .align %d .b8 %s[%d];\n    .reg .u64 a;\n    mov.u64 a, %s;\n    cvta.shared.u64 a, a;\n    st.u64 [p], a;\n    st.u8 [a+%d], x;\n    bar.sync 0;\n", 1<<m.rng.IntN(5), name, size, name, m.rng.IntN(size))}, true
}

// makeLarge uses so much constant or shared memory that there is no space for two such variables.
func makeLarge(m *maker) (Statement, bool) {
	size := 30000 + m.rng.IntN(20000)
	if m.chance(50) {
		name := m.name("tile")
		return Statement{Text: fmt.Sprintf("    .shared .align 4 .b8 %s[%d];\n    .reg .u32 y;\n    st.shared.u8 [%s+9], x;\n    bar.sync 0;\n    ld.shared.u8 y, [%s+%d];\n    add.u32 x, x, y;\n", name, min(size, 49152), name, name, m.rng.IntN(30000))}, true
	}
	name := m.name("c")
	m.define(m.unit(), name, ".visible", fmt.Sprintf(".const .align 4 .b8 %s[%d]", name, size), []Value{{Text: "1"}})
	return use("const", name, m.rng.IntN(size), false), true
}

// makeSharedExtern uses shared memory whose size is set at launch.
func makeSharedExtern(m *maker) (Statement, bool) {
	name := fmt.Sprint("dynamic", m.rng.IntN(2))
	m.program.Declarations[name] = fmt.Sprintf(".extern .shared .align %d .b8 %s[];", []int{16, 8}[name[7]-'0'], name)
	return use("shared", name, 4*m.rng.IntN(4), true), true
}

// makeLocal needs stack space.
func makeLocal(m *maker) (Statement, bool) {
	size := 16 << m.rng.IntN(5)
	return Statement{Text: fmt.Sprintf(`    .local .align 8 .b8 stack[%d];
    .reg .u64 a, b;
    .reg .u32 i;
    and.b32 i, x, %d;
    cvt.u64.u32 a, i;
    mov.u64 b, stack;
    add.u64 a, a, b;
    st.local.u8 [a], x;
    bar.sync 0;
    ld.local.u8 x, [a+3];
`, size, size/2-1)}, true
}

func makeTexture(m *maker) (Statement, bool) {
	name := fmt.Sprint("tex", m.rng.IntN(m.few(3, 12)))
	m.binding(name, ".texref")
	if !m.here.unit.Independent {
		return Statement{Text: fmt.Sprintf("    .reg .f32 a, b, c, d;\n    .reg .u32 y;\n    tex.1d.v4.f32.s32 {a, b, c, d}, [%s, {x}];\n    cvt.rzi.u32.f32 y, a;\n    add.u32 x, x, y;\n", name), Uses: []string{name}}, true
	}
	sampler := fmt.Sprint("smp", m.rng.IntN(m.few(2, 6)))
	m.binding(sampler, ".samplerref")
	return Statement{Text: fmt.Sprintf("    .reg .f32 a, b, c, d;\n    .reg .u32 y;\n    tex.1d.v4.f32.s32 {a, b, c, d}, [%s, %s, {x}];\n    cvt.rzi.u32.f32 y, a;\n    add.u32 x, x, y;\n", name, sampler), Uses: []string{name, sampler}}, true
}

func makeSurface(m *maker) (Statement, bool) {
	name := fmt.Sprint("surf", m.rng.IntN(m.few(3, 8)))
	m.binding(name, ".surfref")
	return Statement{Text: fmt.Sprintf("    .reg .u32 y;\n    suld.b.1d.b32.trap y, [%s, {x}];\n    add.u32 x, x, y;\n", name), Uses: []string{name}}, true
}

// makeQuery reads a property of a texture, sampler or surface. Some properties are in its descriptor, and some come
// after the descriptor.
func makeQuery(m *maker) (Statement, bool) {
	queries := []struct{ name, kind, instruction string }{
		{"tex", ".texref", "txq." + m.pick("width", "array_size", "channel_order")},
		{"surf", ".surfref", "suq." + m.pick("width", "array_size", "channel_order")},
		{"smp", ".samplerref", "txq." + m.pick("addr_mode_0", "filter_mode")},
	}
	if !m.here.unit.Independent {
		queries = queries[:2]
	}
	q := queries[m.rng.IntN(len(queries))]
	name := fmt.Sprint(q.name, m.rng.IntN(m.few(2, 6)))
	m.binding(name, q.kind)
	return Statement{Text: fmt.Sprintf("    .reg .u32 y;\n    %s.b32 y, [%s];\n    add.u32 x, x, y;\n", q.instruction, name), Uses: []string{name}}, true
}

// binding declares a texture, sampler or surface in this unit.
func (m *maker) binding(name, kind string) {
	if m.here.unit.find(name) == nil {
		m.here.unit.Symbols = append(m.here.unit.Symbols, &Symbol{Name: name, Head: fmt.Sprintf(".global %s %s", kind, name)})
	}
}
