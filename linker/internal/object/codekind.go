package object

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// HasMercury reports whether o has Mercury code, from which its machine code can be generated
// again.
func (o *Object) HasMercury() bool {
	return o.File.SM() >= arch.MinMercury && o.File.Flags&(cubin.CodeKindMercury|cubin.CodeKindCapsule) != 0
}
