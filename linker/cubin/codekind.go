package cubin

// Bits of the low byte of e_flags; the others say nothing (MERC-302).
const (
	CodeKindMercury = 1 // bare Mercury code, which no released compiler writes
	CodeKindCapsule = 2 // a Mercury half beside machine code
	CodeKindSASS    = 4 // machine code

	// FlagSpecific is the bit of 12.8 and 12.9 for code that is for a name that ends in 'a' (KIT-165).
	FlagSpecific = 8
)
