package reloc

// A relocation ends in one of four ways. Which one depends on its type's Use and
// on what its symbol is: a place that is final in the linked file (a constant
// bank, shared memory, a debug section) can be written, an address that only the
// driver knows cannot (RELOC-003).

// A Use says what a type is for, and so what a link does with it.
type Use uint8

// The uses.
const (
	Place   Use = iota // its fields are written once the symbol's place is final
	Driver             // passed on to the driver, whatever the symbol is
	Unused             // its fields are cleared when the function is dropped
	Nothing            // no effect
)

// A Target says what a relocation's symbol is in the linked file.
type Target uint8

// The targets.
const (
	Loaded   Target = iota // a function, a global variable, a texture, or undefined: the driver places it
	Final                  // in a constant bank, in shared memory, or a section-relative debug symbol
	Dropped                // a function that is not in the output
	FromTool               // a symbol that the linker makes up: __UFT_OFFSET and its like
)

// A Fate is what becomes of a relocation.
type Fate uint8

// The fates.
const (
	Keep    Fate = iota // stays in the output, with the type's number Final in an executable
	Resolve             // Type.Apply, then it is gone
	Drop                // gone, the place stays as it is
	Deleted             // an error: "reference to deleted symbol"
)

// Fate says what becomes of a relocation of type t whose symbol is a target.
func (t *Type) Fate(target Target) Fate {
	switch {
	case t.Use == Nothing, target == FromTool:
		return Drop
	case t.Use == Unused && target == Loaded:
		return Drop
	case t.Use == Unused:
		return Resolve
	case target == Dropped:
		return Drop
	case target == Loaded:
		return Keep
	case t.Use == Driver:
		return Deleted
	}
	return Resolve
}
