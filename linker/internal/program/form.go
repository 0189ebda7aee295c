package program

// From sm_100 on a file may hold its program twice: as machine code and, from which a
// finalizer makes that, as Mercury code (MERC-301).

// A Form says which halves the output has.
type Form uint8

// The forms.
const (
	MachineCode Form = iota
	BothHalves       // every input has a Mercury half, and so has the output
)

// HasMercury reports whether the output has a Mercury half beside its machine code.
func (m *Program) HasMercury() bool { return m.Form == BothHalves }
