// Package reduce makes a failing link smaller: fewer options, inputs, names, sections, records and bytes. The linker
// must still fail on the result in the same way.
//
// A [Judge] returns the problems of a link: the differences between a linker and a reference on a facet, or the reasons
// why an output is not sound. [Reduce] keeps the first problem. It uses delta debugging (ddmin.go) on the inputs in the
// text form of package cubintext (state.go, passes.go). It removes a line, a word of a line, or all lines with a name.
// The reduced link is written as a case (case.go).
package reduce

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
)

// A Judge returns the problems of a link, the most specific one first, and the exit statuses of the linkers that ran.
type Judge func(ctx context.Context, link attempt.Link) (differences []judge.Difference, exits []int, err error)

// ErrReference means that the reference itself fails on a link. Such a link shows nothing about the linker.
var ErrReference = errors.New("the reference fails on the facet too (-reference none asks none)")

// Against returns a judge that compares a linker with a reference on one facet. On the facet sound, the reference must
// succeed and write a sound output.
func Against(linker, reference *sandbox.Linker, facet judge.Facet) Judge {
	return func(ctx context.Context, link attempt.Link) ([]judge.Difference, []int, error) {
		want, err := reference.Run(ctx, link.Before, link.Argv)
		if err != nil {
			return nil, nil, err
		}
		if facet == judge.FacetSound && (want.Exit != 0 || len(judge.Sound(ctx, link, want)) > 0) {
			return nil, nil, ErrReference
		}
		got, err := linker.Run(ctx, link.Before, link.Argv)
		if err != nil {
			return nil, nil, err
		}
		return judge.Link(ctx, facet, suite.ExpectRecorded, link, want, got), []int{want.Exit, got.Exit}, nil
	}
}

// Alone returns a judge that runs a linker without a reference. The output must be sound.
func Alone(linker *sandbox.Linker) Judge {
	return func(ctx context.Context, link attempt.Link) ([]judge.Difference, []int, error) {
		got, err := linker.Run(ctx, link.Before, link.Argv)
		if err != nil {
			return nil, nil, err
		}
		return judge.Sound(ctx, link, got), []int{got.Exit}, nil
	}
}

// ErrPasses means that a link has no problem.
var ErrPasses = errors.New("nothing is wrong with the link")

// Options limit the work.
type Options struct {
	// Key selects the difference to keep. If it is empty, the first one is kept.
	Key string
	// Time limits the work. 0 means no limit.
	Time time.Duration
	// Progress, if set, is called whenever a part of the link has become smaller.
	Progress func(string)
}

// A Result is a link that could not be reduced further, at least not in the given time.
type Result struct {
	Link       attempt.Link
	Difference judge.Difference    // the difference of the reduced link
	Texts      map[string][]string // lines of the cubins, by file name
	Tried      int                 // links that were judged
}

// Reduce makes a link smaller as long as the judge reports the same problem. The problem is the same if a difference has
// the same facet and key and the exit statuses are the same. Names must be equal, but numbers may differ.
func Reduce(ctx context.Context, link attempt.Link, judge Judge, opt Options) (*Result, error) {
	differences, exits, err := judge(ctx, link)
	if err != nil {
		return nil, err
	}
	i := 0
	for i < len(differences) && opt.Key != "" && differences[i].Key != opt.Key {
		i++
	}
	if i == len(differences) {
		return nil, ErrPasses
	}
	r := &reducer{
		ctx: ctx, judge: judge, opt: opt, class: classOf(differences[i]), exits: fmt.Sprint(exits),
		result: Result{Link: link, Difference: differences[i]},
	}
	if opt.Time > 0 {
		r.end = time.Now().Add(opt.Time)
	}
	r.result.Texts = newState(link).texts
	r.run()
	return &r.result, ctx.Err()
}

// A reducer holds the problem to keep and the smallest link so far.
type reducer struct {
	ctx    context.Context
	judge  Judge
	opt    Options
	class  string
	exits  string
	end    time.Time
	result Result
	state  state
}

var (
	numbers = late.Regexp(`\b(0x[0-9a-f]+|[0-9]+)\b`)
	quoted  = late.Regexp(`'[^']*'`)
)

// classOf returns a text that is equal for differences of one kind. For messages, it is their text without names and
// numbers.
func classOf(d judge.Difference) string {
	class := fmt.Sprintf("%s %s", d.Facet, d.Key)
	if d.Facet == judge.FacetMessages {
		class = fmt.Sprintf("%s %s, %s", d.Facet, quoted().ReplaceAllString(d.Want, "''"), quoted().ReplaceAllString(d.Got, "''"))
	}
	return numbers().ReplaceAllString(class, "N")
}

// isOver reports whether the time is over.
func (r *reducer) isOver() bool {
	return r.ctx.Err() != nil || !r.end.IsZero() && time.Now().After(r.end)
}

// keeps reports whether a state has the same problem as the original link. If so, it becomes the smallest state.
func (r *reducer) keeps(s state) bool {
	if r.isOver() {
		return false
	}
	link, err := s.link()
	if err != nil || !s.readable(r.state) {
		return false
	}
	r.result.Tried++
	differences, exits, err := r.judge(r.ctx, link)
	if err != nil || fmt.Sprint(exits) != r.exits {
		return false
	}
	for _, d := range differences {
		if classOf(d) == r.class {
			r.state = s
			r.result.Link, r.result.Difference, r.result.Texts = link, d, s.texts
			return true
		}
	}
	return false
}

// progress reports the progress of the work.
func (r *reducer) progress(what string) {
	if r.opt.Progress != nil {
		r.opt.Progress(fmt.Sprintf("%s: %d links tried, %s", what, r.result.Tried, r.state.size()))
	}
}
