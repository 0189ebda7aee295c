package adversary

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A task is what an instruction that was carried out has still to do on one path: to write its
// results, or to read its operands.
type task struct {
	at      int // the instruction
	reading bool
	live    sass.Registers // of those that it writes or reads
	age     int            // cycles since it started, up to longest
	guard   condition      // under which it was carried out
}

// longest is more cycles than anything takes that no scoreboard counts.
const longest = 64

// A state is where a path is.
type state struct {
	at    int
	calls []int  // where calls in the code return to
	tasks []task // in the order in which they started
	holds facts  // predicates that guard a task
}

// deepest is how many calls a path may be in.
const deepest = 3

// facts says which predicates are known on a path, and their values.
type facts [2]struct{ known, value uint8 } // by file: Predicate, UniformPredicate

func (f *facts) of(c condition) (value, known bool) {
	if c.number == pt {
		return !c.negated, true
	}
	k := f[c.file-sass.Predicate]
	return k.value>>c.number&1 == 1 != c.negated, k.known>>c.number&1 == 1
}

// assume notes that a condition holds, or that it does not.
func (f *facts) assume(c condition, holds bool) {
	k := &f[c.file-sass.Predicate]
	k.known |= 1 << c.number
	k.value &^= 1 << c.number
	if holds != c.negated {
		k.value |= 1 << c.number
	}
}

// keep leaves of f the predicates of two sets.
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

// begin adds a task. What the same instruction began before with the same registers is over sooner, so
// that it is left out: it could do no more harm.
func (s *state) begin(t task) {
	s.tasks = append(slices.DeleteFunc(s.tasks, func(old task) bool {
		old.live.Remove(&t.live)
		return old.at == t.at && old.reading == t.reading && old.live.Marks() == 0
	}), t)
}

// A key stands for a state: that of others is another one.
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
		for k := range t.live.R {
			b = binary.LittleEndian.AppendUint64(b, t.live.R[k])
			b = binary.LittleEndian.AppendUint64(b, t.live.UR[k])
		}
	}
	return sha256.Sum256(b)
}
