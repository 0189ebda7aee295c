package program

import (
	"github.com/culink/culink/linker/cubin"
)

// OfParameterBank reports whether y stands for the parameter bank of a kernel without slots.
func (y *Symbol) OfParameterBank() bool {
	return y.IsSection && y.Section != nil && y.Section.Group == GroupParameters
}

// InnerName is the name of y in the Mercury symbol table.
func (y *Symbol) InnerName() string {
	if y.IsSection {
		return cubin.InnerName(y.Name)
	}
	return y.Name
}

// InnerName is what name, that of s or of its relocations, is before the finalizer, who
// makes the parameter banks. s may be nil.
func (s *Section) InnerName(name string) string {
	if s != nil && s.Group == GroupParameters {
		return name
	}
	return cubin.InnerName(name)
}
