package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A program reads the constants of its grid (%envreg) at an offset that follows from the size of its cluster. Compilers before 13.0
// compute this offset in a uniform register, by two instructions. Later finalizers compute it in a general register that is free
// there, and move it (MERC-350).

// These are the instructions of that computation, for register UR0, without control fields.
const (
	readSize       = 0x79c3 // S2UR UR0, SR_CgaSize
	readSizeHigh   = 0x8a00
	scaleSize      = 0xffffff60<<32 | 0x78a4 // UIMAD UR0, UR0, -0xa0, URZ
	scaleSizeHigh  = 0xf8e02ff
	destination    = 0xff << 16
	highOfFunction = 1<<(105-64) - 1 // the bits that are no control fields
)

// These are the instructions of later finalizers, for registers R0 and UR0, with their stalls.
var (
	sizeIn  = machine.Word(0x7805, 0x000fca0000008a00)
	scaleIn = machine.Word(0xffffff60_00007824, 0x000fca00078e02ff)
	moveOut = machine.Word(0x72ca, 0x000fdc00000e0000)
)

// scalesSize reports whether x and next compute an offset from the size of the cluster, in a uniform register.
func scalesSize(x, next machine.Instr) (uniform uint64, ok bool) {
	uniform = x.Low >> 16 & 0xff
	return uniform, x.Low&^destination == readSize && x.High&highOfFunction == readSizeHigh &&
		next.Low == scaleSize|uniform<<16|uniform<<24 && next.High&highOfFunction == scaleSizeHigh
}

// withSizes returns the steps with these computations in general registers. It keeps one for which no register is free.
func (w *work) withSizes() []codemap.Step {
	moves := w.findSizes()
	if moves == nil {
		return w.steps
	}
	return changeEach(w.capsule, w.steps, func(m capsule.Mercury, own []codemap.Step) []codemap.Step {
		r, ok := moves[m.First]
		if !ok {
			return own
		}
		uniform, _ := scalesSize(own[0].Instr, own[1].Instr)
		size, scale, move := own[0], own[1], own[1]
		size.Instr, size.Differs = machine.Word(sizeIn.Low|r<<16, sizeIn.High), true
		scale.Instr, scale.Differs = machine.Word(scaleIn.Low|r<<16|r<<24, scaleIn.High), true
		move.Instr, move.Differs = machine.Word(moveOut.Low|uniform<<16|r<<24, moveOut.High), true
		move.Inserted, move.Behind = true, true
		return append([]codemap.Step{size, scale, move}, own[2:]...)
	})
}

// findSizes finds these computations, by first instruction in the input, and a general register for each.
func (w *work) findSizes() (moves map[int]uint64) {
	var free *freeRegisters
	for m, own := range ofEach(w.capsule, w.steps) {
		if len(own) < 2 {
			continue
		}
		if _, ok := scalesSize(own[0].Instr, own[1].Instr); !ok {
			continue
		}
		if free == nil {
			free, moves = w.freeRegisters(), map[int]uint64{}
		}
		if r, ok := free.highest(m.First); ok {
			moves[m.First] = r
			w.countBefore(m.First)
		}
	}
	return moves
}

// countBefore lets the S2UR before instruction i of the input count its result on the scoreboard of i, which is removed. Such results
// come in order, so that the wait for i was one for it.
func (w *work) countBefore(i int) {
	for k := len(w.steps) - 1; k >= 0; k-- {
		x := &w.steps[k]
		switch {
		case x.Old >= i || x.Op() != sass.OpS2UR && !x.Branches():
		case x.Op() == sass.OpS2UR && x.WriteBarrier() == sass.NoBarrier:
			x.Instr = x.WithWriteBarrier(w.code[i].WriteBarrier())
			return
		default:
			return
		}
	}
}

// everyRegister returns all general registers.
func everyRegister() (all sass.Registers) {
	all.Add(sass.General, 0, 255)
	return all
}

// freeRegisters tells which registers a function does not need at a place.
type freeRegisters struct {
	way    cfg.Flow         // zero if it is not known
	writes []sass.Registers // by instruction
	live   []sass.Registers // by instruction, the registers that are needed before it
}

// freeRegisters finds where the input needs its registers.
func (w *work) freeRegisters() *freeRegisters {
	steps := codemap.StepsOf(w.code)
	f := &freeRegisters{way: codemap.New(len(w.code), uint64(len(w.Text)), steps).Flow(steps, w.Targets)}
	f.writes, f.live = make([]sass.Registers, len(w.code)), make([]sass.Registers, len(w.code))
	reads := make([]sass.Registers, len(w.code))
	for i, x := range w.code {
		var known bool
		switch f.writes[i], reads[i], known = sass.Uses(x.Instruction, w.Input); {
		case x.Leaves():
			reads[i] = everyRegister() // what is called may need any
		case !known:
			f.way = cfg.Flow{}
		}
	}
	for changed := f.way.Next != nil; changed; {
		changed = false
		for i := range slices.Backward(w.code) {
			var now sass.Registers
			for _, next := range f.way.Next[i] {
				now = now.Union(f.live[next])
			}
			if !w.code[i].Conditional() {
				now.Remove(&f.writes[i])
			}
			now = now.Union(reads[i])
			changed = changed || now != f.live[i]
			f.live[i] = now
		}
	}
	return f
}

// highest returns the highest general register that is not needed at instruction i, and that a later instruction of its block
// writes.
func (f *freeRegisters) highest(i int) (r uint64, ok bool) {
	if f.way.Next == nil {
		return 0, false
	}
	var later sass.Registers
	for k := i + 1; k <= f.way.Last[i]; k++ {
		later = later.Union(f.writes[k])
	}
	later = later.Only(sass.General)
	later.Remove(&f.live[i])
	for _, n := range later.All {
		if n != stackPointer {
			r, ok = max(r, uint64(n)), true
		}
	}
	return r, ok
}

// stackPointer is the register of the stack pointer.
const stackPointer = 1
