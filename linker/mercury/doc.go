// Package mercury does for one function of a final link what nvlink's finalizer does
// on sm_100 and later.
//
// There a relocatable file holds each function twice: as machine code (SASS) in
// .text.<f>, and as a capsule in .nv.capmerc.text.<f>, a packed form that newer
// machine code can be made from. A final link of nvlink makes the machine code anew
// from both. Almost always the result is the input's own code; [Finalize] runs the passes
// of passes.go, each of which makes one change by a rule, and its Result says which did.
//
// Where nvlink assigns scoreboards by a rule that is not known for the code, those of the input,
// which are valid, stay ([Scoreboards]). Code for sm_100 that needs another schedule on sm_103
// stays too ([Target]): it must not run there, and a linker that has nothing better must refuse it.
//
// The package links nothing: it knows no symbols, no sections and no relocations.
// Everything here was measured on nvlink 13.0.88, with code that its compiler made
// from our own sources, and on later releases where a rule says so.
package mercury
