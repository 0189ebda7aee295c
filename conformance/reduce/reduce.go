// Package reduce makes a link that fails smaller: fewer options, inputs, names, sections,
// records and bytes, as long as a linker still fails on it in the same way.
//
// A [Judge] says what is wrong with a link: where a linker and a reference differ on a
// facet, or what is not sound. [Reduce] keeps what shows the first of these, by delta
// debugging (ddmin.go) over the inputs in the text form of package cubintext (state.go,
// passes.go): a line, a word of a line, or all lines that name something. A reduced link
// is written as a case (case.go).
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

// A Judge gives what is wrong with a link, the telling part first, and the exit statuses
// of who was asked.
type Judge func(ctx context.Context, link attempt.Link) (differences []judge.Difference, exits []int, err error)

// ErrReference says that the reference fails on a link, where it has to pass: what is left of
// such a link shows nothing about the linker.
var ErrReference = errors.New("the reference fails on the facet too (-reference none asks none)")

// Against judges a linker by a reference on one facet. On the facet sound the reference has
// to link and to be sound itself.
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

// Alone judges a linker without a reference: whether what it writes is sound.
func Alone(linker *sandbox.Linker) Judge {
	return func(ctx context.Context, link attempt.Link) ([]judge.Difference, []int, error) {
		got, err := linker.Run(ctx, link.Before, link.Argv)
		if err != nil {
			return nil, nil, err
		}
		return judge.Sound(ctx, link, got), []int{got.Exit}, nil
	}
}

// ErrPasses says that there is nothing wrong with a link.
var ErrPasses = errors.New("nothing is wrong with the link")

// Options bound the work.
type Options struct {
	// Key chooses the difference to keep; empty: the first one.
	Key string
	// Time bounds the work; 0: no bound.
	Time time.Duration
	// Progress, if set, is told what has become smaller.
	Progress func(string)
}

// A Result is a link that cannot be made smaller, or not in the time given.
type Result struct {
	Link       attempt.Link
	Difference judge.Difference    // of the reduced link
	Texts      map[string][]string // lines of the cubins, by file name
	Tried      int                 // links that were judged
}

// Reduce makes a link smaller while a judge finds the same wrong with it: a difference of
// the same facet and key, names and all but with other numbers, and the same exit statuses.
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

// A reducer holds what has to stay, and the smallest link so far.
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

// classOf is what differences of one kind have in common. Of messages that is their text
// without names and numbers.
func classOf(d judge.Difference) string {
	class := fmt.Sprintf("%s %s", d.Facet, d.Key)
	if d.Facet == judge.FacetMessages {
		class = fmt.Sprintf("%s %s, %s", d.Facet, quoted().ReplaceAllString(d.Want, "''"), quoted().ReplaceAllString(d.Got, "''"))
	}
	return numbers().ReplaceAllString(class, "N")
}

// keeps reports whether a state is as wrong as the link was, and makes it the smallest one if
// it is.
func (r *reducer) keeps(s state) bool {
	if r.ctx.Err() != nil || !r.end.IsZero() && time.Now().After(r.end) {
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

// progress tells how far the work is.
func (r *reducer) progress(what string) {
	if r.opt.Progress != nil {
		r.opt.Progress(fmt.Sprintf("%s: %d links tried, %s", what, r.result.Tried, r.state.size()))
	}
}
