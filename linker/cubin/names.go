package cubin

func IsHandle(t SymbolType) bool {
	return t == SymTexture || t == SymSampler || t == SymSurface
}

// Beginnings of the names of code sections, of stubs of unified functions (LAYOUT-115), which
// are code too, and of constant banks.
const (
	CodePrefix     = ".text."
	StubPrefix     = ".nv.uft.rel."
	ConstantPrefix = ".nv.constant"
)

const DebugFrameName = ".debug_frame"

// ReservedSharedPrefix begins the names of what the system has in shared memory; only
// machine code knows where.
const ReservedSharedPrefix = ".nv.reservedSmem."

// Sections for debuggers that say where things are in code.
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

// UserConstantsSize is the name by which code asks how many bytes of constants the user
// has. Inputs share one such symbol, be it local (MERGE-303).
const UserConstantsSize = ".nv.ptx.const0.size"

const GlobalName = ".nv.global"

const ExternInstance = "externsharedinstance"

// ParameterPrefix begins the names of the banks that hold the kernels' parameters.
const ParameterPrefix = ".nv.constant0."

// IsLabel reports whether y is the null symbol, or one that says of itself nothing
// but where it is, or nothing that a cubin can say.
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

// UserBank is the bank of the user's constants, which the finalizer knows also where a
// constant is not defined yet (MERC-214).
const UserBank = 3

// IsNoBits tells a section of an input that takes room in memory only.
func IsNoBits(s *Section) bool { return !s.HasBytes() && s.Type != SectionNull }

const (
	GlobalInitName = ".nv.global.init"
	LocalPrefix    = ".nv.local."
)
