package reloc

// The disposition of a relocation is what a link does with it. It depends on the purpose of the type (its
// [Use]) and on the kind of the symbol in the linked file (its [Target]). If only the driver knows an address,
// it cannot be written at link time, and the relocation is kept. If the link determines the place, as in a
// constant bank, in shared memory or in a debug section, the address can be written. The table dispositions has
// a row for each use and a column for each target (RELOC-010 to RELOC-019). The architecture does not matter,
// nor does the section of the place.

// A Use is the purpose of a type.
type Use uint8

// The uses.
const (
	NoUse         Use = iota // R_CUDA_NONE
	Address                  // an address, or a half or a byte of one
	Unified                  // an address that may be in a unified table
	UnifiedDriver            // such an address that no link writes
	Word                     // a 32-bit operand of an instruction
	Operand                  // a shorter operand: a constant, a shared address, the slot of a texture
	Number                   // an operand that cannot be the slot of a texture
	Branch                   // the distance from the place to the symbol
	Driver                   // a value of the driver: no link writes it
	Descriptor               // a function descriptor, for the driver; keeps the function alive (RELOC-020)
	Unused                   // clears the place if its function is not linked
	Yield                    // rewrites a YIELD instruction of Turing
	Sentinel                 // R_MERCURY_NONE_LAST
	Last                     // R_CUDA_NONE_LAST and every unknown number
	Invalid                  // invalid in a Mercury section
	numUses
)

// A Target is the kind of a relocation's symbol in the linked file.
type Target uint8

// The targets.
const (
	Function      Target = iota // a function in the output, or an undefined function
	DeadFunction                // a function that is not in the output
	Variable                    // in global memory, defined or not; the section symbols of .nv.global and .nv.global.init
	Undefined                   // undefined, not a function and in no memory space: .nv.reservedSmem.offset0
	Handle                      // a texture, sampler or surface
	Placed                      // with a known place: a constant, a label, any other section symbol, the null symbol
	Shared                      // a static shared variable
	DynamicShared               // an extern shared variable
	Parameter                   // the parameters of a kernel, in its bank 0; the section symbol of a dead function
	Dissolved                   // section symbols missing from the output: .nv_debug.shared
	UFTOffset                   // __UFT_OFFSET
	UnifiedTable                // __UFT, __UDT, their _END and _CANONICAL, and __UDT_OFFSET
	numTargets
)

// A Mode is the kind of link.
type Mode uint8

// The modes.
const (
	Executable  Mode = iota
	Preserving       // --preserve-relocs
	Relocatable      // -r
	numModes
)

// A Disposition is the treatment of a relocation.
type Disposition uint8

// These are the dispositions. Those from Deleted on are fatal errors.
const (
	Keep        Disposition = iota // stays in the output; in an executable, with the number Type.Final
	KeepNone                       // stays in the output under number 0
	Resolve                        // Type.Apply writes the place, and the relocation is removed
	ResolveNull                    // as Resolve, but with the null symbol's Value: 0 in Bank(0)
	Drop                           // removed; the place is unchanged
	Deleted                        // needs a symbol that the output lacks
	Elsewhere                      // a branch to another section
	Unknown                        // no such operation
	Unexpected                     // not a valid type in a Mercury section
	NotFunction                    // a function descriptor of another kind of symbol: an error, whatever nvlink does (E-341)
)

func (u Use) String() string {
	return [...]string{"none", "address", "unified", "unified driver", "word", "operand", "number", "branch", "driver", "descriptor", "unused", "yield", "sentinel", "last", "invalid"}[u]
}

func (t Target) String() string {
	return [...]string{"function", "dead function", "variable", "undefined", "handle", "placed", "shared", "dynamic shared", "parameter", "dissolved", "UFT offset", "unified table"}[t]
}

func (m Mode) String() string {
	return [...]string{"executable", "preserving", "relocatable"}[m]
}

func (f Disposition) String() string {
	return [...]string{"keep", "keep as 0", "resolve", "resolve as null", "drop", "deleted", "elsewhere", "unknown", "unexpected", "not a function"}[f]
}

// Fault returns the text of nvlink's fatal message for a disposition, after "Internal error: ". It is empty for
// other dispositions. The text of NotFunction is culink's own (E-341).
func (f Disposition) Fault() string {
	return [...]string{
		Deleted:     "reference to deleted symbol",
		Elsewhere:   "PC relative branch address should be in the same section",
		Unknown:     "unexpected NVRS",
		Unexpected:  "unexpected reloc",
		NotFunction: "function descriptor of a symbol that is not a function",
	}[f]
}

// These are the texts of nvlink's fatal messages, after "Internal error: ", for a relocation that points at or
// after the end of its section (RELOC-016).
const (
	FaultPastEnd  = "relocation is past end of offset" // the relocation would be kept
	FaultNotFound = "reloc address not found"          // the relocation would be resolved
)

// FaultAt is [Disposition.Fault] for a place at offset, in a section of size bytes. A relocation that points at
// or after the end of its section is an error of its own, unless it is dropped.
func (f Disposition) FaultAt(offset, size uint64) string {
	switch {
	case offset < size || f == Drop:
		return f.Fault()
	case f == Keep, f == KeepNone, f == Deleted, f == NotFunction:
		return FaultPastEnd
	}
	return FaultNotFound
}

// dispositions has a letter for each target, in the order of the Target constants.
var dispositions = [numModes][numUses]string{
	Executable: {
		NoUse:         "dd KKK d ddd d dx",
		Address:       "Kd KKK R RRR R dd",
		Unified:       "Kd KKK R RRR R dx",
		UnifiedDriver: "Kd KKK K xxx x dx",
		Word:          "Kd KKR R RRR R dd",
		Operand:       "Kd KKR R RRR R dd",
		Number:        "Kd KKz R RRR R dd",
		Branch:        "Kd KKb b bbb b dd",
		Driver:        "Kd KKK K xxx x dd",
		Descriptor:    "KK fff f xxx x ff",
		Unused:        "dR KNN d RRR d dd",
		Yield:         "Kd KKd d ddd d dd",
		Sentinel:      "Kd KKK d ddd d dd",
		Last:          "Kd KKK u uuu u dd",
		Invalid:       "!! !!! ! !!! ! !!",
	},
	Preserving: { // shared variables and parameters keep their symbols, no function is dead
		NoUse:         "dd KKK d ddd d dx",
		Address:       "KK KKK R RRR R dd",
		Unified:       "KK KKK R RRR R dx",
		UnifiedDriver: "KK KKK K KxK K dx",
		Word:          "KK KKR R RRR R dd",
		Operand:       "KK KKR R RRR R dd",
		Number:        "KK KKz R RRR R dd",
		Branch:        "KK KKb b bbb b dd",
		Driver:        "KK KKK K KxK K dd",
		Descriptor:    "KK fff f Kxf f ff",
		Unused:        "dd KNN d RRR d dd",
		Yield:         "KK KKd d ddd d dd",
		Sentinel:      "KK KKK d ddd d dd",
		Last:          "KK KKK u uuu u dd",
		Invalid:       "!! !!! ! !!! ! !!",
	},
	Relocatable: { // unified tables do not exist yet, extern shared variables have no place yet
		NoUse:         "dd KKK d ddd d dK",
		Address:       "KK KKK R RKR R dK",
		Unified:       "KK KKK K KKK K dK",
		UnifiedDriver: "KK KKK K KKK K dK",
		Word:          "KK KKK R RKR R dK",
		Operand:       "KK KKz R RKR R dK",
		Number:        "KK KKz R RKR R dK",
		Branch:        "KK KKb b bKb b dK",
		Driver:        "KK KKK K KKK K dK",
		Descriptor:    "KK fff f Kff f ff",
		Unused:        "dd KNN d dKR d dN",
		Yield:         "KK KKd d dKd d dK",
		Sentinel:      "KK KKK d dKd d dK",
		Last:          "KK KKK u uKu u dK",
		Invalid:       "!! !!! ! !!! ! !!",
	},
}

// column maps targets to letters in a row of dispositions.
var column = [numTargets]uint8{
	Function: 0, DeadFunction: 1,
	Variable: 3, Undefined: 4, Handle: 5,
	Placed: 7,
	Shared: 9, DynamicShared: 10, Parameter: 11,
	Dissolved: 13,
	UFTOffset: 15, UnifiedTable: 16,
}

var dispositionOf = [256]Disposition{
	'K': Keep, 'N': KeepNone, 'R': Resolve, 'z': ResolveNull, 'd': Drop,
	'x': Deleted, 'b': Elsewhere, 'u': Unknown, '!': Unexpected, 'f': NotFunction,
}

// Disposition returns the disposition of a relocation of type t against a target.
func (t *Type) Disposition(target Target, mode Mode) Disposition {
	return dispositionOf[dispositions[mode][t.Use][column[target]]]
}

// IsDescriptor reports whether a type number, of either half, is that of a function descriptor. A relocation of
// such a type takes the address of the function (RELOC-020).
func IsDescriptor(number uint32) bool {
	if i := number - MercuryBase; number >= MercuryBase && i < uint32(len(mercury)) {
		return mercury[i].Use == Descriptor
	}
	return number < uint32(len(cuda)) && cuda[number].Use == Descriptor
}
