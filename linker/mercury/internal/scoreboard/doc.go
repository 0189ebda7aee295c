// Package scoreboard reassigns the scoreboards of a function, and changes the waits accordingly (MERC-133 to
// MERC-161, KIT-060). It knows only instructions and their flow, neither capsules nor the map of the code.
//
// A schedule is read from the input in steps, each of which needs the ones before it: the outstanding events
// and their registers, what depends on them (registers, memory, ends of code), where they may be pending, the
// clock, the waits, and the latency left at the beginning of blocks. An allocation assigns scoreboards for one
// schedule; a revision compares those of the input with those of the new schedule.
package scoreboard
