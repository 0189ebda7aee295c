package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Queue returns the queue that x waits in, 0 for none.
func (x Instr) Queue() queue { return opcodes[x.Op()].queue }

// WritesInOrder reports whether the results of the queue of x come in order within a block, so that
// one need not wait for another to write over it.
func (x Instr) WritesInOrder() bool {
	return x.Queue() == sharedQueue || x.Queue() == conversionQueue
}

// Loads reports whether the results of x come from memory outside of the multiprocessor.
func (x Instr) Loads() bool { return x.is(loads) }

// ByTextureUnit reports whether the results of x come from the texture unit, as those of reads of surfaces do.
func (x Instr) ByTextureUnit() bool { return x.Textures() || x.Op() == sass.OpSULD }

// Textures reports whether x is about textures.
func (x Instr) Textures() bool { return x.is(textures) }
