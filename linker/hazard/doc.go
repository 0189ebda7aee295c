// Package hazard proves that the schedule of machine code is safe, for sm_75 to sm_121.
//
// The multiprocessor does not check register dependencies. Instead, each instruction encodes when the next one
// may start. The result of an instruction of fixed latency is available some cycles after it starts, and the
// stalls between it and any user of the result must add up to at least these cycles. An instruction of variable
// latency, such as a load, counts its outstanding events on one of six scoreboards: one for its results and one
// for its operands. Any instruction that uses the results or overwrites the operands must first wait for that
// scoreboard. Errors are not reported: the program computes with wrong values.
//
// [Check] follows every path through a function and tracks the possible outstanding events before each
// instruction (flow.go, returns.go, flight.go, walk.go). Its verdict is Safe, Unsafe (with the two conflicting
// instructions), or Unknown (with the missing information: an unmeasured form, an indirect branch without its
// table, or a pair of instructions so rare that no minimum distance is known).
//
// The registers that an instruction uses are measured (package sass). The distances that are enough are learned
// (least_table.go, timing.go): the minimum that NVIDIA's assembler leaves between two instructions of two
// classes, over many samples. The package does not know how schedules are made, and shares no code with the
// scheduler (linker/mercury).
//
// Before sm_100, some correct code leaves operands and results to another function, or overwrites operands
// without a wait. The verdict on such code is Unknown.
package hazard

// The committed table was learned from more samples than the following command has: they were added with -add,
// from folders that need not be kept.
//
//go:generate go run ./learn -kernels 1500 -keep /tmp/learn -o least_table.go ../../corpus
