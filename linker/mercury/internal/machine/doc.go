// Package machine is the machine model of the finalizer. It describes machine instructions with their
// control fields, the units that execute them, and the time that the instructions, their results and their
// operands take.
package machine
