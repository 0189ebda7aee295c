package generate

import (
	"fmt"
	"strings"
)

// candidates returns the functions that the current function may call without recursion. These are the static functions
// of its unit that come later in m.all, and the other functions that come later in m.callees.
func (m *maker) candidates() []string {
	list := append([]string(nil), m.callees[m.rank+1:]...)
	after := false
	for _, f := range m.all {
		if f.symbol == m.here.symbol {
			after = true
			continue
		}
		_, device := m.shapeOf[f.symbol.Name]
		if f.unit == m.here.unit && device && m.program.Declarations[f.symbol.Name] == "" && (after || m.rank < 0) && !m.static(m.here.symbol) {
			list = append(list, f.symbol.Name)
		}
	}
	return list
}

func (m *maker) static(s *Symbol) bool {
	return !s.Entry && m.program.Declarations[s.Name] == ""
}

func makeCall(m *maker) (Statement, bool) {
	list := m.candidates()
	if m.static(m.here.symbol) {
		list = nil // static functions make no calls, so that no cycle contains them
	}
	if len(list) == 0 {
		return Statement{}, false
	}
	name := m.pick(list...)
	return Statement{Text: shapes[m.shapeOf[name]].call(name, ""), Uses: []string{name}}, true
}

// makeAlias calls a function through an alias. The function may be in any unit, and its unit defines the alias.
func makeAlias(m *maker) (Statement, bool) {
	if len(m.callees) == 0 || m.static(m.here.symbol) || m.rank+1 >= len(m.callees) {
		return Statement{}, false
	}
	target := m.callees[m.rank+1+m.rng.IntN(len(m.callees)-m.rank-1)]
	for _, f := range m.all {
		if f.symbol.Name != target || !strings.HasPrefix(f.symbol.Head, ".visible") {
			continue
		}
		name := "also_" + target
		s := &shapes[m.shapeOf[target]]
		if f.unit.find(name) == nil {
			f.unit.Symbols = append(f.unit.Symbols, &Symbol{Name: name, Forward: ".visible " + s.head(name) + ";", Alias: true, Initial: []Value{{"%s", target}}})
			m.program.Declarations[name] = ".extern " + s.head(name) + ";"
		}
		return Statement{Text: s.call(name, ""), Uses: []string{name}}, true
	}
	return Statement{}, false
}

// makeRecursion calls any function, so calls can form cycles.
func makeRecursion(m *maker) (Statement, bool) {
	if len(m.callees) == 0 {
		return Statement{}, false
	}
	name := m.pick(m.callees...)
	if m.rank >= 0 && m.chance(50) {
		name = m.here.symbol.Name
	}
	text := "    .reg .pred c;\n    setp.lt.u32 c, x, 5;\n    @c bra over;\n  {\n" + shapes[m.shapeOf[name]].call(name, "") + "  }\n  over:\n"
	return Statement{Text: text, Uses: []string{name}}, true
}

// makeIndirect calls a function through its address. The address is a value, or an entry of a table in global or
// constant memory.
func makeIndirect(m *maker) (Statement, bool) {
	number := 0
	if m.chance(40) {
		number = m.rng.IntN(len(shapes))
	}
	s := &shapes[number]
	label := m.name("proto")
	call := s.prototype(label) + s.call("to", label)
	if m.chance(25) {
		return Statement{Text: "    .reg .u64 to;\n    ld.global.u64 to, [p];\n" + call}, true
	}
	var list []string
	for _, name := range m.callees {
		if m.shapeOf[name] == number {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return Statement{}, false
	}
	if m.chance(20) {
		name := m.pick(list...) // the address in code
		return Statement{Text: fmt.Sprintf("    .reg .u64 to, other;\n    .reg .pred c;\n    ld.global.u64 other, [p];\n    setp.gt.u32 c, x, 9;\n    mov.u64 to, %s;\n    selp.u64 to, to, other, c;\n", name) + call, Uses: []string{name}}, true
	}
	space := m.pick("global", "global", "const")
	v := m.table(space, list)
	return Statement{Text: fmt.Sprintf("    .reg .u64 to;\n    ld.%s.u64 to, [%s];\n", space, v) + call, Uses: []string{v}}, true
}

// table adds a variable with the addresses of functions to any unit.
func (m *maker) table(space string, functions []string) string {
	name := m.name("table")
	n := 1 + m.rng.IntN(3)
	var values []Value
	for range n {
		values = append(values, Value{"%s", m.pick(functions...)})
	}
	m.define(m.unit(), name, ".visible", fmt.Sprintf(".%s .align 8 .u64 %s[%d]", space, name, n), values)
	return name
}

// makeEntryAddress takes the address of a kernel of this unit.
func makeEntryAddress(m *maker) (Statement, bool) {
	for _, f := range m.all {
		if f.unit == m.here.unit && f.symbol.Entry && f.symbol != m.here.symbol {
			name := m.name("kernels")
			m.define(f.unit, name, ".visible", fmt.Sprintf(".global .align 8 .u64 %s[1]", name), []Value{{"%s", f.symbol.Name}})
			return Statement{Text: fmt.Sprintf("    .reg .u64 a;\n    .reg .u32 y;\n    ld.global.u64 a, [%s];\n    cvt.u32.u64 y, a;\n    add.u32 x, x, y;\n", name), Uses: []string{name}}, true
		}
	}
	return Statement{}, false
}

// makePrintf calls the driver's printf with a string.
func makePrintf(m *maker) (Statement, bool) {
	format := m.text()
	return Statement{Text: fmt.Sprintf(`    .local .align 8 .b8 values[8];
    .reg .u64 a, b;
    .param .b64 out0;
    .param .b64 out1;
    .param .b32 back;
    mov.u64 b, values;
    st.local.u32 [values], x;
    cvta.local.u64 b, b;
    mov.u64 a, %s;
    cvta.global.u64 a, a;
    st.param.b64 [out0], a;
    st.param.b64 [out1], b;
    call (back), vprintf, (out0, out1);
    ld.param.b32 x, [back];
`, format), Uses: []string{format, "vprintf"}}, true
}

// makeHeap allocates memory, and usually frees it.
func makeHeap(m *maker) (Statement, bool) {
	s := Statement{Text: "    .reg .u64 a;\n    .param .b64 out0;\n    .param .b64 back;\n    st.param.b64 [out0], 64;\n    call (back), malloc, (out0);\n    ld.param.b64 a, [back];\n    st.u32 [a], x;\n    ld.u32 x, [a+4];\n", Uses: []string{"malloc"}}
	if m.chance(70) {
		s.Text += "    { .param .b64 out1;\n    st.param.b64 [out1], a;\n    call free, (out1); }\n"
		s.Uses = append(s.Uses, "free")
	}
	return s, true
}

func makeAssert(m *maker) (Statement, bool) {
	message := m.text()
	return Statement{Text: fmt.Sprintf(`    .reg .pred c;
    .reg .u64 a;
    setp.ne.u32 c, x, 12345;
    @c bra fine;
    {
    .param .b64 o0;
    .param .b64 o1;
    .param .b32 o2;
    .param .b64 o3;
    .param .b64 o4;
    mov.u64 a, %s;
    cvta.global.u64 a, a;
    st.param.b64 [o0], a;
    st.param.b64 [o1], a;
    st.param.b32 [o2], 17;
    st.param.b64 [o3], a;
    st.param.b64 [o4], 1;
    call __assertfail, (o0, o1, o2, o3, o4);
    }
  fine:
`, message), Uses: []string{message, "__assertfail"}}, true
}

// text returns a string of this unit.
func (m *maker) text() string {
	name := fmt.Sprintf("$str%d", m.rng.IntN(3)) // static: other units use the same name
	if m.here.unit.find(name) != nil {
		return name
	}
	n := 2 + m.rng.IntN(12)
	var values []Value
	for range n - 1 {
		values = append(values, Value{Text: fmt.Sprint(97 + m.rng.IntN(26))})
	}
	values = append(values, Value{Text: "0"})
	m.define(m.here.unit, name, "", fmt.Sprintf(".global .align 1 .b8 %s[%d]", name, n), values)
	return name
}
