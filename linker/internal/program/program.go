// Package program holds what all inputs become together: sections, symbols and functions
// in the order in which nvlink creates them. That order decides every name, index and
// place in the output; nothing is sorted afterwards (MERGE-001, seed 004).
//
// Merge fills the program, the phases after it complete it. What a phase makes for itself
// stays in the phase: a field that is here is read by another package than the one that
// sets it.
package program

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/nvinfo"
)

// A Program holds all inputs.
type Program struct {
	Target  arch.Target
	Options *Options
	Mercury bool // every input has a Mercury half, and so has the output
	Std     standardSections

	Sections []*Section // in order of creation
	ByName   map[string]*Section
	Names    []SectionName // of .shstrtab, in order

	Locals         []*Symbol // local symbols, weak ones and section symbols, in order of creation
	Globals        []*Symbol
	NumSymbols     int32                // that have an ID
	Handles        []*Symbol            // textures, samplers and surfaces, in order of creation
	Symbols        map[string]*Symbol   // global and weak ones by name
	SectionSymbols map[string]*Symbol   // by name
	Functions      []*Function          // by order
	Null           *Symbol              // number 0 of the symbol table
	Absolute       *Symbol              // any symbol with a value and no section
	AlsoIn         map[*Symbol][]string // for the symbols to explain, the inputs whose definitions lost, in order

	UserConstantsSize *Symbol // the local one of that name, which all inputs share

	// NullSymbol has, for the compiler's constants of a weak function that inputs
	// define several times, where the last copy lies in them: nvlink writes what that
	// comes to into the null symbol (EMIT-015).
	NullSymbol map[*Section]uint64
	NullValue  uint64

	Relinked []Relinked // inputs from an earlier -r that dropped relocations

	RelocationSections []*RelocationSection // in the order in which they were named
	RelocatedCopies    []*Section           // whose Mercury side has relocations, by the first
	relocationNames    map[relocationKey]bool
	resolvedByName     map[string]*Section // targets of .nv.resolvedrela sections

	Commons          []*Symbol // in the order in which they became common; some are defined since
	PrototypeStrings []string  // in the order in which they were met

	SharedObjects       []*SharedObject // outside of kernels
	SharedInOrder       []*SharedObject // all, in order of first mention
	SharedUsers         []*Function     // that name any, in the order of their relocations
	DefinesExternShared bool            // an input has the place of an extern array: an earlier -r

	Attributes FrontList[*Attribute] // of .nv.info
	Compat     *nvinfo.CompatMerger  // of .nv.compat
	Origins    []nvinfo.Origin       // of the inputs
	System     bool                  // libcudadevrt is among them
}

// The sections that every output has, by role.
type standardSections struct {
	Shstrtab, Strtab, Symtab *Section
	Tkinfo, Cuinfo           *Section
	Info, Compat             *Section
	CallGraph, Prototype     *Section
}

// A SectionName is a name in .shstrtab. It goes away with its function.
type SectionName struct {
	Name    string
	Fn      *Function
	Section *Section // nil when the name never became a section
}

// A Relinked input has lost relocations to an earlier -r.
type Relinked struct {
	Object   *object.Object
	SymbolOf []*Symbol // by symbol index of the input
}

// LostConstants are symbols of the compiler's constants whose function another input
// replaced by code without constants, and with them their section.
func (m *Program) LostConstants() (lost []*Symbol) {
	for _, s := range m.Sections {
		if s.Bank == cubin.CompilerBankNumber && s.State == Gone {
			lost = append(lost, s.Internals...)
		}
	}
	return lost
}
