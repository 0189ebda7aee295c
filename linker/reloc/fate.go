package reloc

// What becomes of a relocation is decided by two things: what its type is for
// (its [Use]) and what its symbol is in the linked file (its [Target]). An
// address that only the driver knows cannot be written at link time, and its
// relocation stays; a place that the link fixes (in a constant bank, in shared
// memory, in a debug section) can. The decision is the table fates: a row per
// use, a column per target (RELOC-020 to RELOC-029). Neither the architecture nor
// the section that holds the place matters.

// A Use says what a type is for.
type Use uint8

// The uses.
const (
	NoUse      Use = iota // R_CUDA_NONE
	Address               // an address, or a half or a byte of one
	Unified               // an Address that may lie in a unified table
	Operand               // a short field of one instruction: a constant, a shared address, a slot
	Branch                // the distance from the place to the symbol
	Driver                // a value of the driver's: no link writes it
	Descriptor            // a function descriptor, for the driver; keeps the function alive (RELOC-030)
	Unused                // clears the place when its function is not linked
	Yield                 // rewrites a YIELD instruction of Turing
	Last                  // R_CUDA_NONE_LAST and every unknown number
	numUses
)

// A Target says what the symbol of a relocation is in the linked file.
type Target uint8

// The targets.
const (
	Function     Target = iota // a function in the output, or an undefined one
	DeadFunction               // a function that is not in the output
	Variable                   // in global memory, or the section symbol of .nv.global and .nv.global.init
	Undefined                  // not defined, and no function
	Handle                     // a texture, sampler or surface
	Placed                     // has its place, and a symbol in the output: constants, most section symbols
	Hidden                     // has its place, but no symbol in the output: shared memory, parameters
	Dissolved                  // the section symbol of .nv_debug.shared, whose objects move to the kernels
	UFTOffset                  // __UFT_OFFSET
	UnifiedTable               // __UFT, __UDT, their _END and _CANONICAL, and __UDT_OFFSET
	numTargets
)

// A Fate is what becomes of a relocation.
type Fate uint8

// The fates; those from Deleted on are fatal.
const (
	Keep        Fate = iota // stays in the output, under the number Type.Final in an executable
	KeepNone                // stays in the output as R_CUDA_NONE
	Resolve                 // Type.Apply, then it is gone
	Drop                    // gone, the place stays as it is
	Deleted                 // needs a symbol that the output does not have
	Elsewhere               // a branch to another section
	Unknown                 // no such operation
	NotFunction             // a function descriptor of something else; nvlink crashes here
)

// Fault is the text with which nvlink ends at a fatal fate, behind "Internal
// error: "; empty for the others. NotFunction is our own (errata: nvlink crashes).
func (f Fate) Fault() string {
	return [...]string{
		Deleted:     "reference to deleted symbol",
		Elsewhere:   "PC relative branch address should be in the same section",
		Unknown:     "unexpected NVRS",
		NotFunction: "function descriptor of a symbol that is not a function",
	}[f]
}

var fates = [numUses][numTargets]Fate{
	//           Function, Dead,    Variable,    Undefined,   Handle,      Placed,      Hidden,      Dissolved,   UFTOffset,   UnifiedTable
	NoUse:      {Drop, Drop, Keep, Keep, Keep, Drop, Drop, Drop, Drop, Deleted},
	Address:    {Keep, Drop, Keep, Keep, Keep, Resolve, Resolve, Resolve, Drop, Drop},
	Unified:    {Keep, Drop, Keep, Keep, Keep, Resolve, Resolve, Resolve, Drop, Deleted},
	Operand:    {Keep, Drop, Keep, Keep, Resolve, Resolve, Resolve, Resolve, Drop, Drop},
	Branch:     {Keep, Drop, Keep, Keep, Elsewhere, Elsewhere, Elsewhere, Elsewhere, Drop, Drop},
	Driver:     {Keep, Drop, Keep, Keep, Keep, Keep, Deleted, Deleted, Drop, Drop},
	Descriptor: {Keep, Drop, NotFunction, NotFunction, NotFunction, NotFunction, NotFunction, NotFunction, NotFunction, NotFunction},
	Unused:     {Drop, Resolve, Keep, KeepNone, KeepNone, Drop, Resolve, Drop, Drop, Drop},
	Yield:      {Keep, Drop, Keep, Keep, Drop, Drop, Drop, Drop, Drop, Drop},
	Last:       {Keep, Drop, Keep, Keep, Keep, Unknown, Unknown, Unknown, Drop, Drop},
}

// Fate says what becomes of a relocation of type t against a target.
func (t *Type) Fate(target Target) Fate { return fates[t.Use][target] }
