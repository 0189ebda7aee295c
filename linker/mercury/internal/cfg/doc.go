// Package cfg is the control-flow graph of the machine code of a function: its blocks, their order, its loops; and the bit
// sets with which the scheduler follows events through it.
package cfg
