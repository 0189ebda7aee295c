package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/sass"
)

// shortenProducts marks those products of integer matrices in steps whose records have operands. It reports
// whether there are any. In later Mercury forms such a product has a short record (KIT-173).
func shortenProducts(c *capsule.Capsule, steps []codemap.Step) (found bool) {
	if !slices.ContainsFunc(steps, func(x codemap.Step) bool { return x.Op() == sass.OpIMMA }) {
		return false
	}
	long := c.Long()
	for i := range steps {
		if x := &steps[i]; x.Op() == sass.OpIMMA && !x.Inserted && long.Has(x.Old) {
			x.Replaced, found = true, true
		}
	}
	return found
}
