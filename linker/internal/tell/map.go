package tell

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/memorymap"
	"github.com/culink/culink/linker/nvinfo"
)

// The map shows where everything is. For each memory space it lists the sections of the output, the
// contribution of each input to a section, and the symbols in it. It also shows how much of each
// space each input uses, what kernels need, and the calls. Offsets count from the start of the
// section, because only the driver decides where sections are. All sizes are in bytes (LAYOUT-500).

// Map returns the map of a placed program.
//
// Before the call, every symbol has its value and every section its size, as far as they are known.
// The program does not change. The time is that of sorting the symbols, the pairs of a kernel and a
// shared variable, and the pairs of a kernel and a function that it reaches.
func Map(l *layout.Placed) *memorymap.Map {
	w := &mapper{Placed: l, symbolsIn: map[*program.Section][]*program.Symbol{}, mapOf: newMap(l.Target.SM())}
	w.Relocatable = l.Options.Relocatable
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
	for _, fn := range l.Functions { // aliases, too, are in the code that they name
		if fn.Symbol.Section != nil && !fn.Dead {
			w.symbolsIn[fn.Symbol.Section] = append(w.symbolsIn[fn.Symbol.Section], fn.Symbol)
		}
	}
	for _, s := range l.Sections {
		if s.State == program.Kept && !s.Dead() && s.Size > 0 {
			w.section(s, spaceOf(s.Group == program.GroupText, s.Type, s.Bank != program.NoBank))
		}
	}
	w.functions()
	return w.finish()
}

// spaceOf returns the index of the memory space of a section.
func spaceOf(isCode bool, t cubin.SectionType, isBank bool) int {
	space := memorymap.None
	switch {
	case isCode:
		space = memorymap.Code
	case t == cubin.SectionGlobal, t == cubin.SectionGlobalInit:
		space = memorymap.Global
	case isBank:
		space = memorymap.Constant
	case t == cubin.SectionShared:
		space = memorymap.Shared
	case t == cubin.SectionLocal:
		space = memorymap.Local
	}
	return slices.Index(memorymap.Spaces(), space)
}

// A mapOf is a map under construction.
type mapOf struct {
	*memorymap.Map
	used map[string][]uint64 // bytes by input and space
}

func newMap(target string) mapOf {
	m := mapOf{Map: &memorymap.Map{Format: memorymap.Format, Target: target}, used: map[string][]uint64{}}
	for _, name := range memorymap.Spaces() {
		m.Spaces = append(m.Spaces, memorymap.Space{Name: name})
	}
	return m
}

// count records that an input uses bytes of a space.
func (m *mapOf) count(input string, space int, size uint64) {
	bytes := m.used[input]
	if bytes == nil {
		bytes = make([]uint64, len(m.Spaces))
		m.used[input] = bytes
		m.Inputs = append(m.Inputs, memorymap.Input{Name: input, Bytes: bytes})
	}
	bytes[space] += size
}

// finish sorts the inputs by their first use. The linker itself comes last.
func (m *mapOf) finish() *memorymap.Map {
	own := func(in memorymap.Input) int {
		if in.Name == memorymap.Linker {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(m.Inputs, func(a, b memorymap.Input) int { return own(a) - own(b) })
	return m.Map
}

// MapInputs returns the map of a link that ended before the layout. The map has the contents of the
// inputs, as far as these were read.
func MapInputs(target string, objects []*object.Object) *memorymap.Map {
	m := newMap(target)
	m.Unplaced = true
	for _, o := range objects {
		if o.Unreadable != "" {
			continue
		}
		for i := range o.File.Sections {
			s := &o.File.Sections[i]
			_, isBank := s.ConstantBank()
			space := spaceOf(s.Flags&cubin.FlagExec != 0, s.Type, isBank)
			if m.Spaces[space].Name == memorymap.None || s.Flags&cubin.FlagMercury != 0 {
				continue
			}
			m.Spaces[space].Size += s.Size
			m.count(o.Name, space, s.Size)
		}
		for i := range o.Symbols {
			y := &o.Symbols[i]
			if y.Type != cubin.SymFunc || int(y.Section) >= len(o.File.Sections) || !y.Defined() {
				continue
			}
			registers, _ := o.Registers(y)
			m.Functions = append(m.Functions, memorymap.Function{
				Name: y.Name, Input: o.Name, Kernel: y.IsEntry(),
				Code: o.File.Sections[y.Section].Size, Registers: registers,
			})
		}
	}
	return m.finish()
}

type mapper struct {
	*layout.Placed
	mapOf
	symbolsIn map[*program.Section][]*program.Symbol // variables by place, then functions
}

// section adds a section with its parts, and adds up their sizes. A byte that several shared
// variables occupy counts for the first of them.
func (w *mapper) section(s *program.Section, space int) {
	at := &w.Spaces[space]
	at.Size += s.Size
	out := memorymap.Section{Name: s.Name, Size: s.Size, Align: max(s.Align, 1)}
	parts := w.partsOf(s)
	slices.SortStableFunc(parts, func(a, b program.Piece) int { return cmp.Compare(a.Offset, b.Offset) })
	var byInputs, end uint64
	for _, p := range parts {
		if from, to := max(p.Offset, end), min(p.Offset+p.Size, s.Size); from < to {
			w.count(p.Origin, space, to-from)
			byInputs += to - from
			end = to
		}
		out.Parts = append(out.Parts, memorymap.Part{Offset: p.Offset, Size: p.Size, Input: p.Origin, What: p.What})
	}
	for _, y := range w.symbolsIn[s] {
		out.Symbols = append(out.Symbols, memorymap.Symbol{Offset: y.Value, Size: y.Size, Name: y.Name})
	}
	if gaps := s.Size - byInputs; gaps > 0 {
		w.count(memorymap.Linker, space, gaps)
	}
	at.Sections = append(at.Sections, out)
}

// functions adds the code of the output, with kernels first, and then the needs of kernels and the
// calls.
func (w *mapper) functions() {
	var list []*program.Function
	for _, kernels := range []bool{true, false} {
		for _, fn := range w.Placed.Functions {
			if fn.Text != nil && !fn.Dead && fn.Entry == kernels {
				list = append(list, fn)
			}
		}
	}
	index := map[*program.Function]int{}
	counts, _ := w.RegisterCounts()
	for i, fn := range list {
		index[fn] = i
		w.Map.Functions = append(w.Map.Functions, memorymap.Function{
			Name: fn.Symbol.Name, Input: fn.Symbol.DefinedIn, Kernel: fn.Entry,
			Code: fn.Text.Size, Registers: counts[fn.Order], Frame: w.Stacks.Frames[fn.Order],
		})
	}
	for _, fn := range list {
		if e := w.EntryOf(fn); e != nil {
			w.Map.Kernels = append(w.Map.Kernels, w.kernel(e, counts, index))
		}
	}
	taken := takenFunctions(w.Program)
	for i, fn := range list {
		for _, callee := range callees(w.Program, fn, taken) {
			if to, ok := index[callee]; ok {
				w.Calls = append(w.Calls, [2]int{i, to})
			}
		}
	}
}

func (w *mapper) kernel(e *reach.Entry, counts []uint32, index map[*program.Function]int) memorymap.Kernel {
	k := memorymap.Kernel{Function: index[e.Fn], Registers: registersOf(w.Placed, e), RaisedBy: -1}
	w.Map.Functions[k.Function].Registers = k.Registers
	if s := e.Fn.Shared; s != nil && s.State == program.Kept {
		k.Shared = s.Size
	}
	for _, b := range constantBanks(e.Fn) {
		k.Constants = append(k.Constants, memorymap.Bank{Section: fmt.Sprintf("%s%d", cubin.ConstantPrefix, b.Bank), Size: b.Bytes})
	}
	for a := range e.Fn.Attributes.Pushed() {
		const anyNumber = 255
		if limit, ok := nvinfo.RegisterLimit(a); ok && a.Code == nvinfo.MaxRegCount && limit != anyNumber {
			k.MaxRegisters = limit
		}
	}
	if w.Relocatable { // only the final link knows
		return k
	}
	if raiser := raisedBy(w.Placed, e, counts); raiser != nil {
		if i, ok := index[raiser]; ok {
			k.RaisedBy = i
		}
	}
	if stack := w.Needs(e).Stack; stack != reach.StackUnknown {
		bytes := uint32(stack)
		k.Stack = &bytes
		for _, n := range deepest(w.Placed, e.Fn) {
			if int(n) >= w.Graph.Count {
				continue // a call through a pointer
			}
			if i, ok := index[w.Placed.Functions[n]]; ok {
				k.Deepest = append(k.Deepest, i)
			}
		}
	}
	return k
}

// partsOf returns the parts of a section, both those that the merge recorded and those that the
// layout added.
func (w *mapper) partsOf(s *program.Section) []program.Piece {
	parts := slices.DeleteFunc(slices.Clone(s.Pieces), func(p program.Piece) bool { return p.Origin == "" })
	switch {
	case s.Group == program.GroupText && s.Fn != nil:
		parts = []program.Piece{{Origin: s.Fn.Symbol.DefinedIn, Size: s.Size}}
	case s.Type == cubin.SectionShared:
		parts = w.sharedParts(s)
	case s.Name == cubin.GlobalName:
		var end uint64 // of the parts from merge; commons follow
		for _, p := range s.Pieces {
			end = max(end, p.Offset+p.Size)
		}
		for _, y := range w.symbolsIn[s] {
			if y.Value >= end {
				parts = append(parts, program.Piece{Origin: y.DefinedIn, Offset: y.Value, Size: y.Size, What: "common"})
			}
		}
	case s.HasSlots: // the compiler has placed them (LAYOUT-711)
		for _, r := range s.Relocations {
			if r.IsSlot() {
				parts = append(parts, program.Piece{Origin: memorymap.Linker, Offset: r.Offset, Size: w.SlotSize(r.Symbol), What: "slot of " + r.Symbol.Name})
			}
		}
	case slices.Contains(w.HandleBanks, s):
		for _, y := range w.HandlesByKind() {
			parts = append(parts, program.Piece{Origin: memorymap.Linker, Offset: w.Slots[y], Size: w.SlotSize(y), What: "slot of " + y.Name})
		}
	}
	return parts
}

// sharedParts returns the variables in a section of shared memory. A variable that several kernels
// reach is in the section of each of them, at the same offset. The memory that is reserved for the
// system comes first.
func (w *mapper) sharedParts(s *program.Section) []program.Piece {
	var objects []*program.SharedObject
	var parts []program.Piece
	e := w.KernelOf[s.Fn]
	switch {
	case e != nil:
		objects = slices.Concat(s.Fn.SharedLocals, e.Localised, e.Common)
		if n := w.ReservedShared(); n > 0 && s.Size >= n && !w.Options.Relocatable {
			parts = append(parts, program.Piece{Origin: memorymap.Linker, Size: n, What: "reserved"})
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
			what = memorymap.Common(what)
		}
		parts = append(parts, program.Piece{Origin: o.Symbol.DefinedIn, Offset: sharedOffset(w.Placed, o), Size: o.Size, What: what})
	}
	return parts
}

// sharedOffset returns the offset of a variable in the kernel's section, after the memory that is
// reserved for the system. In a relocatable link, which assigns no addresses, it is 0.
func sharedOffset(l *layout.Placed, o *program.SharedObject) uint64 {
	if l.Options.Relocatable {
		return 0
	}
	return l.ReservedShared() + o.Symbol.Value
}
