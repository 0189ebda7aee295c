package object

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// HasMercury reports whether o has Mercury code, from which its machine code can be generated
// again. In the header of CUDA 12 the low byte of e_flags is the number of the architecture.
func (o *Object) HasMercury() bool {
	return o.File.OSABI == cubin.OSABI && o.File.SM() >= arch.MinMercury && o.File.Flags&(cubin.CodeKindMercury|cubin.CodeKindCapsule) != 0
}
