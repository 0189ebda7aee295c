package program

// A UnifiedEntry is a record of .nv.uft.entry or .nv.udt.entry. It has a function or variable that has one
// address in all modules of a process, and the key of that function or variable. Offset is relative to the
// start of Section (LAYOUT-115).
type UnifiedEntry struct {
	Section *Section // set by merge
	Offset  uint64   // set by merge
	Symbol  *Symbol  // set by merge
}
