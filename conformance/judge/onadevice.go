package judge

import (
	"context"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/device"
	"github.com/culink/culink/linker/cubin"
)

// The facet device runs the kernels of a linker's image and of nvlink's image with the same arguments and memory
// (package device). It needs a GPU for the target, so it is judged only if the command line names it.

// A Device runs the kernels of images.
type Device interface {
	// Runs reports whether the device can run code of a target such as "90" or "90a".
	Runs(target string) bool
	Run(ctx context.Context, job *device.Job) (*device.Trace, error)
}

// OnDevice compares the behaviour of the executables of two outcomes. It runs the kernels of the wanted executable on
// both. It returns an error if the device fails.
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
		var traces [3]*device.Trace // two runs of nvlink's image, and one of the linker's
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

// hasExecutable reports whether an outcome has an executable, which a driver can load.
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
