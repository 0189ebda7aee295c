// Package stall recomputes the stalls and the operand reuse of a block if its instructions, their latencies or
// their waits differ from those that its compiler scheduled (KIT-106, KIT-107, KIT-108).
package stall
