package race

import (
	"context"
	"io"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/trace"
)

// BenchmarkLink links each workload, from inputs in memory to a stream.
func BenchmarkLink(b *testing.B) {
	for i := range Workloads {
		w := &Workloads[i]
		b.Run(w.Name, func(b *testing.B) {
			list := inputs(b, w, w.Size/4)
			b.ReportAllocs()
			for b.Loop() {
				r := linker.Link(context.Background(), linker.Options{ToolName: "culink", Arch: "sm_90", Debug: len(w.Flags) > 0, Stream: true}, list)
				if _, err := r.WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPhases reports what each phase of a link takes, in milliseconds. The link tells of
// its steps meanwhile, which takes time too.
func BenchmarkPhases(b *testing.B) {
	for i := range Workloads {
		w := &Workloads[i]
		b.Run(w.Name, func(b *testing.B) {
			list := inputs(b, w, w.Size/4)
			took := map[string]float64{}
			listen := func(e trace.Event) {
				if e.Message == trace.PhaseTook {
					took[e.Args[0].(string)] += e.Args[1].(float64)
				}
			}
			for b.Loop() {
				linker.Link(context.Background(), linker.Options{ToolName: "culink", Arch: "sm_90", Debug: len(w.Flags) > 0, Trace: listen}, list)
			}
			for phase, seconds := range took {
				b.ReportMetric(seconds*1e3/float64(b.N), phase+"-ms")
			}
		})
	}
}
