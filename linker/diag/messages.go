package diag

import "slices"

// CopiedConstants is the text of [InternalError] for a link that shares compiler constants among kernels, if a function with
// such constants is defined in several files (KIT-690).
const CopiedConstants = "ed->symidx = 0"

// An ID identifies a message. The zero ID is no message.
type ID uint16

// These are the messages, by phase. Their texts in [Messages] are a part of nvlink's interface, because
// build systems and tests search for them.
const (
	None ID = iota

	// Options.
	UnknownOption
	UnknownArch
	NoOutputFile
	NoInputFiles
	ArgumentExpected
	NoArgumentExpected
	ValueNotDefined
	NumberExpected
	NumberOutOfRange
	BoolExpected
	StrayCharacter
	Redefinition
	CannotOpenOptionsFile
	TooManyOptionsFiles
	InputsNotAllowed
	ConflictingOptions
	InvalidArgument
	IgnoreUseHostInfo
	NVVMPathMissing
	NotFullyImplemented
	OptionNotSupported
	APIVersionMajor
	APIVersionSyntax
	CannotOpenFile
	CannotReadFile
	LibraryLoadError
	OptimiserLoadError
	HostScriptFailed
	IncompatibleOptions
	UnknownToolkit
	NearestToolkit

	// Load.
	CannotOpenInput
	NotELF
	NotDeviceELF
	ArchMismatch
	ABIMismatch
	NotEFCuda64
	NewerThanToolkit
	RecompileWith7
	RecompileWith12
	DamagedInput
	InputPassedOver
	ArrayWithoutPlace
	LibraryUnused
	KernelNotFound
	UnknownPhase
	LimitReached
	VirtualTarget
	OutputLimited
	BareInternalError
	UnreadableCompat
	NarrowFrame
	MalformedFrame
	FinalizationFailed
	ElfLinkFinalization
	FatbinFormat
	NVVMWithoutLTO
	BitcodeFile
	BitcodeWithoutLTO
	LTOObjects
	NeedsLTOCompiler
	PartialLTO
	NoLTOObjects
	SomeWithoutFlag
	SomeWithoutValue
	FlagsDiffer
	OptimiserSaid
	OptimiserStep
	JITCompileFailed
	NVVMError
	NoDeviceRuntime
	LTOCompilerFailed
	NeedsPTXAS
	NeedsCodeGenerator
	ReopenedWholeProgram
	ReplacedWholeProgram
	SlotsOfWholeProgram
	PTXASFailed
	PTXASSaid
	ShadowFailed
	ArchNameTooLong
	SpecificBesideOther
	ArchNotFound
	NoHostCode
	NoFatbinIn
	UncompressFailed
	MemoryAllocation
	UnknownBinaryFormat
	SizeOfTargetMismatch
	ArchiveFormat
	NoLongNames
	LongNameRange
	LongNameUnterminated
	ArchiveBounds
	ModuleIDs
	SkippingIncompatible
	ObjectTruncated
	ObjectBigEndian
	ObjectUnreadable
	ElfLinkInternal
	ElfLinkFatbinary

	// Merge.
	MultipleDefinition
	SizeMismatch
	SpaceMismatch
	ManagedMismatch
	PrototypeMismatch
	NotDeclaredGlobal
	CommonLargerThanInit
	WeakParameterBankSize
	MissingCompat
	OldTensorMemory
	NewerThanOption
	BesideWholeProgram
	BehindSystem
	FinalizerFailed
	MergeFailed
	NoToolsPatch

	// Stack, layout, undefined, registers.
	StackUnknown
	StackLimited
	TooMuchGlobalConstant
	TooMuchShared
	TooMuchOCGConstant
	SharedOfWholeProgram
	NoUnifiedIndex
	LostRelocation
	MovedVariable
	UndefinedReference
	LargeParameters
	CTAGroupConflict
	CachePreference
	MaxRegCount
	ReservedShared
	AddressTakenNoCalls
	CallGraphText
	RegistersPropagated
	MemoryUse
	FunctionProperties
	ResourceUse
	ResourceUseUncounted
	ExtensibleOfOther
	UnknownBinaryKind

	// Relocate, emit.
	InternalError
	CannotOpenOutput
	OutputIsTaken
	CannotWriteFile

	numMessages
)

// A Message is the fixed part of a diagnostic.
type Message struct {
	Name     string // stable name for programs
	Phase    Phase
	Severity Severity
	Format   string // nvlink's text, with Go verbs
}

// Messages returns every message, indexed by ID.
func Messages() []Message { return slices.Clone(messages[:]) }

// Message returns the fixed part of the diagnostics with an ID.
func (id ID) Message() Message { return messages[id] }

// messages lists every message by ID.
var messages = [numMessages]Message{
	UnknownOption:         {"unknown-option", PhaseOptions, Fatal, "Unknown option '%s'"},
	UnknownArch:           {"unknown-arch", PhaseOptions, Fatal, "Unknown arch name '%s'"},
	NoOutputFile:          {"no-output-file", PhaseOptions, Fatal, "Must specify output file with -o option"},
	NoInputFiles:          {"no-input-files", PhaseOptions, Fatal, "No input files specified; use option --help for more information"},
	ArgumentExpected:      {"argument-expected", PhaseOptions, Fatal, "argument expected after '%s'"},
	NoArgumentExpected:    {"no-argument-expected", PhaseOptions, Fatal, "no argument expected after '%s'"},
	ValueNotDefined:       {"value-not-defined", PhaseOptions, Fatal, "Value '%s' is not defined for option '%s'"},
	NumberExpected:        {"number-expected", PhaseOptions, Fatal, "'%s': expected a number"},
	NumberOutOfRange:      {"number-out-of-range", PhaseOptions, Fatal, "%s value (%s) out of range"},
	BoolExpected:          {"bool-expected", PhaseOptions, Fatal, "'%s': expected true or false"},
	StrayCharacter:        {"stray-character", PhaseOptions, Fatal, "Stray '%s' character"},
	Redefinition:          {"redefinition", PhaseOptions, Warning, "incompatible redefinition for option '%s', the last value of this option was used"},
	CannotOpenOptionsFile: {"cannot-open-options-file", PhaseOptions, Fatal, "Could not open options file '%s'"},
	TooManyOptionsFiles:   {"too-many-options-files", PhaseOptions, Fatal, "Too many options file opened '%s'"},
	InputsNotAllowed:      {"inputs-not-allowed", PhaseOptions, Fatal, "Input files are not allowed with -ghls option; use --help for more information"},
	ConflictingOptions:    {"conflicting-options", PhaseOptions, Fatal, "Conflicting options '%s' and '%s'"},
	InvalidArgument:       {"invalid-argument", PhaseOptions, Fatal, "Invalid argument for option '%s'"},
	IgnoreUseHostInfo:     {"ignore-use-host-info", PhaseOptions, Info, "ignore -use-host-info because -kernels-used or -variables-used is specified"},
	NVVMPathMissing:       {"nvvmpath-missing", PhaseOptions, Fatal, "-nvvmpath should be specified with -lto"},
	NotFullyImplemented:   {"not-fully-implemented", PhaseOptions, Warning, "Option '%s' is not fully implemented for gpu archtecture '%s' and may not work as expected"},
	OptionNotSupported:    {"option-not-supported", PhaseOptions, Fatal, "Option '%s' not supported for gpu architecture '%s'"},
	APIVersionMajor:       {"api-version-major", PhaseOptions, Fatal, "--cuda-api-version major number must be == toolkit version"},
	APIVersionSyntax:      {"api-version-syntax", PhaseOptions, Fatal, "--cuda-api-version value cannot be parsed"},
	CannotOpenFile:        {"cannot-open-file", PhaseOptions, Fatal, "Cannot open file '%s'"},
	CannotReadFile:        {"cannot-read-file", PhaseOptions, Fatal, "Could not read file '%s'"},
	HostScriptFailed:      {"host-script-failed", PhaseOptions, Fatal, "Host linker script creation failed."},
	IncompatibleOptions:   {"incompatible-options", PhaseOptions, Info, "Incompatible options '%s' and '%s', using '%s'"},
	NearestToolkit:        {"nearest-toolkit", PhaseOptions, Info, "Toolkit '%s' is unknown; the nearest that culink knows, %s, takes its place"},
	UnknownToolkit:        {"unknown-toolkit", PhaseOptions, Fatal, "Toolkit '%s' is unknown; culink knows %s"},
	LibraryLoadError:      {"library-load-error", PhaseOptions, Fatal, "elfLink linker library load error"},
	OptimiserLoadError:    {"optimiser-load-error", PhaseOptions, Fatal, "can't load libnvvm library"},

	CannotOpenInput:   {"cannot-open-input", PhaseLoad, Fatal, "Could not open input file '%s'"},
	NotELF:            {"cubin-not-elf", PhaseLoad, Fatal, "cubin not an elf?"},
	NotDeviceELF:      {"cubin-not-device-elf", PhaseLoad, Fatal, "cubin not a device elf?"},
	ArchMismatch:      {"arch-mismatch", PhaseLoad, Fatal, "Input file '%s' arch does not match target '%s'"},
	ABIMismatch:       {"abi-mismatch", PhaseLoad, Fatal, "Input file '%s' abi does not match"},
	NotEFCuda64:       {"not-64bit-address", PhaseLoad, Warning, "expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set"},
	NewerThanToolkit:  {"newer-than-toolkit", PhaseLoad, Fatal, "Input file '%s' newer than toolkit (%d vs %d)"},
	RecompileWith7:    {"recompile-with-7.0", PhaseLoad, Fatal, "Input file '%s' must be recompiled with toolkit >= Cuda 7.0"},
	RecompileWith12:   {"recompile-with-12.0", PhaseLoad, Fatal, "Input file '%s' must be recompiled with toolkit >= Cuda 12.0"},
	InputPassedOver:   {"input-passed-over", PhaseLoad, Info, "Nothing was taken from input file '%s'"},
	ArrayWithoutPlace: {"array-without-place", PhaseLayout, Info, "Extern shared array '%s' of '%s' has no place"},
	UnknownPhase:      {"unknown-phase", PhaseOptions, Fatal, "'%s' is no phase for --trace: %s"},
	KernelNotFound:    {"kernel-not-found", PhaseReach, Info, "Option '-kernels-used': no kernel's name contains '%s'"},
	LibraryUnused:     {"library-unused", PhaseReach, Info, "Nothing of library '%s' is used"},
	LimitReached:      {"limit-reached", PhaseLoad, Fatal, "Input file '%s' takes %s; --limit %s=<number> allows more"},
	DamagedInput:      {"damaged-input", PhaseLoad, Fatal, "Input file '%s' is damaged: %s"},

	VirtualTarget:        {"virtual-target", PhaseLoad, Fatal, "Link target of '%s' is virtual target that is not JIT-able; use 'sm_' target instead"},
	OutputLimited:        {"output-limited", PhaseLoad, Warning, "Output is limited to run on SM Arch '%d' only due to limitations in input file %s"},
	UnreadableCompat:     {"unreadable-compat", PhaseLoad, Fatal, "cannot read nvcompat"},
	NarrowFrame:          {"narrow-frame", PhaseLoad, Fatal, "Dwarf version 2 is not supported"},
	MalformedFrame:       {"malformed-frame", PhaseLoad, Fatal, "Malformed .debug_frame entry: instruction data exceeds record boundary"},
	FinalizationFailed:   {"finalization-failed", PhaseLoad, Error, "Finalization failed: '%s'"},
	ElfLinkFinalization:  {"elflink-finalization", PhaseLoad, Fatal, "elfLink error finalization failed"},
	BareInternalError:    {"internal-error-on-load", PhaseLoad, Fatal, "Internal error"},
	FatbinFormat:         {"fatbin-format", PhaseLoad, Fatal, "fatbin wrong format?"},
	NVVMWithoutLTO:       {"nvvm-without-lto", PhaseLoad, Fatal, "should only see nvvm files when -lto"},
	BitcodeFile:          {"bitcode-file", PhaseLoad, Fatal, "should never see bc files"},
	BitcodeWithoutLTO:    {"bitcode-without-lto", PhaseLoad, Fatal, "should only see bc files when -lto"},
	LTOObjects:           {"lto-objects", PhaseLoad, Fatal, "LTO objects found, use -dlto"},
	PartialLTO:           {"partial-lto", PhaseLoad, Info, "requested LTO but '%s' not built for LTO so doing partial LTO"},
	NoLTOObjects:         {"no-lto-objects", PhaseLoad, Warning, "Ignoring -dlto option because no LTO objects found"},
	SomeWithoutFlag:      {"some-without-flag", PhaseLoad, Info, "Some objects do not have '%s' specified but others do; will build everything with '%s'"},
	SomeWithoutValue:     {"some-without-value", PhaseLoad, Info, "Some objects do not have '%s' specified but others do; will build everything with '%s=%d'"},
	FlagsDiffer:          {"flags-differ", PhaseLoad, Fatal, "Cicc option values for '%s' do not match"},
	OptimiserSaid:        {"optimiser-said", PhaseLoad, Info, "%s"},
	OptimiserStep:        {"optimiser-step", PhaseLoad, Verbatim, "%s"},
	JITCompileFailed:     {"jit-compile-failed", PhaseLoad, Fatal, "elfLink JIT compile failed"},
	NVVMError:            {"nvvm-error", PhaseLoad, Fatal, "elfLink nvvm error"},
	NoDeviceRuntime:      {"no-device-runtime", PhaseLoad, Fatal, "expected libcudadevrt object"},
	NeedsLTOCompiler:     {"needs-lto-compiler", PhaseLoad, Fatal, "Input file '%s' holds code for link-time optimisation, which needs NVIDIA's libnvJitLink of CUDA %d.%d: install it, or name it or another compiler with --lto-compiler or $CULINK_LTO; %s"},
	LTOCompilerFailed:    {"lto-compiler-failed", PhaseLoad, Fatal, "the compiler for link-time optimisation failed: %s"},
	NeedsCodeGenerator:   {"needs-code-generator", PhaseLayout, Fatal, "Function '%s' in '%s' is for sm_%d; for '%s' it needs NVIDIA's code generator: compile it for that target"},
	ReopenedWholeProgram: {"reopened-whole-program", PhaseLayout, Fatal, "Function '%s' in '%s' is of an extensible whole program; with -r and with -g it needs NVIDIA's code generator: link without them, or compile it without -ewp"},
	ReplacedWholeProgram: {"replaced-whole-program", PhaseMerge, Fatal, "Kernel '%s' has a second definition in '%s'; one of the two is of an extensible whole program, and their %s get no place: compile it without -ewp"},
	SlotsOfWholeProgram:  {"slots-of-whole-program", PhaseLayout, Fatal, "Kernel '%s' in '%s' is of an extensible whole program and has slots of textures; those of other files get no place beside them: compile it without -ewp"},
	NeedsPTXAS:           {"needs-ptxas", PhaseLoad, Fatal, "Input file '%s' holds PTX, which needs the compiler ptxas of CUDA %d.%d: install it, or name it with -ptxas or $CULINK_PTXAS"},
	PTXASFailed:          {"ptxas-failed", PhaseLoad, Fatal, "Input file '%s': ptxas failed: %s"},
	PTXASSaid:            {"ptxas-said", PhaseLoad, Verbatim, "%s"},
	ShadowFailed:         {"shadow-failed", PhaseOptions, Fatal, "Could not make folder '%s' as a CUDA toolkit: %s"},
	ArchNameTooLong:      {"arch-name-too-long", PhaseLoad, Fatal, "specified arch exceeds buffer length"},
	SpecificBesideOther:  {"specific-beside-other", PhaseLoad, Fatal, "cannot link accelerated arch to non-accelerated"},
	ArchNotFound:         {"arch-not-found", PhaseLoad, Warning, "SM Arch ('%s') not found in '%s'"},
	NoHostCode:           {"no-host-code", PhaseLoad, Info, "Input '%s' has no host code, which could cause later host link error if there is a reference to it"},
	NoFatbinIn:           {"no-fatbin-in", PhaseLoad, Fatal, "Could not find fatbin in '%s'"},
	UncompressFailed:     {"uncompress-failed", PhaseLoad, Error, "Uncompress failed"},
	MemoryAllocation:     {"memory-allocation", PhaseLoad, Fatal, "Memory allocation failure"},
	UnknownBinaryFormat:  {"unknown-binary-format", PhaseLoad, Error, "Binary format for key='0', ident='' is not recognized"},
	SizeOfTargetMismatch: {"target-size-mismatch", PhaseLoad, Fatal, "Input file '%s' size does not match target '%s'"},
	ArchiveFormat:        {"archive-format", PhaseLoad, Fatal, "unexpected archive format"},
	LongNameRange:        {"long-name-range", PhaseLoad, Fatal, "longnames index out of range"},
	LongNameUnterminated: {"long-name-unterminated", PhaseLoad, Fatal, "unterminated longname in archive"},
	ArchiveBounds:        {"archive-bounds", PhaseLoad, Fatal, "archive member size exceeds library bounds"},
	NoLongNames:          {"no-long-names", PhaseLoad, Fatal, "longnames header not found"},
	ModuleIDs:            {"module-ids", PhaseLoad, Fatal, "unexpected data in module_ids"},
	SkippingIncompatible: {"skipping-incompatible", PhaseLoad, Warning, "Skipping incompatible '%s' when searching for -l%s"},
	ObjectTruncated:      {"object-truncated", PhaseLoad, Fatal, "Object file '%s' appears truncated"},
	ObjectBigEndian:      {"object-big-endian", PhaseLoad, Fatal, "Object file '%s' is big endian; this has been deprecated by Microsoft for some time, so the file must be very old"},
	ObjectUnreadable:     {"object-unreadable", PhaseLoad, Fatal, "Object file '%s' is not readable"},
	ElfLinkInternal:      {"elflink-internal", PhaseLoad, Fatal, "elfLink internal error"},
	ElfLinkFatbinary:     {"elflink-fatbinary", PhaseLoad, Fatal, "elfLink fatbinary error"},

	MultipleDefinition:    {"multiple-definition", PhaseMerge, Error, "Multiple definition of '%s' in '%s', first defined in '%s'"},
	SizeMismatch:          {"size-mismatch", PhaseMerge, Error, "Size doesn't match for '%s' in '%s', first specified in '%s'"},
	SpaceMismatch:         {"space-mismatch", PhaseMerge, Error, "Memory space doesn't match for '%s' in '%s', first specified in '%s'"},
	ManagedMismatch:       {"managed-mismatch", PhaseMerge, Error, "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'"},
	PrototypeMismatch:     {"prototype-mismatch", PhaseMerge, Error, "Prototype doesn't match for '%s' in '%s', first defined in '%s'"},
	NotDeclaredGlobal:     {"not-declared-global", PhaseMerge, Error, "Function '%s' not declared __global__ in all source files"},
	CommonLargerThanInit:  {"common-larger-than-init", PhaseMerge, Error, "Common symbol '%s' in file '%s' has larger size than initialization"},
	WeakParameterBankSize: {"weak-parameter-bank-size", PhaseMerge, Error, "Duplicate weak parameter bank for '%s' is not the same size"},
	MissingCompat:         {"missing-compat", PhaseMerge, Warning, "Output is limited to run on SM Arch '%d' only, due to missing attribute '%s' in input file '%s'"},
	OldTensorMemory:       {"old-tensor-memory", PhaseMerge, Error, "Object '%s' cannot be linked due to version mismatch. Objects using tcgen05 in 12.x cannot be linked with 13.0 or later, they must be rebuilt with latest compiler"},
	NewerThanOption:       {"newer-than-option", PhaseMerge, Error, "Object '%s' has cuda-api-version of %d which is greater than version on link line (%d)"},
	BehindSystem:          {"behind-system", PhaseMerge, Fatal, "unexpected object after cudadevrt"},
	BesideWholeProgram:    {"beside-whole-program", PhaseMerge, Warning, "'%s': -ewp compiled objects should only link with libcudadevrt"},
	FinalizerFailed:       {"finalizer-failed", PhaseMerge, Fatal, "Internal FNLZR error '%s'"},
	ExtensibleOfOther:     {"extensible-of-other", PhaseLoad, Fatal, "linking with -ewp objects requires using current toolkit"},
	UnknownBinaryKind:     {"unknown-binary-kind", PhaseLoad, Error, "Can't load this binary kind, as it's not recognized"},
	NoToolsPatch:          {"no-tools-patch", PhaseMerge, Fatal, "Function '%s' in '%s' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by %s option"},
	MergeFailed:           {"merge-failed", PhaseMerge, Fatal, "merge_elf failed"},

	StackUnknown:          {"stack-unknown", PhaseStack, Warning, "Stack size for entry function '%s' cannot be statically determined"},
	StackLimited:          {"stack-limited", PhaseStack, Error, "Function '%s' uses %d bytes stack but limited to %d"},
	TooMuchGlobalConstant: {"too-much-global-constant", PhaseLayout, Error, "File uses too much global %s data (0x%x bytes, 0x%x max)"},
	TooMuchShared:         {"too-much-shared", PhaseLayout, Error, "Entry function '%s' uses too much %s data (0x%x bytes, 0x%x max)"},
	TooMuchOCGConstant:    {"too-much-ocg-constant", PhaseLayout, Error, "Entry function '%s' uses too much data for compiler-generated constants; please recompile with -Xptxas --disable-optimizer-constants"},
	SharedOfWholeProgram:  {"shared-of-whole-program", PhaseLayout, Error, "Cannot link shared object '%s' with partially linked kernel '%s'"},
	NoUnifiedIndex:        {"no-unified-index", PhaseLayout, Fatal, "Unified symbols found but index file not specified."},
	LostRelocation:        {"lost-relocation", PhaseLayout, Error, "Input file '%s' cannot be linked: an earlier -r has dropped the relocations of '%s', which is moved; use --keep-relocs there, or --accept-lost-relocations here"},
	MovedVariable:         {"moved-variable", PhaseLayout, Warning, "Input file '%s': an earlier -r has dropped the relocations of '%s', which is moved: code that names it reads another address"},
	UndefinedReference:    {"undefined-reference", PhaseUndefined, Error, "Undefined reference to '%s' in '%s'"},
	LargeParameters:       {"large-parameters", PhaseRegisters, Error, "For kernel functions with parameter size higher than 4k bytes on sm_7x and sm_8x, all objects must be compiled with 12.1 or later"},
	CTAGroupConflict:      {"cta-group-conflict", PhaseRegisters, Error, "Function '%s' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed."},
	CachePreference:       {"cache-preference", PhaseRegisters, Warning, "Function '%s' and function '%s' have conflicting cache preference, falling back to use cache preference of entry '%s'"},
	ReservedShared:        {"reserved-shared", PhaseRegisters, Error, "Function '%s' uses reserved shared memory when not allowed."},
	MaxRegCount:           {"max-regcount", PhaseRegisters, Error, "entry function '%s' with max regcount of %d calls function '%s' with regcount of %d"},
	AddressTakenNoCalls:   {"address-taken-no-calls", PhaseReach, Warning, "Function '%s' has address taken but no calls to it found"},
	CallGraphText:         {"call-graph", PhaseReach, Verbatim, "%s"},
	RegistersPropagated:   {"registers-propagated", PhaseRegisters, Verbatim, "regcount %d for %s propagated to entry %s"},
	MemoryUse:             {"memory-use", PhaseRegisters, Info, "%d bytes gmem%v"},
	FunctionProperties:    {"function-properties", PhaseRegisters, Info, "Function properties for '%s':"},
	ResourceUse:           {"resource-use", PhaseRegisters, Info, "used %d registers, used %d barriers, %d stack, %d bytes smem%v, %d bytes lmem%v"},
	ResourceUseUncounted:  {"resource-use-uncounted", PhaseRegisters, Info, "used %d registers, %d stack, %d bytes smem%v, %d bytes lmem%v"},

	InternalError:    {"internal-error", PhaseRelocate, Fatal, "Internal error: %s"},
	CannotOpenOutput: {"cannot-open-output", PhaseEmit, Fatal, "Could not open output file '%s'"},
	OutputIsTaken:    {"output-is-taken", PhaseEmit, Fatal, "Output file '%s' is also an input or another output"},
	CannotWriteFile:  {"cannot-write-file", PhaseEmit, Fatal, "Could not write file '%s'"},
}
