package mercury

import (
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// markWindows marks what adds the base of the shared window among steps, and reports whether there is any.
func markWindows(c *capsule.Capsule, steps []codemap.Step) (found bool) {
	windows := c.Windows()
	for i := range steps {
		if x := &steps[i]; !x.Inserted && windows.Has(x.Old) {
			x.Window, found = true, true
		}
	}
	return found
}
