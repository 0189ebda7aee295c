package conformance

// A linker under test may do worse than differ. How it ended is a class, so that
// a report tells a crash from a wrong answer; the run itself goes on.

// A Class says how a linker ended.
type Class string

// The classes.
const (
	ClassEnd   Class = ""      // by itself
	ClassCrash Class = "crash" // by a signal, or with a status that stands for one
	ClassHang  Class = "hang"  // stopped at the limit of time
	ClassFlood Class = "flood" // stopped at the limit of printed bytes, of files or of memory
)

// Classes lists what a report counts, in its order.
var Classes = []Class{ClassCrash, ClassHang, ClassFlood}

// Class tells how the linker ended. A wrapper in shell passes 128+n on for
// signal n, and Windows has statuses above 255 for crashes; both are crashes.
func (o *Outcome) Class() Class {
	const signals = 64
	switch {
	case o.Killed == "time":
		return ClassHang
	case o.Killed != "":
		return ClassFlood
	case o.Exit > 128 && o.Exit <= 128+signals, o.Exit < 0, o.Exit > 255:
		return ClassCrash
	}
	return ClassEnd
}
