package linker

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// Records that refer to symbols by index: attributes, relocations, the call
// graph and prototypes. nvlink pushes most of them to the front of one list, so
// that the last input's come first in the output, each input's reversed
// (INFO-201, RELOC-201).

// mergeModuleInfo takes the records of .nv.info, those of the Mercury half if the output
// has one. Those of functions whose code
// lost are left out, and so is MAX_STACK_SIZE, which the linker computes anew
// (INFO-202).
func (in *merger) mergeModuleInfo(records []nvinfo.Record) {
	for _, r := range records {
		if r.Code == nvinfo.Error {
			continue
		}
		if r.Code == nvinfo.MaxStackSize && !in.options.Relocatable {
			in.limitStack(r)
			continue
		}
		a := &attribute{Record: r, symbolOf: in.describes}
		if index, ok := r.Symbol(); ok {
			if in.isDropped(&in.object.symbols[index]) {
				continue
			}
			if y := in.symbolOf[index]; y != nil {
				a.owner = y.fn
			}
			if a.owner != nil {
				a.owner.described = append(a.owner.described, a)
			}
		}
		in.attributes.push(a)
	}
}

// limitStack notes the most stack that a kernel may need (STACK-004).
func (in *merger) limitStack(r nvinfo.Record) {
	if index, ok := r.Symbol(); ok {
		if y := in.symbolOf[index]; y != nil && y.fn != nil && !in.isLost(&in.object.symbols[index]) {
			y.fn.maxStack = r.Word(1)
		}
	}
}

// mergeFunctionInfo takes the records of .nv.info.<function>.
func (in *merger) mergeFunctionInfo(s *cubin.Section, records []nvinfo.Record) {
	fn, _ := in.ownerOf(s)
	if fn == nil {
		return
	}
	fn.infoOrder = in.nextInfoOrder
	in.nextInfoOrder++
	if fn.infoSec == nil {
		fn.infoSec = in.addSection(&section{
			name: ".nv.info." + fn.symbol.name, typ: cubin.SectionInfo, flags: cubin.FlagInfoLink, align: 4,
			bank: noBank, fn: fn, target: fn.text, group: groupInfo, linked: true,
		})
	}
	if fn.text.size == 0 {
		return // MERGE-311
	}
	for _, r := range records {
		if !in.tensor.Add(r.TensorGeneration()) { // INFO-053
			in.log.Report(diag.OldTensorMemory, in.object.name)
		}
		fn.attributes.push(&attribute{Record: r, symbolOf: in.describes})
	}
}

// mergeRelocations takes the relocations of one section.
func (in *merger) mergeRelocations(s *cubin.Section, relocations []cubin.Relocation) {
	if in.places[s.Info].state != placed {
		in.traceRelocated(s.Info)
		return
	}
	p := in.places[s.Info]
	lost := disjoint(in.duplicates[p.section.plain()])
	rela := s.Type != cubin.SectionRel
	first := true
	for _, r := range relocations {
		offset := p.base + r.Offset
		if lost.has(offset) {
			in.options.trace(removesLaterWeakRelocation, r.Symbol)
			continue
		}
		y := &in.object.symbols[r.Symbol]
		if bank := p.section.plain().bank; bank != noBank && (bank != compilerBankNumber || !in.mercury) && in.isLost(y) {
			continue // nvlink leaves a null there (errata)
		}
		var bias uint64
		if int(y.Section) < len(in.places) {
			target := in.places[y.Section]
			if y.Type == cubin.SymFunc && y.Defined() && target.state == dropped && unwinds[p.section.plain().name] {
				continue
			}
			if y.Type == cubin.SymSection {
				bias = in.places[in.sectionOf(y, p.section)].base
			}
		}
		symbol := in.relocationSymbol(y)
		in.nameRelocations(p.section, in.object.file.Sections[s.Info].Name, rela, first, r.Addend)
		first = false
		if in.object.file.Sections[s.Info].Size == 0 {
			continue // MERGE-311
		}
		p.section.relocations = append(p.section.relocations, relocation{
			offset: offset, typ: r.Type, symbol: symbol, addend: in.plainAddend(s.Info, r), rela: rela, bias: bias,
			stale: in.mercury && in.isLost(y),
		})
		if symbol != nil && symbol.shared != nil && p.section.fn != nil {
			in.useShared(p.section.fn, symbol)
		}
	}
}

// traceRelocated tells of the relocations of section i, which are left out, when it
// is the code of a weak function that lost.
func (in *merger) traceRelocated(i uint32) {
	if in.options.Trace == nil {
		return
	}
	for k := range in.object.symbols {
		if y := &in.object.symbols[k]; y.Type == cubin.SymFunc && y.Section == i && y.Bind == cubin.BindWeak && in.isDropped(y) {
			in.options.trace(weakRelocated, k)
		}
	}
}

// relocationSymbol is the symbol that a relocation against y is against in the
// link: that of an alias's target; the null symbol for one without type, which
// nvlink does not know (RELOC-004); nil for what has no part in the link.
func (in *merger) relocationSymbol(y *cubin.Symbol) *symbol {
	symbol := in.symbolOf[y.Index]
	switch {
	case isLabel(y), symbol == nil && in.saysNothing(y):
		return in.null
	case y.Section == cubin.ShnAbs:
		return in.absolute
	case symbol == nil && y.Type == cubin.SymSection && int(y.Section) < len(in.object.file.Sections):
		return in.sharedSectionSymbol(&in.object.file.Sections[y.Section])
	}
	return symbol
}

// sharedSectionSymbol is the symbol of a section of shared memory, which has no
// place in the link: its variables have. It is nil for other sections.
func (in *merger) sharedSectionSymbol(s *cubin.Section) *symbol {
	if s.Type != cubin.SectionShared {
		return nil
	}
	if fn, _ := in.ownerOf(s); fn != nil && fn.shared != nil {
		return fn.shared.symbol
	}
	if module := in.byName[s.Name]; module != nil {
		return module.symbol
	}
	return nil
}

// isLabel tells whether y is the null symbol, or one that says of itself nothing
// but where it is, or nothing that a cubin can say.
func isLabel(y *cubin.Symbol) bool {
	switch y.Type {
	case cubin.SymObject, cubin.SymFunc, cubin.SymSection, cubin.SymData, cubin.SymTexture, cubin.SymSampler, cubin.SymSurface:
		return y.Index == 0
	case cubin.SymNone:
		return y.Index == 0 || y.Defined()
	}
	return true
}

// unwinds are the debug sections whose relocations against code that lost go; those
// of the others stay, against the code that won (MERGE-013).
var unwinds = map[string]bool{".debug_frame": true, ".debug_line": true, ".nv_debug_line_sass": true}

// isLost tells whether y is a definition of the input that lost against an earlier
// one.
func (in *merger) isLost(y *cubin.Symbol) bool {
	return in.lost[y.Index] || y.Type == cubin.SymFunc && in.isDropped(y)
}

// useShared notes that the code of f names a shared variable.
func (m *merged) useShared(f *function, y *symbol) {
	if f.knownUses == nil {
		f.knownUses = map[*symbol]bool{}
		m.sharedUsers = append(m.sharedUsers, f)
	}
	if !f.knownUses[y] {
		f.knownUses[y] = true
		f.uses = append(f.uses, y)
	}
}

// nameRelocations makes the name of a relocation section known with the first entry
// that counts; an entry without addend after it in a .rela section makes the name of
// the .rel section known too (EMIT-004). Relocations of jump tables never become
// sections, and have no name.
func (in *merger) nameRelocations(target *section, name string, rela bool, first bool, addend int64) {
	if in.mercury {
		if target.original == nil {
			return // its copy says it
		}
		in.registerCopy(target)
		target = target.original
		name = target.name
	}
	switch {
	case target.bank == compilerBankNumber && !in.mercury:
	case first:
		in.registerRelocations(target, name, rela, cubin.FlagInfoLink)
		if !rela && in.options.ForceRela {
			in.registerRelocations(target, name, true, cubin.FlagInfoLink) // RELOC-026
		}
		if in.options.PreserveRelocs {
			in.registerResolved(target)
		}
	case rela && addend == 0:
		in.registerRelocations(target, name, false, cubin.FlagInfoLink)
	}
}

// registerRelocations makes the relocation section of target known, by the name that
// target has in the input first.
func (m *merged) registerRelocations(target *section, name string, rela bool, flags uint64) {
	if rela {
		m.registerSection(".rela"+name, cubin.SectionRela, target, flags)
	} else {
		m.registerSection(".rel"+name, cubin.SectionRel, target, flags)
	}
}

// registerResolved makes the section known in which -preserve-relocs notes resolved
// relocations of target: the first one of that name, whose target has it (RELOC-032).
func (m *merged) registerResolved(target *section) {
	name := ".nv.resolvedrela" + target.name
	switch first := m.resolvedByName[name]; first {
	case nil:
		m.resolvedByName[name] = target
		m.registerSection(name, cubin.SectionResolvedRela, target, cubin.FlagInfoLink)
	case target:
	default:
		target.notedAt = first
	}
}

// registerSection makes a relocation section of target known.
func (m *merged) registerSection(name string, typ cubin.SectionType, target *section, flags uint64) {
	key := relocationKey{name, target}
	if m.relocationNames[key] {
		return
	}
	m.relocationNames[key] = true
	m.addName(name, target.fn)
	if m.mercury && target.bank == compilerBankNumber && typ != cubin.SectionResolvedRela {
		m.names[len(m.names)-1].section = target // it goes with that
		m.locals[len(m.locals)-1].section = target
	}
	if target.relocatedFirst == 0 {
		target.relocatedFirst = typ
	}
	m.relocationSections = append(m.relocationSections, &relocationSection{name, typ, target, flags})
}

// spans are disjoint, in rising order.
type spans []span

// disjoint joins the spans that touch each other.
func disjoint(all []span) spans {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var joined spans
	for _, next := range sorted {
		if last := len(joined) - 1; last >= 0 && next.from <= joined[last].to {
			joined[last].to = max(joined[last].to, next.to)
		} else {
			joined = append(joined, next)
		}
	}
	return joined
}

// has tells whether a span holds offset.
func (s spans) has(offset uint64) bool {
	i, _ := slices.BinarySearchFunc(s, offset, func(d span, at uint64) int {
		if d.to <= at {
			return -1
		}
		return 1
	})
	return i < len(s) && s[i].from <= offset
}

// Groups of .nv.callgraph: the second word of a record that starts one. Records before the
// first group, and of any other, count for nothing.
const (
	callsDirect   = 0xffffffff // (caller, callee)
	callsTaken    = 0xfffffffe // (function whose address is taken, prototype)
	callsIndirect = 0xfffffffd // (function that calls through pointers, prototype)
	takesAddress  = 0xfffffffc // (function, function whose address its code takes)
)

// isCallGroup tells whether a group is one of these.
func isCallGroup(group uint32) bool { return group >= takesAddress }

// mergeCallGraph takes the records of .nv.callgraph, each as often as it is there
// (REACH-001).
func (in *merger) mergeCallGraph(data []byte) {
	group := uint32(0)
	for ; len(data) >= 8; data = data[8:] {
		index, word := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if index == 0 {
			group = word
			continue
		}
		if !isCallGroup(group) {
			continue
		}
		y := &in.object.symbols[index]
		if in.symbolOf[index] == nil || in.symbolOf[index].fn == nil {
			continue
		}
		fn := in.symbolOf[index].fn
		if in.isDropped(y) {
			// What a copy that lost says counts for nothing, but that the address of
			// a kernel is taken (REACH-001).
			fn.isTaken = fn.isTaken || fn.entry && group == callsTaken
			continue
		}
		switch group {
		case callsDirect, takesAddress:
			if int(word) >= len(in.symbolOf) || in.symbolOf[word] == nil || in.symbolOf[word].fn == nil {
				continue
			}
			callee := in.symbolOf[word].fn
			if group == callsDirect {
				fn.calls.push(callee)
			} else {
				fn.taken.push(callee)
				callee.isTaken = true
			}
		case callsTaken:
			if s, ok := in.prototypeString(word); ok && fn.takenAs == nil {
				in.checkPrototype(fn, s)
				fn.takenAs = &s
			}
		case callsIndirect:
			if s, ok := in.prototypeString(word); ok {
				fn.callsVia.push(s)
			}
		}
	}
}

// isDropped tells whether y is a function of the input whose code lost.
func (in *merger) isDropped(y *cubin.Symbol) bool {
	return y.Defined() && int(y.Section) < len(in.places) && in.places[y.Section].state == dropped
}

// prototypeString reads a prototype and registers it: the strings stand first in
// .strtab, in the order in which they were met (EMIT-005).
func (in *merger) prototypeString(offset uint32) (string, bool) {
	s, err := in.object.file.String(in.object.strtab, offset)
	if err != nil {
		return "", false
	}
	if !in.knownPrototype[s] {
		in.knownPrototype[s] = true
		in.prototypeStrings = append(in.prototypeStrings, s)
	}
	return s, true
}

// mergePrototypes takes .nv.prototype: the last input's prototype of a function
// stays (REACH-002).
func (in *merger) mergePrototypes(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		symbol := in.symbolOf[binary.LittleEndian.Uint32(data)]
		s, ok := in.prototypeString(binary.LittleEndian.Uint32(data[4:]))
		if !ok || symbol == nil || symbol.fn == nil {
			continue
		}
		in.checkPrototype(symbol.fn, s)
		symbol.fn.prototype = &s
	}
}

// checkPrototype compares the signatures that two inputs give a function. What
// follows a bar is about registers, and may differ (MERGE-033).
func (in *merger) checkPrototype(fn *function, s string) {
	known := cmp.Or(fn.prototype, fn.takenAs)
	if known == nil {
		return
	}
	had, _, _ := strings.Cut(*known, "|")
	has, _, _ := strings.Cut(s, "|")
	if had != has {
		y := fn.symbol
		in.log.Report(diag.PrototypeMismatch, y.name, in.object.name, cmp.Or(y.firstIn, y.definedIn, y.mentioned))
	}
}

// mergeCompat takes .nv.compat records (INFO-230), and warns of what is not said in
// them (INFO-012).
func (in *merger) mergeCompat(records []nvinfo.Record) {
	if in.compat == nil {
		return
	}
	for _, r := range records {
		if int(r.Code) >= len(nvinfo.Compats) {
			in.options.trace(unknownCompat, int(r.Code), r.Value)
		}
	}
	for _, code := range in.compat.Add(records) {
		in.log.Report(diag.MissingCompat, in.target.Number, nvinfo.Compats[code].Name, in.object.name)
	}
}
