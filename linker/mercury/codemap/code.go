package codemap

import (
	"slices"
	"sort"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Code returns the new code, with its padding.
func (m Map) Code(steps []Step, at capsule.Place) ([]byte, error) {
	list, err := m.Instructions(steps, at)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, m.after)
	for _, x := range list {
		out = x.Append(out)
	}
	for uint64(len(out)) < m.after {
		out = machine.NOP.Append(out)
	}
	return out, nil
}

// Instructions returns the instructions of the new code. Their displacements refer to the new
// places.
func (m Map) Instructions(steps []Step, at capsule.Place) ([]machine.Instr, error) {
	list := make([]machine.Instr, len(steps))
	for n, x := range steps {
		i := x.Instr
		if i.NamesPlace() {
			here := uint64(x.Old) * machine.Size
			to := int64(here) + machine.Size + i.Distance()
			if to < 0 || to > int64(m.size) {
				return nil, at.Fail(int(here), "branch out of the function", to)
			}
			place := m.Offset(uint64(to))
			if i.Op() == sass.OpBSSY && joinsAt(steps, int(to/machine.Size), i) {
				place = m.own(uint64(to))
			}
			i = i.WithDistance(int64(place) - int64(n+1)*machine.Size)
		}
		list[n] = i
	}
	return list, nil
}

// joinsAt reports whether instruction number of the old code is a BSYNC for the same barrier as
// announces, a BSSY.
func joinsAt(steps []Step, number int, announces machine.Instr) bool {
	i := sort.Search(len(steps), func(i int) bool { return steps[i].Old >= number })
	return slices.ContainsFunc(steps[i:min(i+2, len(steps))], func(x Step) bool {
		return x.Old == number && x.Op() == sass.OpBSYNC && x.Barrier() == announces.Barrier()
	})
}

// Capsule returns the capsule of the new code. If nothing moved, that is the data of c itself.
func (m Map) Capsule(c *capsule.Capsule, steps []Step, at capsule.Place) ([]byte, error) {
	if !m.Moved() && !slices.ContainsFunc(steps, func(x Step) bool { return x.Replaced }) {
		return c.Edited(nil), nil
	}
	edits := make(map[int]capsule.Edit) // changed Mercury instructions, by number
	total := 0                          // number of machine instructions
	for number, x := range c.Instructions() {
		e := capsule.Edit{}
		for len(steps) > 0 && steps[0].Spacing && steps[0].Old <= x.First {
			e.Before++
			steps = steps[1:]
		}
		for len(steps) > 0 && steps[0].Old < x.First+x.Count {
			e.Count++
			e.Last, e.Replaced = steps[0].Instr, e.Replaced || steps[0].Replaced
			steps = steps[1:]
		}
		if x.Count > 0 && x.First+x.Count == c.Machine() { // the branch to itself and the padding
			e.Count = int((m.after - m.Offset(uint64(x.First)*machine.Size)) / machine.Size)
		}
		total += e.Before + e.Count
		if x.Keeps(e) && e.Before == 0 {
			continue
		}
		if msg, value := x.Problem(e); msg != "" {
			return nil, at.Fail(x.At, msg, value)
		}
		edits[number] = e
	}
	if uint64(total)*machine.Size != m.after {
		return nil, at.Fail(0, "capsule whose padding is not all in its last instruction", total)
	}
	return c.Edited(edits), nil
}

// Flow returns the control flow of steps, or the zero flow if it is not known. m is the map of
// steps.
func (m Map) Flow(steps []Step, targets map[uint64][]uint64) cfg.Flow {
	list, err := m.Instructions(steps, capsule.Place{})
	if err != nil {
		return cfg.Flow{}
	}
	f, _ := cfg.FlowOf(list, cfg.ByInstruction(m.Targets(targets)))
	return f
}

// Targets returns the targets of indirect branches in the new code. old holds those in the old
// code.
func (m Map) Targets(old map[uint64][]uint64) map[uint64][]uint64 {
	moved := make(map[uint64][]uint64, len(old))
	for at, list := range old {
		for _, to := range list {
			moved[m.own(at)] = append(moved[m.own(at)], m.Offset(to))
		}
	}
	return moved
}
