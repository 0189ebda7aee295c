// Package device runs the kernels of linked images on a GPU and compares what they leave in
// memory. It asks the last question about a link: not whether the bytes are nvlink's, but
// whether the code does what nvlink's does.
//
// Both images get the same kernels to run, with the same generated arguments and memory
// (kernel.go). [Play] runs them through a [Driver] and writes down faults and changed memory
// (play.go). [Compare] asks nvlink's image twice first, because memory in which two runs of
// one image differ (clocks, addresses, races) says nothing about a linker.
//
// Nothing here loads the driver. A [Runner] starts a command that does, cmd/cudevice, so that
// the suite needs no libc and a crash of the driver ends one process.
package device

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// A Job is an image and what to run of it.
type Job struct {
	Image     []byte   `json:"image"`
	Kernels   []Kernel `json:"kernels"`
	Variables []string `json:"variables,omitempty"` // global ones, whose memory counts
}

// A Trace is what the run of a job left, a Result for each kernel in its order.
type Trace struct {
	Refused string   `json:"refused,omitempty"` // what the driver says of an image that it does not load
	Results []Result `json:"results,omitempty"`
}

// A Result is what a kernel did.
type Result struct {
	Kernel string `json:"kernel"`
	Fault  string `json:"fault,omitempty"` // the driver's name of an error; memory is lost then
	// Memory has by the name of a memory what it holds after the run, where that changed:
	// the arguments' memory is called "arguments".
	Memory map[string][]byte `json:"memory,omitempty"`
}

// A Difference is one thing that two images do in different ways.
type Difference struct {
	Key       string // "k.fault", "k.arguments", "k.variable.v"
	Want, Got string
}

// Compare returns how got differs from want, another run of which is again.
func Compare(want, again, got *Trace) []Difference {
	if want.Refused != got.Refused {
		return []Difference{{"load", loaded(want), loaded(got)}}
	}
	var out []Difference
	for i := range want.Results {
		w := &want.Results[i]
		a, g := find(again, w.Kernel), find(got, w.Kernel)
		switch {
		case a == nil || a.Fault != w.Fault: // it does not repeat
		case g == nil:
			out = append(out, Difference{w.Kernel, "run", "not run"})
		case g.Fault != w.Fault:
			out = append(out, Difference{w.Kernel + ".fault", fault(w), fault(g)})
		default:
			out = append(out, compareMemory(w, a, g)...)
		}
	}
	return out
}

func loaded(t *Trace) string {
	if t.Refused == "" {
		return "loaded"
	}
	return "refused: " + t.Refused
}

func fault(r *Result) string {
	if r.Fault == "" {
		return "an end"
	}
	return r.Fault
}

func find(t *Trace, kernel string) *Result {
	i := slices.IndexFunc(t.Results, func(r Result) bool { return r.Kernel == kernel })
	if i < 0 {
		return nil
	}
	return &t.Results[i]
}

// compareMemory compares the bytes that are the same in both runs of the wanted image.
func compareMemory(want, again, got *Result) []Difference {
	var out []Difference
	names := maps.Clone(want.Memory)
	if names == nil {
		names = map[string][]byte{}
	}
	maps.Copy(names, got.Memory)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w, a, g := want.Memory[name], again.Memory[name], got.Memory[name]
		key := want.Kernel + "." + name
		switch {
		case len(w) != len(a):
		case len(w) != len(g):
			out = append(out, Difference{key, changed(w), changed(g)})
		default:
			for at := range w {
				if w[at] == a[at] && w[at] != g[at] {
					out = append(out, Difference{key, at8(w, at), at8(g, at)})
					break
				}
			}
		}
	}
	return out
}

func changed(b []byte) string {
	if b == nil {
		return "not changed"
	}
	return fmt.Sprintf("%d bytes, changed", len(b))
}

// at8 shows eight bytes at an offset.
func at8(b []byte, at int) string {
	return fmt.Sprintf("at %#x: %x", at, b[at:min(at+8, len(b))])
}

// keep notes memory that changed.
func (r *Result) keep(name string, before, after []byte) {
	if bytes.Equal(before, after) {
		return
	}
	if r.Memory == nil {
		r.Memory = map[string][]byte{}
	}
	r.Memory[name] = after
}
