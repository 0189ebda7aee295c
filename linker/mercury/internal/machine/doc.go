// Package machine is the machine model of the finalizer: machine instructions with their control fields, the
// units that execute them, and how long they, their results and their operands take.
package machine
