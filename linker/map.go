package linker

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/culink/culink/linker/cubin"
)

// The map tells where everything is: memory space by memory space the sections of
// the output, in each what every input put there, and the symbols in that. Below,
// a table says how much of each space each input uses. Offsets are from the start
// of the section: the driver decides where sections lie. All numbers are bytes
// (LAYOUT-500).

// A part is what one input put into a section.
type part struct {
	origin string // input
	offset uint64 // in the section
	size   uint64
	what   string // says more than the symbols in it do; may be empty
}

// addPart notes a part, when a map is asked for.
func (m *merged) addPart(s *section, p part) {
	if m.options.Map {
		s.parts = append(s.parts, p)
	}
}

// linkerOrigin is the origin of what no input brought: gaps, the memory that the
// system reserves, slots, tables.
const linkerOrigin = "(linker)"

// memoryMap is the map of a linked program.
//
// Before: every symbol has its value, every section its size.
// After:  the text; the program is as it was.
// Cost: that of sorting the symbols, and the pairs of kernel and shared variable.
func memoryMap(l *laidOut) []byte {
	w := &mapWriter{laidOut: l, symbolsIn: map[*section][]*symbol{}, used: map[string][]uint64{}}
	for _, list := range [][]*symbol{l.locals, l.globals} {
		for _, y := range list {
			if y.section != nil && !y.isSection && y.fn == nil && y.shared == nil && y.name != "" && !y.inDeadCode() {
				w.symbolsIn[y.section] = append(w.symbolsIn[y.section], y)
			}
		}
	}
	for _, list := range w.symbolsIn {
		slices.SortStableFunc(list, func(a, b *symbol) int { return cmp.Compare(a.value, b.value) })
	}
	for _, fn := range l.functions { // aliases, too, stand in the code that they name
		if fn.symbol.section != nil && !fn.dead {
			w.symbolsIn[fn.symbol.section] = append(w.symbolsIn[fn.symbol.section], fn.symbol)
		}
	}
	fmt.Fprintf(&w.b, "memory map of sm_%d, in bytes\n", l.target.Number)
	for i := range spaces {
		w.space(i)
	}
	w.totals()
	return w.b.Bytes()
}

// A memorySpace is a kind of memory that has a part of the map.
type memorySpace struct {
	title string
	holds func(*section) bool
}

// spaces are the parts of the map; the last takes what no other does.
var spaces = [...]memorySpace{
	{"code", func(s *section) bool { return s.group == groupText }},
	{"global", func(s *section) bool { return s.typ == cubin.SectionGlobal || s.typ == cubin.SectionGlobalInit }},
	{"constant", func(s *section) bool { return s.bank != noBank }},
	{"shared", func(s *section) bool { return s.typ == cubin.SectionShared }},
	{"local", func(s *section) bool { return s.typ == cubin.SectionLocal }},
	{"none", func(*section) bool { return true }},
}

func spaceOf(s *section) int {
	return slices.IndexFunc(spaces[:], func(m memorySpace) bool { return m.holds(s) })
}

type mapWriter struct {
	*laidOut
	b         bytes.Buffer
	symbolsIn map[*section][]*symbol // variables by place, then functions
	origins   []string               // in order of first use
	used      map[string][]uint64    // bytes by origin and space
}

// space writes one part of the map.
func (w *mapWriter) space(space int) {
	var sections []*section
	var total uint64
	for _, s := range w.sections {
		if s.kept && !s.dead() && s.size > 0 && spaceOf(s) == space {
			sections = append(sections, s)
			total += s.size
		}
	}
	fmt.Fprintf(&w.b, "\n%s: %#x\n", spaces[space].title, total)
	table := tabwriter.NewWriter(&w.b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range sections {
		table.Flush()
		fmt.Fprintf(&w.b, "  %s: %#x, alignment %d\n", s.name, s.size, max(s.align, 1))
		w.section(table, s, space)
	}
	table.Flush()
}

// section writes the parts of a section with the symbols in them, and counts them. A
// byte of several shared variables counts for the first.
func (w *mapWriter) section(table *tabwriter.Writer, s *section, space int) {
	parts := w.partsOf(s)
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.offset, b.offset) })
	symbols := w.symbolsIn[s]
	var byInputs, end uint64
	for _, p := range parts {
		if from, to := max(p.offset, end), min(p.offset+p.size, s.size); from < to {
			w.count(p.origin, space, to-from)
			byInputs += to - from
			end = to
		}
		row(table, p.offset, p.size, p.origin, p.what)
		for len(symbols) > 0 && symbols[0].value < p.offset+max(p.size, 1) {
			row(table, symbols[0].value, symbols[0].size, "", symbols[0].name)
			symbols = symbols[1:]
		}
	}
	for _, y := range symbols {
		row(table, y.value, y.size, "", y.name)
	}
	if gaps := s.size - byInputs; gaps > 0 {
		w.count(linkerOrigin, space, gaps)
	}
}

func row(table *tabwriter.Writer, offset, size uint64, origin, what string) {
	fmt.Fprintf(table, "    %#x\t%#x\t", offset, size)
	if origin == "" {
		fmt.Fprintf(table, "    %s\n", what)
	} else if what == "" {
		fmt.Fprintf(table, "  %s\n", origin)
	} else {
		fmt.Fprintf(table, "  %s  %s\n", origin, what)
	}
}

// partsOf gives the parts of a section: those that merge noted, and what the layout
// put there.
func (w *mapWriter) partsOf(s *section) []part {
	parts := slices.Clone(s.parts)
	switch {
	case s.group == groupText && s.fn != nil:
		parts = []part{{origin: s.fn.symbol.definedIn, size: s.size}}
	case s.typ == cubin.SectionShared:
		parts = w.sharedParts(s)
	case s.name == globalName:
		var end uint64 // of what merge put there; commons follow
		for _, p := range s.parts {
			end = max(end, p.offset+p.size)
		}
		for _, y := range w.symbolsIn[s] {
			if y.value >= end {
				parts = append(parts, part{origin: y.definedIn, offset: y.value, size: y.size, what: "common"})
			}
		}
	case slices.Contains(w.handleBanks, s):
		for _, y := range w.handlesByKind() {
			parts = append(parts, part{origin: linkerOrigin, offset: y.slot, size: handleSlotSize, what: "slot of " + y.name})
		}
	}
	return parts
}

// sharedParts are the variables in a section of shared memory. One that several
// kernels reach stands in each of theirs, at one offset. In front lies what the
// system reserves.
func (w *mapWriter) sharedParts(s *section) []part {
	var objects []*sharedObject
	var parts []part
	e := w.entryOf[s.fn]
	switch {
	case e != nil:
		objects = slices.Concat(s.fn.sharedLocals, e.localised, e.common)
		if n := w.reservedShared(); n > 0 && s.size >= n && !w.options.Relocatable {
			parts = append(parts, part{origin: linkerOrigin, size: n, what: "reserved"})
		}
	case s.fn == nil:
		for _, o := range w.sharedObjects {
			if o.symbol.section == s {
				objects = append(objects, o)
			}
		}
	}
	for _, o := range objects {
		if o.extern || o != o.symbol.shared { // a further definition has no symbol of its own
			continue
		}
		what := o.symbol.name
		if e != nil && slices.Contains(e.common, o) {
			what += " (common)"
		}
		parts = append(parts, part{origin: o.symbol.definedIn, offset: w.sharedOffset(o), size: o.size, what: what})
	}
	return parts
}

// sharedOffset is where a variable lies in the kernel's section, behind what the
// system reserves; 0 for a relocatable link, which gives no places.
func (l *laidOut) sharedOffset(o *sharedObject) uint64 {
	if l.options.Relocatable {
		return 0
	}
	return l.reservedShared() + o.symbol.value
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
		fmt.Fprintf(table, "  %s\n", origin)
	}
	table.Flush()
}
