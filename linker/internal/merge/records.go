package merge

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/trace"
)

// The functions in this file merge records that refer to symbols by index: attributes, relocations, the call
// graph and prototypes. nvlink adds most of them to the front of one list. The output therefore has the records
// of the last input first, and those of each input in reverse order (INFO-201, RELOC-201).

// mergeModuleInfo merges the records of section i. That is .nv.info, or its copy in the Mercury half if the
// output has one. It drops the records of functions whose code was discarded. It also drops MAX_STACK_SIZE,
// which the linker computes (INFO-202).
func (in *merger) mergeModuleInfo(i uint32) {
	in.records = in.object.Attributes(i, in.records)
	for _, r := range in.records {
		if r.Code == nvinfo.Error || in.joinsMemory(r) {
			continue
		}
		if index, ok := r.Symbol(); ok && int(index) >= len(in.object.Symbols) {
			continue // of the Mercury half alone (E-780)
		}
		if r.Code == nvinfo.MaxStackSize && in.ordersSymbols() && in.Target.Profile.Merge.MisnamesStacks {
			known := false
			if r, known = in.renumberedStack(r); !known {
				continue
			}
		}
		if r.Code == nvinfo.MaxStackSize && !in.Options.Relocatable {
			if fn := in.linkedCode(r); fn != nil {
				fn.MaxStack = r.Word(1) // STACK-004
			}
			continue
		}
		if r.Code == nvinfo.MinStackSize && r.Word(1) == unknownStack && !in.Options.Relocatable {
			if fn := in.linkedCode(r); fn != nil {
				fn.StackUnknown = true // STACK-880
			}
			continue
		}
		index, ok := r.Symbol()
		if ok && in.isDropped(&in.object.Symbols[index]) {
			continue
		}
		a := in.NewAttribute(program.Attribute{Record: r, SymbolOf: in.describes})
		if ok {
			if y := in.symbolOf[index]; y != nil {
				a.Owner = y.Fn
			}
			if a.Owner != nil {
				a.Owner.Described = append(a.Owner.Described, a)
			}
		}
		in.Attributes.Push(a)
	}
}

// unknownStack is the MIN_STACK_SIZE of code whose compiler cannot tell how much it needs.
const unknownStack = math.MaxUint32

// linkedCode returns the function that record r describes, or nil if the input's copy of it is discarded.
func (in *merger) linkedCode(r nvinfo.Record) *program.Function {
	index, ok := r.Symbol()
	if !ok || in.symbolOf[index] == nil || in.isLost(&in.object.Symbols[index]) {
		return nil
	}
	return in.symbolOf[index].Fn
}

// mergeFunctionInfo merges the records of .nv.info.<function>.
func (in *merger) mergeFunctionInfo(s *cubin.Section) {
	in.checkAPI(s)
	fn, _ := in.ownerOf(s)
	if fn == nil {
		return
	}
	fn.InfoOrder = in.described
	in.described++
	if fn.InfoSec == nil {
		in.addInfo(fn)
	}
	if fn.Text.Size == 0 {
		return // MERGE-311
	}
	records := in.object.Attributes(s.Index, nil)
	for _, r := range records {
		if !in.tensor.Add(r.TensorGeneration()) { // INFO-053
			in.log.Report(diag.OldTensorMemory, in.object.Name)
		}
	}
	if !in.HasMercury() {
		records = slices.DeleteFunc(records, in.joinsMemory)
	}
	in.pushAttributes(&fn.Attributes, records)
}

// checkAPI compares the driver interface that a function needs with -cuda-api-version (OPT-025). Discarded weak
// code is not checked. The second of two strong definitions is.
func (in *merger) checkAPI(s *cubin.Section) {
	newest := in.Options.MaxAPI
	if newest == 0 {
		return
	}
	if _, lost := in.ownerOf(s); lost {
		code := in.object.File.Sections[s.Info].CodeSymbol()
		if int(code) >= len(in.object.Symbols) || in.object.Symbols[code].Bind == cubin.BindWeak {
			return
		}
	}
	for _, r := range in.object.Attributes(s.Index, nil) {
		if r.Code == nvinfo.CudaAPIVersion && r.Word(0) > newest {
			in.log.Report(diag.NewerThanOption, in.object.Name, int32(r.Word(0)), int32(newest))
		}
	}
}

// pushAttributes adds records of the input to the attributes of a function.
func (in *merger) pushAttributes(to *program.Attributes, records []nvinfo.Record) {
	records = in.misnamed(records)
	if in.object.Unmap != nil {
		in.pushed = append(in.pushed, records)
	}
	to.Push(records, in.describes)
}

// joinsMemory reports whether r belongs into a single record for the whole file. If so, it merges r into that
// record (KIT-130).
func (in *merger) joinsMemory(r nvinfo.Record) bool {
	if r.Code != nvinfo.MinCTAMemory || !in.Target.Profile.Merge.JoinsMinMemory || in.Options.Relocatable {
		return false
	}
	in.MinMemory = max(in.MinMemory, r.Word(0))
	return true
}

// mergeRelocations merges the relocations of one section.
func (in *merger) mergeRelocations(s *cubin.Section) {
	if int(s.Info) >= len(in.places) {
		return // notes are not mistaken for relocations
	}
	p := in.places[s.Info]
	if p.section == nil {
		in.traceRelocated(s.Info)
		return
	}
	about := &in.object.File.Sections[s.Info]
	lost, frames := disjoint(in.duplicatesIn(p)), in.framePairs(s.Info)
	relocations := in.object.Relocations(s.Index)
	if !in.HasMercury() && !in.limits {
		relocations = relocations.Stated() // no finalizer has made the plain half of this input again (MERC-780)
	}
	room := relocations.Len()
	if len(p.side.Relocations) == 0 {
		room = max(room, in.relocations[about.Name])
	}
	p.side.Relocations = slices.Grow(p.side.Relocations, room)
	names := relocationNames{merger: in, place: p, name: about.Name, rela: s.Type != cubin.SectionRel, first: true}
	for i := range relocations.Len() {
		r, missing := relocations.At(i)
		offset := p.base + r.Offset
		if lost.has(offset) {
			in.Options.TraceStep(trace.RemovesLaterWeakRelocation, r.Symbol)
			continue
		}
		if fault := in.faultOf(s, r, missing); fault != "" {
			in.stop(fault)
			return
		}
		y := &in.object.Symbols[r.Symbol]
		if in.leavesOut(y, p) {
			continue
		}
		bias := in.biasOf(y, p)
		symbol := in.relocationSymbol(y)
		if symbol != nil && symbol.Fn != nil && reloc.IsDescriptor(r.Type) {
			symbol.Fn.IsTaken = true // RELOC-020
		}
		rela := names.rela || bias != 0 // nvlink adds it to the addend, which the entry lacks, and ignores the bytes (RELOC-033)
		names.note(r.Addend+int64(bias), rela)
		if about.Size == 0 {
			continue // MERGE-311
		}
		addend := r.Addend
		if frames != nil && y.Section == s.Info {
			addend = frames.Plain(addend)
		}
		p.side.Relocations = append(p.side.Relocations, program.Relocation{
			Offset: offset, Type: r.Type, Symbol: symbol, Addend: addend, Rela: rela, Bias: bias,
			Stale: in.HasMercury() && in.isLost(y),
		})
		if symbol != nil && symbol.Shared != nil && p.section.Fn != nil {
			in.UseShared(p.section.Fn, symbol)
		}
	}
}

// leavesOut reports whether a relocation in p against y is dropped without a message. nvlink writes a null
// where constants refer to discarded code (errata), and some releases drop the unwind tables of discarded code.
func (in *merger) leavesOut(y *cubin.Symbol, p place) bool {
	if bank := p.section.Bank; bank != program.NoBank && (bank != cubin.CompilerBankNumber || !in.HasMercury()) && in.isLost(y) {
		return true
	}
	return y.Type == cubin.SymFunc && y.Defined() && int(y.Section) < len(in.places) && in.places[y.Section].state == dropped &&
		isUnwind(p.section.Name) && in.Target.Profile.Merge.RemovesUnwinds
}

// biasOf returns a value to add to a relocation in p against y. If y is a section symbol, that is the offset of
// the input's part in the section. Otherwise it is 0.
func (in *merger) biasOf(y *cubin.Symbol, p place) uint64 {
	if y.Type != cubin.SymSection || int(y.Section) >= len(in.places) {
		return 0
	}
	return in.places[in.sectionOf(y, p)].base
}

// relocationNames tracks the names of relocation sections that have to be registered for the relocations of one
// section of the input.
type relocationNames struct {
	*merger
	place
	name  string // of the section that they patch
	rela  bool   // the input's section is a .rela section
	first bool   // no entry yet
	again bool   // one entry
	moved bool   // an entry of a .rel section has received an addend
}

// note registers the name of the relocation section for an entry with this addend in the output. rela reports whether it
// has one there.
func (n *relocationNames) note(addend int64, rela bool) {
	if n.first || n.again && n.rela && addend == 0 {
		n.nameRelocations(n.place, n.name, n.rela, n.first)
		n.first, n.again = false, n.first
	}
	if rela && !n.rela && !n.moved {
		n.nameRelocations(n.place, n.name, true, true)
		n.moved = true
	}
}

// faultOf returns why a relocation of section s stops the link, or an empty string. missing is set if its
// symbol is beyond the end of the table.
func (in *merger) faultOf(s *cubin.Section, r cubin.Relocation, missing bool) string {
	profile := in.Target.Profile
	plain := !in.HasMercury() && (s.Type == cubin.SectionRel || s.Type == cubin.SectionRela)
	if plain && missing && profile.Accept.RefusesMissing { // KIT-097
		return "symbol overflow"
	}
	if !profile.Accept.RefusesUnknown { // KIT-098
		return ""
	}
	switch { // the name of an unknown type is created: it is looked up where it matters
	case plain:
		if t, _ := reloc.Lookup(r.Type); t.Use == reloc.Last {
			return "sass rtype out of range"
		}
	case s.Type == cubin.SectionMercRela:
		if _, known := reloc.LookupMercury(r.Type); !known {
			return "internal error"
		}
	}
	return ""
}

// traceRelocated traces that the relocations of section i are dropped. It does nothing unless the section is
// the code of a discarded weak function.
func (in *merger) traceRelocated(i uint32) {
	if in.Options.Trace == nil {
		return
	}
	for k := range in.object.Symbols {
		if y := &in.object.Symbols[k]; y.Type == cubin.SymFunc && y.Section == i && y.Bind == cubin.BindWeak && in.isDropped(y) {
			in.Options.TraceStep(trace.WeakRelocated, k)
		}
	}
}

// relocationSymbol returns the symbol in the link for a relocation against y. For an alias it is the symbol of
// the function that has the code. For a symbol without type, which nvlink ignores, it is the null symbol
// (RELOC-004). It is nil for a symbol that is not part of the link.
func (in *merger) relocationSymbol(y *cubin.Symbol) *program.Symbol {
	symbol := in.symbolOf[y.Index]
	switch {
	case cubin.IsLabel(y), symbol == nil && in.saysNothing(y):
		return in.Null
	case y.Section == cubin.ShnAbs:
		return in.Absolute
	case symbol == nil && y.Type == cubin.SymSection && int(y.Section) < len(in.object.File.Sections):
		return in.sharedSectionSymbol(&in.object.File.Sections[y.Section])
	}
	return symbol
}

// sharedSectionSymbol returns the symbol of a section of shared memory, or nil for other sections. Such a
// section is not placed in the link; only its variables are.
func (in *merger) sharedSectionSymbol(s *cubin.Section) *program.Symbol {
	if s.Type != cubin.SectionShared {
		return nil
	}
	if fn, _ := in.ownerOf(s); fn != nil && fn.Shared != nil {
		return fn.Shared.Symbol
	}
	if module := in.ByName[s.Name]; module != nil {
		return module.Symbol
	}
	return nil
}

// isLost reports whether y is a definition of the input that was discarded in favour of an earlier one.
func (in *merger) isLost(y *cubin.Symbol) bool {
	return in.lost[y.Index] || y.Type == cubin.SymFunc && in.isDropped(y)
}

// framePairs returns the entries of .debug_frame in both halves of the input if section i is the plain
// .debug_frame. Otherwise it returns nil. The addends of the plain section's relocations refer to the Mercury
// half.
func (in *merger) framePairs(i uint32) *object.FramePairs {
	if !in.HasMercury() || in.object.File.Sections[i].Name != cubin.DebugFrameName {
		return nil
	}
	k, ok := in.object.Mercury.CopyOf(i)
	if !ok {
		return nil
	}
	return object.PairFrames(in.object.Data(i), in.object.Data(k))
}

// nameRelocations registers the name of a relocation section when its first entry is merged. A second call
// registers the name of the .rel section too: it is for an entry without an addend in a .rela section
// (EMIT-004). Relocations of jump tables never become sections, and have no name.
func (in *merger) nameRelocations(p place, name string, rela, first bool) {
	target := p.section
	if in.HasMercury() {
		if !p.inMercury() {
			return // the Mercury side registers it
		}
		in.RegisterMercury(target)
		name = target.Name
	}
	switch {
	case target.Bank == cubin.CompilerBankNumber && !in.HasMercury():
	case first:
		in.RegisterRelocations(target, name, rela, in.InfoLink())
		if !rela && in.Options.ForceRela {
			in.RegisterRelocations(target, name, true, in.InfoLink()) // RELOC-026
		}
		if in.Options.PreserveRelocs {
			in.RegisterResolved(target)
		}
	case !first && in.Target.Profile.Emit.NamesUnusedRel:
		in.RegisterRelocations(target, name, false, in.InfoLink())
	}
}

// duplicatesIn returns the places of the discarded variable definitions of the input in the section at p. The Mercury half
// has relocations for the same section. Those of constants are none: their relocations stay (MERGE-011).
func (in *merger) duplicatesIn(p place) (list []program.Span) {
	if p.section.Bank != program.NoBank {
		return nil
	}
	for i, spans := range in.duplicates {
		q := in.places[i]
		if q.section != p.section {
			continue
		}
		for _, s := range spans {
			list = append(list, program.Span{From: q.base + s.From, To: q.base + s.To})
		}
	}
	return list
}

// spans are disjoint and in ascending order.
type spans []program.Span

// disjoint joins overlapping and adjacent spans.
func disjoint(all []program.Span) spans {
	if len(all) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b program.Span) int { return cmp.Compare(a.From, b.From) })
	var joined spans
	for _, next := range sorted {
		if last := len(joined) - 1; last >= 0 && next.From <= joined[last].To {
			joined[last].To = max(joined[last].To, next.To)
		} else {
			joined = append(joined, next)
		}
	}
	return joined
}

// has reports whether a span contains offset.
func (s spans) has(offset uint64) bool {
	i, _ := slices.BinarySearchFunc(s, offset, func(d program.Span, at uint64) int {
		if d.To <= at {
			return -1
		}
		return 1
	})
	return i < len(s) && s[i].From <= offset
}

// mergeCallGraph merges the records of .nv.callgraph, including duplicates (REACH-001).
func (in *merger) mergeCallGraph(data []byte) {
	group := uint32(0)
	for ; len(data) >= 8; data = data[8:] {
		index, word := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if index == 0 {
			group = word
			continue
		}
		if !cubin.IsCallGroup(group) {
			continue
		}
		y := &in.object.Symbols[index]
		if in.symbolOf[index] == nil || in.symbolOf[index].Fn == nil {
			continue
		}
		fn := in.symbolOf[index].Fn
		if in.isDropped(y) {
			// Records of a discarded definition are ignored, with one exception: the address of a kernel counts
			// as taken (REACH-001). If the definition conflicts with an earlier one, its prototype counts too
			// (MERGE-033).
			fn.IsTaken = fn.IsTaken || fn.Entry && group == cubin.CallsTaken
			if group == cubin.CallsTaken && in.conflicting[y.Section] {
				if s, ok := in.prototypeString(word); ok {
					fn.Prototype = s
				}
			}
			continue
		}
		switch group {
		case cubin.CallsDirect, cubin.TakesAddress:
			if int(word) >= len(in.symbolOf) || in.symbolOf[word] == nil || in.symbolOf[word].Fn == nil {
				continue
			}
			callee := in.symbolOf[word].Fn
			if group == cubin.CallsDirect {
				fn.Calls.Push(callee)
			} else {
				fn.Taken.Push(callee)
				callee.IsTaken = true
			}
		case cubin.CallsTaken:
			if s, ok := in.prototypeString(word); ok { // MERGE-033
				fn.Prototype, fn.TakenAs = s, s
			}
		case cubin.CallsIndirect:
			if s, ok := in.prototypeString(word); ok {
				fn.CallsVia.Push(*s)
			}
		}
	}
}

// isDropped reports whether y is a function of the input whose code was discarded.
func (in *merger) isDropped(y *cubin.Symbol) bool {
	if prevails, ok := in.inner[y.Index]; ok {
		return !prevails
	}
	return y.Defined() && int(y.Section) < len(in.places) && in.places[y.Section].state == dropped
}

// prototypeString reads a prototype and registers it. Prototypes are the first strings in .strtab, in the order
// of their registration (EMIT-005).
func (in *merger) prototypeString(offset uint32) (*string, bool) {
	s, err := in.object.File.String(in.object.Strtab, offset)
	if err != nil {
		return nil, false
	}
	known := in.prototypes[s]
	if known == nil {
		known = new(string)
		*known = s
		in.prototypes[s] = known
		in.PrototypeStrings = append(in.PrototypeStrings, s)
		in.Mention(s)
	}
	return known, true
}

// mergePrototypes merges .nv.prototype. The prototype of the last input prevails (REACH-002). A prototype for a
// symbol that is data in the program stops the link (MERGE-044, MERGE-971).
func (in *merger) mergePrototypes(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		symbol := in.symbolOf[binary.LittleEndian.Uint32(data)]
		s, ok := in.prototypeString(binary.LittleEndian.Uint32(data[4:]))
		if !ok || symbol == nil {
			continue
		}
		fn := symbol.Fn
		if fn == nil && symbol.Section != nil && symbol.Section.Group == program.GroupText {
			continue // it is inside a function (MERGE-026)
		}
		if fn = cmp.Or(fn, in.numbered(symbol)); fn == nil {
			in.stop("no callgraph node")
			return
		}
		in.checkPrototype(fn, symbol, *s)
		fn.Prototype = s
	}
}

// numbered returns the function to which nvlink gives the prototype of a variable. nvlink uses the alignment of a shared
// or common variable as the number of a function, in the order of their creation (MERGE-971).
func (in *merger) numbered(variable *program.Symbol) *program.Function {
	number := uint64(0)
	switch o := variable.Shared; {
	case variable.Common:
		number = variable.Value
	case o != nil && variable.Section != nil:
		number = o.Align
	}
	if number == 0 || number > uint64(len(in.Functions)) {
		return nil
	}
	return in.Functions[number-1]
}

// checkPrototype compares the prototype in a record of .nv.prototype with that of the previous record, which
// may be one of .nv.callgraph (MERGE-033). For driver functions, the text after a bar may differ, because
// compilers before 12.8 omit it (KIT-196). y has the name in the record.
func (in *merger) checkPrototype(fn *program.Function, y *program.Symbol, s string) {
	if fn.Prototype == nil {
		return
	}
	had := *fn.Prototype
	if in.Target.Profile.Merge.ComparesDriverPrototypes && program.ProvidedByDriver(y.Name) {
		had, _, _ = strings.Cut(had, "|")
		s, _, _ = strings.Cut(s, "|")
	}
	if had != s {
		first := cmp.Or(y.DefinedIn, y.Mentioned)
		if y.Fn != nil {
			first = cmp.Or(fn.FirstIn, first)
		}
		in.log.Report(diag.PrototypeMismatch, y.Name, in.object.Name, first)
	}
}

// mergeCompat merges the records of .nv.compat (INFO-230), and warns if they are missing (INFO-012), even for a target
// whose output has no such records.
func (in *merger) mergeCompat(records []nvinfo.Record) {
	if in.Compat == nil {
		in.warnOfMissing(nvinfo.NewCompatMerger(in.Target).Add(records))
		return
	}
	for _, r := range records {
		if int(r.Code) >= len(nvinfo.Compats) {
			in.Options.TraceStep(trace.UnknownCompat, int(r.Code), r.Value)
		}
	}
	in.AddCompat()
	in.warnOfMissing(in.Compat.Add(records))
}

// warnOfMissing warns of required records that the input lacks.
func (in *merger) warnOfMissing(codes []nvinfo.Code) {
	for _, code := range codes {
		in.log.Report(diag.MissingCompat, in.Target.Number, nvinfo.Compats[code].Name, in.object.Name)
	}
}
