// Package scoreboard reassigns the scoreboards of a function, and changes the waits accordingly (MERC-133 to
// MERC-161, KIT-060). It works on instructions and their control flow, and does not use capsules or the map of
// the code.
//
// The package first reads a schedule from the input. It finds in turn: the outstanding events and their
// registers; what depends on them (registers, memory, the end of the code); where they may be pending; the
// issue cycles; the waits; and the latency left at the entry of blocks. An allocation assigns the scoreboards
// of one schedule. A revision compares the allocation of the input with that of the new schedule.
package scoreboard
