// Package hazard proves that the schedule of machine code is safe, for sm_75 to
// sm_121.
//
// The multiprocessor does not watch over registers: the compiler says, in each
// instruction, when the next may start. An instruction of fixed latency has its result
// some cycles after it starts, and the stall counts from it to whatever uses the result
// must add up to these. One of variable latency, as a load, counts what is outstanding on
// one of six scoreboards, its results on one and its operands on another; whatever would
// use the results or write over the operands must wait for that scoreboard first. Nothing
// reports a mistake: the program computes with other values.
//
// [Check] follows every path through a function and keeps what may be in flight before
// each instruction (flow.go, returns.go, flight.go, walk.go). Its verdict is Safe, Unsafe, with the
// two instructions that collide, or Unknown, with what it does not know: a form that
// nobody measured, an indirect branch without its table, a pair of instructions so rare
// that no least distance is known.
//
// Which registers an instruction uses is measured (package sass). Which distances are
// enough is learned (least_table.go, timing.go): the least that NVIDIA's assembler leaves
// between any two instructions of two classes, over many samples. The package knows
// nothing of how a schedule is made, and shares no code with what makes one
// (linker/mercury).
//
// Before sm_100 some code that must be right leaves operands and results to another function, or
// writes over operands that nothing waits for; of these it is said that it is not known.
package hazard

//go:generate go run ./learn -kernels 1500 -keep /tmp/learn -o least_table.go ../../corpus
