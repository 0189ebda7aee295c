package nvinfo

// A Code is the second byte of a record. What it means depends on the section:
// the attributes of .nv.info are in Attributes, the records of .nv.compat in
// Compats.
type Code uint8

// The attributes that the linker itself reads or makes.
const (
	Error             Code = 0x00
	ParamCBank        Code = 0x0a
	Externs           Code = 0x0f
	FrameSize         Code = 0x11
	MinStackSize      Code = 0x12
	KParamInfo        Code = 0x17
	MaxRegCount       Code = 0x1b
	CRSStackSize      Code = 0x1e
	MaxStackSize      Code = 0x23
	RegCount          Code = 0x2f
	CudaAPIVersion    Code = 0x37
	NumMBarriers      Code = 0x38
	KParamInfoV2      Code = 0x45
	NumBarriers       Code = 0x4c
	SparseMMAMask     Code = 0x50
	MercuryISAVersion Code = 0x5f
)
