package mercury

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A flow is the control flow of machine code.
type flow struct {
	next  [][]int // by instruction, those that may be done after it
	first []int   // of the block that an instruction is in
	last  []int
}

// flowOf returns the control flow of code, of which targets says by indirect branch where that
// may lead. It is not known where code goes to places that neither names.
func flowOf(code []instruction, targets map[int][]int) (f flow, known bool) {
	f = flow{make([][]int, len(code)), make([]int, len(code)), make([]int, len(code))}
	ends := make([]bool, len(code)+1)
	all := make([]int, 0, 2*len(code)) // of next
	for i, x := range code {
		var goes []int
		var branch [1]int
		falls := true
		switch x.Op() {
		case sass.OpBRX, sass.OpBRXU:
			goes, falls = targets[i], x.conditional()
			if len(goes) == 0 {
				return flow{}, false
			}
		case sass.OpJMP, sass.OpJMX:
			return flow{}, false
		case sass.OpBRA:
			to := i + 1 + int(x.distance()/InstructionSize)
			if x.distance()%InstructionSize != 0 {
				return flow{}, false
			}
			branch[0] = to
			goes, falls = branch[:], x.mayStay()
		case sass.OpEXIT, sass.OpRET:
			falls = x.conditional()
		}
		for _, to := range goes {
			if to < 0 || to >= len(code) {
				return flow{}, false
			}
			ends[to] = true // the block before
		}
		if len(goes) > 0 || x.Op() == sass.OpEXIT || x.Op() == sass.OpRET || x.Op() == sass.OpBSYNC || x.isCall() || x.collective() || x.Op() == sass.OpENDCOLLECTIVE {
			ends[i+1] = true
		}
		from := len(all)
		if falls && i+1 < len(code) {
			all = append(all, i+1)
		}
		all = append(all, goes...)
		f.next[i] = all[from:len(all):len(all)]
	}
	start := 0
	for i := range code {
		if ends[i] {
			start = i
		}
		f.first[i] = start
	}
	end := len(code) - 1
	for i := len(code) - 1; i >= 0; i-- {
		if ends[i+1] {
			end = i
		}
		f.last[i] = end
	}
	return f, true
}

// endingAt returns f with blocks that also end at some instructions.
func (f flow) endingAt(ends func(i int) bool) flow {
	first, last := slices.Clone(f.first), slices.Clone(f.last)
	for i := 1; i < len(first); i++ {
		if ends(i - 1) {
			first[i] = i
		} else if first[i] != i {
			first[i] = first[i-1]
		}
	}
	for i := len(first) - 2; i >= 0; i-- {
		if last[i] = last[i+1]; first[i+1] == i+1 {
			last[i] = i
		}
	}
	return flow{f.next, first, last}
}

// meetsAtBarrier reports whether a block ends behind instruction i of code, from sm_120 on, for compilers up to 13.0: where the
// threads of a warp come together for a barrier later in the block (MERC-162).
func (f flow) meetsAtBarrier(code []instruction, i int) bool {
	if code[i].Op() != sass.OpWARPSYNC || code[i].collective() {
		return false
	}
	for k := i + 1; k <= f.last[i]; k++ {
		switch code[k].Op() {
		case sass.OpBAR:
			return true
		case sass.OpWARPSYNC:
			return false
		}
	}
	return false
}

// ahead yields what may be done after instruction i and comes after it in the code.
func (f flow) ahead(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, n := range f.next[i] {
			if n > i && !yield(n) {
				return
			}
		}
	}
}

// isHead reports whether a loop goes back to the block that begins at an instruction.
func (f flow) isHead(first int) bool {
	for i := first; i < len(f.next); i++ {
		if slices.Contains(f.next[i], first) {
			return true
		}
	}
	return false
}

// behind returns for each instruction those after which it may be done and that come before it
// in the code.
func (f flow) behind() [][]int {
	behind, count, all := make([][]int, len(f.next)), make([]int, len(f.next)), 0
	for i := range f.next {
		for n := range f.ahead(i) {
			count[n]++
			all++
		}
	}
	room := make([]int, all)
	for n, c := range count {
		behind[n], room = room[:0:c], room[c:]
	}
	for i := range f.next {
		for n := range f.ahead(i) {
			behind[n] = append(behind[n], i)
		}
	}
	return behind
}

// mayStay reports whether a branch may go on after itself: it has a guard or a condition.
func (x instruction) mayStay() bool {
	const always = 7
	return x.Low&0xfff != sass.OpBRA|4<<9 || x.conditional() || x.Low>>32&3 != 0 || x.High>>(87-64)&0xf != always
}
