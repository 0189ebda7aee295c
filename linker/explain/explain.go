// Package explain holds what a link knows of a symbol that was asked for: who defines it, which
// kernel gets to it on which path, what it needs, and where it is and why; as values, and in
// words.
package explain

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/show"
)

// An Explanation is what a link knows of one symbol. What does not apply, or is not known, is
// empty. Sizes, offsets and stacks are bytes.
type Explanation struct {
	Symbol string `json:"symbol"`
	Source string `json:"source,omitempty"` // the name as the source has it, where it differs
	Kind   Kind   `json:"kind"`

	Definition Definition `json:"definition"`
	// Unplaced: the link ended before it knew more than the inputs tell.
	Unplaced    bool        `json:"unplaced,omitempty"`
	Disposition Disposition `json:"disposition,omitempty"`
	Owner       string      `json:"owner,omitempty"` // the kernel, for DroppedWithKernel
	Reach       Reach       `json:"reach"`
	Needs       *Needs      `json:"needs,omitempty"` // of code that stays
	// Places are where a variable is: one, but for an extern array, which has one for each
	// function that names it.
	Places []Place `json:"places,omitempty"`
}

// A Kind says what a symbol is.
type Kind string

// The kinds of symbols.
const (
	Kernel         Kind = "kernel"
	Function       Kind = "function"
	ExternShared   Kind = "extern shared array"
	SharedVariable Kind = "shared variable"
	Texture        Kind = "texture"
	Sampler        Kind = "sampler"
	Surface        Kind = "surface"
	Constant       Kind = "constant"
	GlobalVariable Kind = "global variable"
	Unknown        Kind = "unknown" // no input names it
)

// A Definition says where a symbol comes from (REACH-500).
type Definition struct {
	By      Definer  `json:"by"`
	Input   string   `json:"input,omitempty"` // that defines it; for another definer, the first that names it
	Weak    bool     `json:"weak,omitempty"`
	AliasOf string   `json:"alias_of,omitempty"` // the function of whose code it is a second name
	Unused  []string `json:"unused,omitempty"`   // inputs that define it too, and lost
	Differs []string `json:"differs,omitempty"`  // in what the copy of each of Unused differs, in words; empty for nothing
}

// A Definer is who defines a symbol.
type Definer string

// The definers.
const (
	ByInput   Definer = "input"
	ByDriver  Definer = "driver"
	ByProgram Definer = "program" // that loads the output: textures and the like
	ByLaunch  Definer = "launch"  // of a kernel: extern arrays of shared memory
	ByNobody  Definer = "nobody"
)

// A Disposition says why a symbol stays, or is dropped.
type Disposition string

// The dispositions. Functions that kernels reach, and variables that have a place, have none.
const (
	StaysAsKernel     Disposition = "kernel"
	StaysByAddress    Disposition = "address taken"
	StaysByOption     Disposition = "kept by option"
	StaysNamed        Disposition = "named by code that stays"
	DroppedKernel     Disposition = "left out"
	DroppedUnreached  Disposition = "unreached"
	DroppedWithKernel Disposition = "dropped with its kernel"
	DroppedUnnamed    Disposition = "unnamed" // a shared variable that no kernel reaches
)

// dispositionFacts are the dispositions in words.
var dispositionFacts = map[Disposition]Fact{
	StaysAsKernel:     {"stays", "as a kernel"},
	StaysByAddress:    {"stays", "because its address is taken; no kernel calls it"},
	StaysByOption:     {"stays", "because the options drop nothing; no kernel calls it"},
	StaysNamed:        {"stays", "because a function that stays names it"},
	DroppedKernel:     {"dropped", "the options or the host code leave this kernel out"},
	DroppedUnreached:  {"dropped", "no kernel reaches it, and nothing takes its address"},
	DroppedWithKernel: {"dropped", "with kernel %s"},
	DroppedUnnamed:    {"dropped", "no kernel reaches code that names it"},
}

// A Reach says who gets to a symbol (REACH-501).
type Reach struct {
	Path         Path     `json:"path,omitempty"`    // a shortest one from the nearest kernel; to a variable, it ends with it
	Kernels      []string `json:"kernels,omitempty"` // all that get to a function
	Code         []string `json:"code,omitempty"`    // functions that name a variable
	Data         []string `json:"data,omitempty"`    // sections of data that name it
	AddressTaken bool     `json:"address_taken,omitempty"`
}

// A Path is a way through the call graph.
type Path []Step

// A Step is a function, or at the end a variable.
type Step struct {
	Name      string `json:"name"`
	ByPointer bool   `json:"by_pointer,omitempty"` // called through a pointer of its prototype
}

// text writes a path, with names as name returns them.
func (p Path) text(name func(string) string) string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case step.ByPointer:
			b.WriteString(" -> (by pointer) ")
		case i > 0:
			b.WriteString(" -> ")
		}
		b.WriteString(name(step.Name))
	}
	return b.String()
}

// Needs are what code needs (REACH-502). Those of a kernel include what it reaches; a
// function's are its own.
type Needs struct {
	Registers    uint32   `json:"registers"`
	OwnRegisters uint32   `json:"own_registers"`
	RaisedBy     Path     `json:"raised_by,omitempty"` // from the kernel to the function that raises its registers
	Raises       []string `json:"raises,omitempty"`    // kernels whose registers the function raises
	Stack        Stack    `json:"stack"`
	Barriers     int      `json:"barriers,omitempty"`
	Shared       uint64   `json:"shared,omitempty"`      // of a kernel
	SharedUsed   []Usage  `json:"shared_used,omitempty"` // by the code of a function
	Constants    []Bank   `json:"constants,omitempty"`
	Reaches      []string `json:"reaches,omitempty"` // other functions, by a kernel
}

// A Stack is what calls need.
type Stack struct {
	Frame   uint32 `json:"frame"` // of the function itself
	Bytes   uint64 `json:"bytes"` // with what it calls; 0 where Unknown, and for code that no kernel reaches
	Unknown bool   `json:"unknown,omitempty"`
	Alone   bool   `json:"alone,omitempty"` // no kernel reaches the function, and only its frame is known
	// Path needs most, and Frames are those along it; where Unknown, it leads into the
	// recursion, and is empty when there is none, but a frame of unknown size.
	Path   Path     `json:"path,omitempty"`
	Frames []uint32 `json:"frames,omitempty"`
}

// A Usage is a variable that code uses.
type Usage struct {
	Name   string `json:"name"`
	Size   uint64 `json:"size"`
	Extern bool   `json:"extern,omitempty"`
}

// A Bank is a part of a constant bank.
type Bank struct {
	Bank int    `json:"bank"`
	Size uint64 `json:"size"`
	// By are the functions whose constants of the compiler fill the bank of a kernel, the kernel itself too.
	By []Filler `json:"by,omitempty"`
}

// A Filler is a function with constants in a kernel's bank.
type Filler struct {
	Function string `json:"function"`
	Input    string `json:"input"`
	Size     uint64 `json:"size"`
}

// A Place is where a variable is, and why (LAYOUT-501).
type Place struct {
	Why      PlaceReason `json:"why"`
	Section  string      `json:"section,omitempty"` // for AfterEarlierInputs
	Offset   uint64      `json:"offset"`            // in the section, in the kernels' shared memory, or in constant bank 0
	Size     uint64      `json:"size,omitempty"`
	Align    uint64      `json:"align,omitempty"`    // for ByLastLink
	Bank     *int        `json:"bank,omitempty"`     // of constant memory
	Code     string      `json:"code,omitempty"`     // the function in which an extern array is at this place
	Kernels  []string    `json:"kernels,omitempty"`  // in whose shared memory it is
	Overlaps []string    `json:"overlaps,omitempty"` // variables that share bytes with it
	Input    string      `json:"input,omitempty"`    // for TooLate, the one that gives it a size
}

// A PlaceReason says why a variable is where it is.
type PlaceReason string

// The reasons.
const (
	AfterEarlierInputs PlaceReason = "after earlier inputs"
	InSlot             PlaceReason = "slot"           // that the driver fills
	OfOneKernel        PlaceReason = "of one kernel"  // a variable of its code
	ReachedByOne       PlaceReason = "reached by one" // kernel, so it is one of its own
	ReachedBySeveral   PlaceReason = "reached by several"
	AfterStatic        PlaceReason = "after static variables" // an extern array
	ByLastLink         PlaceReason = "by the last link"       // -r
	TooLate            PlaceReason = "too late"               // it was an extern array before an input gave it a size
)

// A Fact is one line of an explanation.
type Fact struct {
	Topic string `json:"topic"` // "defined in", "reached by", "stack"
	Text  string `json:"text"`
}

// String returns the explanation as text, each fact on a line of its own.
func (e Explanation) String() string { return e.Text(func(name string) string { return name }) }

// Text is the explanation as text (DIAG-503), with the names of other symbols as name returns them.
func (e Explanation) Text(name func(string) string) string {
	var b strings.Builder
	fmt.Fprintln(&b, show.Line(fmt.Sprintf("%s: %s", e.Symbol, e.Kind)))
	for _, f := range e.Facts(name) {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Topic, show.Line(f.Text))
	}
	return b.String()
}
