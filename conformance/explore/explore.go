// Package explore searches for links on which culink and an installed reference linker differ. The coverage of culink
// guides the search.
//
// An [Input] is a link in a form that can be changed (input.go): files in the text form of package cubintext, options,
// order, containers, and sequences of links. A mutation (mutate.go, mutate_link.go) changes the structure of an input,
// with words that occur in other inputs (words.go). culink links each input in a process that counts the executed blocks
// (serve.go, counters.go). The reference links it too, and package versus compares the results.
//
// An input is kept and mutated further if it reaches a new block, runs a block much more often than before, or makes the
// reference print a new message. A link that differs is reduced and gets a class (known.go). A class that no rule
// explains is a finding. A search can be stopped and continued, because inputs, counts and findings are stored in a
// folder (store.go).
package explore

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/versus"
)

// An explorer holds the data that the workers of a search share.
type explorer struct {
	pair     versus.Pair     // each worker sets Linker itself
	server   *sandbox.Server // culink, counted
	universe *universe
	store    store
	canon    canon
	sms      []string
	links    int // number of links to make in this run; 0: no limit

	mutations []mutation

	mu      sync.Mutex
	pools   map[string]*pool
	tally   *Tally
	made    int             // links of this run
	seen    []uint8         // by block: the classes of counts seen so far
	reached []bool          // blocks that any link has reached
	said    map[string]bool // messages of the reference, without names and numbers
	linked  map[uint64]bool // hashes of the links of this run
	hash    maphash.Seed
	failure error // error that ends the search
}

// A pool holds the inputs for one target.
type pool struct {
	seeds []*seed
	kept  []*Input
	words *vocabulary
}

// pick chooses an input to change: a seed, or one of the kept inputs, with a preference for the latest.
func (p *pool) pick(rng *rand.Rand) (*Input, *seed) {
	const latest = 200
	n := len(p.kept)
	switch {
	case n > 0 && rng.IntN(3) == 0:
		return p.kept[n-1-rng.IntN(min(n, latest))], nil
	case n > 0 && rng.IntN(2) == 0:
		return p.kept[rng.IntN(n)], nil
	}
	return nil, p.seeds[rng.IntN(len(p.seeds))]
}

// A worker links one input after the other.
type worker struct {
	*explorer
	pair versus.Pair
	hits map[int]uint32 // the highest count of each block that the links of an input executed
}

// Run calls [sandbox.Server.Run] and records the executed blocks.
func (w *worker) Run(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error) {
	o, err := w.server.Run(ctx, before, argv)
	if err != nil {
		return o, err
	}
	counters, ok := o.Files[countersFile]
	delete(o.Files, countersFile)
	if !ok {
		return o, nil // the process ended
	}
	return o, w.universe.executed(counters, func(block int, count uint32) { w.hits[block] = max(w.hits[block], count) })
}

func (x *explorer) worker() *worker {
	w := &worker{explorer: x, pair: x.pair, hits: map[int]uint32{}}
	w.pair.Linker = w
	return w
}

// begin links the kept inputs with culink alone, to find out which blocks they reach.
func (x *explorer) begin(ctx context.Context, jobs int) error {
	var all []*Input
	for _, sm := range x.sms {
		p := x.pools[sm]
		for _, in := range p.kept {
			p.words.learn(in)
			all = append(all, in)
		}
	}
	next := make(chan *Input)
	var wait sync.WaitGroup
	for range jobs {
		w := x.worker()
		wait.Go(func() {
			for in := range next {
				if err := w.replay(in); err != nil {
					x.fail(err)
				}
			}
		})
	}
	for _, in := range all {
		if ctx.Err() != nil {
			break
		}
		next <- in
	}
	close(next)
	wait.Wait()
	return x.failure
}

// search links the kept inputs, and then mutated ones.
func (x *explorer) search(ctx context.Context, jobs int, progress io.Writer) error {
	if err := x.begin(ctx, jobs); err != nil {
		return err
	}
	return x.run(ctx, jobs, progress)
}

// fail ends the search.
func (x *explorer) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failure == nil {
		x.failure = err
	}
}

// replay links an input with culink alone.
func (w *worker) replay(in *Input) error {
	files, err := in.build()
	if err != nil {
		return nil // written by an earlier version of this package
	}
	clear(w.hits)
	for _, s := range in.steps() {
		o, err := versus.Link(w, files, s)
		if err != nil {
			return err
		}
		if o.Output == nil {
			break
		}
		files[s.Output] = o.Output
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isNew()
	return nil
}

// classOfCount maps a count to a class. Counts in a higher class count as new coverage, so a loop that runs much more
// often is new.
func classOfCount(n uint32) uint8 {
	switch {
	case n < 2:
		return 1
	case n < 4:
		return 2
	case n < 16:
		return 4
	case n < 128:
		return 8
	}
	return 16
}

// isNew records the blocks that the links of an input executed, and reports whether any is new. The caller holds the
// lock.
func (w *worker) isNew() (isNew bool) {
	for block, n := range w.hits {
		w.reached[block] = true
		if c := classOfCount(n); w.seen[block]&c == 0 {
			w.seen[block] |= c
			isNew = true
		}
	}
	return isNew
}

// run searches until the time limit, the number of links, or an error.
func (x *explorer) run(ctx context.Context, jobs int, progress io.Writer) error {
	began, before := time.Now(), x.tally.Time
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	for range jobs {
		w := x.worker()
		wait.Go(func() {
			defer cancel()
			w.mutateAndLink(ctx)
		})
	}
	save := func() error {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.tally.Time = before + time.Since(began)
		return x.store.saveTally(x.tally)
	}
	tick := time.NewTicker(20 * time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			if err := save(); err != nil {
				x.fail(err)
				cancel()
			}
			x.mu.Lock()
			fmt.Fprintf(progress, "%d links, %.0f a second, %d new classes\n", x.made, float64(x.made)/time.Since(began).Seconds(), len(x.tally.New))
			x.mu.Unlock()
		}
	}
	wait.Wait()
	if err := save(); err != nil {
		return err
	}
	return x.failure
}

// mutateAndLink changes inputs and links the results until the search ends.
func (w *worker) mutateAndLink(ctx context.Context) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for ctx.Err() == nil {
		if err := w.step(ctx, rng); err != nil {
			w.fail(err)
			return
		}
		w.mu.Lock()
		done := w.links > 0 && w.made >= w.links || w.failure != nil
		w.mu.Unlock()
		if done {
			return
		}
	}
}

// step changes an input and links the result.
func (w *worker) step(ctx context.Context, rng *rand.Rand) error {
	p := w.pools[w.sms[rng.IntN(len(w.sms))]]
	in, err := w.pick(p, rng)
	if err != nil {
		return err
	}
	other, err := w.pick(p, rng)
	if err != nil {
		return err
	}
	w.mu.Lock()
	m := &mutator{rng, p.words, w.mutations}
	changed := m.mutate(in, other)
	w.mu.Unlock()
	return w.try(ctx, changed)
}

// pick chooses an input. When it chooses a seed for the first time, culink links the seed to find out which blocks it
// reaches.
func (w *worker) pick(p *pool, rng *rand.Rand) (*Input, error) {
	for {
		w.mu.Lock()
		in, s := p.pick(rng)
		w.mu.Unlock()
		if in != nil {
			return in, nil
		}
		in, isFirst := s.takeApart()
		if in == nil {
			continue
		}
		if isFirst {
			w.mu.Lock()
			p.words.learn(in)
			w.mu.Unlock()
			if err := w.replay(in); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

// try links an input with both linkers and compares them.
func (w *worker) try(ctx context.Context, in *Input) error {
	files, err := in.build()
	if err != nil || !w.isFresh(in, files) {
		return nil
	}
	clear(w.hits)
	says := ""
	ended := false
	for _, s := range in.steps() {
		v, err := w.pair.Judge(files, s)
		if err != nil {
			return err
		}
		says += versus.Pattern(v.Reference.Stderr) + "|"
		ended = v.Reference.Trouble != ""
		if err := w.count(ctx, in, files, s, &v); err != nil {
			return err
		}
		if v.Class != "" || v.Choice != "" || v.Reference.Output == nil {
			break
		}
		files[s.Output] = v.Reference.Output
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	isNew := w.isNew()
	if !w.said[says] && len(w.said) < 1<<16 {
		w.said[says] = true
		isNew = true
	}
	if !isNew || ended {
		return nil
	}
	w.tally.of(in.SM).Kept++
	p := w.pools[in.SM]
	p.kept = append(p.kept, in)
	p.words.learn(in)
	return w.store.keep(in)
}

// isFresh reports whether a link is new in this run.
func (w *worker) isFresh(in *Input, files attempt.Files) bool {
	var h maphash.Hash
	h.SetSeed(w.hash)
	for _, name := range files.Names() {
		h.WriteString(name)
		h.Write(files[name])
	}
	for _, step := range in.Steps {
		for _, word := range step {
			h.WriteString(word)
			h.WriteByte(0)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sum := h.Sum64()
	fresh := !w.linked[sum]
	w.linked[sum] = true
	return fresh
}

// count adds a verdict to the tally. It keeps a difference that no rule explains.
func (w *worker) count(ctx context.Context, in *Input, files attempt.Files, s versus.Step, v *versus.Verdict) error {
	class, id, err := "", "", error(nil)
	made := outputsBefore(in, s)
	if isBad(&v.Other) || v.Class != "" && v.Reference.Trouble == "" {
		if class, id, err = w.explain(v, files, made); err != nil {
			return err
		}
	}
	w.mu.Lock()
	t := w.tally.of(in.SM)
	t.Links++
	w.made++
	w.tally.Since++
	switch {
	case isBad(&v.Other):
		t.Bad++
		t.Differ++
	case v.Reference.Trouble != "":
		t.Ended++
	case v.Class != "":
		t.Differ++
	case v.Choice != "":
		t.Differ++
		id = v.Choice
	case v.Reference.Output != nil:
		t.Linked++
	default:
		t.Failed++
	}
	if id != "" {
		w.tally.Known[strings.TrimSpace(id+" "+class)]++
		class = ""
	}
	w.mu.Unlock()
	if class == "" {
		return nil
	}
	return w.find(ctx, in.SM, class, attempt.Link{Before: files, Argv: s.Args}, made, s.Output, v.Detail+"\n"+v.Other.Stderr)
}

// outputsBefore returns the outputs of the steps before s.
func outputsBefore(in *Input, s versus.Step) (names []string) {
	for _, earlier := range in.steps() {
		if slices.Equal(earlier.Args, s.Args) {
			break
		}
		names = append(names, earlier.Output)
	}
	return names
}

// unsteady is the class of links whose output changes from run to run of the reference, for example because the
// reference writes uninitialised memory.
const unsteady = "the tool does not repeat itself"

// Limits for the kept examples of a class: their number, and the time for reducing the first.
const (
	perClass   = 3
	reduceTime = 2 * time.Second
)

// find repeats a link that differs, reduces the first example of a class, and keeps it.
func (w *worker) find(ctx context.Context, sm, class string, link attempt.Link, made []string, output, detail string) error {
	w.mu.Lock()
	n := w.tally.New[class]
	if n == 0 {
		w.tally.Since = 0
	}
	w.tally.New[class]++
	w.mu.Unlock()
	if n >= perClass {
		return nil
	}
	ask := func(_ context.Context, l attempt.Link) ([]judge.Difference, []int, error) {
		v, err := w.pair.Judge(l.Before, versus.Step{Args: l.Argv, Output: output})
		if err != nil || !differs(&v) {
			return nil, nil, err
		}
		class, _, err := w.explain(&v, l.Before, made)
		if err != nil {
			return nil, nil, err
		}
		return []judge.Difference{{Facet: judge.FacetBytes, Key: class}}, []int{v.Reference.Exit, v.Other.Exit}, nil
	}
	if n > 0 {
		return w.store.keepFinding(sm, class, detail, n, link, nil)
	}
	small, err := reduce.Reduce(ctx, link, ask, reduce.Options{Key: class, Time: reduceTime})
	if err != nil {
		return w.store.keepFinding(sm, class, unsteady+"\n"+detail, n, link, nil)
	}
	v, err := w.pair.Judge(small.Link.Before, versus.Step{Args: small.Link.Argv, Output: output})
	if err != nil {
		return err
	}
	return w.store.keepFinding(sm, class, fmt.Sprintf("%s\n%s\nreference: exit %d\n%s\nculink: exit %d\n%s", detail, v.Detail, v.Reference.Exit, v.Reference.Stderr, v.Other.Exit, v.Other.Stderr), n, small.Link, small.Texts)
}
