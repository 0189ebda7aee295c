package command

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/show"
)

// A report prints the messages of a run as soon as they occur. nvlink's text goes to stderr, and on Windows to stdout
// (WIN-030). With --json, stdout also gets the values of each message as one JSON object on a line.
type report struct {
	tool, suffix string
	log          diag.Log
	printed      int             // diagnostics of log that have been printed
	stderr       io.Writer       // for the output of -dump-callgraph
	text         io.Writer       // for all other messages
	json         io.Writer       // nil without --json
	answers      bool            // below messages
	gathered     *advice.Block   // answers for the file of CULINK_ADVICE; nil if there is no such file
	adviser      *advice.Adviser // knows the inputs
}

// flush prints the messages since the last call.
func (r *report) flush() {
	fresh := r.log.Diagnostics[r.printed:]
	r.printed = len(r.log.Diagnostics)
	if !r.answers {
		for _, d := range fresh {
			r.print(d)
		}
	}
	if !r.wantsAnswers() {
		return
	}
	for _, d := range fresh {
		r.show(d, r.adviser.On(d))
	}
}

// wantsAnswers reports whether answers are shown in some form.
func (r *report) wantsAnswers() bool { return r.answers || r.json != nil || r.gathered != nil }

// remark reports a message that nvlink does not have. It does so only if there is an answer to the message. The message
// is printed as text if answers are printed, and also in JSON.
func (r *report) remark(d diag.Diagnostic) {
	if facts := r.adviser.On(d); facts != nil {
		r.show(d, facts)
	}
}

// show prints a message with its answer, and as JSON.
func (r *report) show(d diag.Diagnostic, facts []advice.Fact) {
	if r.answers {
		r.print(d)
		advice.Write(r.text, slices.Concat(advice.Cause(d), facts))
	}
	if r.gathered != nil {
		var message strings.Builder
		diag.Print(&message, r.tool, r.suffix, []diag.Diagnostic{d})
		r.gathered.Add(message.String(), slices.Concat(advice.Cause(d), facts))
	}
	if r.json == nil {
		return
	}
	lines := json.NewEncoder(show.JSONWriter(r.json))
	lines.SetEscapeHTML(false)
	lines.Encode(jsonMessage{
		ID:       d.Name(),
		Severity: d.Severity.String(),
		Phase:    d.Phase().String(),
		Text:     d.Text(),
		Values:   d.Args,
		File:     d.File(),
		Cause:    cause(d),
		Advice:   facts,
	})
}

// print prints one message.
func (r *report) print(d diag.Diagnostic) {
	to := r.text
	if d.ID == diag.CallGraphText || d.ID == diag.RegistersPropagated {
		to = r.stderr
	}
	diag.Print(to, r.tool, r.suffix, []diag.Diagnostic{d})
}

// A jsonMessage is a line of --json (OPT-503, docs/outputs.md). Its values are those in the text of the message, in the
// same order.
type jsonMessage struct {
	ID       string        `json:"id"`
	Severity string        `json:"severity"`
	Phase    string        `json:"phase"`
	Text     string        `json:"text"`
	Values   []any         `json:"values,omitempty"`
	File     string        `json:"file,omitempty"` // the file that the message is about
	Cause    string        `json:"cause,omitempty"`
	Advice   []advice.Fact `json:"advice,omitempty"`
}

func cause(d diag.Diagnostic) string {
	if d.Cause == nil {
		return ""
	}
	return d.Cause.Error()
}

// failed prints the new messages and reports whether any message was fatal.
func (r *report) failed() bool {
	r.flush()
	return r.log.Worst() == diag.Fatal
}

// exit returns the exit status for the messages.
func (r *report) exit() int { return r.log.ExitStatus() }
