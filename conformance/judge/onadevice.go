package judge

import (
	"context"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/device"
	"github.com/culink/culink/linker/cubin"
)

// The facet device runs what a linker wrote: each kernel of its image and of nvlink's, with
// the same arguments and memory (package device). It needs a GPU of the case's architecture,
// so it is asked only where the command line names it.

// A Device runs the kernels of images.
type Device interface {
	// Runs reports whether it runs code of a target: "90", "90a".
	Runs(target string) bool
	Run(ctx context.Context, job *device.Job) (*device.Trace, error)
}

// OnDevice compares what the executables of two outcomes do. Both run what the wanted one
// has.
func OnDevice(ctx context.Context, d Device, want, got *attempt.Outcome) ([]Difference, error) {
	var out []Difference
	for _, name := range want.Files.Names() {
		if !isExecutable(want.Files[name]) {
			continue
		}
		data, ok := got.Files[name]
		if !ok {
			out = append(out, Difference{Facet: FacetDevice, Key: name, Want: "written", Got: "not written"})
			continue
		}
		job := device.NewJob(want.Files[name])
		var traces [3]*device.Trace // nvlink's image twice, then the linker's
		for i, image := range [...][]byte{want.Files[name], want.Files[name], data} {
			job.Image = image
			trace, err := d.Run(ctx, &job)
			if err != nil {
				return nil, err
			}
			traces[i] = trace
		}
		for _, difference := range device.Compare(traces[0], traces[1], traces[2]) {
			out = append(out, Difference{Facet: FacetDevice, Key: name + ":" + difference.Key, Want: difference.Want, Got: difference.Got})
		}
	}
	return out, nil
}

// hasExecutable reports whether an outcome has an image that a driver loads.
func hasExecutable(o *attempt.Outcome) bool {
	for _, data := range o.Files {
		if isExecutable(data) {
			return true
		}
	}
	return false
}

func isExecutable(data []byte) bool {
	f, err := cubin.Open("", data)
	return err == nil && f.Type == cubin.TypeExecutable
}
