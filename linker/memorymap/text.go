package memorymap

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/culink/culink/linker/show"
)

// The map as text lists the sections of each space, the contribution of each input to a section,
// and the symbols in it. A table of what each input uses of each space follows (LAYOUT-500).

// WriteText writes the map as text. If sources is set, it shows the names in the source where they
// are known.
func (m *Map) WriteText(w io.Writer, sources bool) error {
	t := &textWriter{sources: sources}
	fmt.Fprintf(&t.b, "memory map of %s, in bytes\n", m.Target)
	if m.Failed != "" {
		fmt.Fprintf(&t.b, "THE LINK FAILED: %s\n", show.Line(m.Failed))
		for _, e := range m.otherErrors() {
			fmt.Fprintf(&t.b, "                 %s\n", show.Line(e))
		}
	}
	if m.Unplaced {
		t.b.WriteString("nothing had a place yet: the sizes are those of the inputs\n")
	}
	for i := range m.Spaces {
		t.space(&m.Spaces[i])
	}
	t.inputs(m)
	_, err := w.Write(t.b.Bytes())
	return err
}

// otherErrors returns the errors of a failed link except for the first.
func (m *Map) otherErrors() []string {
	if len(m.Errors) == 0 {
		return nil
	}
	return m.Errors[1:]
}

type textWriter struct {
	b       bytes.Buffer
	sources bool
}

// name returns the name to show, which is the one in the file or the one in the source (DIAG-503).
func (t *textWriter) name(name, source string) string {
	if t.sources {
		name = cmp.Or(source, name)
	}
	return show.Line(name)
}

func (t *textWriter) space(space *Space) {
	fmt.Fprintf(&t.b, "\n%s: %#x\n", space.Name, space.Size)
	table := tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := range space.Sections {
		table.Flush()
		s := &space.Sections[i]
		fmt.Fprintf(&t.b, "  %s: %#x, alignment %d\n", show.Line(s.Name), s.Size, s.Align)
		t.section(table, s)
	}
	table.Flush()
}

// section writes the parts of a section, each with the symbols in it.
func (t *textWriter) section(table *tabwriter.Writer, s *Section) {
	symbols := s.Symbols
	for _, p := range s.Parts {
		what := t.name(p.What, p.Source)
		if what != "" {
			what = "  " + what
		}
		fmt.Fprintf(table, "    %#x\t%#x\t  %s%s\n", p.Offset, p.Size, show.Line(p.Input), what)
		for len(symbols) > 0 && symbols[0].Offset < p.Offset+max(p.Size, 1) {
			t.symbol(table, &symbols[0])
			symbols = symbols[1:]
		}
	}
	for i := range symbols {
		t.symbol(table, &symbols[i])
	}
}

func (t *textWriter) symbol(table *tabwriter.Writer, y *Symbol) {
	fmt.Fprintf(table, "    %#x\t%#x\t    %s\n", y.Offset, y.Size, t.name(y.Name, y.Source))
}

// inputs writes how much of each space each input uses. The columns add up to the sizes of the
// spaces.
func (t *textWriter) inputs(m *Map) {
	t.b.WriteString("\nby input:\n")
	table := tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range m.Spaces {
		fmt.Fprintf(table, "%s\t", s.Name)
	}
	fmt.Fprintln(table, "  input")
	for _, in := range m.Inputs {
		for _, n := range in.Bytes {
			fmt.Fprintf(table, "%#x\t", n)
		}
		fmt.Fprintf(table, "  %s\n", show.Line(in.Name))
	}
	table.Flush()
}
