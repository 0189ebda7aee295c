package cubin

// These are bits of the low byte of e_flags. Other bits have no meaning (MERC-302).
const (
	CodeKindMercury = 1 // plain Mercury code, which no released compiler writes
	CodeKindCapsule = 2 // a Mercury half in addition to machine code
	CodeKindSASS    = 4 // machine code

	// FlagSpecific is set in files of 12.8 and 12.9 whose architecture name ends in 'a' (KIT-165).
	FlagSpecific = 8
	// FlagSpecificLegacy is that flag in files with the header of CUDA 12 (KIT-011, KIT-091).
	FlagSpecificLegacy = 0x800
)
