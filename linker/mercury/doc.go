// Package mercury changes a function in a final link as nvlink's finalizer does, on sm_100 and later.
//
// There a relocatable file holds each function twice: as machine code (SASS) in .text.<f>, and as a capsule in
// .nv.capmerc.text.<f>, a packed form from which newer machine code can be made. In a final link nvlink makes
// the machine code from both. Almost always the result is the input's own code. [Finalize] runs the passes of
// passes.go; each makes one change by a rule, and the Result has the passes that changed something.
//
// If nvlink assigns scoreboards by a rule that is not known for the code, those of the input are kept, which
// are valid ([Scoreboards]). Code for sm_100 that needs another schedule on sm_103 does not change either
// ([Target]): it must not run there, so a linker without a better schedule must refuse it.
//
// The package does not link: it knows nothing about symbols, sections and relocations. Everything here was
// measured on nvlink 13.0.88, with code that its compiler made from our own sources, and on later releases
// where a rule names them.
package mercury
