package program

import (
	"github.com/culink/culink/linker/cubin"
)

// OfParameterBank reports whether y stands for the parameter bank of a kernel without slots.
func (y *Symbol) OfParameterBank() bool {
	return y.IsSection && y.Section != nil && y.Section.Group == GroupParameters
}

// NameInMercury is the name of y in the Mercury symbol table.
func (y *Symbol) NameInMercury() string {
	if y.IsSection {
		return cubin.NameInMercury(y.Name)
	}
	return y.Name
}

// NameInMercury is what name, that of s or of its relocations, is before the finalizer, who
// makes the parameter banks. s may be nil.
func (s *Section) NameInMercury(name string) string {
	if s != nil && s.Group == GroupParameters {
		return name
	}
	return cubin.NameInMercury(name)
}
