package race

import (
	"io"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/trace"
)

// BenchmarkLink links each workload, from files to a stream.
func BenchmarkLink(b *testing.B) {
	for i := range Workloads {
		w := &Workloads[i]
		b.Run(w.Name, func(b *testing.B) {
			files := inputs(b, w, max(1, w.Size/4))
			b.ReportAllocs()
			for b.Loop() {
				r := linked(w, files, linker.Options{Stream: true})
				if _, err := r.WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPhases reports the time of each phase of a link in milliseconds. It reads the times from a trace, which
// itself takes time.
func BenchmarkPhases(b *testing.B) {
	for i := range Workloads {
		w := &Workloads[i]
		b.Run(w.Name, func(b *testing.B) {
			files := inputs(b, w, max(1, w.Size/4))
			took := map[string]float64{}
			listen := func(e trace.Event) {
				if e.Message == trace.PhaseTook {
					took[e.Args[0].(string)] += e.Args[1].(float64)
				}
			}
			for b.Loop() {
				linked(w, files, linker.Options{Trace: listen})
			}
			for phase, seconds := range took {
				b.ReportMetric(seconds*1e3/float64(b.N), phase+"-ms")
			}
		})
	}
}
