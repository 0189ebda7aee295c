// Package diag contains culink's messages. Every message of the linker is a typed [Diagnostic], and all texts
// are in one table, [Messages].
//
// A phase of the linker reports a message by adding a Diagnostic to a [Log]. The command prints the log in the
// words of nvlink 13.0.88 (docs/rules.md, DIAG-*). Other programs read the values.
package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Severity determines the prefix of a message and its effect on the exit status.
type Severity uint8

// These are the severities of nvlink. The last one ends the link.
const (
	Verbatim Severity = iota // the output of another program, printed unchanged
	Info
	Warning
	Error
	Fatal
)

func (s Severity) String() string {
	return [...]string{"verbatim", "info", "warning", "error", "fatal"}[s]
}

// Phase is the part of the link that reports a message.
type Phase uint8

// The phases, in the order in which they run.
const (
	PhaseOptions Phase = iota
	PhaseLoad
	PhaseMerge
	PhaseReach
	PhaseStack
	PhaseLayout
	PhaseUndefined
	PhaseRegisters
	PhaseRelocate
	PhaseEmit
)

func (p Phase) String() string {
	return [...]string{"options", "load", "merge", "reach", "stack", "layout", "undefined", "registers", "relocate", "emit"}[p]
}

// A Diagnostic is one message of the linker.
type Diagnostic struct {
	ID       ID
	Severity Severity
	Args     []any // the values of the message's verbs, in order
	Cause    error // the underlying error, with file, section and offset; never part of the text
}

// New returns the diagnostic id with its default severity.
func New(id ID, args ...any) Diagnostic {
	return Diagnostic{ID: id, Severity: messages[id].Severity, Args: args}
}

// Because returns d with its cause.
func (d Diagnostic) Because(err error) Diagnostic {
	d.Cause = err
	return d
}

// Text returns the message without tool name and severity.
func (d Diagnostic) Text() string { return fmt.Sprintf(messages[d.ID].Format, d.Args...) }

// Name returns the stable name of the message, for programs: "undefined-reference".
func (d Diagnostic) Name() string { return messages[d.ID].Name }

// Phase returns the part of the link that reports the message.
func (d Diagnostic) Phase() Phase { return messages[d.ID].Phase }

// Error returns the severity, the text, and the cause. If the text ends with a reason and the cause contains
// that reason too, the cause replaces it.
func (d Diagnostic) Error() string {
	s := d.Severity.String() + ": " + d.Text()
	if d.Cause == nil {
		return s
	}
	detail := withoutName(d.Cause, d.File())
	if strings.Contains(s, detail) {
		return s
	}
	if d.ID == DamagedInput {
		if reason, ok := d.Args[len(d.Args)-1].(string); ok && strings.Contains(detail, reason) {
			return strings.TrimSuffix(s, reason) + detail
		}
	}
	return s + " (" + d.Cause.Error() + ")"
}

// Damaged returns the diagnostic for an input that cannot be read, with the reason.
func Damaged(name string, reason error) Diagnostic {
	return New(DamagedInput, name, withoutName(reason, name)).Because(reason)
}

// withoutName returns the text of an error without a leading file name.
func withoutName(err error, name string) string { return strings.TrimPrefix(err.Error(), name+": ") }

// Unwrap returns the cause.
func (d Diagnostic) Unwrap() error { return d.Cause }

// A Log collects diagnostics in the order in which they were reported.
type Log struct {
	// WarningsAreErrors turns each warning into an error (-Werror).
	WarningsAreErrors bool
	// DropWarnings discards each warning, whatever WarningsAreErrors is (-disable-infos, OPT-026).
	DropWarnings bool
	Diagnostics  []Diagnostic
}

// Add appends d.
func (l *Log) Add(d Diagnostic) {
	if l.DropWarnings && d.Severity == Warning {
		return
	}
	if l.WarningsAreErrors && d.Severity == Warning {
		d.Severity = Error
	}
	l.Diagnostics = append(l.Diagnostics, d)
}

// ForgetSettings resets both settings, so that later warnings are printed, and printed as warnings (LOAD-046).
func (l *Log) ForgetSettings() { l.WarningsAreErrors, l.DropWarnings = false, false }

// Append appends the diagnostics of other unchanged.
func (l *Log) Append(other *Log) { l.Diagnostics = append(l.Diagnostics, other.Diagnostics...) }

// Report is Add of New.
func (l *Log) Report(id ID, args ...any) { l.Add(New(id, args...)) }

// Worst returns the highest severity so far, or Verbatim if there are no messages.
func (l *Log) Worst() Severity {
	worst := Verbatim
	for _, d := range l.Diagnostics {
		if !slices.Contains(harmless[:], d.ID) {
			worst = max(worst, d.Severity)
		}
	}
	return worst
}

// Err returns the first message that makes the link fail, or nil if there is none.
func (l *Log) Err() error {
	for _, d := range l.Diagnostics {
		if d.Severity >= Error && !slices.Contains(harmless[:], d.ID) {
			return d
		}
	}
	return nil
}

// harmless lists the errors that do not change the exit status (LOAD-018).
var harmless = [...]ID{UncompressFailed}

// Exit statuses of nvlink (DIAG-002).
const (
	ExitOK    = 0
	ExitFatal = 1   // a fatal message
	ExitError = 255 // only errors
)

// ExitStatus returns the exit status for the log's worst message.
func (l *Log) ExitStatus() int {
	switch l.Worst() {
	case Fatal:
		return ExitFatal
	case Error:
		return ExitError
	}
	return ExitOK
}

// Print writes each diagnostic on a separate line, as nvlink does: the tool name, the severity padded to eight
// columns, and the text. suffix follows each text. For example, -report-arch adds " (target: sm_90)".
func Print(w io.Writer, tool, suffix string, diagnostics []Diagnostic) error {
	if len(diagnostics) == 0 {
		return nil
	}
	var b strings.Builder
	for _, d := range diagnostics {
		if d.Severity == Verbatim {
			b.WriteString(d.Text())
			if d.ID == PTXASSaid { // the compiler inside nvlink prints like nvlink
				b.WriteString(suffix)
			}
			b.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&b, "%s %-8s: %s", tool, d.Severity, d.Text())
		if d.ID != MemoryAllocation { // printed where nvlink does not know its target (OPT-027)
			b.WriteString(suffix)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
