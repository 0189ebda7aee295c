package trace

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/show"
)

// An Explanation is what there is to say of one symbol.
type Explanation struct {
	Symbol string `json:"symbol"`
	Kind   string `json:"kind"` // "kernel", "function", "global variable"; "unknown" when no input names it
	Facts  []Fact `json:"facts,omitempty"`
}

// A Fact is one line of an explanation.
type Fact struct {
	Topic string `json:"topic"` // "defined in", "reached by", "stack"
	Text  string `json:"text"`
}

// String returns the explanation as text, each fact on a line of its own.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, show.Line(e.Symbol+": "+e.Kind))
	for _, f := range e.Facts {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Topic, show.Line(f.Text))
	}
	return b.String()
}
