// Package device runs the kernels of linked images on a GPU and compares the memory that they leave. It is the final
// test of a link: the code must behave as nvlink's code does, even if the bytes differ.
//
// Both images run the same kernels, with the same generated arguments and memory (kernel.go). [Play] runs them through a
// [Driver] and records faults and changed memory (play.go). [Compare] needs two runs of nvlink's image: memory that
// differs between two runs of one image (clocks, addresses, races) reveals nothing about a linker.
//
// This package does not load the CUDA driver. A [Runner] starts a command that does, cmd/cudevice. So the suite needs no
// C library, and a crash of the driver ends only that process.
package device

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// A Job is an image and the kernels in it that should run.
type Job struct {
	Image     []byte   `json:"image"`
	Kernels   []Kernel `json:"kernels"`
	Variables []string `json:"variables,omitempty"` // global variables whose memory is compared
}

// A Trace is the result of a job: a Result for each kernel, in the order of the job.
type Trace struct {
	Refused string   `json:"refused,omitempty"` // error with which the driver refuses to load the image
	Results []Result `json:"results,omitempty"`
}

// A Result is the result of one kernel.
type Result struct {
	Kernel string `json:"kernel"`
	Fault  string `json:"fault,omitempty"` // the driver's name of an error, in which case memory is not compared
	// Memory holds the changed memory after the run, by name. The memory of the arguments is called "arguments".
	Memory map[string][]byte `json:"memory,omitempty"`
}

// A Difference is one difference between the behaviour of two images.
type Difference struct {
	Key       string // "k.fault", "k.arguments", "k.variable.v"
	Want, Got string
}

// Compare returns the differences between got and want. again is a second run of the image of want.
func Compare(want, again, got *Trace) []Difference {
	if want.Refused != got.Refused {
		return []Difference{{"load", loaded(want), loaded(got)}}
	}
	var out []Difference
	for i := range want.Results {
		w := &want.Results[i]
		a, g := find(again, w.Kernel), find(got, w.Kernel)
		switch {
		case a == nil || a.Fault != w.Fault: // the two runs of the wanted image differ
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

// compareMemory compares the bytes that are equal in both runs of the wanted image.
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

// at8 returns eight bytes at an offset as text.
func at8(b []byte, at int) string {
	return fmt.Sprintf("at %#x: %x", at, b[at:min(at+8, len(b))])
}

// keep records the memory that has changed.
func (r *Result) keep(name string, before, after []byte) {
	if bytes.Equal(before, after) {
		return
	}
	if r.Memory == nil {
		r.Memory = map[string][]byte{}
	}
	r.Memory[name] = after
}
