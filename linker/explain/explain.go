// Package explain holds what a link knows about a requested symbol: where it is defined, which kernel reaches
// it on which path, what it needs, and where it is placed and why. Explanations are available as values and
// as text.
package explain

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/show"
)

// An Explanation is what a link knows about one symbol. Fields that do not apply, or are not
// known, are empty. Sizes, offsets and stacks are in bytes.
type Explanation struct {
	Symbol string `json:"symbol"`
	Source string `json:"source,omitempty"` // the name in the source, if it differs
	Kind   Kind   `json:"kind"`

	Definition Definition `json:"definition"`
	// Unplaced is set if the link ended before the layout, so that only the inputs are known.
	Unplaced    bool        `json:"unplaced,omitempty"`
	Disposition Disposition `json:"disposition,omitempty"`
	Owner       string      `json:"owner,omitempty"` // the kernel, for DroppedWithKernel
	Reach       Reach       `json:"reach"`
	Needs       *Needs      `json:"needs,omitempty"` // of code that stays
	// Places lists where a variable is. Most variables have one place. An extern array has a place for each
	// function that refers to it.
	Places []Place `json:"places,omitempty"`
}

// A Kind is the kind of a symbol.
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

// A Definition describes where a symbol comes from (REACH-500).
type Definition struct {
	By      Definer  `json:"by"`
	Input   string   `json:"input,omitempty"` // the defining input; for another definer, the first that refers to it
	Weak    bool     `json:"weak,omitempty"`
	AliasOf string   `json:"alias_of,omitempty"` // the function of whose code it is a second name
	Unused  []string `json:"unused,omitempty"`   // inputs whose definitions are discarded
	Differs []string `json:"differs,omitempty"`  // for each of Unused, how its copy differs; empty if it is equal
}

// A Definer describes what defines a symbol.
type Definer string

// The definers.
const (
	ByInput   Definer = "input"
	ByDriver  Definer = "driver"
	ByProgram Definer = "program" // that loads the output: textures and the like
	ByLaunch  Definer = "launch"  // of a kernel: extern arrays of shared memory
	ByNobody  Definer = "nobody"
)

// A Disposition is the reason why a symbol is kept or dropped.
type Disposition string

// These are the dispositions. Functions that kernels reach, and variables that have a place, have none.
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

// dispositionFacts describes the dispositions in words.
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

// A Reach describes what reaches a symbol (REACH-501).
type Reach struct {
	Path         Path     `json:"path,omitempty"`    // a shortest one from the nearest kernel; to a variable, it ends with it
	Kernels      []string `json:"kernels,omitempty"` // all that reach a function
	Code         []string `json:"code,omitempty"`    // functions that refer to a variable
	Data         []string `json:"data,omitempty"`    // data sections that refer to it
	AddressTaken bool     `json:"address_taken,omitempty"`
}

// A Path is a path through the call graph.
type Path []Step

// A Step is a function, or at the end a variable.
type Step struct {
	Name      string `json:"name"`
	ByPointer bool   `json:"by_pointer,omitempty"` // called through a pointer of its prototype
}

// text returns a path as text. The function name returns the names to show.
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

// Needs are the resources that code needs (REACH-502). Those of a kernel include the code that it reaches.
// Those of a function are its own.
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

// A Stack is the stack that calls need.
type Stack struct {
	Frame   uint32 `json:"frame"` // of the function itself
	Bytes   uint64 `json:"bytes"` // with the functions that it calls; 0 if Unknown, and for code that no kernel reaches
	Unknown bool   `json:"unknown,omitempty"`
	Alone   bool   `json:"alone,omitempty"` // no kernel reaches the function, and only its frame is known
	// Path is the path that needs the most stack, and Frames holds the frames along it. If Unknown is set,
	// the path leads into the recursion. The path is empty if a frame of unknown size is the reason.
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
	// By lists the functions whose compiler-generated constants are in the bank of a kernel, including the
	// kernel itself.
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

// A PlaceReason is the reason for the address of a variable.
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

// String returns the explanation as text, with each fact on a line of its own.
func (e Explanation) String() string { return e.Text(func(name string) string { return name }) }

// Text returns the explanation as text (DIAG-503). The function name returns the names to show for other
// symbols.
func (e Explanation) Text(name func(string) string) string {
	var b strings.Builder
	fmt.Fprintln(&b, show.Line(fmt.Sprintf("%s: %s", e.Symbol, e.Kind)))
	for _, f := range e.Facts(name) {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Topic, show.Line(f.Text))
	}
	return b.String()
}
