// Package attempt describes one link by one linker as data. A [Link] has the files and the arguments. An [Outcome] has
// the exit status, the printed text and the files.
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
	// Killed names the limit at which the linker was stopped: "time", "output", "memory", "disk" or "processes". It is empty
	// if the linker was not stopped.
	Killed string
}

// Marks describe changes of files that contents do not show, such as file types, modes and dates. The key is the name of
// the file or folder. The name of a folder ends with a slash. The name of a file for temporary data begins with
// "$TMPDIR/".
type Marks map[string]string

// Text returns a line for each mark: the name, a tab, and the mark.
func (m Marks) Text() []byte {
	var lines []byte
	for _, name := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, name+"\t"+m[name]+"\n"...)
	}
	return lines
}

// ParseMarks reads the text that [Marks.Text] returns.
func ParseMarks(text []byte) Marks {
	marks := Marks{}
	for line := range strings.Lines(string(text)) {
		name, mark, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		marks[name] = mark
	}
	return marks
}

// A Class tells in which way a linker ended. It distinguishes a crash from a wrong result.
type Class string

// The classes.
const (
	ClassEnd   Class = ""      // by itself
	ClassCrash Class = "crash" // ended by a signal, or with the exit status of one
	ClassHang  Class = "hang"  // stopped at the time limit
	ClassFlood Class = "flood" // stopped at a limit of printed bytes, files or memory
)

// Classes lists the classes that a report counts, in its order.
var Classes = []Class{ClassCrash, ClassHang, ClassFlood}

// Class returns the way in which the linker ended. If signal n ended the program in a shell wrapper, the wrapper exits
// with 128+n. On Windows a crash has a status above 255. Both count as crashes.
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
