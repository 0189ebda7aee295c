package cubin

// The sh_info of a code section contains the symbol number of its function in the low 24 bits. Before sm_90,
// the high byte is the number of registers that the code needs.

// CodeSymbol returns the number of the symbol that a code section belongs to.
func (s *Section) CodeSymbol() uint32 { return s.Info & (1<<24 - 1) }

// CodeRegisters returns the number of registers in the header of a code section. It is 0 if an attribute has
// that number.
func (s *Section) CodeRegisters() uint32 { return s.Info >> 24 }
