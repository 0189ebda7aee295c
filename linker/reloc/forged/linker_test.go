package forged_test

// culink must treat forged relocations as nvlink did; it is not enough to predict the results. These tests run
// package linker on the same questions. They compare with testdata/outcomes.txt and testdata/corners.txt.

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// culink links file with package linker. The name of the tool is removed from its messages, as it is from those
// of nvlink.
func culink(t testing.TB, file []byte, arch string, options []string) ([]byte, int, string) {
	t.Helper()
	result := linker.Link(t.Context(), linker.Options{
		ToolName:       "nvlink",
		Arch:           arch,
		PreserveRelocs: slices.Contains(options, "--preserve-relocs"),
		Relocatable:    slices.Contains(options, "-r"),
		ForceRela:      slices.Contains(options, "-force-rela"),
	}, []linker.Input{{Name: "IN", Data: file}})
	var text bytes.Buffer
	if err := diag.Print(&text, "nvlink", "", result.Log.Diagnostics); err != nil {
		t.Fatal(err)
	}
	return result.Output, result.Log.ExitStatus(), strings.TrimSpace(strings.ReplaceAll(text.String(), "nvlink ", ""))
}

// compiled returns the cubins that ptxas compiles from testdata/forge.ptx, by target. It takes them from an
// input of a corpus case, which is the same file.
func compiled(t *testing.T) map[string][]byte {
	t.Helper()
	bases := map[string][]byte{}
	for _, sm := range []string{"sm_75", "sm_80", "sm_90"} {
		data, err := corpus.Files.ReadFile("options/force-rela/" + sm + "/in/a.cubin")
		if err != nil {
			t.Fatal(err)
		}
		bases[sm] = data
	}
	ours, err := os.ReadFile("testdata/forge.ptx")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("../../../corpus/options/force-rela/a.ptx")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, theirs) {
		t.Fatal("testdata/forge.ptx is not the source of corpus/options/force-rela")
	}
	return bases
}

// TestLinkerOutcomes checks that culink has the same result as nvlink for every type and symbol (RELOC-001).
// Some questions are given to culink only. For these it must end with an error or keep the relocation.
func TestLinkerOutcomes(t *testing.T) {
	bases := compiled(t)
	compared := 0
	for _, r := range readOutcomes(t) {
		for _, asked := range r.asked {
			symbol, arch, _ := strings.Cut(asked, "@")
			base, ok := bases[arch]
			if !ok {
				continue
			}
			symbol = strings.ReplaceAll(symbol, "-", " ")
			if symbol == "(null)" {
				symbol = ""
			}
			s := setting{site: r.site, rel: true}
			got := s.outcomes(t, culink, base, arch, &r.block, symbol)
			for n, want := range r.outcomes {
				compared++
				if got[n] == want || want == "alone" && (strings.HasPrefix(got[n], "exit") || got[n] == "keep") {
					continue
				}
				typ, _ := reloc.Lookup(n)
				t.Errorf("%s: %s against %s: %s, want %s", r.head, typ, asked, got[n], want)
			}
		}
	}
	if compared < 30000 {
		t.Errorf("only %d outcomes compared", compared)
	}
	t.Logf("%d outcomes compared", compared)
}

// TestLinkerCorners checks that culink has the same results as nvlink at the end of a section (RELOC-016,
// RELOC-017).
func TestLinkerCorners(t *testing.T) {
	base := compiled(t)["sm_80"]
	want, err := os.ReadFile(cornersFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := askCorners(t, culink, base); got != string(want) {
		t.Errorf("culink\n%s\nnvlink\n%s", got, want)
	}
}

// TestLinkerAddends checks that culink computes the same addends as nvlink with -force-rela, and records the
// same with
// --preserve-relocs (RELOC-006, RELOC-007).
func TestLinkerAddends(t *testing.T) {
	base := compiled(t)["sm_80"]
	want, err := os.ReadFile(addendsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := askAddends(t, culink, base); got != string(want) {
		t.Errorf("culink\n%s\nnvlink\n%s", got, want)
	}
}

// TestLinkerAbsolute checks that a relocation against an absolute symbol is an error (RELOC-025).
func TestLinkerAbsolute(t *testing.T) {
	base := compiled(t)["sm_80"]
	for _, n := range []uint32{0, 2, 4, 66, 73} {
		_, status, text := linking(culink).ask(t, base, "sm_80", ".text.k", true, []question{{Type: n, Symbol: "absolute"}})
		if want := "fatal   : Internal error: relocation against an absolute symbol"; status != 1 || text != want {
			t.Errorf("type %d: status %d: %s, want %s", n, status, text, want)
		}
	}
}
