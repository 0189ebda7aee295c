// Package attempt holds one link by one linker as data: the [Link] with its files and arguments, and the [Outcome] with the
// exit status, the printed text and the files.
package attempt

import (
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/confine"
)

// An Outcome is the result of one link.
type Outcome struct {
	Exit           int // 128+n after signal n, as a shell counts
	Stdout, Stderr []byte
	Files          Files    // created or changed
	Removed        []string // inputs that are gone
	Marks          Marks    // other changes on the disk
	Usage          confine.Usage
	// Killed is the limit at which the linker was stopped: "time", "output", "memory", "disk" or "processes"; empty where it
	// ended by itself.
	Killed string
}

// Marks are changes on the disk that contents do not show, by the name of the file or folder: file types, modes, dates.
// The name of a folder ends with a slash. A name in the temporary folder begins with "$TMPDIR/".
type Marks map[string]string

// Text returns a line for each mark: name, tab, mark.
func (m Marks) Text() []byte {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, name+"\t"+m[name]+"\n"...)
	}
	return lines
}

// ParseMarks reads what [Marks.Text] returns.
func ParseMarks(text []byte) Marks {
	marks := Marks{}
	for line := range strings.Lines(string(text)) {
		name, mark, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		marks[name] = mark
	}
	return marks
}

// A Class is the way in which a linker ended. It tells a crash from a wrong answer.
type Class string

// The classes.
const (
	ClassEnd   Class = ""      // by itself
	ClassCrash Class = "crash" // by a signal, or with the status of one
	ClassHang  Class = "hang"  // stopped at the time limit
	ClassFlood Class = "flood" // stopped at the limit of printed bytes, files or memory
)

// Classes are those that a report counts, in its order.
var Classes = []Class{ClassCrash, ClassHang, ClassFlood}

// Class returns the way in which the linker ended. A shell wrapper exits with 128+n after signal n, and a crash on Windows has
// a status above 255. Both are crashes.
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
