package command

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// --json prints the values of each message on stdout. The text on stderr does not change (OPT-503).
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), []string{"culink", "--json", "-arch=sm_90", "-arch=sm_89", "-o=x", "no.cubin", "-report-arch"}, &stdout, &stderr)
	if exit != 1 {
		t.Errorf("exit status %d", exit)
	}
	const text = "culink warning : incompatible redefinition for option 'arch', the last value of this option was used\n" +
		"culink fatal   : Could not open input file 'no.cubin' (target: sm_89)\n"
	if stderr.String() != text {
		t.Errorf("stderr %q, want %q", stderr.String(), text)
	}
	var got []jsonMessage
	for line := range bytes.Lines(stdout.Bytes()) {
		var m jsonMessage
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if m.Severity == "fatal" && m.Cause == "" {
			t.Errorf("%s has no cause", m.ID)
		}
		m.Cause = ""
		got = append(got, m)
	}
	want := []jsonMessage{
		{ID: "redefinition", Severity: "warning", Phase: "options", Values: []any{"arch"},
			Text: "incompatible redefinition for option 'arch', the last value of this option was used"},
		{ID: "cannot-open-input", Severity: "fatal", Phase: "load", Values: []any{"no.cubin"}, File: "no.cubin",
			Text: "Could not open input file 'no.cubin'"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A failed link does not change an older output (OPT-052).
func TestOldOutputStays(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", cubin)
	write(t, "same.cubin", cubin)
	write(t, "old", []byte("old"))
	var stdout, stderr bytes.Buffer
	if exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", "k1.cubin", "same.cubin", "-o", "old"}, &stdout, &stderr); exit != 1 {
		t.Errorf("exit status %d, stderr %q", exit, stderr.String())
	}
	if got := read(t, "old"); got != "old" {
		t.Errorf("the old output is %d bytes", len(got))
	}
	// The output may also be an input.
	if exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", "k1.cubin", "-o", "k1.cubin"}, &stdout, &stderr); exit != 0 {
		t.Errorf("exit status %d, stderr %q", exit, stderr.String())
	}
	if read(t, "k1.cubin") == string(cubin) {
		t.Error("nothing was written")
	}
}
