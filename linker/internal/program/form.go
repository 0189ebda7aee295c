package program

import "github.com/culink/culink/linker/cubin"

// From sm_100 on, a file may hold its program twice: as machine code, and as Mercury code from
// which a finalizer generates machine code (MERC-301). nvlink lays out the Mercury half. Its
// finalizer then adds what only machine code has. Each method here describes one resulting
// difference of the plain half.

// A Form determines which halves the output has.
type Form uint8

// The forms of an output.
const (
	MachineCode Form = iota
	BothHalves       // every input has a Mercury half, and so has the output
)

// HasMercury reports whether the output has a Mercury half in addition to its machine code.
func (f Form) HasMercury() bool { return f == BothHalves }

// CodeKind returns the low byte of e_flags (MERC-302).
func (f Form) CodeKind() uint32 {
	if f == BothHalves {
		return cubin.CodeKindCapsule
	}
	return cubin.CodeKindSASS
}

// ParameterBanksLast reports whether parameter banks, their symbols and their names come after
// everything that both halves have. They do if the finalizer makes them (MERC-207).
func (f Form) ParameterBanksLast() bool { return f == BothHalves }

// ReservedComesLast reports whether the finalizer, and not the layout, adds the shared memory that
// is reserved for the system to sections and addresses (MERC-204, MERC-221).
func (f Form) ReservedComesLast() bool { return f == BothHalves }

// BanksComeLast reports whether -v does not show constant banks and slots of kernels, because the
// finalizer lays them out (MERC-221).
func (f Form) BanksComeLast() bool { return f == BothHalves }

// SlotsHaveAddends reports whether the relocations of slots have addends. They do if the finalizer
// writes them (MERC-222).
func (f Form) SlotsHaveAddends() bool { return f == BothHalves }

// HasRelocationActions reports whether an executable of this form has .nv.rel.action
// (EMIT-006).
func (f Form) HasRelocationActions() bool { return f == MachineCode }
