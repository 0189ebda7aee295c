// Package capsule reads, edits and writes the Mercury form of a function, which accompanies its machine code on
// sm_100 and later. A capsule shows which machine instructions each Mercury instruction represents.
package capsule
