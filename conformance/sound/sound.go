// Package sound checks a linked cubin without a reference: whether it is the program that its inputs require, at
// whatever addresses the linker has placed things.
//
// [Check] reads the inputs and the output. The inputs determine which definition of a name prevails, which functions a
// kernel reaches, and what it needs (program.go, reach.go). The output determines the addresses. They are the values of
// symbols. Shared variables, the compiler's constants and the slots of textures have no symbols, so the operands of the
// code determine their addresses (address.go).
//
// The checker then compares the output with these requirements: code and data with each relocated field computed again,
// and relocations left to the driver (content.go); size and alignment of the memory that a kernel can reach (memory.go);
// slots of textures (handle.go); symbols (symbol.go); attributes (attribute.go, rising.go); the call graph
// (callgraph.go); and the tables that a loader reads (loader.go).
//
// No rule requires an address. So a linker with a different layout can pass, and a copy of nvlink's layout with one
// wrong operand fails. The checker rejects outputs that it cannot judge.
package sound

import (
	"fmt"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/nvinfo"
)

// A Link describes what a linker had to link, and how.
type Link struct {
	Target arch.Target
	Inputs []Input // device ELFs in link order, as selected from archives and fat binaries
	// SlotsForDistances accepts the slot of a handle where code needs its distance from the first slot: what nvlink
	// writes up to sm_90 (E-380).
	SlotsForDistances bool
	// UnsafeFences accepts a fence that reads its predicate too soon: what nvlink writes from sm_100 on before an exit under
	// the result of a barrier (E-540).
	UnsafeFences bool
	Options
}

// An Input is one relocatable cubin.
type Input struct {
	Name   string
	Data   []byte
	System bool // libcudadevrt, which is linked only if a function is missing
}

// Options are the options of nvlink that affect the program.
type Options struct {
	Relocatable      bool // -r
	Debug            bool // -g
	DebugCode        bool // -g without -suppress-debug-info
	PreserveRelocs   bool
	ExtendedShared   bool // -enable-extended-smem
	NoReservedShared bool // -disable-smem-reservation=true
	KeepSystem       bool // -keep-system-libraries
	AllowUndefined   bool // -allow-undefined-globals
	// Root reports whether a kernel is a root of the link. It gets the kernel's name, whether its symbol is local, and
	// how many objects of libcudadevrt come up to the last that is linked. If Root is nil, all kernels are roots.
	Root func(kernel string, internal bool, systemParts int) bool
	// Chosen reports whether the options select a kernel. It matters with --preserve-relocs, which also keeps kernels that
	// are not selected (REACH-031). If Chosen is nil, all kernels are selected.
	Chosen func(kernel string) bool
}

// A Finding is one reason why an output is not sound.
type Finding struct {
	Key       string // what and where: "code.k", "shared.tile", "attribute.k.REGCOUNT"
	Want, Got string
}

func (f Finding) String() string { return fmt.Sprintf("%s: want %s, got %s", f.Key, f.Want, f.Got) }

// Check judges the output of a link. If it returns no finding, the output is sound.
func Check(link Link, output []byte) []Finding {
	c := &checker{link: link}
	if c.out = c.openOutput(output); c.out == nil {
		return c.findings
	}
	if !c.readProgram() {
		return c.findings
	}
	c.findKind()
	c.moveSlots()
	c.moveFirstSlot()
	c.finalize()
	if link.Relocatable {
		c.keepAll()
	} else {
		c.reach()
	}
	c.matchSymbols()
	c.findKernels()
	c.finalizeDebug()
	c.findAddresses()
	c.checkContents()
	c.checkMemory()
	c.checkSymbols()
	c.checkAttributes()
	c.checkCallGraph()
	c.checkLoader()
	c.checkMercury()
	return c.findings
}

// A checker holds the inputs, the output and the findings.
type checker struct {
	link      Link
	program   program
	out       *output
	mercury   bool // the output holds Mercury code too
	dynamic   map[dynamicUse]*slot
	sums      map[partial]reading
	lost      map[lostLines]int
	told      map[string]bool                 // names of functions with a register record in debug information so far
	kernels   []*entity                       // kernels of the output
	reaching  map[*entity][]*entity           // kernels of the output that get to a function
	settled   map[spot][]settled              // relocations of the inputs, by place
	said      map[*entity][]nvinfo.Record     // attributes of functions in the inputs
	anyone    map[nvinfo.Code][]nvinfo.Record // what functions of the output say, by code
	inner     bool                            // attributes of the Mercury half are looked at
	frames    map[*entity]uint32              // frame sizes of functions, from EIATTR_FRAME_SIZE
	unbounded map[*entity]bool                // functions whose EIATTR_MIN_STACK_SIZE is unknownStack
	findings  []Finding
	reported  map[Finding]bool
}

// report adds a finding unless it is already there.
func (c *checker) report(key, want, got string, args ...any) {
	f := Finding{Key: key, Want: want, Got: fmt.Sprintf(got, args...)}
	if c.reported[f] {
		return
	}
	if c.reported == nil {
		c.reported = map[Finding]bool{}
	}
	c.reported[f] = true
	c.findings = append(c.findings, f)
}
