// Package program contains the merged inputs: sections, symbols and functions in nvlink's order of creation.
// That order determines every name, index and place in the output, and nothing is sorted later (MERGE-001, seed
// 004).
//
// The merge fills the program, and later phases complete it. State that only one phase needs stays in that
// phase: each field here is read by a package other than the one that sets it.
package program

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
)

// A Program contains all inputs.
type Program struct {
	Target  arch.Target
	Options *Options

	// Finalizer makes the machine code of one function in a link with a Mercury half. If it is nil,
	// mercury.Finalize does.
	Finalizer func(mercury.Function) (mercury.Result, error)

	Form // which halves the output has; set by merge
	Std  standardSections

	Sections []*Section          // in order of creation
	ByName   map[string]*Section // set by merge
	Names    []SectionName       // of .shstrtab, in order

	Locals         []*Symbol // local symbols, weak ones and section symbols, in order of creation
	Globals        []*Symbol
	NumPassing     int                // sections that no output has
	NumSymbols     int32              // symbols with an ID
	Handles        []*Symbol          // textures, samplers and surfaces, in order of creation; set by merge
	Symbols        map[string]*Symbol // global and weak ones by name; set by merge
	sectionSymbols sectionSymbols
	expected       int                  // number of functions and variables with unique names
	Functions      []*Function          // in order of creation
	Null           *Symbol              // number 0 of the symbol table
	Absolute       *Symbol              // stands for any symbol with a value and no section
	AlsoIn         map[*Symbol][]string // for the symbols to explain, the inputs of discarded definitions, in order

	explained map[string]bool // names of the symbols to explain; nil until needed

	UserConstantsSize *Symbol // the local one of that name, which all inputs share; set by merge

	// Discarded contains, for the compiler's constants of a weak function with several definitions, the offsets of
	// the constants of the discarded copies. nvlink gives the null symbol the place of the last one (EMIT-015).
	Discarded map[*Section][]uint64 // set by merge
	NullValue uint64                // set by layout
	LosesNull bool                  // the symbol table has no null entry (LAYOUT-987); set by layout

	Relinked []Relinked // inputs from an earlier -r that dropped relocations; set by merge

	RelocationSections []*RelocationSection // in the order of registration
	RelocatedCopies    []*Section           // sections whose Mercury side has relocations, in the order of the first one
	resolvedByName     map[string]*Section  // targets of .nv.resolvedrela sections, by their own names

	Commons          []*Symbol // in the order in which they became common; some are defined since; set by merge
	PrototypeStrings []string  // in the order in which they were met; set by merge
	KnownNames       []string  // of all symbols and prototypes, in order of creation, if the file contains all of them (KIT-070)

	SharedObjects []*SharedObject // outside of kernels; set by merge
	SharedInOrder []*SharedObject // all, in order of first mention; set by merge
	SharedUsers   []*Function     // functions that refer to one, in the order of their relocations

	Unified []UnifiedEntry // in the order of the inputs; set by merge

	Attributes FrontList[*Attribute] // of .nv.info; set by merge
	MinMemory  uint32                // most of what the inputs say as MIN_PER_CTA_MEMORY_SIZE, where they become one (KIT-130); set by merge
	Compat     *nvinfo.CompatMerger  // of .nv.compat
	Origins    []nvinfo.Origin       // of the inputs; set by merge
	ReadAgain  []func()              // let the pages of mapped inputs go that are read again for the output; set by merge
	System     bool                  // libcudadevrt is among them; set by merge

	// SystemParts is the number of objects of libcudadevrt that are linked, or would be if they had code for the target.
	SystemParts int // set by merge

	slabs struct {
		symbols            slab[Symbol]
		sections           slab[Section]
		functions          slab[Function]
		relocationSections slab[RelocationSection]
		attributes         slab[Attribute]
	}
}

// standardSections contains the sections that every output has, by their purpose.
type standardSections struct {
	Shstrtab  *Section
	Strtab    *Section
	Symtab    *Section
	Tkinfo    *Section
	Cuinfo    *Section
	Info      *Section
	Compat    *Section
	CallGraph *Section // set by merge
	Prototype *Section // set by merge
}

// A SectionName is a name in .shstrtab. It is dropped if its function is.
type SectionName struct {
	Name    string
	Fn      *Function
	Section *Section // nil if the name never became a section
}

// A Relinked is an input that lost relocations in an earlier -r.
type Relinked struct {
	Object   *object.Object // set by merge
	SymbolOf []*Symbol      // by symbol index of the input; set by merge
}

// Unnamed yields the symbols of the program to which no relocation of the input refers, with their index in the
// input.
func (r *Relinked) Unnamed() iter.Seq2[int, *Symbol] {
	named := map[uint32]bool{}
	for i := range r.Object.File.Sections {
		table := r.Object.Relocations(uint32(i))
		for k := range table.Len() {
			entry, _ := table.At(k)
			named[entry.Symbol] = true
		}
	}
	return func(yield func(int, *Symbol) bool) {
		for i, y := range r.SymbolOf {
			if y != nil && !named[uint32(i)] && !yield(i, y) {
				return
			}
		}
	}
}

// KeepsLostConstants reports whether a relocatable link has to refer to constants that it has discarded. It
// refers to them through their symbols or, with a Mercury half, through the relocations of jump tables, which
// stay there (MERGE-038, MERC-215).
func (m *Program) KeepsLostConstants() bool {
	if !m.HasMercury() {
		return len(m.LostConstants()) > 0
	}
	return slices.ContainsFunc(m.Sections, func(s *Section) bool {
		return s.Bank == cubin.CompilerBankNumber && s.State == Gone && !s.Orphan && (s.LostTables || s.Mercury != nil && len(s.Mercury.Relocations) > 0)
	})
}

// LostConstants returns the symbols of compiler-generated constants that were discarded. They belong to
// functions whose code another input replaced by code without constants.
func (m *Program) LostConstants() (lost []*Symbol) {
	for _, s := range m.Sections {
		if s.Bank == cubin.CompilerBankNumber && s.State == Gone {
			lost = append(lost, s.Internals...)
		}
	}
	return lost
}
