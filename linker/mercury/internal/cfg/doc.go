// Package cfg provides the control-flow graph of a function's machine code: its blocks, their order, and
// its loops. It also provides the bit sets with which the scheduler follows events through the graph.
package cfg
