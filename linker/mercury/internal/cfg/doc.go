// Package cfg is the control-flow graph of the machine code of a function: its blocks, their order, and its
// loops. It also has the bit sets with which the scheduler follows events through the graph.
package cfg
