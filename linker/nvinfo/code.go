package nvinfo

// A Code is the second byte of a record. Its meaning depends on the section: the attributes of .nv.info are in
// [Attributes], the records of .nv.compat in [Compats].
type Code uint8

// These are the attributes that the linker reads, merges, moves or creates. [Attributes] describes each of
// them.
const (
	Error              Code = 0x00
	CTAIDZUsed         Code = 0x04
	MaxThreads         Code = 0x05
	ParamCBank         Code = 0x0a
	SyncStack          Code = 0x0d
	Externs            Code = 0x0f
	FrameSize          Code = 0x11
	MinStackSize       Code = 0x12
	BindlessTextures   Code = 0x15
	BindlessSurfaces   Code = 0x16
	KParamInfo         Code = 0x17
	CBankParamSize     Code = 0x19
	MaxRegCount        Code = 0x1b
	ExitOffsets        Code = 0x1c
	CTAIDOffsets       Code = 0x1d
	CRSStackSize       Code = 0x1e
	ExplicitCaching    Code = 0x21
	MaxStackSize       Code = 0x23
	SurfaceQueries     Code = 0x24
	LoadCacheRequest   Code = 0x26
	CoopGroupOffsets   Code = 0x28
	HasPreV10Object    Code = 0x2c
	EmulatedAtomics    Code = 0x2e
	RegCount           Code = 0x2f
	WarpWideOffsets    Code = 0x31
	BranchTargets      Code = 0x34
	WorkArounds        Code = 0x36
	CudaAPIVersion     Code = 0x37
	NumMBarriers       Code = 0x38
	MBarrierOffsets    Code = 0x39
	SAMRegionStack     Code = 0x3b
	PatchedRegisters   Code = 0x40
	ReservedSMemUsed   Code = 0x41
	UnusedLoadBytes    Code = 0x44
	KParamInfoV2       Code = 0x45
	SyscallOffsets     Code = 0x46
	MembarOffsets      Code = 0x47
	VRCCTAInitCount    Code = 0x4a
	NumBarriers        Code = 0x4c
	AtEntryFragments   Code = 0x4f
	SparseMMAMask      Code = 0x50
	TCGen05OneCTA      Code = 0x51
	TCGen05TwoCTA      Code = 0x52
	GenErrbarAtExit    Code = 0x53
	RegReconfig        Code = 0x54
	Annotations        Code = 0x55
	StackCanaryOffsets Code = 0x57
	StubFunctionKind   Code = 0x58
	ToolsPatchFunc     Code = 0x4b
	FinalizerOptions   Code = 0x5a
	Sanitize           Code = 0x5c
	MercuryISA         Code = 0x5f
	LaunchControlUsed  Code = 0x62
	MinCTAMemory       Code = 0x64
	FinalizerUnnamed   Code = 0x67
	GridAttributes     Code = 0x68
	NVSALWorkArounds   Code = 0x6b
	PreexitUsed        Code = 0x6d
	Language           Code = 0x66
)

// These are the records of .nv.compat that the linker merges or creates.
const (
	CompatISAClass          Code = 0x02
	CompatTensorMap         Code = 0x03
	CompatTCGen05MMA        Code = 0x05
	CompatOpportunistic     Code = 0x06
	CompatMercuryISA        Code = 0x07
	CompatMercuryPatch      Code = 0x08
	CompatAcceleratorTarget Code = 0x09
	CompatFastPath          Code = 0x0b
	CompatFinalizer         Code = 0x0e
)
