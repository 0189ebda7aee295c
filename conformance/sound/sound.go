// Package sound judges a linked cubin by itself: whether it is a program that its
// inputs demand, wherever the linker has put things.
//
// [Check] reads inputs and output. Which definition a name has, what a kernel gets to,
// what it needs: that follows from the inputs (program.go, reach.go). Where things are
// is read from the output: the values of symbols and, for what has no symbol there
// (shared variables, the compiler's constants, slots of textures), the operands of the
// code (address.go). Then everything that is there is compared with what has to be
// there: code and data with each relocated field derived anew, relocations left to the
// driver (content.go), room and alignment of what a kernel can reach (memory.go), slots of
// textures (handle.go), symbols (symbol.go), attributes (attribute.go, rising.go), the call
// graph (callgraph.go), and the tables that a loader reads (loader.go).
//
// No rule says where something has to be. So a linker with a layout of its own can
// pass, and a copy of nvlink's layout with one wrong operand fails. What the check
// cannot judge it does not let pass.
package sound

import (
	"fmt"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/nvinfo"
)

// A Link is what a linker was asked to do, as far as it decides the program.
type Link struct {
	Target arch.Target
	Inputs []Input // device ELFs in link order, chosen as the link chooses them
	Options
}

// An Input is one relocatable cubin.
type Input struct {
	Name   string
	Data   []byte
	System bool // libcudadevrt: linked only if a function is missing
}

// Options are the options of nvlink that decide the program.
type Options struct {
	Relocatable      bool // -r
	Debug            bool // -g
	DebugCode        bool // -g without -suppress-debug-info
	PreserveRelocs   bool
	ExtendedShared   bool // -enable-extended-smem
	NoReservedShared bool // -disable-smem-reservation=true
	KeepSystem       bool // -keep-system-libraries
	// Root reports whether a kernel is a root of the link, by its name, whether its symbol
	// is local, and whether libcudadevrt is linked; nil: all are.
	Root func(kernel string, internal, system bool) bool
	// Chosen reports whether a kernel counts as one where --preserve-relocs keeps what the
	// options do not choose (REACH-031); nil: all do.
	Chosen func(kernel string) bool
}

// A Finding is one way in which an output is not sound.
type Finding struct {
	Key       string // what and where: "code.k", "shared.tile", "attribute.k.REGCOUNT"
	Want, Got string
}

func (f Finding) String() string { return fmt.Sprintf("%s: want %s, got %s", f.Key, f.Want, f.Got) }

// Check judges the output of a final link. No finding means that it is sound.
func Check(link Link, output []byte) []Finding {
	c := &checker{link: link}
	if c.out = c.openOutput(output); c.out == nil {
		return c.findings
	}
	if !c.readProgram() {
		return c.findings
	}
	c.findKind()
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

// A checker holds both sides and what was found.
type checker struct {
	link     Link
	program  program
	out      *output
	mercury  bool // the output holds Mercury code too
	dynamic  map[dynamicUse]*slot
	sums     map[partial]reading
	lost     map[lostLines]int
	told     map[string]bool                 // functions of which debug information tells where values are
	kernels  []*entity                       // of the output
	reaching map[*entity][]*entity           // kernels of the output that get to a function
	settled  map[spot][]settled              // relocations of the inputs, by place
	said     map[*entity][]nvinfo.Record     // attributes of functions in the inputs
	anyone   map[nvinfo.Code][]nvinfo.Record // what functions of the output say, by code
	inner    bool                            // attributes of the Mercury half are looked at
	frames   map[*entity]uint32              // of functions, by EIATTR_FRAME_SIZE
	findings []Finding
	reported map[Finding]bool
}

// report notes a finding, once.
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
