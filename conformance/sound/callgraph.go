package sound

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// The call graph and the prototypes of the output must describe the functions of the output. The number and order of
// equal records do not matter.

// allGroups lists the groups of every call graph in order. In releases up to 11.8 the last one is missing.
var allGroups = []uint32{directCalls, takenAs, indirectCalls, takesAddress}

// checkCallGraph compares the call graph and the prototypes with the program. The output may also have records of a
// discarded definition: nvlink keeps them if that definition came first.
func (c *checker) checkCallGraph() {
	if c.link.Target.Profile.Merge.OmitsCallGraph { // KIT-213
		return
	}
	want, may, got := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range c.program.entities {
		if e.kind != function || e.out == nil {
			continue
		}
		c.addCalls(want, e, e)
		c.addPointers(want, e, e, c.program.taken)
		c.addPointers(may, e, e, c.program.tookOld)
		address := want
		if e.old != nil {
			c.addCalls(may, e, e.old)
			c.addPointers(may, e, e.old, c.program.taken)
			if e.old.takenAs != nil {
				may[c.nameOf(e)+" is taken as "+*e.old.takenAs] = true
				address = may
			}
		}
		switch {
		case e.takenAs != nil:
			want[c.nameOf(e)+" is taken as "+*e.takenAs] = true
		case e.prototype != nil:
			address[c.nameOf(e)+" is a "+*e.prototype] = true
		}
	}
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		switch s.Type {
		case cubin.SectionCallGraph:
			if groups := groupsOf(c.out.data[i]); len(groups) < 3 || !slices.Equal(groups, allGroups[:min(len(groups), len(allGroups))]) {
				c.report("callgraph.groups", fmt.Sprintf("%x", allGroups), "%x", groups)
			}
			graphRecords(c.out.data[i], func(group, a, b uint32) { got[c.graphRecord(group, a, b)] = true })
		case cubin.SectionPrototype:
			for _, pair := range pairs(c.out.data[i]) {
				got[c.symbolAt(pair[0])+" is a "+c.stringAt(pair[1])] = true
			}
		}
	}
	for _, text := range sorted(want) {
		if !got[text] {
			c.report("callgraph", text, "nothing of it")
		}
	}
	for _, text := range sorted(got) {
		if !want[text] && !may[text] {
			c.report("callgraph", "nothing of it", "%s", text)
		}
	}
}

func (c *checker) nameOf(e *entity) string { return c.symbolAt(e.out.Index) }

// addCalls adds the call graph records of function e. The calls and the addresses are those of the entity from, which is
// e or the discarded definition of e.
func (c *checker) addCalls(into map[string]bool, e, from *entity) {
	for _, f := range from.calls {
		if f.out != nil && !e.insideKernel() && !f.insideKernel() {
			into[c.nameOf(e)+" calls "+c.nameOf(f)] = true
		}
	}
	for _, f := range from.takes {
		if f.out != nil {
			into[c.nameOf(e)+" takes the address of "+c.nameOf(f)] = true
		}
	}
	for _, prototype := range from.via {
		into[c.nameOf(e)+" calls a "+prototype] = true
	}
}

// addPointers adds the calls of function e through pointers. Up to 11.8, a call through a pointer with a prototype is
// recorded as a call of each function that the prototype fits (KIT-073).
func (c *checker) addPointers(into map[string]bool, e, from *entity, taken map[string][]*entity) {
	if !c.link.Target.Profile.Reach.ResolvesPointers {
		return
	}
	for _, prototype := range from.via {
		for _, f := range taken[prototype] {
			if f.out != nil {
				into[c.nameOf(e)+" calls "+c.nameOf(f)] = true
			}
		}
	}
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for text := range set {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// graphRecord returns a record of the output's call graph as text.
func (c *checker) graphRecord(group, a, b uint32) string {
	switch group {
	case directCalls:
		return c.symbolAt(a) + " calls " + c.symbolAt(b)
	case takesAddress:
		return c.symbolAt(a) + " takes the address of " + c.symbolAt(b)
	case takenAs:
		return c.symbolAt(a) + " is taken as " + c.stringAt(b)
	}
	return c.symbolAt(a) + " calls a " + c.stringAt(b)
}

func (c *checker) symbolAt(i uint32) string { return fmt.Sprintf("%s (symbol %d)", c.symbolName(i), i) }

// stringAt returns a string from the string table of the output's symbols.
func (c *checker) stringAt(offset uint32) string {
	for i := range c.out.file.Sections {
		if s := &c.out.file.Sections[i]; s.Type == cubin.SectionSymTab {
			if text, err := c.out.file.String(s.Link, offset); err == nil {
				return text
			}
		}
	}
	return fmt.Sprintf("string %#x", offset)
}
