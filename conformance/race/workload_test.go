package race

import (
	"bytes"
	"context"
	"testing"

	"github.com/culink/culink/linker"
)

// linked links a workload with culink.
func linked(t testing.TB, w *Workload, size int, opt linker.Options) *linker.Result {
	t.Helper()
	opt.ToolName, opt.Arch, opt.Debug = "culink", "sm_90", len(w.Flags) > 0
	return linker.Link(context.Background(), opt, inputs(t, w, size))
}

func inputs(t testing.TB, w *Workload, size int) (list []linker.Input) {
	t.Helper()
	err := w.Inputs(90, size, func(name string, data []byte) error {
		list = append(list, linker.Input{Name: name, Data: data})
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", w.Name, err)
	}
	return list
}

// TestWorkloads: every one is a link that succeeds, without a message, and the output does not
// depend on the number of threads.
func TestWorkloads(t *testing.T) {
	for i := range Workloads {
		w := &Workloads[i]
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			size := min(w.Size, 12)
			first := linked(t, w, size, linker.Options{Threads: 1})
			if len(first.Log.Diagnostics) > 0 || first.Output == nil {
				t.Fatalf("it says %v", first.Log.Diagnostics)
			}
			for _, threads := range []int{2, 16} {
				if again := linked(t, w, size, linker.Options{Threads: threads}); !bytes.Equal(again.Output, first.Output) {
					t.Errorf("%d threads make another output than 1", threads)
				}
			}
			var stream bytes.Buffer
			streamed := linked(t, w, size, linker.Options{Stream: true})
			if _, err := streamed.WriteTo(&stream); err != nil || streamed.Output != nil || !bytes.Equal(stream.Bytes(), first.Output) {
				t.Errorf("as a stream it is another file: %v", err)
			}
		})
	}
}
