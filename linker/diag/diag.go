// Package diag holds what culink says: every message of the linker is a typed
// [Diagnostic], and all texts stand in one table, [Messages].
//
// A phase of the linker reports by adding a Diagnostic to a [Log]. The command
// prints the log in the words of nvlink 13.0.88 (docs/rules.md, DIAG-*); other
// programs read the values.
package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Severity says how a message is introduced and what it does to the exit status.
type Severity uint8

// The severities of nvlink, from harmless to final.
const (
	Verbatim Severity = iota // the words of another program, printed as they are
	Info
	Warning
	Error
	Fatal
)

func (s Severity) String() string {
	return [...]string{"verbatim", "info", "warning", "error", "fatal"}[s]
}

// Phase names the part of the link that speaks.
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

// A Diagnostic is one thing the linker has to say.
type Diagnostic struct {
	ID       ID
	Severity Severity
	Args     []any // the values of the message's verbs, in their order
	Cause    error // what lies behind it, with file, section and offset; never part of the text
}

// New makes the diagnostic id, with its usual severity.
func New(id ID, args ...any) Diagnostic {
	return Diagnostic{ID: id, Severity: messages[id].Severity, Args: args}
}

// Because returns d with its cause.
func (d Diagnostic) Because(err error) Diagnostic {
	d.Cause = err
	return d
}

// Text is the message without tool name and severity.
func (d Diagnostic) Text() string { return fmt.Sprintf(messages[d.ID].Format, d.Args...) }

// Name is the stable name of the message, for programs: "undefined-reference".
func (d Diagnostic) Name() string { return messages[d.ID].Name }

// Phase is the part of the link that the message belongs to.
func (d Diagnostic) Phase() Phase { return messages[d.ID].Phase }

// Error is the severity, the text, and the cause, which takes the place of a reason at the end of the text that it says
// as well.
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

// Damaged makes the diagnostic of an input that cannot be read, for a reason.
func Damaged(name string, reason error) Diagnostic {
	return New(DamagedInput, name, withoutName(reason, name)).Because(reason)
}

// withoutName returns the text of an error without the name of a file that it begins with.
func withoutName(err error, name string) string { return strings.TrimPrefix(err.Error(), name+": ") }

// Unwrap returns the cause.
func (d Diagnostic) Unwrap() error { return d.Cause }

// A Log collects diagnostics in the order in which they were said.
type Log struct {
	// WarningsAreErrors turns each warning into an error (-Werror).
	WarningsAreErrors bool
	// DropWarnings forgets each warning, whatever WarningsAreErrors says
	// (-disable-infos, OPT-026).
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

// ForgetSettings lets warnings that follow be warnings, and be printed (LOAD-046).
func (l *Log) ForgetSettings() { l.WarningsAreErrors, l.DropWarnings = false, false }

// Append appends what other has noted, as it stands.
func (l *Log) Append(other *Log) { l.Diagnostics = append(l.Diagnostics, other.Diagnostics...) }

// Report is Add of New.
func (l *Log) Report(id ID, args ...any) { l.Add(New(id, args...)) }

// Worst is the highest severity so far; Verbatim when nothing was said.
func (l *Log) Worst() Severity {
	worst := Verbatim
	for _, d := range l.Diagnostics {
		if !slices.Contains(harmless[:], d.ID) {
			worst = max(worst, d.Severity)
		}
	}
	return worst
}

// Err is the first message that makes the exit status one of failure; nil when none does.
func (l *Log) Err() error {
	for _, d := range l.Diagnostics {
		if d.Severity >= Error && !slices.Contains(harmless[:], d.ID) {
			return d
		}
	}
	return nil
}

// harmless lists the errors that leave the exit status alone (LOAD-018).
var harmless = [...]ID{UncompressFailed}

// Exit statuses of nvlink (DIAG-002).
const (
	ExitOK    = 0
	ExitFatal = 1   // a fatal message
	ExitError = 255 // only errors
)

// ExitStatus is the exit status that the log's worst message asks for.
func (l *Log) ExitStatus() int {
	switch l.Worst() {
	case Fatal:
		return ExitFatal
	case Error:
		return ExitError
	}
	return ExitOK
}

// Print writes each diagnostic on a line of its own, as nvlink does: tool name,
// severity padded to eight columns, text. suffix follows each text
// (-report-arch gives " (target: sm_90)").
func Print(w io.Writer, tool, suffix string, diagnostics []Diagnostic) error {
	if len(diagnostics) == 0 {
		return nil
	}
	var b strings.Builder
	for _, d := range diagnostics {
		if d.Severity == Verbatim {
			b.WriteString(d.Text())
			if d.ID == PTXASSaid { // the compiler inside of nvlink prints as nvlink does
				b.WriteString(suffix)
			}
			b.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&b, "%s %-8s: %s%s\n", tool, d.Severity, d.Text(), suffix)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
