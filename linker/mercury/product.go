package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/sass"
)

// shortenProducts marks the products of integer matrices among steps that have records with their operands, and
// reports whether there are any: the Mercury form of such a one is later a short one (KIT-173).
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
