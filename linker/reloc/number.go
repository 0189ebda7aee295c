package reloc

// These are the numbers of the types that other packages create or look for. The rows of the tables have
// the other properties of a type.
const (
	CUDA32           = 1   // R_CUDA_32
	CUDA64           = 2   // R_CUDA_64
	TexHeaderIndex   = 6   // R_CUDA_TEX_HEADER_INDEX
	SampHeaderIndex  = 7   // R_CUDA_SAMP_HEADER_INDEX
	SurfDescriptor   = 8   // R_CUDA_SURF_HW_DESC
	SurfDescription  = 9   // R_CUDA_SURF_HW_SW_DESC
	SurfHeaderIndex  = 52  // R_CUDA_SURF_HEADER_INDEX
	Abs32At32        = 55  // R_CUDA_ABS32_32
	Abs16At32        = 59  // R_CUDA_ABS16_32
	ConstField21     = 66  // R_CUDA_CONST_FIELD21_38
	Abs24At40        = 74  // R_CUDA_ABS24_40
	Abs20At44        = 100 // R_CUDA_ABS20_44
	SampHeaderIndex0 = 101 // R_CUDA_SAMP_HEADER_INDEX_0
	ConstField22     = 115 // R_CUDA_CONST_FIELD22_37

	MercuryAbs64           = MercuryBase + 2  // R_MERCURY_ABS64
	MercuryAbs32           = MercuryBase + 3  // R_MERCURY_ABS32
	MercuryProgRel32       = MercuryBase + 8  // R_MERCURY_PROG_REL32
	MercuryTexHeaderIndex  = MercuryBase + 11 // R_MERCURY_TEX_HEADER_INDEX
	MercurySampHeaderIndex = MercuryBase + 12 // R_MERCURY_SAMP_HEADER_INDEX
	MercurySurfHeaderIndex = MercuryBase + 13 // R_MERCURY_SURF_HEADER_INDEX
)
