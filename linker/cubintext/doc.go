// Package cubintext is cutext, the text form of cubins: what yaml2obj and
// obj2yaml are for ELF, in a shape that a review can read.
//
// [Format] prints any bytes as text, [Parse] makes the bytes again, and
// Parse(Format(x)) == x for every x, damaged files included (TEXT-001). What can
// be derived is left out when it equals the derivation: string tables, offsets,
// sizes, counts, links, flags of the known sections (TEXT-002). Every field of
// every record can be overridden with key=value, so a malformed file is a few
// readable lines (TEXT-003). docs/cubintext.md describes the language.
//
// The package has one model of a file, [file], and derives each default from the
// final values of the other fields. The printer compares each field with what
// would be derived for it; the builder fills in what the text does not say.
package cubintext
