package mercury

import (
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// markWindows marks the instructions of steps that make an address of shared memory, and reports whether there are
// any.
func markWindows(c *capsule.Capsule, steps []codemap.Step) (found bool) {
	windows := c.Windows()
	for i := range steps {
		if x := &steps[i]; !x.Inserted && windows.Has(x.Old) {
			x.Window, found = true, true
		}
	}
	return found
}
