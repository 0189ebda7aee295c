package diag

import (
	"errors"
	"strings"
	"testing"
)

// TestLog checks how a log treats warnings, and errors that do not change the exit status (DIAG-002,
// OPT-026, LOAD-018).
func TestLog(t *testing.T) {
	warning, failure, fatal := firstOf(t, Warning), firstOf(t, Error), firstOf(t, Fatal)
	for _, c := range []struct {
		name         string
		log          Log
		said         []ID
		kept, status int
		fails        bool
	}{
		{"nothing", Log{}, nil, 0, 0, false},
		{"a warning", Log{}, []ID{warning}, 1, 0, false},
		{"a warning as an error", Log{WarningsAreErrors: true}, []ID{warning}, 1, 255, true},
		{"a warning that is dropped", Log{WarningsAreErrors: true, DropWarnings: true}, []ID{warning, failure}, 1, 255, true},
		{"a warning that is dropped, and was none", Log{DropWarnings: true}, []ID{warning, failure}, 1, 255, true},
		{"an error", Log{}, []ID{failure, warning}, 2, 255, true},
		{"an error that leaves the status alone", Log{}, []ID{UncompressFailed}, 1, 0, false},
		{"a fatal message", Log{}, []ID{failure, fatal}, 2, 1, true},
	} {
		for _, id := range c.said {
			c.log.Add(Diagnostic{ID: id, Severity: messages[id].Severity})
		}
		if len(c.log.Diagnostics) != c.kept || c.log.ExitStatus() != c.status || (c.log.Err() != nil) != c.fails {
			t.Errorf("%s: %d kept, status %d, %v", c.name, len(c.log.Diagnostics), c.log.ExitStatus(), c.log.Err())
		}
	}
}

// The settings do not apply to messages after ForgetSettings, nor to those from another log (LOAD-046).
func TestForgetSettings(t *testing.T) {
	warning := firstOf(t, Warning)
	for _, log := range []Log{{WarningsAreErrors: true}, {DropWarnings: true}, {WarningsAreErrors: true, DropWarnings: true}} {
		var other Log
		other.Report(warning)
		log.Append(&other)
		before := log.Worst()
		log.ForgetSettings()
		log.Report(warning)
		if len(log.Diagnostics) != 2 || before != Warning || log.Worst() != Warning {
			t.Errorf("%d messages, the worst %s, then %s", len(log.Diagnostics), before, log.Worst())
		}
	}
}

// firstOf returns the first message of a severity.
func firstOf(t *testing.T, s Severity) ID {
	t.Helper()
	for id := None + 1; id < numMessages; id++ {
		if messages[id].Severity == s && id != UncompressFailed {
			return id
		}
	}
	t.Fatal("no such message")
	return None
}

// Error contains the severity, the text and the cause of a message, each of them once.
func TestError(t *testing.T) {
	d := New(CannotOpenInput, "a.cubin")
	if got, want := d.Error(), "fatal: Could not open input file 'a.cubin'"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	cause := errors.New("why")
	if got := d.Because(cause); got.Error() != d.Error()+" (why)" || !errors.Is(got, cause) {
		t.Error(got)
	}
	place := errors.New("a.cubin: ELF header: no relocatable cubin at 0x10: 2")
	if got, want := Damaged("a.cubin", place), "fatal: Input file 'a.cubin' is damaged: ELF header: no relocatable cubin at 0x10: 2"; got.Error() != want || !errors.Is(got, place) {
		t.Errorf("%v, want %s", got, want)
	}
	if got, want := New(DamagedInput, "a.cubin", "no relocatable cubin").Because(place), Damaged("a.cubin", place); got.Error() != want.Error() {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := Damaged("b.cubin", place).Text(), "Input file 'b.cubin' is damaged: "+place.Error(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Each message is a line, with the tool's name and a suffix. Messages of the compiler inside nvlink have
// no tool name and no severity (DIAG-001).
func TestPrint(t *testing.T) {
	var b strings.Builder
	said := Diagnostic{ID: PTXASSaid, Severity: Verbatim, Args: []any{"ptxas info"}}
	own := Diagnostic{ID: CallGraphText, Severity: Verbatim, Args: []any{"callgraph"}}
	if err := Print(&b, "nvlink", " (target)", []Diagnostic{New(CannotOpenInput, "a"), said, own}); err != nil {
		t.Fatal(err)
	}
	var one strings.Builder
	if err := Print(&one, "nvlink", "", []Diagnostic{own}); err != nil || one.String() != own.Text()+"\n" {
		t.Errorf("%q, %v", &one, err)
	}
	if want := "nvlink fatal   : Could not open input file 'a' (target)\nptxas info (target)\n" + own.Text() + "\n"; b.String() != want {
		t.Errorf("%q, want %q", &b, want)
	}
}
