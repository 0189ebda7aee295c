package tell

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/show"
)

// The map tells where everything is: memory space by memory space the sections of
// the output, in each what every input put there, and the symbols in that. Below,
// a table says how much of each space each input uses. Offsets are from the start
// of the section: the driver decides where sections lie. All numbers are bytes
// (LAYOUT-500).

// linkerOrigin is the origin of what no input brought: gaps, the memory that the
// system reserves, slots, tables.
const linkerOrigin = "(linker)"

// Map is the map of a linked program.
//
// Before: every symbol has its value, every section its size.
// After:  the text; the program is as it was.
// Cost: that of sorting the symbols, and the pairs of kernel and shared variable.
func Map(l *layout.Placed) []byte {
	w := &mapWriter{Placed: l, symbolsIn: map[*program.Section][]*program.Symbol{}, used: map[string][]uint64{}}
	for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if y.Section != nil && !y.IsSection && y.Fn == nil && y.Shared == nil && y.Name != "" && !y.InDeadCode() {
				w.symbolsIn[y.Section] = append(w.symbolsIn[y.Section], y)
			}
		}
	}
	for _, list := range w.symbolsIn {
		slices.SortStableFunc(list, func(a, b *program.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	}
	for _, fn := range l.Functions { // aliases, too, stand in the code that they name
		if fn.Symbol.Section != nil && !fn.Dead {
			w.symbolsIn[fn.Symbol.Section] = append(w.symbolsIn[fn.Symbol.Section], fn.Symbol)
		}
	}
	fmt.Fprintf(&w.b, "memory map of sm_%d, in bytes\n", l.Target.Number)
	for i := range spaces {
		w.space(i)
	}
	w.totals()
	return w.b.Bytes()
}

// A memorySpace is a kind of memory that has a part of the map.
type memorySpace struct {
	title string
	holds func(*program.Section) bool
}

// spaces are the parts of the map; the last takes what no other does.
var spaces = [...]memorySpace{
	{"code", func(s *program.Section) bool { return s.Group == program.GroupText }},
	{"global", func(s *program.Section) bool {
		return s.Type == cubin.SectionGlobal || s.Type == cubin.SectionGlobalInit
	}},
	{"constant", func(s *program.Section) bool { return s.Bank != program.NoBank }},
	{"shared", func(s *program.Section) bool { return s.Type == cubin.SectionShared }},
	{"local", func(s *program.Section) bool { return s.Type == cubin.SectionLocal }},
	{"none", func(*program.Section) bool { return true }},
}

func spaceOf(s *program.Section) int {
	return slices.IndexFunc(spaces[:], func(m memorySpace) bool { return m.holds(s) })
}

type mapWriter struct {
	*layout.Placed
	b         bytes.Buffer
	symbolsIn map[*program.Section][]*program.Symbol // variables by place, then functions
	origins   []string                               // in order of first use
	used      map[string][]uint64                    // bytes by origin and space
}

// space writes one part of the map.
func (w *mapWriter) space(space int) {
	var sections []*program.Section
	var total uint64
	for _, s := range w.Sections {
		if s.State == program.Kept && !s.Dead() && s.Size > 0 && spaceOf(s) == space {
			sections = append(sections, s)
			total += s.Size
		}
	}
	fmt.Fprintf(&w.b, "\n%s: %#x\n", spaces[space].title, total)
	table := tabwriter.NewWriter(&w.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range sections {
		table.Flush()
		fmt.Fprintf(&w.b, "  %s: %#x, alignment %d\n", show.Line(s.Name), s.Size, max(s.Align, 1))
		w.section(table, s, space)
	}
	table.Flush()
}

// section writes the parts of a section with the symbols in them, and counts them. A
// byte of several shared variables counts for the first.
func (w *mapWriter) section(table *tabwriter.Writer, s *program.Section, space int) {
	parts := w.partsOf(s)
	slices.SortStableFunc(parts, func(a, b program.Piece) int { return cmp.Compare(a.Offset, b.Offset) })
	symbols := w.symbolsIn[s]
	var byInputs, end uint64
	for _, p := range parts {
		if from, to := max(p.Offset, end), min(p.Offset+p.Size, s.Size); from < to {
			w.count(p.Origin, space, to-from)
			byInputs += to - from
			end = to
		}
		row(table, p.Offset, p.Size, p.Origin, p.What)
		for len(symbols) > 0 && symbols[0].Value < p.Offset+max(p.Size, 1) {
			row(table, symbols[0].Value, symbols[0].Size, "", symbols[0].Name)
			symbols = symbols[1:]
		}
	}
	for _, y := range symbols {
		row(table, y.Value, y.Size, "", y.Name)
	}
	if gaps := s.Size - byInputs; gaps > 0 {
		w.count(linkerOrigin, space, gaps)
	}
}

func row(table *tabwriter.Writer, offset, size uint64, origin, what string) {
	fmt.Fprintf(table, "    %#x\t%#x\t", offset, size)
	origin, what = show.Line(origin), show.Line(what)
	if origin == "" {
		fmt.Fprintf(table, "    %s\n", what)
	} else if what == "" {
		fmt.Fprintf(table, "  %s\n", origin)
	} else {
		fmt.Fprintf(table, "  %s  %s\n", origin, what)
	}
}

// partsOf returns the parts of a section: those that merge noted, and what the layout
// put there.
func (w *mapWriter) partsOf(s *program.Section) []program.Piece {
	parts := slices.DeleteFunc(slices.Clone(s.Pieces), func(p program.Piece) bool { return p.Origin == "" })
	switch {
	case s.Group == program.GroupText && s.Fn != nil:
		parts = []program.Piece{{Origin: s.Fn.Symbol.DefinedIn, Size: s.Size}}
	case s.Type == cubin.SectionShared:
		parts = w.sharedParts(s)
	case s.Name == cubin.GlobalName:
		var end uint64 // of what merge put there; commons follow
		for _, p := range s.Pieces {
			end = max(end, p.Offset+p.Size)
		}
		for _, y := range w.symbolsIn[s] {
			if y.Value >= end {
				parts = append(parts, program.Piece{Origin: y.DefinedIn, Offset: y.Value, Size: y.Size, What: "common"})
			}
		}
	case slices.Contains(w.HandleBanks, s):
		for _, y := range w.HandlesByKind() {
			parts = append(parts, program.Piece{Origin: linkerOrigin, Offset: y.Slot, Size: layout.HandleSlotSize, What: "slot of " + y.Name})
		}
	}
	return parts
}

// sharedParts are the variables in a section of shared memory. One that several
// kernels reach stands in each of theirs, at one offset. In front lies what the
// system reserves.
func (w *mapWriter) sharedParts(s *program.Section) []program.Piece {
	var objects []*program.SharedObject
	var parts []program.Piece
	e := w.KernelOf[s.Fn]
	switch {
	case e != nil:
		objects = slices.Concat(s.Fn.SharedLocals, e.Localised, e.Common)
		if n := w.ReservedShared(); n > 0 && s.Size >= n && !w.Options.Relocatable {
			parts = append(parts, program.Piece{Origin: linkerOrigin, Size: n, What: "reserved"})
		}
	case s.Fn == nil:
		for _, o := range w.SharedObjects {
			if o.Symbol.Section == s {
				objects = append(objects, o)
			}
		}
	}
	for _, o := range objects {
		if o.Extern || o != o.Symbol.Shared { // a further definition has no symbol of its own
			continue
		}
		what := o.Symbol.Name
		if e != nil && slices.Contains(e.Common, o) {
			what += " (common)"
		}
		parts = append(parts, program.Piece{Origin: o.Symbol.DefinedIn, Offset: sharedOffset(w.Placed, o), Size: o.Size, What: what})
	}
	return parts
}

// sharedOffset is where a variable lies in the kernel's section, after what the
// system reserves; 0 for a relocatable link, which gives no places.
func sharedOffset(l *layout.Placed, o *program.SharedObject) uint64 {
	if l.Options.Relocatable {
		return 0
	}
	return l.ReservedShared() + o.Symbol.Value
}

func (w *mapWriter) count(origin string, space int, size uint64) {
	if w.used[origin] == nil {
		w.used[origin] = make([]uint64, len(spaces))
		w.origins = append(w.origins, origin)
	}
	w.used[origin][space] += size
}

// totals writes what each input uses of each space; the columns add up to the sizes
// of the spaces.
func (w *mapWriter) totals() {
	w.b.WriteString("\nby input:\n")
	table := tabwriter.NewWriter(&w.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range spaces {
		fmt.Fprintf(table, "%s\t", s.title)
	}
	fmt.Fprintln(table, "  input")
	// Inputs in the order of first use, the linker's own last.
	origins := slices.DeleteFunc(slices.Clone(w.origins), func(o string) bool { return o == linkerOrigin })
	if w.used[linkerOrigin] != nil {
		origins = append(origins, linkerOrigin)
	}
	for _, origin := range origins {
		for _, n := range w.used[origin] {
			fmt.Fprintf(table, "%#x\t", n)
		}
		fmt.Fprintf(table, "  %s\n", show.Line(origin))
	}
	table.Flush()
}
