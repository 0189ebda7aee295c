package info

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Totals cover all images of files, and the files of a wheel. Two builds are compared by target, section and function
// (DIAG-508).
func TestTotals(t *testing.T) {
	old, new := fromCorpus(t, "archive/library/sm_90/in/caller.cubin"), fromCorpus(t, "host/references/sm_90/in/a.o")
	wheel := filepath.Join(t.TempDir(), "a.whl")
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{old, new, "totals_test.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data) // the buffer takes all
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wheel, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errors bytes.Buffer
		if status := Command().Run(t.Context(), args, &out, &errors); status != want {
			t.Errorf("%v: status %d, want %d: %s", args, status, want, &errors)
		}
		return out.String()
	}
	sums := run(0, "-totals", old, new)
	if inWheel := run(0, "-totals", wheel); sums != inWheel || !strings.HasPrefix(sums, "sm_90: 2 images, ") {
		t.Errorf("of the files:\n%s\nof the wheel:\n%s", sums, inWheel)
	}
	for _, want := range []string{"  .text\n", "  _Z6callerPi\n"} {
		if !strings.Contains(sums, want) {
			t.Errorf("no %q in\n%s", want, sums)
		}
	}
	if out := run(0, "-against", wheel, wheel); out != "" {
		t.Errorf("a file differs from itself: %s", out)
	}
	if out := run(1, "-against", old, wheel); !strings.HasPrefix(out, "sm_90: ") || !strings.Contains(out, "  images              1 -> 2 (+1)") {
		t.Errorf("two builds: %s", out)
	}
}
