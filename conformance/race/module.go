package race

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubintext"
)

// A Module writes one cubin in the text form. Functions and variables are added one by one.
type Module struct {
	SM int // 0: 90

	// These parts of the text grow with each addition: symbols, attributes, the groups of the call graph, and all other
	// sections.
	Symbols, Info, Calls, Taken, Indirect, Sections strings.Builder
}

// exit is the instruction EXIT in the text form, and step an instruction without effect.
const (
	exit = "\tu64 0x000000000000794d 0x000fea0003800000\n"
	step = "\tu64 0x0000000000007918 0x000fc00000000000\n"
)

// Function adds a function. binding is "global", "weak" or "local". other is the text of st_other, such as "
// other=entry". The code has the given number of instructions without effect, and then EXIT.
func (m *Module) Function(name, binding, other string, steps int) {
	fmt.Fprintf(&m.Symbols, "\tsymbol %s %s func .text.%s%s\n", name, binding, name, other)
	fmt.Fprintf(&m.Info, "\tattr REGCOUNT @%s 8\n\tattr FRAME_SIZE @%s 8\n", name, name)
	fmt.Fprintf(&m.Sections, "section .text.%s\n%s%s", name, strings.Repeat(step, steps), exit)
}

// Device adds a device function and returns its name.
func (m *Module) Device(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	m.Function(name, "global", "", 0)
	return name
}

// Kernel adds a kernel and returns its name.
func (m *Module) Kernel(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	m.Function(name, "global", " other=entry", 0)
	return name
}

// Extern declares a function of another module and returns its name.
func (m *Module) Extern(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	fmt.Fprintf(&m.Symbols, "\tsymbol %s global func undef\n", name)
	return name
}

// Call adds a call of one function by another.
func (m *Module) Call(from, to string) { fmt.Fprintf(&m.Calls, "\tedge %s %s\n", from, to) }

// More adds sections. They may refer to the symbols.
func (m *Module) More(format string, args ...any) { fmt.Fprintf(&m.Sections, format, args...) }

// String returns the text form of the module.
func (m *Module) String() string {
	sm := m.SM
	if sm == 0 {
		sm = 90
	}
	return fmt.Sprintf("cutext 1\nheader sm=%d\nsection .shstrtab\nsection .strtab\nsection .symtab\n", sm) + m.Symbols.String() +
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n" + m.Info.String() +
		"section .nv.callgraph\n\tcalls direct\n" + m.Calls.String() + "\tcalls taken\n" + m.Taken.String() +
		"\tcalls indirect\n" + m.Indirect.String() + m.Sections.String()
}

// Build makes the cubin.
func (m *Module) Build(name string) ([]byte, error) { return cubintext.Parse(name, m.String()) }
