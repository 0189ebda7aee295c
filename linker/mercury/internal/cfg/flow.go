package cfg

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A Flow is the control flow of machine code.
type Flow struct {
	Next  [][]int // by instruction, the instructions that may execute after it
	First []int   // by instruction, the first one of its block
	Last  []int
}

// FlowOf returns the control flow of code. targets holds the targets of the indirect branches. known is
// false if a branch may lead to a place that follows neither from the code nor from targets.
func FlowOf(code []machine.Instr, targets map[int][]int) (f Flow, known bool) {
	f = Flow{make([][]int, len(code)), make([]int, len(code)), make([]int, len(code))}
	ends := make([]bool, len(code)+1)
	all := make([]int, 0, 2*len(code)) // memory for the lists of Next
	for i, x := range code {
		var goes []int
		var branch [1]int
		falls := true
		switch x.Op() {
		case sass.OpBRX, sass.OpBRXU:
			goes, falls = targets[i], x.Conditional()
			if len(goes) == 0 {
				return Flow{}, false
			}
		case sass.OpJMP, sass.OpJMX:
			return Flow{}, false
		case sass.OpBRA:
			to := i + 1 + int(x.Distance()/machine.Size)
			if x.Distance()%machine.Size != 0 {
				return Flow{}, false
			}
			branch[0] = to
			goes, falls = branch[:], x.MayStay()
		case sass.OpEXIT, sass.OpRET:
			falls = x.Conditional()
		}
		for _, to := range goes {
			if to < 0 || to >= len(code) {
				return Flow{}, false
			}
			ends[to] = true // the block before
		}
		if len(goes) > 0 || x.Op() == sass.OpEXIT || x.Op() == sass.OpRET || x.Op() == sass.OpBSYNC || x.IsCall() || x.Collective() || x.Op() == sass.OpENDCOLLECTIVE {
			ends[i+1] = true
		}
		from := len(all)
		if falls && i+1 < len(code) {
			all = append(all, i+1)
		}
		all = append(all, goes...)
		f.Next[i] = all[from:len(all):len(all)]
	}
	start := 0
	for i := range code {
		if ends[i] {
			start = i
		}
		f.First[i] = start
	}
	end := len(code) - 1
	for i := len(code) - 1; i >= 0; i-- {
		if ends[i+1] {
			end = i
		}
		f.Last[i] = end
	}
	return f, true
}

// EndingAt returns f with additional ends of blocks, at the instructions for which ends returns true.
func (f Flow) EndingAt(ends func(i int) bool) Flow {
	first, last := slices.Clone(f.First), slices.Clone(f.Last)
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
	return Flow{f.Next, first, last}
}

// BeforeDelays returns f with the ends of blocks before the NOPs and empty additions that only give matrix products time (MERC-361). The
// compiler inserts them after it has scheduled the block. Control passes them by. Their time becomes that of the last instruction: delays
// has the cycles by which the time of an instruction exceeds its stall.
func (f Flow) BeforeDelays(code []machine.Instr) (before Flow, delays map[int]int) {
	before = f
	for begin := 0; begin < len(code); begin = f.Last[begin] + 1 {
		end := f.Last[begin]
		for end > begin && code[end].IsSpace() {
			end--
		}
		if end == f.Last[begin] || !slices.ContainsFunc(code[begin:end+1], func(x machine.Instr) bool { return x.IsMatrixProduct() }) {
			continue
		}
		if delays == nil {
			before, delays = Flow{slices.Clone(f.Next), slices.Clone(f.First), slices.Clone(f.Last)}, map[int]int{}
		}
		before.Next[end] = f.Next[f.Last[begin]]
		for i := begin; i <= f.Last[begin]; i++ {
			if i <= end {
				before.Last[i] = end
			} else {
				before.First[i] = end + 1
				delays[i] -= code[i].Stall()
				delays[end] += code[i].Stall()
			}
		}
	}
	return before, delays
}

// MeetsAtBarrier reports whether a block ends after instruction i because it is a WARPSYNC and the threads
// of the warp meet at a barrier later in the block. This holds from sm_120 on, for compilers up to 13.0
// (MERC-162).
func (f Flow) MeetsAtBarrier(code []machine.Instr, i int) bool {
	if code[i].Op() != sass.OpWARPSYNC || code[i].Collective() {
		return false
	}
	for k := i + 1; k <= f.Last[i]; k++ {
		switch code[k].Op() {
		case sass.OpBAR:
			return true
		case sass.OpWARPSYNC:
			return false
		}
	}
	return false
}

// EndsAtTrap reports whether instruction i is a trap after which no code of the function follows. The compiler puts a branch to
// itself after the last instruction.
func (f Flow) EndsAtTrap(code []machine.Instr, i int) bool {
	if code[i].Op() != sass.OpBPT || len(f.Next[i]) != 1 {
		return false
	}
	next := f.Next[i][0]
	return slices.Equal(f.Next[next], []int{next})
}

// Ahead yields the instructions that may execute directly after i and come later in the code.
func (f Flow) Ahead(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, n := range f.Next[i] {
			if n > i && !yield(n) {
				return
			}
		}
	}
}

// IsHead reports whether a loop branches back to the block whose first instruction is first.
func (f Flow) IsHead(first int) bool {
	for i := first; i < len(f.Next); i++ {
		if slices.Contains(f.Next[i], first) {
			return true
		}
	}
	return false
}

// Predecessors returns, for each instruction, those predecessors that come earlier in the code.
func (f Flow) Predecessors() [][]int {
	preds, count, all := make([][]int, len(f.Next)), make([]int, len(f.Next)), 0
	for i := range f.Next {
		for n := range f.Ahead(i) {
			count[n]++
			all++
		}
	}
	room := make([]int, all)
	for n, c := range count {
		preds[n], room = room[:0:c], room[c:]
	}
	for i := range f.Next {
		for n := range f.Ahead(i) {
			preds[n] = append(preds[n], i)
		}
	}
	return preds
}

// Ends returns the last instructions of the blocks from which control reaches the block that begins at
// first.
func (f Flow) Ends(first int) (list []int) {
	for b := 0; b < len(f.Next); b = f.Last[b] + 1 {
		if slices.Contains(f.Next[f.Last[b]], first) {
			list = append(list, f.Last[b])
		}
	}
	return list
}

// ByInstruction converts targets of indirect branches from offsets to numbers of instructions.
func ByInstruction(targets map[uint64][]uint64) map[int][]int {
	numbers := make(map[int][]int, len(targets))
	for at, list := range targets {
		for _, to := range list {
			numbers[int(at/machine.Size)] = append(numbers[int(at/machine.Size)], int(to/machine.Size))
		}
	}
	return numbers
}
