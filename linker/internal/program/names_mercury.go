package program

import (
	"github.com/culink/culink/linker/cubin"
)

// OfParameterBank reports whether y is the section symbol of the parameter bank of a kernel without slots.
func (y *Symbol) OfParameterBank() bool {
	return y.IsSection && y.Section != nil && y.Section.Group == GroupParameters
}

// NameInMercury returns the name of y in the Mercury symbol table.
func (y *Symbol) NameInMercury() string {
	if y.IsSection {
		return cubin.NameInMercury(y.Name)
	}
	return y.Name
}

// NameInMercury returns the name that s, or the section of its relocations, has before finalization. name is
// the name after it. They differ for parameter banks, because the finalizer makes these. s may be nil.
func (s *Section) NameInMercury(name string) string {
	if s != nil && s.Group == GroupParameters {
		return name
	}
	return cubin.NameInMercury(name)
}
