package hazard

import "github.com/culink/culink/linker/sass"

const always = 7 // the true predicate

// operation returns the operation number that the tables of distances use.
func operation(x sass.Instruction) uint16 { return uint16(x.Op()) }

// A guard is a condition: a predicate, or the negation of one.
type guard uint8

func guardOf(x sass.Instruction) guard    { return guard(x.Field(12, 4)) }
func (g guard) unconditional() bool       { return g == always }
func (g guard) predicate() uint           { return uint(g & 7) }
func (g guard) excludes(other guard) bool { return g^other == 8 && g&7 != always }
func distance(x sass.Instruction, sm int) (d int64) { // in bytes, of a branch
	if sm < 90 {
		return int64(x.Field(34, 48)<<16) >> 16 * 4
	}
	v := x.Field(16, 8) | x.Field(34, 47)<<8
	return int64(v<<9) >> 9 * 4
}

// An edge leads from one instruction to another. It is taken only if its condition holds.
type edge struct {
	to   int
	when guard
}

// A flow contains the possible successors of each instruction of a function.
type flow struct {
	next     [][]edge
	leader   []bool // a block begins
	lost     []int  // indirect branches with unknown targets
	bad      []int  // branches out of the function, or into the middle of an instruction
	jumps    []int  // calls within the function that never return
	returns  []int  // returns to calls within the function
	others   []int  // returns of code with internal functions, with unknown targets
	indirect []int  // calls through a register in such code

	inside []inner // functions inside of which all code is known that runs when they are called
}

// flowOf determines the control flow of code for an SM. tables contains the targets of indirect branches.
func flowOf(code []sass.Instruction, sm int, tables map[int][]int) *flow {
	f := &flow{next: make([][]edge, len(code)), leader: make([]bool, len(code)+1)}
	all := make([]edge, 0, 2*len(code)) // of next
	if len(code) > 0 {
		f.leader[0] = true
	}
	for i, x := range code {
		g, from := guardOf(x), len(all)
		add := func(to int, when guard) {
			all = append(all, edge{to, when})
			f.leader[to] = true
		}
		falls, fallsWhen := true, guard(always)
		switch operation(x) {
		case sass.OpBRA:
			// If there are no other conditions, the guard alone decides.
			plain := x.Opcode() == sass.OpBRA|4<<9 && x.Low>>32&3 == 0 && x.Field(87, 4) == always
			when := guard(always)
			if plain {
				when, fallsWhen, falls = g, g^8, x.Conditional()
			}
			if to, ok := f.target(i, distance(x, sm), len(code)); ok {
				add(to, when)
			} else {
				f.bad = append(f.bad, i)
			}
		case sass.OpWARPSYNC:
			if x.Bit(86) { // collective: all threads branch
				if to, ok := f.target(i, distance(x, sm), len(code)); ok {
					add(to, always)
				} else {
					f.bad = append(f.bad, i)
				}
			}
		case sass.OpBRX, sass.OpBRXU, sass.OpJMX, sass.OpJMXU, sass.OpJMP:
			targets, ok := tables[i]
			if !ok {
				f.lost = append(f.lost, i)
			}
			for _, to := range targets {
				if to < 0 || to >= len(code) {
					f.bad = append(f.bad, i)
					continue
				}
				add(to, always)
			}
			falls = x.Conditional()
		case sass.OpEXIT, sass.OpRET, sass.OpRTT, sass.OpKILL:
			// EXIT with a predicate operand also exits under that condition.
			falls = x.Conditional() || operation(x) == sass.OpEXIT && x.Field(87, 4) != always
			if x.Conditional() && falls {
				fallsWhen = g ^ 8
			}
		}
		if falls && i+1 < len(code) {
			all = append(all, edge{i + 1, fallsWhen})
			if len(all)-from > 1 || fallsWhen != always {
				f.leader[i+1] = true
			}
		}
		f.next[i] = all[from:len(all):len(all)]
	}
	f.findJumps(code, sm)
	f.findReturns(code, sm)
	return f
}

// findJumps converts calls within the code that never return to branches. Threads of a warp leave a loop in
// this way while others stay in it.
func (f *flow) findJumps(code []sass.Instruction, sm int) {
	var returns []bool
	for i, x := range code {
		if x.Opcode() != sass.OpCALLRel|4<<9 {
			continue
		}
		to, ok := f.target(i, distance(x, sm), len(code))
		if !ok || to == i+1 {
			continue
		}
		if returns == nil {
			returns = f.returning(code)
		}
		if returns[to] {
			continue
		}
		f.jumps = append(f.jumps, i)
		f.next[i] = []edge{{to, guardOf(x)}}
		f.leader[to], f.leader[i+1] = true, true
		if x.Conditional() && i+1 < len(code) {
			f.next[i] = append(f.next[i], edge{i + 1, guardOf(x) ^ 8})
		}
	}
}

// returning reports, for each instruction, whether control may return from a function after it.
func (f *flow) returning(code []sass.Instruction) []bool {
	before := make([][]int, len(code))
	returns := make([]bool, len(code))
	var todo []int
	for i, x := range code {
		for _, e := range f.next[i] {
			before[e.to] = append(before[e.to], i)
		}
		if op := operation(x); op == sass.OpRET || op == sass.OpRTT {
			returns[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range before[i] {
			if !returns[b] {
				returns[b] = true
				todo = append(todo, b)
			}
		}
	}
	return returns
}

// target returns the instruction at the target of a branch at instruction i.
func (f *flow) target(i int, distance int64, n int) (to int, ok bool) {
	at := int64(i+1)*sass.Size + distance
	if at%sass.Size != 0 || at < 0 || at >= int64(n)*sass.Size {
		return 0, false
	}
	return int(at / sass.Size), true
}
