package info

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
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
	if out := run(0, "-totals", "totals_test.go"); out != "no device code\n" {
		t.Errorf("a file without device code: %s", out)
	}
	if out := run(0, "-totals", "-demangle", old); !strings.Contains(out, "  .text\n") || !strings.Contains(out, "  caller(int *)\n") {
		t.Errorf("sections and source names: %s", out)
	}
	other := filepath.Join(t.TempDir(), "other.cubin")
	if err := os.WriteFile(other, flipInstruction(t, old), 0o666); err != nil {
		t.Fatal(err)
	}
	const changed = "sm_90: 3992 -> 3992 bytes (+0)\n  contents          384, other bytes  .text._Z6callerPi\n"
	if out := run(1, "-against", old, other); out != changed {
		t.Errorf("other code of the same size: %s", out)
	}
	if out := run(1, "-against", old, wheel); strings.Contains(out, " \n") || !strings.HasPrefix(out, "sm_90: ") || !strings.Contains(out, "  images              1 -> 2 (+1)") {
		t.Errorf("two builds: %s", out)
	}
}

// flipInstruction returns the cubin at path with another first instruction of its kernel.
func flipInstruction(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open(path, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Name == ".text._Z6callerPi" {
			data[s.Offset] ^= 1
		}
	}
	return data
}

// Sums have the packed size of packed images, and one kind for the PTX that -G stores in each file (DIAG-508).
func TestStoredSize(t *testing.T) {
	p := &inspect.Part{Parts: []*inspect.Part{
		{Kind: inspect.KindPTX, Size: 100, Packed: "zstd", Stored: 40}, {Kind: inspect.KindPTX, Size: 10},
	}}
	var out bytes.Buffer
	totalsOf([]*inspect.Part{p}, strings.Clone).print(&out)
	if out.String() != "PTX: 2 images, 110 bytes (50 packed)\n" {
		t.Error(&out)
	}
	if kind := kindOf(".nv_debug_ptx_txt.2699551397", nil); kind != ".nv_debug_ptx_txt" {
		t.Error(kind)
	}
}
