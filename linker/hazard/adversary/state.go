package adversary

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A task is the remaining work of an executed instruction on one path: writing its results, or reading its
// operands.
type task struct {
	at      int // the instruction
	reading bool
	found   bool           // writing the predicate that an atomic finds when it reads its operands
	live    sass.Registers // registers that it writes or reads
	age     int            // cycles since it started, up to longest
	guard   condition      // the guard under which it was executed
}

// isEarly reports whether t is complete when the operands of its instruction are read.
func (t *task) isEarly() bool { return t.reading || t.found }

// longest is larger than the number of cycles that any event without a scoreboard takes.
const longest = 64

// A state is the state of a path.
type state struct {
	at    int
	calls []int  // return addresses of calls in the code
	tasks []task // in the order in which they started
	holds facts  // predicates that guard a task
}

// deepest is the maximum call depth of a path.
const deepest = 3

// facts contains the predicates that are known on a path, and their values.
type facts [2]struct{ known, value uint8 } // by file: Predicate, UniformPredicate

func (f *facts) of(c condition) (value, known bool) {
	if c.number == pt {
		return !c.negated, true
	}
	k := f[c.file-sass.Predicate]
	return k.value>>c.number&1 == 1 != c.negated, k.known>>c.number&1 == 1
}

// assume records that a condition holds, or does not hold.
func (f *facts) assume(c condition, holds bool) {
	k := &f[c.file-sass.Predicate]
	k.known |= 1 << c.number
	k.value &^= 1 << c.number
	if holds != c.negated {
		k.value |= 1 << c.number
	}
}

// keep drops all predicates that are not in the two sets.
func (f *facts) keep(p, up uint8) {
	for i, set := range [2]uint8{p, up} {
		f[i].known &= set
		f[i].value &= set
	}
}

func (s *state) clone() *state {
	t := *s
	t.calls, t.tasks = slices.Clone(s.calls), slices.Clone(s.tasks)
	return &t
}

// begin adds a task. An earlier task of the same instruction with the same registers is dropped: it completes
// sooner and cannot cause further errors.
func (s *state) begin(t task) {
	s.tasks = append(slices.DeleteFunc(s.tasks, func(old task) bool {
		old.live.Remove(&t.live)
		return old.at == t.at && old.reading == t.reading && old.found == t.found && old.live.Marks() == 0
	}), t)
}

// A key identifies a state: different states have different keys.
type key [sha256.Size]byte

func (s *state) key() key {
	b := binary.LittleEndian.AppendUint32(nil, uint32(s.at))
	b = append(b, s.holds[0].known, s.holds[0].value, s.holds[1].known, s.holds[1].value, byte(len(s.calls)))
	for _, c := range s.calls {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	for i := range s.tasks {
		t := &s.tasks[i]
		b = binary.LittleEndian.AppendUint32(b, uint32(t.at))
		b = append(b, byte(t.age), t.guard.number, t.live.P, t.live.UP)
		if t.reading {
			b = append(b, 1)
		}
		if t.found {
			b = append(b, 2)
		}
		for k := range t.live.R {
			b = binary.LittleEndian.AppendUint64(b, t.live.R[k])
			b = binary.LittleEndian.AppendUint64(b, t.live.UR[k])
		}
	}
	return sha256.Sum256(b)
}
