// Package memorymap holds the memory map of a link: the sections of each memory space, the
// contribution of each input, the needs of every kernel, and the calls. A map can be written as
// text for people and as JSON for programs, and two maps can be compared.
package memorymap

import (
	"strings"
)

// Format identifies a map in JSON.
const Format = "culink memory map 1"

// A Map shows where a link has put everything. Sizes, offsets and stacks are in bytes.
type Map struct {
	Format      string `json:"format"`
	Target      string `json:"target"`                // "sm_90"
	Output      string `json:"output"`                // name of the linked file
	Relocatable bool   `json:"relocatable,omitempty"` // of -r: only the final link knows what kernels need

	// Failed is the reason why a failed link has no output. Errors holds all its errors, in order.
	// Unplaced is set if the link failed before the layout. Spaces then have no sections, and their
	// sizes are those of the inputs.
	Failed   string   `json:"failed,omitempty"`
	Errors   []string `json:"errors,omitempty"`
	Unplaced bool     `json:"unplaced,omitempty"`

	Spaces    []Space    `json:"spaces"` // those of [Spaces], in their order
	Inputs    []Input    `json:"inputs"`
	Kernels   []Kernel   `json:"kernels"`
	Functions []Function `json:"functions"` // kernels, too
	Calls     [][2]int   `json:"calls"`     // caller and callee, indices of Functions
}

// A SpaceName names a kind of memory.
type SpaceName string

// The memory spaces.
const (
	Code     SpaceName = "code"
	Global   SpaceName = "global"
	Constant SpaceName = "constant"
	Shared   SpaceName = "shared"
	Local    SpaceName = "local"
	None     SpaceName = "none" // only in the file
)

// Spaces lists the memory spaces in the order of a map.
func Spaces() []SpaceName { return []SpaceName{Code, Global, Constant, Shared, Local, None} }

// A Space is the contents of a memory space.
type Space struct {
	Name     SpaceName `json:"name"`
	Size     uint64    `json:"size"`
	Sections []Section `json:"sections"`
}

// A Section of the output. Offsets are from its start.
type Section struct {
	Name    string   `json:"name"`
	Size    uint64   `json:"size"`
	Align   uint64   `json:"align"`
	Parts   []Part   `json:"parts"`
	Symbols []Symbol `json:"symbols"`
}

// Linker is the input name of parts that come from no input: gaps, memory reserved for the system,
// slots, and tables.
const Linker = "(linker)"

// A Part is the contribution of one input to a section.
type Part struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Input  string `json:"input"`          // or Linker
	What   string `json:"what,omitempty"` // a name, where the part is one variable
	Source string `json:"source,omitempty"`
}

// A Symbol of a section.
type Symbol struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Name   string `json:"name"`
	Source string `json:"source,omitempty"` // the name in the source, if it differs
}

// An Input shows how much of each space one file uses, in the order of Map.Spaces. The linker
// itself comes last.
type Input struct {
	Name  string   `json:"name"`
	Bytes []uint64 `json:"bytes"`
}

// A Function is code of the output, or of the inputs of a link that failed early.
type Function struct {
	Name      string `json:"name"`
	Source    string `json:"source,omitempty"`
	Input     string `json:"input,omitempty"`
	Code      uint64 `json:"code"`
	Registers uint32 `json:"registers"`
	Frame     uint32 `json:"frame"`
	Kernel    bool   `json:"kernel,omitempty"`
}

// A Kernel is what a launch needs.
type Kernel struct {
	Function     int     `json:"function"` // index of Functions
	Registers    uint32  `json:"registers"`
	RaisedBy     int     `json:"raised_by"` // the function that raises the registers above the kernel's own; -1 for none
	Stack        *uint32 `json:"stack"`     // null if it is not known
	Deepest      []int   `json:"deepest"`   // the path of calls with the largest frames; empty where the stack is not known
	Shared       uint64  `json:"shared"`
	Constants    []Bank  `json:"constants"`
	MaxRegisters uint32  `json:"max_registers,omitempty"` // 0 for no limit
}

// A Bank is the part of a constant bank that belongs to one kernel.
type Bank struct {
	Section string `json:"section"` // ".nv.constant0"
	Size    uint64 `json:"size"`
}

// ofStatic returns the name of a static variable of a function: "$___ZZ1fiE1v__12" stands for
// _ZZ1fiE1v. It returns other names unchanged.
func ofStatic(name string) string {
	rest, marked := strings.CutPrefix(name, "$__")
	mangled := strings.TrimRight(rest, "0123456789")
	if before, ok := strings.CutSuffix(mangled, "__"); marked && ok && mangled != rest && strings.HasPrefix(before, "_Z") {
		return before
	}
	return name
}

// commonMark follows the name of a shared variable that has the same address in several kernels.
const commonMark = " (common)"

// Common returns the name of the part of a shared variable that has the same address in several kernels.
func Common(name string) string { return name + commonMark }

// Demangle sets the source names.
func (m *Map) Demangle(demangle func(string) string) {
	source := func(name string) string {
		mangled, common := strings.CutSuffix(name, commonMark)
		mangled = ofStatic(mangled)
		s := demangle(mangled)
		switch {
		case s == mangled:
			return ""
		case common:
			return Common(s)
		}
		return s
	}
	for i := range m.Spaces {
		for j := range m.Spaces[i].Sections {
			s := &m.Spaces[i].Sections[j]
			for k := range s.Symbols {
				s.Symbols[k].Source = source(s.Symbols[k].Name)
			}
			for k := range s.Parts {
				s.Parts[k].Source = source(s.Parts[k].What)
			}
		}
	}
	for i := range m.Functions {
		m.Functions[i].Source = source(m.Functions[i].Name)
	}
}
