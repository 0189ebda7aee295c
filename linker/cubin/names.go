package cubin

import "strings"

func IsHandle(t SymbolType) bool {
	return t == SymTexture || t == SymSampler || t == SymSurface
}

// These are prefixes of the names of code sections, of stubs of unified functions (LAYOUT-115), which are code
// too, and of constant banks.
const (
	CodePrefix     = ".text."
	StubPrefix     = ".nv.uft.rel."
	ConstantPrefix = ".nv.constant"
)

const DebugFrameName = ".debug_frame"

// ReservedSharedPrefix is the prefix of the names of the system's variables in shared memory. Only machine code
// contains their addresses.
const ReservedSharedPrefix = ".nv.reservedSmem."

// TensorMemoryColumns is the symbol for the number of columns of tensor memory. Code for debuggers compares
// addresses with that number.
const TensorMemoryColumns = "__tcgen05_tmem_max_col_size"

// IsOfSystem reports whether a name is that of a number that only the linker knows. In the Mercury half the
// number is 0.
func IsOfSystem(name string) bool {
	return strings.HasPrefix(name, ReservedSharedPrefix) || name == TensorMemoryColumns
}

// These sections for debuggers describe where things are in code.
const (
	DebugInfoName      = ".debug_info"
	DebugLocName       = ".debug_loc"
	DebugLineName      = ".debug_line"
	DebugSASSLineName  = ".nv_debug_line_sass"
	DebugRegistersName = ".nv_debug_info_reg_sass"
)

const (
	CompilerConstantPrefix = ".nv.constant2."
	CompilerBankNumber     = 2
)

const UserConstantName = ".nv.constant3"

// UserConstantsSize is the symbol through which code reads the size of the user's constants in bytes. Inputs
// share one such symbol, even if it is local (MERGE-303).
const UserConstantsSize = ".nv.ptx.const0.size"

const GlobalName = ".nv.global"

const ExternInstance = "externsharedinstance"

// ParameterPrefix is the prefix of the names of the banks with kernel parameters.
const ParameterPrefix = ".nv.constant0."

// IsLabel reports whether y is the null symbol, a symbol that only marks a place, or one of a type that a cubin
// cannot have.
func IsLabel(y *Symbol) bool {
	switch y.Type {
	case SymObject, SymFunc, SymSection, SymData, SymTexture, SymSampler, SymSurface:
		return y.Index == 0
	case SymNone:
		return y.Index == 0 || y.Defined()
	}
	return true
}

const (
	ModuleSharedName  = ".nv_debug.shared"
	EntrySharedPrefix = ".nv.shared."
)

// UserBank is the number of the bank of the user's constants. The finalizer uses this number even if a constant
// is not defined yet (MERC-214).
const UserBank = 3

// IsNoBits reports whether a section of an input exists only in memory.
func IsNoBits(s *Section) bool { return !s.HasBytes() && s.Type != SectionNull }

const (
	GlobalInitName = ".nv.global.init"
	UFTName        = ".nv.uft" // unified functions
	UDTName        = ".nv.udt" // unified variables
	LocalPrefix    = ".nv.local."
)
