package diff

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
)

// If a function differs, the difference describes what the finalizer would still change in it, and why the link did not
// change it (MERC-120).
func TestFinalizerClass(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, "info/pragmas-and-exits/sm_100/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	linked := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "},
		[]linker.Input{{Name: "a.cubin", Data: read("in/a.cubin")}})
	report, err := Compare(read("1.out/out.cubin"), linked.Output, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range report.Differences {
		switch {
		case strings.HasSuffix(d.Key, ".finalizer"):
			if found++; d.A != "clean" || !strings.HasPrefix(d.B, "scoreboards, kept: ") {
				t.Errorf("%s: %s, %s", d.Key, d.A, d.B)
			}
		case !strings.HasPrefix(d.Key, "section.text."):
			t.Errorf("%s: %s, %s", d.Key, d.A, d.B)
		}
	}
	if found != 1 {
		t.Errorf("%d classes differ, want 1", found)
	}
}
