package hazard

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Internal functions, as for divisions, are called only from the same code. An event that is outstanding when
// such a function returns is outstanding after its calls, and the caller may wait for it.

// findReturns converts returns to branches to the instructions after the calls. It converts a return if only
// one internal function leads to it and each call of that function sets the return address.
func (f *flow) findReturns(code []sass.Instruction, sm int) {
	calls := f.callsInside(code, sm)
	if len(calls) == 0 {
		return
	}
	defer f.noteOthers(code)
	if len(f.lost) > 0 {
		return
	}
	owners := map[int][]int{}        // the functions that lead to a return, by their starts
	bodies := map[int]map[int]bool{} // of functions
	for _, begin := range f.begins(code, calls) {
		bodies[begin] = f.reachedFrom(begin)
		for i := range bodies[begin] {
			if operation(code[i]) == sass.OpRET {
				owners[i] = append(owners[i], begin)
			}
		}
	}
	for i, begins := range owners {
		ends := calls[begins[0]]
		if len(begins) > 1 || len(ends) == 0 || code[i].Conditional() || !f.saysReturns(code, ends) {
			continue
		}
		f.returns = append(f.returns, i)
		for _, call := range ends {
			f.next[i] = append(f.next[i], edge{call + 1, always})
			f.leader[call+1] = true
		}
	}
	slices.Sort(f.returns)
	f.findInside(code, calls, bodies)
}

// An inner function is an internal one that calls no other functions than such, and returns only to its own calls. A
// function that calls itself is none of them.
type inner struct {
	calls []int        // the instructions that call it
	body  map[int]bool // its instructions, without those of the functions that it calls
}

// findInside finds the inner functions. Those that a function calls come before it. A function waits for each call in its
// body until the function that is called there is found.
func (f *flow) findInside(code []sass.Instruction, calls map[int][]int, bodies map[int]map[int]bool) {
	target := map[int]int{} // by call
	for begin, ends := range calls {
		for _, call := range ends {
			target[call] = begin
		}
	}
	callers, waits := map[int][]int{}, map[int]int{} // by the start of a function
	var found []int
	for begin := range calls {
		for i := range bodies[begin] {
			if !leaves(operation(code[i])) || f.isReturn(i) {
				continue
			}
			waits[begin]++
			if to, inside := target[i]; inside { // otherwise it waits for ever
				callers[to] = append(callers[to], begin)
			}
		}
		if waits[begin] == 0 {
			found = append(found, begin)
		}
	}
	for len(found) > 0 {
		begin := found[0]
		found = found[1:]
		f.inside = append(f.inside, inner{calls[begin], bodies[begin]})
		for _, caller := range callers[begin] {
			if waits[caller]--; waits[caller] == 0 {
				found = append(found, caller)
			}
		}
	}
}

// isReturn reports whether instruction i is a return that was converted.
func (f *flow) isReturn(i int) bool {
	_, found := slices.BinarySearch(f.returns, i)
	return found
}

// noteOthers records the returns that were not resolved, and calls through a register, which may lead to an internal
// function.
func (f *flow) noteOthers(code []sass.Instruction) {
	for i, x := range code {
		if x.Opcode() == sass.OpCALLRel|1<<9 {
			f.indirect = append(f.indirect, i)
		}
		if operation(x) == sass.OpRET && !f.isReturn(i) {
			f.others = append(f.others, i)
		}
	}
}

// mayReturnInside reports whether instruction i may return from an internal function to a call in the code.
func (f *flow) mayReturnInside(i int) bool {
	_, found := slices.BinarySearch(f.others, i)
	return found
}

// mayCallInside reports whether instruction i may call an internal function that is not known.
func (f *flow) mayCallInside(i int) bool {
	_, found := slices.BinarySearch(f.indirect, i)
	return found
}

// callsInside returns the calls of internal functions, by the starts of the functions.
func (f *flow) callsInside(code []sass.Instruction, sm int) map[int][]int {
	calls := map[int][]int{}
	for i, x := range code {
		if x.Opcode() != sass.OpCALLRel|4<<9 || i+1 == len(code) || slices.Contains(f.jumps, i) {
			continue
		}
		if to, ok := f.target(i, distance(x, sm), len(code)); ok && to != i+1 {
			calls[to] = append(calls[to], i)
		}
	}
	return calls
}

// begins returns the entry points of code: its start, the targets of calls, and instructions without a
// predecessor.
func (f *flow) begins(code []sass.Instruction, calls map[int][]int) (all []int) {
	entered := make([]bool, len(code))
	for _, next := range f.next {
		for _, e := range next {
			entered[e.to] = true
		}
	}
	for i := range code {
		if i == 0 || !entered[i] || len(calls[i]) > 0 {
			all = append(all, i)
		}
	}
	return all
}

// reachedFrom returns the instructions that may follow begin, including begin.
func (f *flow) reachedFrom(begin int) map[int]bool {
	reached := map[int]bool{begin: true}
	for todo := []int{begin}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range f.next[i] {
			if !reached[e.to] {
				reached[e.to] = true
				todo = append(todo, e.to)
			}
		}
	}
	return reached
}

// saysReturns reports whether, before each call, the block of the call loads the offset of the next
// instruction into a register.
func (f *flow) saysReturns(code []sass.Instruction, calls []int) bool {
	return !slices.ContainsFunc(calls, func(call int) bool {
		for i := call - 1; i >= 0; i-- {
			if code[i].Field(32, 32) == uint64(call+1)*sass.Size {
				return false
			}
			if f.leader[i] {
				break
			}
		}
		return true
	})
}
