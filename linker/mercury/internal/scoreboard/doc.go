// Package scoreboard assigns the scoreboards of a function anew, with the waits that follow (MERC-133 to MERC-161, KIT-060).
// It knows instructions and their flow alone: neither capsules nor the map of the code.
//
// A schedule is read from the input in an order in which each step needs those before it: the outstanding events and their
// registers, what depends on them (registers, memory, ends of code), where they may be pending, the clock, the waits, the
// latency that is left at the begin of blocks. An allocation assigns scoreboards for one schedule; a revision compares
// those of the input's and of the new one.
package scoreboard
