// Package stall recomputes the stalls and the operand reuse of a block. This is needed if its instructions,
// their latencies or their waits are no longer those that the compiler scheduled (KIT-106, KIT-107, KIT-108).
package stall
