// Package diff compares the structure of two cubins and describes the differences by keys:
//
//	header.flags              section.text.k.bytes     sym.g.value
//	order.symbols             info.k.REGCOUNT          reloc.text.k.57.0x40
//	note.tkinfo.0.options     segment.1.filesz         strtab
//	section.text.k.finalizer
//
// Each file is split into facts (fact.go). A fact has a key, a value as text, and a rank. The rank tells how early a
// linker decides the value. Indices are never compared: a name replaces the index of a symbol, section or string. So an
// extra symbol is one difference, and not one in every relocation. Lists are compared twice: first their elements, and
// then the order of the elements that both files have ("order.*"). The differences are sorted by rank, because the first
// one often causes the others.
package diff

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"sort"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/show"
)

// Options selects the facts to compare.
type Options struct {
	NameA, NameB string   // names of the files, for messages; "a" and "b" if empty
	Only         []string // patterns (see Match); empty: everything
	Ignore       []string // patterns of keys to leave out
}

// A Difference is one fact in which the files differ.
type Difference struct {
	Key   string // "sym.g.value"
	Class string // the key without names from the program: "sym.*.value"
	Rank  Rank
	A, B  string // the values, or Absent
}

// Absent is the value of a fact that a file does not have.
const Absent = "-"

// A Report is the result of Compare.
type Report struct {
	NameA, NameB string
	Identical    bool         // the bytes are equal
	Differences  []Difference // sorted by rank, then in the order of the file
	Ignored      int          // differences left out by Options
	More         int          // number of differences that were dropped; a report keeps mostDifferences of each rank
	NotCompared  []string     // parts that no fact describes
}

// First returns the first difference, which often causes the others, or nil if there is none.
func (r *Report) First() *Difference {
	if len(r.Differences) == 0 {
		return nil
	}
	return &r.Differences[0]
}

// Compare compares two cubins. It fails if only one of the files is a readable cubin. If neither is, it
// compares their bytes.
func Compare(a, b []byte, opt Options) (*Report, error) {
	if opt.NameA == "" {
		opt.NameA = "a"
	}
	if opt.NameB == "" {
		opt.NameB = "b"
	}
	r := &Report{NameA: opt.NameA, NameB: opt.NameB, Identical: bytes.Equal(a, b)}
	if r.Identical {
		return r, nil
	}
	ca, errA := cubin.OpenBounded(opt.NameA, a)
	cb, errB := cubin.OpenBounded(opt.NameB, b)
	var fa, fb *facts
	switch {
	case errA == nil && errB == nil:
		fa, fb = bothFacts(ca, cb)
	case errA != nil && errB != nil:
		fa, fb = rawFacts(a), rawFacts(b)
		for _, err := range []error{errA, errB} {
			if !errors.Is(err, cubin.ErrNotELF) && !errors.Is(err, cubin.ErrNotCUDA) {
				r.NotCompared = append(r.NotCompared, err.Error())
			}
		}
	case errA != nil:
		return nil, errA
	case errB != nil:
		return nil, errB
	}
	r.NotCompared = append(r.NotCompared, union(fa.unread, fb.unread)...)
	kept := map[Rank]int{}
	keep := func(d Difference) {
		switch {
		case len(opt.Only) > 0 && !matchAny(opt.Only, d.Key) || matchAny(opt.Ignore, d.Key):
			r.Ignored++
		case kept[d.Rank] == mostDifferences:
			r.More++
		default:
			kept[d.Rank]++
			r.Differences = append(r.Differences, d)
		}
	}
	differ := compareFacts(fa, fb, keep)
	if !differ || fa.ended || fb.ended {
		compareFacts(rawFacts(a), rawFacts(b), keep)
	}
	if differ && errA == nil {
		r.NotCompared = append(r.NotCompared, "padding between sections (compared only when all else is equal)")
	}
	sort.SliceStable(r.Differences, func(i, j int) bool { return r.Differences[i].Rank < r.Differences[j].Rank })
	return r, nil
}

// bothFacts makes the facts of two cubins. A section whose records do not fit in one of them is compared by its bytes in both.
func bothFacts(a, b *cubin.File) (fa, fb *facts) {
	fa, fb = takeApart(a, nil), takeApart(b, nil)
	if maps.Equal(fa.whole, fb.whole) {
		return fa, fb
	}
	// The other sections fit again: those that are not decoded leave more room for them.
	whole := maps.Clone(fa.whole)
	maps.Copy(whole, fb.whole)
	return takeApart(a, whole), takeApart(b, whole)
}

// mostDifferences is the largest number of differences of a rank in a report.
const mostDifferences = 10_000

// compareFacts compares facts by key, and reports whether any differ. A fact that only one side has differs
// from Absent, unless facts of the other side did not fit.
func compareFacts(a, b *facts, keep func(Difference)) (differ bool) {
	add := func(f *fact, va, vb string) {
		differ = true
		keep(Difference{Key: f.key, Class: f.class, Rank: f.rank, A: va, B: vb})
	}
	for i := range a.list {
		x := &a.list[i]
		y := b.get(x.key)
		if y == nil {
			if x.list == nil && !b.ended { // if only one side has the list, its order does not matter
				add(x, x.words(), Absent)
			}
			continue
		}
		if va, vb, differ := x.compare(y); differ {
			add(x, va, vb)
		}
	}
	for i := range b.list {
		if y := &b.list[i]; a.get(y.key) == nil && y.list == nil && !a.ended {
			add(y, Absent, y.words())
		}
	}
	return differ
}

// union returns a followed by the elements that only b has.
func union(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range append(append([]string(nil), a...), b...) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Match reports whether a pattern selects a key. '*' stands for any run of characters and '?' for one. A
// pattern also selects the keys below it: "sym.g" selects "sym.g.value".
func Match(pattern, key string) bool {
	if glob(pattern, key) {
		return true
	}
	for i := range key {
		if key[i] == '.' && glob(pattern, key[:i]) {
			return true
		}
	}
	return false
}

func matchAny(patterns []string, key string) bool {
	for _, p := range patterns {
		if Match(p, key) {
			return true
		}
	}
	return false
}

// glob matches in time len(pattern) x len(s). On a mismatch it extends only the text for the last star by one character.
func glob(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// String returns the report as text: the first difference, then all of them.
func (r *Report) String() string {
	var b strings.Builder
	r.write(&b, 200)
	return b.String()
}

// write prints at most limit differences.
func (r *Report) write(b *strings.Builder, limit int) {
	if r.Identical {
		fmt.Fprintf(b, "%s and %s: the same bytes\n", show.Line(r.NameA), show.Line(r.NameB))
		return
	}
	first := r.First()
	if first == nil {
		fmt.Fprintf(b, "%s and %s: equal in what was compared (%s left out)\n", show.Line(r.NameA), show.Line(r.NameB), commandline.Count(r.Ignored, "difference"))
	} else {
		fmt.Fprintf(b, "%s and %s: %s; look first at\n", show.Line(r.NameA), show.Line(r.NameB), commandline.Count(len(r.Differences)+r.More, "difference"))
		writeDifference(b, first)
		fmt.Fprintf(b, "    (%s)\n", first.Rank)
	}
	for i := 1; i < len(r.Differences); i++ {
		if i == 1 || r.Differences[i].Rank != r.Differences[i-1].Rank {
			fmt.Fprintf(b, "\n%s\n", r.Differences[i].Rank)
		}
		if i >= limit {
			fmt.Fprintf(b, "  ... and %d more (-limit)\n", len(r.Differences)-i)
			break
		}
		writeDifference(b, &r.Differences[i])
	}
	if r.Ignored > 0 && first != nil {
		fmt.Fprintf(b, "\nleft out: %s (-only, -ignore)\n", commandline.Count(r.Ignored, "difference"))
	}
	if r.More > 0 {
		fmt.Fprintf(b, "\nand %s that are not shown: at most %d of a rank are\n", commandline.Count(r.More, "difference"), mostDifferences)
	}
	for _, n := range r.NotCompared {
		fmt.Fprintf(b, "\nnot compared: %s", show.Line(n))
	}
	if len(r.NotCompared) > 0 {
		b.WriteByte('\n')
	}
}

// writeDifference prints short values side by side and long ones one below the other.
func writeDifference(b *strings.Builder, d *Difference) {
	if len(d.A)+len(d.B) < 70 && !strings.Contains(d.A+d.B, "\n") {
		fmt.Fprintf(b, "  %-40s %s | %s\n", show.Line(d.Key), show.Line(d.A), show.Line(d.B))
		return
	}
	fmt.Fprintf(b, "  %s\n", show.Line(d.Key))
	for _, side := range []struct{ mark, text string }{{"a", d.A}, {"b", d.B}} {
		fmt.Fprintf(b, "      %s: %s\n", side.mark, strings.ReplaceAll(show.Lines(side.text), "\n", "\n         "))
	}
}
