// Package capsule reads, edits and writes the Mercury form of a function, which lies beside its machine code on sm_100 and
// later, and tells which machine instructions each Mercury instruction stands for.
package capsule
