package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// A fence that acquires a tensor map gets an UTMACMDFLUSH and a NOP. In optimized code they take the time of the UTMACCTL, in
// other code its schedule. A prefetch of a map, and a fence that has the flush already, get nothing (KIT-980).
func TestFlushTensorMaps(t *testing.T) {
	record := make([]byte, 16)
	record[0] = 1
	await := machine.Word(0x0000003f0000791a, 0x000fc80000000000)
	invalidate := machine.Word(0x00000000060079b9, 0x0041e20008000000)
	for _, tt := range []struct {
		name      string
		last      machine.Instr
		tail      []machine.Instr
		optimized bool
		want      []int // stalls of the UTMACCTL, the flush and the NOP; nil if nothing is added
	}{
		{"at once", invalidate, nil, true, []int{1, 2, 1}},
		{"later", invalidate.WithStall(5), nil, true, []int{1, 2, 2}},
		{"unoptimized", invalidate.WithBoundedStall(15), nil, false, []int{15, 15, 15}},
		{"prefetch", machine.Word(invalidate.Low, invalidate.High|1<<18), nil, true, nil},
		{"by a later compiler", invalidate, []machine.Instr{flushCopies, awaitFlush}, true, nil},
	} {
		code := append([]machine.Instr{await, tt.last}, tt.tail...)
		c := machinetest.Must(capsule.Open(machinetest.Capsule(machinetest.Several(len(code), record), machinetest.AsTheyAre(1)), capsule.Place{}))(t)
		code = append(code, machinetest.End)
		w := &work{capsule: c, code: code, steps: stepsOf(code...), optimized: tt.optimized}
		steps := w.flushTensorMaps()
		if tt.want == nil {
			if len(steps) != len(code) {
				t.Errorf("%s: %d instructions, want %d", tt.name, len(steps), len(code))
			}
			continue
		}
		if len(steps) != len(code)+2 || steps[2].Op() != sass.OpUTMACMDFLUSH || steps[3].Op() != sass.OpNOP || !steps[3].Behind {
			t.Fatalf("%s: %v", tt.name, steps)
		}
		for i, want := range tt.want {
			if got := steps[i+1].Stall(); got != want {
				t.Errorf("%s: instruction %d stalls for %d cycles, want %d", tt.name, i+1, got, want)
			}
		}
		w.steps = steps
		if changed := w.awaitFlushes(); changed != tt.optimized || changed && (steps[2].ReadBarrier() != 0 || !steps[3].WaitsFor(0)) {
			t.Errorf("%s: changed %t, the flush counts on %d", tt.name, changed, steps[2].ReadBarrier())
		}
	}
}
