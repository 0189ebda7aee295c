// Package stall recomputes the stalls and the operand reuse of a block where its instructions, their latencies or their waits
// are others than those that its compiler scheduled (KIT-106, KIT-107, KIT-108).
package stall
