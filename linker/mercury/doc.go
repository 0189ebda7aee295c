// Package mercury changes a function in a final link as nvlink's finalizer does, on sm_100 and later.
//
// On these targets a relocatable file holds each function twice. The machine code (SASS) is in .text.<f>. A
// capsule is in .nv.capmerc.text.<f>: a packed form from which newer machine code can be made. In a final link
// nvlink makes the machine code from both. Almost always the result is the input's own code. [Finalize] runs
// the passes of passes.go. Each pass makes one change by a rule. The Result lists the passes that changed
// something.
//
// If nvlink assigns scoreboards by a rule that is not known for the code, the package keeps the scoreboards of
// the input, which are valid ([Scoreboards]). Code for sm_100 that needs another schedule on sm_103 does not
// change either ([Target]). Such code must not run there, so that a linker without a better schedule must
// refuse it.
//
// The package does not link: it has no knowledge of symbols, sections and relocations. Everything here was
// measured on nvlink 13.0.88, with code that its compiler made from our own sources, and on later releases
// where a rule names them.
package mercury
