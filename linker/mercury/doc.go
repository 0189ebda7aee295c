// Package mercury does for one function of a final link what nvlink's finalizer does
// on sm_100 and later.
//
// There a relocatable file holds each function twice: as machine code (SASS) in
// .text.<f>, and as a capsule in .nv.capmerc.text.<f>, a packed form that newer
// machine code can be made from. A final link of nvlink makes the machine code anew
// from both. Almost always the result is the input's own code; Finalize says when it
// is not, and makes those of the changes that follow a rule:
//
//   - Fences. In a closed kernel, one without calls, the compiler's work-around
//     before memory fences is not needed, and goes (fence.go). The function gets
//     shorter; a Map tells where each instruction went, so that everything that names
//     a place in the code can follow.
//   - Recoloured. A closed kernel that does not use its stack does not wait for the
//     stack pointer either, and its six scoreboards are handed out anew, as its compiler
//     would have done (scoreboard.go, recolour.go). That is known for most code: where the
//     same rules, with the stack pointer, give the input's own scoreboards.
//   - Scoreboards. In other such kernels the input's scoreboards, which are valid, stay.
//   - Timing and Target. Code for sm_100 in a link for sm_103 is scheduled anew where
//     something is faster there, or slower. In the first case the stalls follow a rule
//     (retime.go); in the second the input's code stays, which is of no use, and a linker that
//     has nothing better must refuse it.
//
// The package links nothing: it knows no symbols, no sections and no relocations.
// Everything here was measured on nvlink 13.0.88, with code that its compiler made
// from our own sources.
package mercury
