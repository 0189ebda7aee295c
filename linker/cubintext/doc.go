// Package cubintext implements cutext, the text form of cubins. cutext is for cubins what yaml2obj and obj2yaml
// are for ELF, in a format that is easy to review.
//
// [Format] prints any bytes as text, and [Parse] converts the text back: Parse(Format(x)) == x for every x,
// including damaged files (TEXT-001). Values that equal their derived default are omitted: string tables,
// offsets, sizes, counts, links, and flags of the known sections (TEXT-002). Every field of every record can be
// overridden with key=value. A malformed file can therefore be written in a few readable lines (TEXT-003).
// docs/cubintext.md describes the language.
//
// The package has one model of a file, [file]. It derives each default from the final values of the other
// fields. The printer compares each field with its derived default. The builder fills in the values that are
// missing in the text.
package cubintext
