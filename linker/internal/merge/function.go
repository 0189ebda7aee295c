package merge

import (
	"cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// Functions are merged first. If several inputs define a name, it is one function. A strong definition replaces a
// weak one. Of two weak definitions the one with fewer registers prevails. If these are equal, the one for the
// newer virtual architecture prevails, and then the first one (seed 004 "Weak resolution"; MERGE-020).

// mergeFunctions creates the function symbols of the input, in symbol order.
func (in *merger) mergeFunctions() {
	for _, i := range in.order {
		y := &in.object.Symbols[i]
		if in.stopped {
			return
		}
		if y.Type != cubin.SymFunc {
			continue
		}
		owner := in.ownerOfCode(y)
		isAlias := owner != nil && y.Bind != cubin.BindLocal && !owner.IsEntry()
		if isAlias && in.conflicts(y) { // reported where it is, which may be before its function
			continue
		}
		if owner != nil {
			in.mergeOwner(y, owner)
		} else if in.kindAgain[i] {
			in.reportKind(y)
		}
		if in.stopped {
			return
		}
		switch {
		case owner != nil && (y.Bind == cubin.BindLocal || owner.IsEntry()):
			in.symbolOf[i] = in.mergeInner(y, owner)
		case owner != nil && in.places[y.Section].state == unplaced: // MERGE-310
			missing := *y
			missing.Section = cubin.ShnUndef
			in.mergeFunction(&missing)
		case isAlias && !in.overlayAlias(y, owner):
			return
		default:
			in.mergeFunction(y)
		}
	}
	if !in.stopped {
		in.findWinners()
	}
}

// mergeOwner merges the function whose code contains y, if its own turn has not come yet. If no earlier input names y, and
// the function is a kernel in the program and not in the input, or the other way around, nvlink reports that again when its
// turn comes (MERGE-972).
func (in *merger) mergeOwner(y, owner *cubin.Symbol) {
	again := in.symbolOf[owner.Index] == nil && in.known(y) == nil
	in.mergeFunction(owner)
	if known := in.symbolOf[owner.Index]; again && known != nil && claimSoFar(known).entry != owner.IsEntry() {
		if in.kindAgain == nil {
			in.kindAgain = map[uint32]bool{}
		}
		in.kindAgain[owner.Index] = true
	}
}

// mergeFunction merges one function of the input, once.
func (in *merger) mergeFunction(y *cubin.Symbol) {
	if in.symbolOf[y.Index] != nil {
		if y.Bind == cubin.BindWeak {
			in.Options.TraceStep(trace.WeakDone, y.Name)
		}
		return
	}
	if in.conflicts(y) {
		return
	}
	fn := in.functionFor(y)
	in.symbolOf[y.Index] = fn.Symbol
	switch {
	case !y.Defined():
	case fn.Symbol.Section == nil, fn.Inside() != nil && fn.Symbol.Alias == nil && fn.Symbol.Bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		in.define(fn, y)
	default:
		in.redefine(fn, y)
	}
}

// conflicts reports whether a function of the input conflicts with the claims of earlier inputs about its name
// (MERGE-030).
func (in *merger) conflicts(y *cubin.Symbol) bool {
	if in.symbolOf[y.Index] != nil {
		return false
	}
	known := in.known(y)
	if known == nil {
		return in.conflictsWithLocal(y)
	}
	if in.agrees(known, y) {
		return false
	}
	in.symbolOf[y.Index] = known
	in.discardCode(y)
	in.overlayConstants(known, y)
	return true
}

// discardCode marks the code of y, which conflicts with an earlier claim, as discarded (MERGE-381).
func (in *merger) discardCode(y *cubin.Symbol) {
	sections := in.object.File.Sections
	if int(y.Section) < len(sections) && sections[y.Section].CodeSymbol() == y.Index && in.places[y.Section].state == unplaced {
		in.places[y.Section] = place{state: dropped}
		if in.conflicting == nil {
			in.conflicting = map[uint32]bool{}
		}
		in.conflicting[y.Section] = true
	}
}

// conflictsWithLocal reports whether a function is a kernel and the first symbol of its name is not, or the other
// way around. That symbol is a local one of an earlier input, and need not be a function (MERGE-380).
func (in *merger) conflictsWithLocal(y *cubin.Symbol) bool {
	first := in.firstLocals[y.Name]
	if first == nil || y.Bind == cubin.BindLocal || (first.Fn != nil && first.Fn.Entry) == y.IsEntry() {
		return false
	}
	in.reportKind(y)
	return true
}

// functionFor finds or creates the function for y. Local and weak functions are added to the list of local
// symbols, others to the global one (EMIT-010).
func (in *merger) functionFor(y *cubin.Symbol) *program.Function {
	if known := in.known(y); known != nil && known.Fn != nil {
		return known.Fn
	}
	if !y.Defined() && !y.IsEntry() {
		in.addNameless()
	}
	symbol := in.NewSymbol(program.Symbol{Name: y.Name, Bind: y.Bind, Size: y.Size, Mentioned: in.object.Name, Input: y.Other})
	in.setOther(symbol, y)
	if in.Options.Relocatable && !y.Defined() {
		symbol.Value = y.Value // MERGE-981
	}
	fn := in.NewFunction(symbol)
	fn.Entry = y.IsEntry()
	in.add(symbol)
	return fn
}

// addNameless adds a function without a name. In each input this function precedes the first undefined function to
// which no earlier input refers. Records without a symbol refer to it (KIT-075).
func (in *merger) addNameless() {
	if in.symbolOf[0] != nil || !in.Target.Profile.Merge.AddsNameless {
		return
	}
	symbol := in.NewSymbol(program.Symbol{Name: in.nameOfNone(), Type: cubin.SymFunc})
	in.hasNameless = in.hasNameless || symbol.Name == ""
	in.NewFunction(symbol)
	in.symbolOf[0] = symbol
	in.List(symbol)
}

// entriesNumber is the number of the local symbol of .nv.uft.entry. No output has this symbol.
const entriesNumber = 5

// nameOfNone returns the name of the function that has none. It is usually empty. An earlier input may have calls
// with an empty prototype that no unnamed function precedes. nvlink then uses the prototype's offset in .strtab as
// the number of a local symbol, and the function gets that symbol's name (KIT-172).
func (in *merger) nameOfNone() string {
	if in.prototypes[""] == nil || in.hasNameless {
		return ""
	}
	number := 1
	for _, s := range in.PrototypeStrings {
		if s == "" {
			break
		}
		number += len(s) + 1
	}
	switch {
	case number == entriesNumber:
		return ".nv.uft.entry"
	case number > entriesNumber:
		number--
	}
	if number > len(in.Locals) {
		return ""
	}
	return in.Locals[number-1].Name
}

// define makes the code of the input the code of fn. It also creates the sections for a kernel's attributes and
// shared memory, even if they stay empty (MERGE-002). If a kernel is not a root so far, they are created only if
// an earlier input takes its address (REACH-033), and not even then in a release that leaves such kernels out (KIT-682).
func (in *merger) define(fn *program.Function, y *cubin.Symbol) {
	s := &in.object.File.Sections[y.Section]
	if in.places[y.Section].state == placed { // a second name for placed code: an alias
		in.defineAlias(fn, y)
		return
	}
	declared := uint64(0)
	if fn.Undefined() {
		declared = fn.Symbol.Value
	}
	in.takeSymbol(fn, y)
	fn.Symbol.Value = cmp.Or(fn.Symbol.Value, declared) // MERGE-981
	fn.Symbol.Mentioned = in.object.Name                // messages ignore earlier references (MERGE-382)
	if fn.Symbol.Input&cubin.OtherManaged == 0 {        // earlier references do not determine this flag (LAYOUT-116)
		fn.Symbol.Other &^= cubin.OtherManaged
		fn.Symbol.MercuryOther &^= cubin.OtherManaged
	}
	text := in.NewSection(program.Section{
		Side: program.Side{Name: cubin.CodePrefix + fn.Symbol.Name, Type: cubin.SectionProgBits, Flags: cubin.FlagAlloc | cubin.FlagExec, Align: s.AddrAlign},
		Bank: program.NoBank, Fn: fn, Group: program.GroupText, State: program.Kept, Linked: true,
	})
	if s.Type == cubin.SectionUFT { // LAYOUT-115
		text.Name, text.Type, text.EntSize = s.Name, s.Type, s.EntSize
	}
	fn.Text = text
	fn.Symbol.Section = text
	fn.FirstWhole = in.object.Extensible()
	in.takeCode(fn, y)
	in.AddSection(text)
	in.ByName[text.Name] = text // MERGE-312
	if fn.Entry {
		isTaken := (fn.IsTaken || fn.TakenAs != nil) && !in.Target.Profile.Reach.LeavesOutTaken // KIT-682
		prepared := isTaken || in.SelectsAtFirst(fn) || in.Options.DebugSymbols()
		if prepared { // otherwise it is created with an attribute
			in.addInfo(fn)
		}
		fn.Shared = in.NewSection(program.Section{
			Side: program.Side{
				Name: cubin.EntrySharedPrefix + fn.Symbol.Name, Type: cubin.SectionShared,
				Flags: in.InfoLink() | cubin.FlagAlloc | cubin.FlagWrite, Align: 1,
			},
			Bank: program.NoBank, Fn: fn, Target: text, Group: program.GroupNoBits, NoBits: true,
		})
		if prepared { // otherwise it is created with a variable
			in.AddSection(fn.Shared)
		}
		fn.Bind(fn.Shared)
	}
}

// addInfo creates the section for the attributes of fn.
func (in *merger) addInfo(fn *program.Function) {
	fn.InfoSec = in.AddNewSection(program.Section{
		Side: program.Side{Name: ".nv.info." + fn.Symbol.Name, Type: cubin.SectionInfo, Flags: in.InfoLink(), Align: 4},
		Bank: program.NoBank, Fn: fn, Target: fn.Text, Group: program.GroupInfo, Linked: true,
	})
}

// ownerOfCode returns the function whose code contains y, or nil if y has its own code. y is inside other code if
// it is an alias, or if the compiler has put one function into another (nvcc -ewp). A code section refers to the
// function that it belongs to.
func (in *merger) ownerOfCode(y *cubin.Symbol) *cubin.Symbol {
	if y.IsEntry() || !y.Defined() || int(y.Section) >= len(in.object.File.Sections) {
		return nil
	}
	index := in.object.File.Sections[y.Section].CodeSymbol()
	if index == y.Index || int(index) >= len(in.object.Symbols) {
		return nil
	}
	owner := in.object.Symbols[index]
	owner.Type = cubin.SymFunc
	if int(owner.Section) >= len(in.object.File.Sections) {
		owner.Section = cubin.ShnUndef
	}
	return &owner
}

// mergeInner merges a local function inside another function's code, or any function inside a kernel's code. Such a
// function has a symbol, calls and attributes, but no section. It is in the code of the outer function that prevails,
// whichever copy its input has. Of two weak definitions the first prevails, also if it has its own code (MERGE-026).
func (in *merger) mergeInner(y, outer *cubin.Symbol) *program.Symbol {
	if in.conflicts(y) {
		return in.symbolOf[y.Index]
	}
	code := in.symbolOf[outer.Index]
	if code == nil || code.Section == nil || code.Section.Fn == nil {
		return nil
	}
	fn := in.functionFor(y)
	if old := fn.Symbol; old.Section != nil && (old.Bind != cubin.BindWeak || y.Bind == cubin.BindWeak) {
		in.setInner(y, false)
		return old
	}
	in.setInner(y, true)
	in.takeSymbol(fn, y)
	fn.Symbol.Section = code.Section
	return fn.Symbol
}

// setInner records that y is a function inside another one, and whether its definition prevails.
func (in *merger) setInner(y *cubin.Symbol, prevails bool) {
	if in.inner == nil {
		in.inner = map[uint32]bool{}
	}
	in.inner[y.Index] = prevails
}

// takeSymbol copies the properties of y to the symbol of fn.
func (in *merger) takeSymbol(fn *program.Function, y *cubin.Symbol) {
	fn.Symbol.Bind, fn.Symbol.Value, fn.Symbol.Size = y.Bind, y.Value, y.Size
	in.setOther(fn.Symbol, y)
	if y.IsInternal() {
		in.hide(fn.Symbol)
	}
	fn.Symbol.DefinedIn = in.object.Name
	if fn.FirstIn == "" {
		fn.FirstIn, fn.Virtual = in.object.Name, in.object.Origin.Virtual
	}
	fn.Entry = y.IsEntry()
}

// takeCode replaces the code of fn by the code of the input.
func (in *merger) takeCode(fn *program.Function, y *cubin.Symbol) {
	fn.SlotStart = in.slotStart()
	s := &in.object.File.Sections[y.Section]
	fn.RegInfo = s.CodeRegisters()
	fn.MadeFor = in.Target.Profile.Current(in.object.File.SM())
	fn.Finalized = in.limits
	fn.Extensible = in.object.Extensible()
	fn.RegCount, fn.Counted = in.object.Registers(y)
	fn.Barriers = uint16(s.Flags & cubin.FlagBarriers >> cubin.BarriersShift)
	fn.Text.Reset()
	code := in.object.Data(y.Section)
	in.keep(&fn.Text.Side, len(code))
	fn.Text.Add(program.Piece{Origin: in.object.Name, Size: s.Size, Data: code})
	fn.Text.Size = s.Size
	fn.Text.Relocations = nil
	if in.object.IsCode(s) {
		in.places[y.Section] = place{placed, fn.Text, &fn.Text.Side, 0}
	}
	fn.Text.ClearMercury()
	in.placeCopy(y.Section, fn.Text)
}

// redefine merges a second definition of fn.
func (in *merger) redefine(fn *program.Function, y *cubin.Symbol) {
	old := fn.Symbol
	if old.Bind == cubin.BindWeak && fn.Text != nil && in.isBetter(fn, y) {
		in.NoteUnused(old, old.DefinedIn)
		in.replace(fn, y)
		return
	}
	in.NoteUnused(old, in.object.Name)
	if in.places[y.Section].state == placed { // a second name for code that stays
		in.setInner(y, false)
		return
	}
	in.places[y.Section] = place{state: dropped}
}

// isBetter reports whether definition y prevails over the existing definition of a weak function. A strong
// definition does. Otherwise the one with fewer registers prevails. If these are equal, the one for a later
// virtual architecture prevails (MERGE-020). A definition without a register count stops the link (MERGE-301).
func (in *merger) isBetter(fn *program.Function, y *cubin.Symbol) bool {
	name := fn.Symbol.Name
	if y.Bind == cubin.BindGlobal {
		in.Options.TraceStep(trace.ReplacesWeak, name)
		return true
	}
	if !in.Target.Profile.Merge.ChoosesByAttribute {
		count := in.object.File.Sections[y.Section].CodeRegisters()
		return count < fn.RegInfo || count == fn.RegInfo && in.object.Origin.Virtual > fn.Virtual
	}
	count, counted := in.object.Registers(y)
	if info := in.object.File.Sections[y.Section].CodeRegisters(); info != 0 {
		count, counted = info, true
	} else if in.Options.Trace != nil { // many definitions get here, and the texts of a step need memory
		in.Options.TraceStep(trace.SeeksNewRegisters, name)
	}
	if !counted {
		in.stop("no such new reg count")
		return false
	}
	oldCount, counted := fn.RegCount, fn.Counted
	if fn.RegInfo != 0 {
		oldCount, counted = fn.RegInfo, true
	} else if in.Options.Trace != nil {
		in.Options.TraceStep(trace.SeeksOldRegisters, name)
	}
	switch {
	case !counted:
		in.stop("no such original reg count")
	case count < oldCount:
		in.Options.TraceStep(trace.ReplacesWeakFewerRegisters, name)
		return true
	case count == oldCount && in.object.Origin.Virtual > fn.Virtual:
		in.Options.TraceStep(trace.ReplacesWeakNewerPTX, name)
		return true
	}
	return false
}

// replace replaces a weak definition with the code of the input. The names and the order of sections stay. Code,
// constants, attributes and relocations are discarded (MERGE-021). Shared variables of the old definition keep
// their space.
func (in *merger) replace(fn *program.Function, y *cubin.Symbol) {
	in.replaceUnwinds(fn)
	fn.ReplacedParameters = lengthOf(fn.Own(cubin.ParameterPrefix))
	for _, s := range fn.Bound.All {
		if s != fn.Shared && !s.HasSlots && (y.Bind == cubin.BindWeak || s.Bank != 0) { // LAYOUT-950
			in.replaceBound(s, fn)
		}
	}
	if fn.Orphan != nil {
		in.replaceBound(fn.Orphan, fn)
		delete(in.Discarded, fn.Orphan)
	}
	if s := fn.Own(cubin.CompilerConstantPrefix); s != nil {
		delete(in.Discarded, s)
		in.Options.TraceStep(trace.RemovesWeakConstants)
	}
	for range fn.Text.Relocations {
		in.Options.TraceStep(trace.RemovesWeakRelocation)
	}
	if c := fn.Text.Mercury; c != nil && len(c.Relocations) > 0 {
		fn.ReplacedCapsule = true
	}
	in.takeSymbol(fn, y)
	if s := fn.Own(cubin.ParameterPrefix); s != nil {
		in.followSlots(fn, s)
	}
	in.takeCode(fn, y)
	for range fn.Attributes.Len() {
		in.Options.TraceStep(trace.RemovesWeakInfo)
	}
	fn.Attributes, fn.MercuryAttributes = nil, nil
	in.ForgetShared(fn)
	for _, a := range fn.Described {
		a.Gone = true
		if a.Code == nvinfo.FrameSize {
			in.Options.TraceStep(trace.RemovesWeakFrameSize)
		}
	}
	fn.Described = nil
}

// replaceBound clears s, a section of fn, because the code of fn is replaced. Up to 13.4 nvlink keeps the
// relocations of the old definition's jump tables (MERC-215, KIT-134).
func (in *merger) replaceBound(s *program.Section, fn *program.Function) {
	var jumps []program.Relocation
	if s.Mercury != nil {
		jumps = s.Mercury.Relocations
		s.LostTables = s.LostTables || len(jumps) > 0 && !s.Orphan
	}
	s.Reset()
	s.ClearMercury()
	if s.Bank == cubin.CompilerBankNumber && s.Mercury != nil && in.Target.Profile.Merge.KeepsDiscardedTables {
		s.Mercury.Relocations = jumps
		s.Mercury.MarkStale(fn.Symbol)
	}
	s.State = program.Gone
}

// defineAlias makes fn a second name of the function that has the code of y. References to the alias refer to that
// function (MERGE-025).
func (in *merger) defineAlias(fn *program.Function, y *cubin.Symbol) {
	in.takeSymbol(fn, y)
	code := in.places[y.Section].section
	fn.Symbol.Section = code
	fn.Symbol.Alias = code.Fn.Symbol
}

// slotStart returns the result of [object.Object.SlotStart] for the input, which it asks once.
func (in *merger) slotStart() uint64 {
	if in.slots == 0 && in.object.HasMercury() {
		in.slots = in.object.SlotStart()
	}
	return in.slots
}
