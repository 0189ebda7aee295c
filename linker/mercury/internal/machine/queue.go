package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Queue returns the queue of x, or 0 if it has none.
func (x Instr) Queue() queue { return opcodes[x.Op()].queue }

// WritesInOrder reports whether the queue of x writes results in order within a block. If so, a write to the
// same register need not wait for an earlier one.
func (x Instr) WritesInOrder() bool {
	return x.Queue() == sharedQueue || x.Queue() == conversionQueue
}

// Loads reports whether the results of x come from memory outside of the multiprocessor.
func (x Instr) Loads() bool { return x.is(loads) }

// ByTextureUnit reports whether the texture unit produces the results of x. Reads of surfaces use that unit
// too.
func (x Instr) ByTextureUnit() bool { return x.Textures() || x.Op() == sass.OpSULD }

// Textures reports whether x uses textures.
func (x Instr) Textures() bool { return x.is(textures) }
