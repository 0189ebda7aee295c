package trace_test

import (
	"context"
	"path"
	"slices"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/trace"
)

// A link traces each of its steps once. The test covers replaced code, the places of compiler-generated
// constants, and other steps.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		folder string // of the corpus
		files  []string
		want   []string
	}{
		{"weak/strong-replaces-weak/sm_80", []string{"weak.cubin", "strong.cubin"}, []string{
			"replace weak function wf",
			"remove weak nvinfo", "remove weak nvinfo", "remove weak nvinfo",
			"remove weak frame_size",
			"constant entry .nv.constant0.kweak:",
			"constant entry .nv.constant0.kstrong:",
		}},
		{"weak/strong-replaces-weak/sm_100", []string{"weak.cubin", "strong.cubin"}, []string{
			"replace weak function wf",
			"remove weak nvinfo", "remove weak nvinfo", "remove weak nvinfo", "remove weak nvinfo", "remove weak nvinfo",
			"remove weak frame_size",
			"constant entry .nv.constant0.kweak:",
			"constant entry .nv.constant0.kstrong:",
		}},
		{"weak/weak-compiler-constants/sm_80", []string{"a.cubin", "b.cubin"}, []string{
			"replace weak function f with weak that uses fewer registers",
			"remove weak ocg constants",
			"remove weak reloc",
			"remove weak frame_size",
			"ocg const bank .nv.constant2.f, size=8:",
			"OCG constant section 10 reaches entry 1(k)",
			"need new ocg section .nv.constant2.k",
			"new ocg .nv.constant2.f offset = 0 in 13",
			"reset ocg constant reloc offset from 0 to 0",
			"reset ocg constant reloc offset from 0 to 0",
		}},
		{"constant/compiler-generated-two-kernels/sm_80", []string{"a.cubin", "b.cubin", "c.cubin"}, []string{
			"ocg const bank .nv.constant2._Z1gd, size=8:",
			"OCG constant section 25 reaches entry 0(_Z2k2Pd)",
			"OCG constant section 25 reaches entry 2(_Z2k1Pd)",
			"need new ocg section .nv.constant2._Z2k1Pd",
			"new ocg .nv.constant2._Z1gd offset = 8 in 29",
			"new ocg .nv.constant2._Z1gd offset = 8 in 12",
			"reset ocg constant reloc offset from 0 to 8",
			"ocg const bank .nv.constant2._Z1fd, size=16:",
			"OCG constant section 17 reaches entry 2(_Z2k1Pd)",
			"new ocg .nv.constant2._Z1fd offset = 16 in 29",
			"reset ocg constant reloc offset from 0 to 16",
			"reset ocg constant reloc offset from 8 to 24",
			"constant entry .nv.constant0._Z2k2Pd:",
			"constant entry .nv.constant0._Z2k1Pd:",
			"constant entry .nv.constant0._Z2k3Pd:",
		}},
	} {
		var inputs []linker.Input
		for _, name := range tt.files {
			data, err := corpus.Files.ReadFile(path.Join(tt.folder, "in", name))
			if err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, linker.Input{Name: name, Data: data})
		}
		var got []string
		linker.Link(context.Background(), linker.Options{Arch: path.Base(tt.folder), ToolName: "culink", Trace: func(e trace.Event) {
			if phase := e.Phase(); (phase == trace.Merge || phase == trace.Layout) && e.Message != trace.MapsSection && e.Message != trace.MapsSymbol && e.Message != trace.OrderedBy {
				got = append(got, e.String())
			}
		}}, inputs)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.folder, got, tt.want)
		}
	}
}
