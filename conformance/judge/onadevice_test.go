package judge

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/device"
	"github.com/culink/culink/corpus"
)

// pretended is a device without hardware. It reports that the first kernel of an image writes the last byte of the image
// to memory.
type pretended struct{ images int }

func (*pretended) Runs(target string) bool { return target == "90" }

func (d *pretended) Run(_ context.Context, job *device.Job) (*device.Trace, error) {
	d.images++
	left := map[string][]byte{"arguments": job.Image[len(job.Image)-1:]}
	return &device.Trace{Results: []device.Result{{Kernel: job.Kernels[0].Name, Memory: left}}}, nil
}

// OnDevice runs nvlink's executable twice and the linker's once. It does not run a file that is not an executable.
func TestJudgeOnDevice(t *testing.T) {
	image, err := corpus.Files.ReadFile("global/global-concatenated/sm_80/1.out/out.cubin")
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte(nil), image...)
	other[len(other)-1]++
	want := &attempt.Outcome{Files: attempt.Files{"out.cubin": image, "list.txt": []byte("text")}}
	for _, tt := range []struct {
		name string
		got  attempt.Files
		keys []string
		runs int
	}{
		{"the same", attempt.Files{"out.cubin": image}, nil, 3},
		{"another", attempt.Files{"out.cubin": other}, []string{"out.cubin:" + device.NewJob(image).Kernels[0].Name + ".arguments"}, 3},
		{"none", nil, []string{"out.cubin"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &pretended{}
			differences, err := OnDevice(t.Context(), d, want, &attempt.Outcome{Files: tt.got})
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, difference := range differences {
				keys = append(keys, difference.Key)
			}
			if diff := cmp.Diff(tt.keys, keys); diff != "" || d.images != tt.runs {
				t.Errorf("%d runs, want %d; %s", d.images, tt.runs, diff)
			}
		})
	}
}

// A run that does not name the facet device needs no GPU.
func TestFacetDeviceIsAskedForByName(t *testing.T) {
	for list, want := range map[string]bool{"": false, "device": true, "exit,device": true, "exit": false} {
		facets, err := ParseFacets(list)
		if err != nil {
			t.Fatal(err)
		}
		if has := facets[len(facets)-1] == FacetDevice; has != want {
			t.Errorf("%q: facets %v", list, facets)
		}
	}
}
