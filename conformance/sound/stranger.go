package sound

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Some symbols of the output belong to nothing that the program requires: names with a meaning for the driver,
// declarations without a definition, variables of discarded definitions, and labels. Their fields must still be those of
// an input, or those that such a symbol has in every file.

// A plate holds the fields of a symbol other than its name, type and place.
type plate struct {
	bind  cubin.Binding
	other uint8
	size  uint64
}

func plateOf(y *cubin.Symbol, executable bool) plate {
	p := plate{y.Bind, y.Other, y.Size}
	if executable {
		p.other &^= cubin.OtherSpaceMask
	}
	return p
}

// A reservedName describes a symbol with a meaning for the driver or for a later link. Its size and its possible values
// do not depend on the inputs.
type reservedName struct {
	size   uint64
	values []uint64
}

var reservedNames = map[string]reservedName{
	".nv.reservedSmem.offset0":           {4, []uint64{0, 0x40}},
	".nv.reservedSmem.cap":               {4, []uint64{0x400}},
	".nv.reservedSmem.begin":             {4, []uint64{0}},
	".nv.unified.texrefDescSize":         {4, []uint64{0}},
	".nv.surfrefDescSize":                {4, []uint64{0}},
	".nv.independent.texrefDescSize":     {4, []uint64{0}},
	".nv.independent.samplerrefDescSize": {4, []uint64{0}},
	"__UFT_OFFSET":                       {8, []uint64{0}},
	"__UFT_END":                          {8, []uint64{0}},
	"__UFT_CANONICAL":                    {8, []uint64{0}},
	"__UFT":                              {8, []uint64{0}},
	"__UDT_OFFSET":                       {8, []uint64{0}},
	"__UDT_END":                          {8, []uint64{0}},
	"__UDT_CANONICAL":                    {8, []uint64{0}},
	"__UDT":                              {8, []uint64{0}},
}

// reservedName returns what is known of a name that the linker or the driver defines. The number of columns of tensor
// memory is one in later releases (KIT-271).
func (c *checker) reservedName(name string) (r reservedName, ok bool) {
	if name == cubin.TensorMemoryColumns && c.link.Target.Profile.Merge.CountsColumns {
		return reservedName{4, []uint64{0x200}}, true
	}
	r, ok = reservedNames[name]
	return r, ok
}

// checkStrangers checks the symbols that belong to no entity of the program, or to an undefined one. symbols are those
// of the Mercury half if inner is set, and otherwise those outside of it.
func (c *checker) checkStrangers(symbols []cubin.Symbol, inner bool) {
	demanded := map[uint32]bool{}
	for _, e := range c.program.entities {
		if e.out != nil && e.defined() && (!inner || !e.internal && e.symbol != nil) {
			demanded[e.out.Index] = true
		}
	}
	plates := c.platesOfInputs(inner)
	prefix := "symbol."
	if inner {
		prefix = "mercury.symbol."
	}
	for i := range symbols {
		y := &symbols[i]
		if i == 0 || y.Type == cubin.SymSection || demanded[y.Index] {
			continue
		}
		key := prefix + y.Name
		c.checkPlate(key, y, plates[y.Name])
		if !c.isNameless(y) && !c.knownType(y, inner) {
			c.report(key+".type", "that of the symbol in an input", "%d", y.Type)
		}
		switch {
		case !y.Defined():
			c.checkUndefined(key, y, inner)
		case !inner && int(y.Section) < len(c.out.file.Sections):
			c.checkParameter(key, y)
		}
	}
}

// platesOfInputs returns the plates of the inputs' symbols by name, from the plain halves or the Mercury halves.
func (c *checker) platesOfInputs(inner bool) map[string]map[plate]bool {
	plates := map[string]map[plate]bool{}
	for _, o := range c.program.objects {
		given := o.symbols
		if inner {
			given = o.inner
		}
		for i := range given {
			y := &given[i]
			if plates[y.Name] == nil {
				plates[y.Name] = map[plate]bool{}
			}
			plates[y.Name][plateOf(y, !c.link.Relocatable)] = true
		}
	}
	return plates
}

// checkPlate checks that an input has a symbol of y's name with y's binding, visibility and size (its plate). known
// holds the plates of that name in the inputs. It is nil if no input has the name.
func (c *checker) checkPlate(key string, y *cubin.Symbol, known map[plate]bool) {
	says := plateOf(y, !c.link.Relocatable)
	if r, ok := c.reservedName(y.Name); ok && !y.Defined() {
		isKept := c.link.Target.Profile.Merge.KeepsWeak && says.bind != cubin.BindGlobal && known[says] // KIT-079
		if says != (plate{cubin.BindGlobal, 0, r.size}) && !isKept {
			c.report(key, fmt.Sprintf("a global symbol of size %d", r.size), "%+v", says)
		}
	} else if known == nil && !c.isMade(y) {
		c.report(key, "a name that an input has", "none")
	} else if known != nil && !known[says] && !c.madeLocal(known, says) {
		c.report(key, "what an input says", "%+v", says)
	}
}

// knownType reports whether an input has a symbol with the name and type of y. It treats the types for data and for
// objects as one. It returns true if no input has the name.
func (c *checker) knownType(y *cubin.Symbol, inner bool) bool {
	isNamed := false
	for _, o := range c.program.objects {
		given := o.symbols
		if inner {
			given = o.inner
		}
		for i := range given {
			in := &given[i]
			if in.Name != y.Name {
				continue
			}
			isNamed = true
			isData := func(t cubin.SymbolType) bool { return t == cubin.SymData || t == cubin.SymObject }
			if in.Type == y.Type || isData(in.Type) && isData(y.Type) {
				return true
			}
		}
	}
	return !isNamed
}

// jumpTables is the prefix of the names of a function's jump tables. A link numbers these tables.
const jumpTables = ".nv.constant.optimizer."

// isMade reports whether y is a symbol that linkers make themselves.
func (c *checker) isMade(y *cubin.Symbol) bool {
	_, isReserved := c.reservedName(y.Name)
	return isReserved || c.isNameless(y) || c.link.Relocatable && y.Name == externInstance || strings.HasPrefix(y.Name, jumpTables)
}

// checkParameter checks the symbol of a kernel's parameter. The driver knows its place, so the place must be that of an
// input.
func (c *checker) checkParameter(key string, y *cubin.Symbol) {
	name := c.out.file.Sections[y.Section].Name
	isParameter := constantBank(name) == 0
	for _, o := range c.program.objects {
		for i := range o.symbols {
			in := &o.symbols[i]
			if in.Name != y.Name || int(in.Section) >= len(o.pieces) || constantBank(o.pieces[in.Section].section.Name) != 0 {
				continue
			}
			if isParameter && in.Value == y.Value {
				return
			}
			isParameter = true
		}
	}
	if isParameter && !c.link.PreserveRelocs { // this option leaves those of discarded definitions
		c.report(key+".value", "its place among the parameters", "%#x of %s", y.Value, name)
	}
}

// madeLocal reports whether the link has changed a symbol of the inputs to a local or internal one, as it does for
// shared variables.
func (c *checker) madeLocal(known map[plate]bool, says plate) bool {
	if says.other != cubin.OtherInternal && !(c.link.Target.Profile.Layout.DemotedIsLocal && says.bind == cubin.BindLocal && says.other == 0) {
		return false
	}
	for p := range known {
		if p.size == says.size && (p.bind == says.bind || says.bind == cubin.BindLocal) {
			return true
		}
	}
	return false
}

// checkUndefined checks the value of an undefined symbol.
func (c *checker) checkUndefined(key string, y *cubin.Symbol, inner bool) {
	values := []uint64{0}
	r, isReserved := c.reservedName(y.Name)
	if isReserved && !inner {
		values = r.values
	}
	if e := c.program.global[y.Name]; c.link.AllowUndefined && !c.link.Target.Profile.Layout.PlacesUndefined && e != nil && e.space == cubin.OtherGlobal { // KIT-078
		values = []uint64{^uint64(0)}
	}
	for _, v := range values {
		if y.Value == v {
			return
		}
	}
	if c.link.Relocatable && !isReserved {
		return // nvlink writes an alignment there, or a mark that the place is still unknown
	}
	c.report(key+".value", fmt.Sprintf("%#x", values), "%#x", y.Value)
}
