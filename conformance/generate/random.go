package generate

import (
	"fmt"
	"math/rand/v2"
)

// Config sets limits for a random program.
type Config struct {
	SM       int
	Version  int      // PTX version, such as 84 for 8.4; features of newer versions are not used; 0 means 9.0
	MaxUnits int      // at least 1
	Only     []string // names of constructs to use; empty: all
}

// Random makes a program. The same state of rng gives the same program.
func Random(rng *rand.Rand, cfg Config) *Program {
	if cfg.Version == 0 {
		cfg.Version = 90
	}
	m := &maker{rng: rng, cfg: cfg, program: &Program{SM: cfg.SM, Version: cfg.Version, Declarations: map[string]string{}}, shapeOf: map[string]int{}}
	for name, d := range runtime {
		m.program.Declarations[name] = d
	}
	m.units()
	m.functions()
	m.bodies()
	m.duplicates()
	m.accidents()
	return m.program
}

// A maker holds the state of a program that is being generated.
type maker struct {
	rng     *rand.Rand
	cfg     Config
	program *Program

	callees []string       // device functions that every unit can call; a function may call later ones
	shapeOf map[string]int // index of the shape of every device function
	all     []place        // every function with its unit
	reuse   []variable     // variables that later statements can use
	serial  int            // for names
	many    bool           // many textures, commons and the like

	here place // the function that gets the next statement
	rank int   // position of the function in callees; -1 for kernels
}

// A place is a symbol in a unit.
type place struct {
	unit   *Unit
	symbol *Symbol
}

func (m *maker) chance(percent int) bool    { return m.rng.IntN(100) < percent }
func (m *maker) pick(list ...string) string { return list[m.rng.IntN(len(list))] }
func (m *maker) unit() *Unit                { return m.program.Units[m.rng.IntN(len(m.program.Units))] }

func (m *maker) name(prefix string) string {
	m.serial++
	return fmt.Sprint(prefix, m.serial)
}

func (m *maker) units() {
	n := 1 + m.rng.IntN(m.cfg.MaxUnits)
	if m.chance(50) { // small programs show most differences and are easiest to read
		n = 1 + m.rng.IntN(min(n, 3))
	}
	independent := m.chance(6)
	m.many = m.chance(15)
	for i := range n {
		m.program.Units = append(m.program.Units, &Unit{
			Name:        fmt.Sprint("u", i),
			Independent: independent && m.chance(70),
			LineInfo:    m.chance(8),
		})
	}
}

// functions creates the functions without their bodies. The bodies are added later, so that every function can call
// every other.
func (m *maker) functions() {
	most := 2 + 2*len(m.program.Units)
	for range m.rng.IntN(most + 1) {
		m.deviceFunction(m.unit())
	}
	for range 1 + m.rng.IntN(1+len(m.program.Units)) {
		m.entry(m.unit())
	}
	for _, u := range m.program.Units {
		m.rng.Shuffle(len(u.Symbols), func(i, j int) { u.Symbols[i], u.Symbols[j] = u.Symbols[j], u.Symbols[i] })
	}
}

func (m *maker) deviceFunction(u *Unit) {
	number := m.rng.IntN(len(shapes))
	if m.chance(50) {
		number = 0
	}
	s := &shapes[number]
	name, linkage := m.name("f"), ".visible "
	switch r := m.rng.IntN(100); {
	case r < 18:
		linkage = ".weak "
	case r < 33:
		linkage = ""
		if name = m.name("s"); m.chance(30) {
			name = m.pick("same", "helper") // static functions in several units with the same name
		}
		if u.find(name) != nil || m.shapeOf[name] != 0 && m.shapeOf[name] != number {
			return
		}
		if m.shapeOf[name] == 0 && number != 0 && (name == "same" || name == "helper") {
			return
		}
	}
	m.shapeOf[name] = number
	f := &Symbol{
		Name: name, Head: linkage + s.head(name), Forward: linkage + s.head(name) + ";", Function: true,
		Prologue: s.prologue(), Epilogue: s.epilogue(),
	}
	u.Symbols = append(u.Symbols, f)
	if linkage != "" {
		m.callees = append(m.callees, name)
		m.program.Declarations[name] = ".extern " + s.head(name) + ";"
	}
	m.all = append(m.all, place{u, f})
}

func (m *maker) entry(u *Unit) {
	name, linkage := m.name("k"), ".visible "
	if m.chance(5) {
		linkage = ".weak "
	}
	extra := ""
	if m.chance(20) {
		extra = fmt.Sprintf(", .param .align %s .b8 blob[%d]", m.pick("1", "4", "8", "16"), 1+m.rng.IntN(m.blob()))
	}
	limits := ""
	if m.chance(30) {
		limits = m.limits()
	}
	head := fmt.Sprintf("%s.entry %s(.param .u64 in0, .param .u32 in1%s)", linkage, name, extra)
	f := &Symbol{
		Name: name, Head: head + limits, Forward: head + ";", Function: true, Entry: true,
		Prologue: "  .reg .u32 x;\n  .reg .u64 p;\n  ld.param.u64 p, [in0];\n  ld.param.u32 x, [in1];\n",
		Epilogue: "  st.global.u32 [p], x;\n  ret;\n",
	}
	u.Symbols = append(u.Symbols, f)
	m.all = append(m.all, place{u, f})
}

// blob returns the maximum size of a by-value parameter. It is usually small. Rarely it is more than 4 KB, which kernels
// support only from PTX 8.1 on and on newer targets.
func (m *maker) blob() int {
	switch {
	case m.chance(80):
		return 64
	case m.chance(80), m.cfg.Version < 81, m.cfg.SM < 70:
		return 3000
	}
	return 8000
}

func (m *maker) limits() string {
	switch m.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("\n.maxntid %d, 1, 1", 32<<m.rng.IntN(6))
	case 1:
		return fmt.Sprintf("\n.maxntid %d, 2, 1\n.minnctapersm %d", 32<<m.rng.IntN(4), 1+m.rng.IntN(4))
	case 2:
		return fmt.Sprintf("\n.reqntid %d, 1, 1", 32<<m.rng.IntN(5))
	case 3:
		return fmt.Sprintf("\n.maxnreg %d", 24+8*m.rng.IntN(24))
	case 4:
		if m.cfg.SM >= 90 {
			return fmt.Sprintf("\n.explicitcluster\n.reqnctapercluster %d, 1, 1", 1<<m.rng.IntN(3))
		}
	case 5:
		if m.cfg.SM >= 90 {
			return fmt.Sprintf("\n.maxclusterrank %d", 1+m.rng.IntN(8))
		}
	}
	return ""
}

// bodies adds statements to every function.
func (m *maker) bodies() {
	for _, f := range m.all {
		m.here, m.rank = f, -1
		for i, name := range m.callees {
			if name == f.symbol.Name {
				m.rank = i
			}
		}
		for range m.rng.IntN(5) {
			if s, ok := m.statement(); ok {
				f.symbol.Body = append(f.symbol.Body, s)
			}
		}
	}
}

// statement makes a statement with a construct of the table. It chooses the construct by weight.
func (m *maker) statement() (Statement, bool) {
	total := 0
	for i := range constructs {
		total += m.weight(&constructs[i])
	}
	if total == 0 {
		return Statement{}, false
	}
	r := m.rng.IntN(total)
	for i := range constructs {
		c := &constructs[i]
		if r -= m.weight(c); r < 0 {
			s, ok := c.make(m)
			s.Construct = c.name
			return s, ok
		}
	}
	return Statement{}, false
}

func (m *maker) weight(c *construct) int {
	if m.cfg.SM < c.from || c.to != 0 && m.cfg.SM > c.to {
		return 0
	}
	if len(m.cfg.Only) == 0 {
		return c.weight
	}
	for _, name := range m.cfg.Only {
		if name == c.name {
			return c.weight
		}
	}
	return 0
}

// duplicates copies weak and common symbols into other units. It changes some of the copies, so that the linker has to
// choose one.
func (m *maker) duplicates() {
	for i := range m.program.Units {
		for _, s := range append([]*Symbol(nil), m.program.Units[i].Symbols...) {
			if !s.shared() || !m.chance(45) {
				continue
			}
			for range 1 + m.rng.IntN(2) {
				u := m.unit()
				if u.find(s.Name) != nil {
					continue
				}
				m.copyInto(u, s)
			}
		}
	}
}

// shared reports whether several units can define the symbol.
func (s *Symbol) shared() bool {
	return len(s.Head) > 6 && (s.Head[:6] == ".weak " || s.Head[:7] == ".common")
}

func (m *maker) copyInto(u *Unit, s *Symbol) {
	t := *s
	t.Body = nil
	for _, b := range s.Body {
		for _, name := range b.Uses {
			if d := m.program.Declarations[name]; d == "" && u.find(name) == nil {
				return // a static symbol of the other unit
			}
		}
		t.Body = append(t.Body, b)
	}
	for _, v := range s.Initial {
		if v.Uses != "" && m.program.Declarations[v.Uses] == "" && u.find(v.Uses) == nil {
			return
		}
	}
	if s.Function && m.chance(40) {
		if len(t.Body) > 0 && m.chance(50) {
			t.Body = t.Body[:len(t.Body)-1]
		} else {
			extra, _ := makePressure(m)
			extra.Construct = "pressure"
			t.Body = append(t.Body, extra)
		}
	}
	at := m.rng.IntN(len(u.Symbols) + 1)
	u.Symbols = append(u.Symbols[:at], append([]*Symbol{&t}, u.Symbols[at:]...)...)
}

// accidents adds an error to a few programs: a symbol that no unit defines, or that two units define.
func (m *maker) accidents() {
	if m.chance(3) {
		u := m.unit()
		if len(u.Symbols) > 0 {
			i := m.rng.IntN(len(u.Symbols))
			if m.program.Declarations[u.Symbols[i].Name] != "" {
				u.Symbols = append(u.Symbols[:i], u.Symbols[i+1:]...)
			}
		}
	}
	if m.chance(2) {
		from, to := m.unit(), m.unit()
		if len(from.Symbols) > 0 {
			if s := from.Symbols[m.rng.IntN(len(from.Symbols))]; to.find(s.Name) == nil {
				m.copyInto(to, s)
			}
		}
	}
}
