package capsule

import (
	"bytes"

	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// What a capsule describes machine instructions, as sets of their numbers.

// Alone returns the numbers of the machine instructions that are a Mercury instruction each, with a record: a
// NOP of these is the program's.
func (c *Capsule) Alone() cfg.Set {
	list := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && m.Record != nil {
			list.Add(m.First)
		}
	}
	return list
}

// Ends returns which machine instructions are the last of their Mercury instruction: what that is for.
func (c *Capsule) Ends() cfg.Set {
	last := cfg.NewSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count > 0 {
			last.Add(m.First + m.Count - 1)
		}
	}
	return last
}

// Long returns the numbers of the machine instructions that are a Mercury instruction each, whose record has the operands.
func (c *Capsule) Long() cfg.Set {
	long := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) > shortRecord {
			long.Add(m.First)
		}
	}
	return long
}

// windowForm is how the record of what adds the base of the shared window to an address begins, but for the bit that says that
// its operands are those of the machine code.
var windowForm = []byte{0x01, 0x00, 0x00, 0x0a}

// Windows returns the numbers of the machine instructions that add the base of the shared window.
func (c *Capsule) Windows() cfg.Set {
	const short = 0x40
	windows := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) >= len(windowForm) && m.Record[0]&^short == windowForm[0] && bytes.Equal(m.Record[1:len(windowForm)], windowForm[1:]) {
			windows.Add(m.First)
		}
	}
	return windows
}
