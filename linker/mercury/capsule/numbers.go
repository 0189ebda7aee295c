package capsule

import (
	"bytes"

	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// The methods in this file return sets of machine instruction numbers.

// Alone returns the machine instructions each of which is the only one of its Mercury instruction and has a
// record. A NOP among them belongs to the program.
func (c *Capsule) Alone() cfg.Set {
	list := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && m.Record != nil {
			list.Add(m.First)
		}
	}
	return list
}

// Ends returns the machine instructions that are the last of their Mercury instruction. Each does the actual
// work of that instruction.
func (c *Capsule) Ends() cfg.Set {
	last := cfg.NewSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count > 0 {
			last.Add(m.First + m.Count - 1)
		}
	}
	return last
}

// Long returns the machine instructions each of which is the only one of its Mercury instruction and has a
// record that contains the operands.
func (c *Capsule) Long() cfg.Set {
	long := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) > shortRecord {
			long.Add(m.First)
		}
	}
	return long
}

// windowForms are the starts of the records of instructions that make an address of shared memory: LEA adds the shared window base,
// and PRMT the number of a block of the cluster (MAPA). The bit for operands in the machine code is not set here.
var windowForms = [][]byte{{0x01, 0x00, 0x00, 0x0a}, {0x01, 0x39, 0x14, 0x0a}}

// Windows returns the numbers of the machine instructions that make an address of shared memory.
func (c *Capsule) Windows() cfg.Set {
	const short = 0x40
	windows := cfg.NewSet(c.machine)
	for _, m := range c.Instructions() {
		for _, form := range windowForms {
			if m.Count == 1 && len(m.Record) >= len(form) && m.Record[0]&^short == form[0] && bytes.Equal(m.Record[1:len(form)], form[1:]) {
				windows.Add(m.First)
			}
		}
	}
	return windows
}
