package attempt

import (
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/confine"
)

// An Outcome is what a linker did in one step.
type Outcome struct {
	Exit           int // 128+n after signal n, as a shell counts
	Stdout, Stderr []byte
	Files          Files    // created or changed
	Removed        []string // files of before that are gone
	Marks          Marks    // what it did to the disk beside that
	Usage          confine.Usage
	// Killed says which limit the child met: "time", "output", "memory", "disk" or
	// "processes"; else empty.
	Killed string
}

// Marks say what a link did to the disk beside contents, by the name of the file or folder.
// A folder's name ends with a slash, one of the temporary folder begins with "$TMPDIR/".
type Marks map[string]string

// Text is one mark a line, the name and the mark with a tab between.
func (m Marks) Text() []byte {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, name+"\t"+m[name]+"\n"...)
	}
	return lines
}

func ParseMarks(text []byte) Marks {
	marks := Marks{}
	for line := range strings.Lines(string(text)) {
		name, mark, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		marks[name] = mark
	}
	return marks
}

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
