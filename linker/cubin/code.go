package cubin

// The sh_info of a code section says whose code it is and, before sm_90, how many
// registers that needs: a symbol number of 24 bits, and a byte above it.

// CodeSymbol is the number of the symbol that a section of code belongs to.
func (s *Section) CodeSymbol() uint32 { return s.Info & (1<<24 - 1) }

// CodeRegisters is the number of registers in the header of a section of code; 0 where an
// attribute says it.
func (s *Section) CodeRegisters() uint32 { return s.Info >> 24 }
