package program

import (
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// GlobalSection returns .nv.global, and creates it if necessary. Common symbols that fit into no section of an
// input need it. For them it is created after all inputs are merged and before the output tables are written.
func (m *Program) GlobalSection() *Section {
	if s := m.ByName[cubin.GlobalName]; s != nil {
		return s
	}
	s := m.AddNewSection(Section{
		Side: Side{Name: cubin.GlobalName, Type: cubin.SectionGlobal, Flags: cubin.FlagAlloc | cubin.FlagWrite, Align: 1},
		Bank: NoBank, Group: GroupNoBits, NoBits: true,
	})
	m.ByName[cubin.GlobalName] = s
	return s
}

// A Room is the expected number of entries of lists that the inputs fill.
type Room struct {
	Names              int // of functions and variables; set by merge
	Sections           int // of functions; set by merge
	RelocationSections int // of these; set by merge
}

// Expect reserves space in lists before the inputs are merged. A list that grows by doubling leaves as much
// garbage as it holds.
func (m *Program) Expect(r Room) {
	m.expected = r.Names
	m.ByName, m.Symbols = withRoom(m.ByName, r.Names), withRoom(m.Symbols, r.Names)
	m.Globals, m.Functions = withSpare(m.Globals, r.Names), withSpare(m.Functions, r.Names)
	m.Sections, m.sectionSymbols.all = withSpare(m.Sections, r.Sections), withSpare(m.sectionSymbols.all, r.Sections)
	m.RelocationSections = withSpare(m.RelocationSections, r.RelocationSections)
	m.Names, m.Locals = withSpare(m.Names, r.Sections+r.RelocationSections), withSpare(m.Locals, r.Sections+r.RelocationSections)
}

// withSpare returns the list with space for n more elements, and for a few that come from no input.
func withSpare[T any](list []T, n int) []T { return slices.Grow(list, n+n/16+32) }

func withRoom[T any](from map[string]T, number int) map[string]T {
	to := make(map[string]T, len(from)+number)
	maps.Copy(to, from)
	return to
}

// RegisterMercury records that the Mercury side of s has relocations.
func (m *Program) RegisterMercury(s *Section) {
	if !s.copyRelocated {
		s.copyRelocated = true
		m.RelocatedCopies = append(m.RelocatedCopies, s)
	}
}

// New returns a program with the sections that every output starts with.
func New(opt *Options, target arch.Target) *Program {
	m := &Program{
		Target:         target,
		Options:        opt,
		ByName:         map[string]*Section{},
		Symbols:        map[string]*Symbol{},
		Null:           &Symbol{},
		Discarded:      map[*Section][]uint64{},
		resolvedByName: map[string]*Section{},
	}
	m.Absolute = m.NewSymbol(Symbol{})
	m.Std.Shstrtab = m.AddStandard(".shstrtab", cubin.SectionStrTab, 0, 1, 0, groupShStrTab)
	m.Std.Strtab = m.AddStandard(".strtab", cubin.SectionStrTab, 0, 1, 0, groupStrTab)
	m.Std.Symtab = m.AddStandard(".symtab", cubin.SectionSymTab, 0, 8, cubin.SymbolSize, groupSymTab)
	m.AddName(".symtab_shndx", nil)
	if target.Profile.Emit.NamesEntries {
		m.AddName(".nv.uft.entry", nil)
	}
	if target.Profile.Info.Notes {
		m.Std.Tkinfo = m.AddStandard(".note.nv.tkinfo", cubin.SectionNote, cubin.FlagTKInfo, 4, 0, GroupInfo)
		m.Std.Tkinfo.addNote(toolNote(opt, target.Profile))
		m.Std.Cuinfo = m.AddStandard(target.Profile.OriginNote(), cubin.SectionNote, cubin.FlagCUInfo, 4, 0, GroupInfo)
		m.Std.Cuinfo.addNote(m.OriginNote()) // until all inputs are known
		m.Std.Tkinfo.Anonymous, m.Std.Cuinfo.Anonymous = target.Profile.Info.EarlyNotes, target.Profile.Info.EarlyNotes
	}
	m.Std.Info = m.AddStandard(".nv.info", cubin.SectionInfo, 0, 4, 0, GroupInfo)
	m.Std.Info.Linked = true
	if target.Compat() {
		m.Compat = nvinfo.NewCompatMerger(target)
		if !target.Profile.Info.LateCompat {
			m.AddCompat()
		}
	}
	if len(opt.Host) > 0 {
		host := m.AddStandard(".nv.host", cubin.SectionHost, 0, 8, 0, GroupInfo)
		host.addNote(opt.Host) // EMIT-033
		if target.Mercury() {
			copied := host.Side
			copied.Name, copied.Flags = cubin.MercuryName(host.Name), cubin.FlagMercury
			host.Mercury = &copied
		}
	}
	return m
}

// AddCompat adds .nv.compat, if it is not there. The note of the origin refers to it.
func (m *Program) AddCompat() {
	if m.Std.Compat == nil {
		m.Std.Cuinfo.Flags |= cubin.FlagInfoLink
		m.Std.Compat = m.AddStandard(".nv.compat", cubin.SectionCompat, 0, 4, 0, GroupInfo)
	}
}

// AddStandard adds a section that the output has in any case, or may have.
func (m *Program) AddStandard(name string, typ cubin.SectionType, flags uint64, align, entSize uint64, g Group) *Section {
	s := m.AddNewSection(Section{
		Side:  Side{Name: name, Type: typ, Flags: flags, Align: align, EntSize: entSize},
		Group: g, Bank: NoBank, State: Kept,
	})
	m.ByName[name] = s
	return s
}

// AddSection adds s to the program, with its name and then its section symbol. A kernel's parameter bank also
// registers the relocation section that the layout of textures may add to it (EMIT-003). With a Mercury half,
// only a bank with slots does so, and relocations of an input become that section later, when they are merged
// (LAYOUT-711). Otherwise those have a section of their own, perhaps of the same name (LAYOUT-802).
func (m *Program) AddSection(s *Section) *Section {
	push(&m.Sections, s)
	s.ID = int32(len(m.Sections))
	push(&m.Names, SectionName{s.Name, s.Fn, s})
	s.Serial = int32(len(m.Names))
	if s.Bank == 0 && s.Fn != nil && !m.Options.Relocatable && s.Group != GroupParameters {
		if m.Options.ForceRela || m.SlotsHaveAddends() {
			flags := m.InfoLink()
			if !m.Target.Profile.Emit.LinksForcedRela {
				flags = 0
			}
			m.register(relaPrefix, s.Name, cubin.SectionRela, s, flags, !m.HasMercury())
		} else {
			m.register(relPrefix, s.Name, cubin.SectionRel, s, 0, true)
		}
	}
	m.NameSymbol(s)
	push(&m.Locals, s.Symbol)
	return s
}

// NameSymbol creates the symbol of section s, if it has none yet.
func (m *Program) NameSymbol(s *Section) {
	if s.Symbol == nil {
		s.Symbol = m.NewSymbol(Symbol{Name: s.Name, Type: cubin.SymSection, Section: s, IsSection: true})
		m.sectionSymbols.add(s.Symbol)
		m.Mention(s.Name)
	}
}

// AddName registers the name of a section. The section itself need not be created later.
func (m *Program) AddName(name string, fn *Function) {
	push(&m.Names, SectionName{name, fn, nil})
	push(&m.Locals, m.NewSymbol(Symbol{Name: name, Type: cubin.SymSection, IsSection: true, Hidden: true, Fn: fn}))
	m.Mention(name)
}

// RegisterRelocations registers the relocation section of target. name is the name that target has in the first
// input with such relocations.
func (m *Program) RegisterRelocations(target *Section, name string, rela bool, flags uint64) {
	if rela {
		m.RegisterSection(relaPrefix, name, cubin.SectionRela, target, flags)
	} else {
		m.RegisterSection(relPrefix, name, cubin.SectionRel, target, flags)
	}
}

// These are the prefixes of the names of relocation sections.
const (
	relPrefix      = ".rel"
	relaPrefix     = ".rela"
	ResolvedPrefix = ".nv.resolvedrela" // of what -preserve-relocs notes
)

// RegisterResolved registers the section in which -preserve-relocs notes the resolved relocations of target. If
// several targets have the same name, the first one gets the section (RELOC-032).
func (m *Program) RegisterResolved(target *Section) {
	switch first := m.resolvedByName[target.Name]; first {
	case nil:
		m.resolvedByName[target.Name] = target
		m.RegisterSection(ResolvedPrefix, target.Name, cubin.SectionResolvedRela, target, m.InfoLink())
	case target:
	default:
		target.NotedAt = first
	}
}

// RegisterSection registers a relocation section of target. Most sections have one or two.
func (m *Program) RegisterSection(prefix, name string, typ cubin.SectionType, target *Section, flags uint64) {
	m.register(prefix, name, typ, target, flags, false)
}

// register does the work of RegisterSection. slots is set for the section of the slots that the layout adds.
func (m *Program) register(prefix, name string, typ cubin.SectionType, target *Section, flags uint64, slots bool) {
	if known := target.relocationSection(prefix, name); known != nil {
		if known.named {
			known.named = false
			push(&m.RelocationSections, known)
		}
		return
	}
	made := m.slabs.relocationSections.make(RelocationSection{Name: prefix + name, Type: typ, Target: target, Flags: flags, Slots: slots})
	last := &target.relocated
	for *last != nil {
		last = &(*last).next
	}
	*last = made
	m.AddName(made.Name, target.Fn)
	if m.HasMercury() && target.Bank == cubin.CompilerBankNumber && typ != cubin.SectionResolvedRela {
		m.Names[len(m.Names)-1].Section = target // it goes with that
		m.Locals[len(m.Locals)-1].Section = target
	}
	made.Serial = int32(len(m.Names))
	if made.named = target.SlotsFollow && !m.Options.Relocatable; !made.named {
		push(&m.RelocationSections, made)
	}
}

// relocationSection returns the relocation section of s with the given name, or nil if there is none. That of the slots
// that the layout adds does not count.
func (s *Section) relocationSection(prefix, name string) *RelocationSection {
	for r := s.relocated; r != nil; r = r.next {
		if !r.Slots && len(r.Name) == len(prefix)+len(name) && strings.HasPrefix(r.Name, prefix) && strings.HasSuffix(r.Name, name) {
			return r
		}
	}
	return nil
}

// RelocatedFirst returns the type of the first relocation section that was registered for s, or the null type if
// there is none. That of the slots that the layout adds does not count.
func (s *Section) RelocatedFirst() cubin.SectionType {
	for r := s.relocated; r != nil; r = r.next {
		if !r.Slots {
			return r.Type
		}
	}
	return cubin.SectionNull
}

// NumRelocationSections returns the number of relocation sections for s, except those for the notes of
// -preserve-relocs and for the slots that the layout adds.
func (s *Section) NumRelocationSections() (n int) {
	for r := s.relocated; r != nil; r = r.next {
		if r.Type != cubin.SectionResolvedRela && !r.Slots {
			n++
		}
	}
	return n
}

// HasRelocations reports whether an input has relocations for a section with the name of s.
func (s *Section) HasRelocations() bool {
	return s.relocationSection(relaPrefix, s.Name) != nil || s.relocationSection(relPrefix, s.Name) != nil
}

// NewSymbol returns a copy of y as a new symbol with its own ID.
func (m *Program) NewSymbol(y Symbol) *Symbol {
	m.NumSymbols++
	y.ID = m.NumSymbols
	return m.slabs.symbols.make(y)
}

// NewSection returns a copy of s as a new section that is not yet part of the program.
func (m *Program) NewSection(s Section) *Section { return m.slabs.sections.make(s) }

// NewAttribute returns an attribute that is in no list yet.
func (m *Program) NewAttribute(a Attribute) *Attribute { return m.slabs.attributes.make(a) }

// AddNewSection appends a new section to the program.
func (m *Program) AddNewSection(s Section) *Section { return m.AddSection(m.NewSection(s)) }

// NewFunction adds the function of a symbol.
func (m *Program) NewFunction(y *Symbol) *Function {
	fn := m.slabs.functions.make(Function{Symbol: y, Order: len(m.Functions)})
	y.Fn = fn
	push(&m.Functions, fn)
	return fn
}

// InfoLink returns the flag of a section that the linker creates about another section (KIT-071).
func (m *Program) InfoLink() uint64 {
	if m.Target.Profile.Emit.LinksInfo {
		return cubin.FlagInfoLink
	}
	return 0
}

// Mention adds a name to .strtab, for releases in which that table has every name that was ever used (KIT-070).
func (m *Program) Mention(name string) {
	if m.Target.Profile.Emit.KeepsNames {
		m.KnownNames = append(m.KnownNames, name)
	}
}

// AddPassing counts a section that nvlink creates only temporarily (KIT-100). It registers the name of the
// section if the output keeps the names of everything created (KIT-070).
func (m *Program) AddPassing(name string) {
	m.NumPassing++
	if m.Target.Profile.Emit.KeepsNames {
		m.AddName(name, nil)
	}
}

// List adds y to the list of local or of global symbols, according to its binding (EMIT-010).
func (m *Program) List(y *Symbol) {
	m.Mention(y.Name)
	if y.Bind == cubin.BindGlobal || y.Bind == cubin.BindWeak && m.Target.Profile.Emit.WeakIsGlobal {
		push(&m.Globals, y)
	} else {
		push(&m.Locals, y)
	}
}

// addNote appends data of the linker itself.
func (s *Section) addNote(data []byte) {
	s.Add(Piece{Offset: s.Size, Size: uint64(len(data)), Data: data})
	s.Size += uint64(len(data))
}
