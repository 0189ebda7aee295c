// Package machine is the machine model of the finalizer: a machine instruction with its control fields, which unit
// executes it, and how long that, its results and its operands take.
package machine
