package race

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/linker"
)

// linked links a workload with culink. The files must exist already.
func linked(w *Workload, files []string, opt linker.Options) *linker.Result {
	opt.ToolName, opt.Arch, opt.Debug = "culink", fmt.Sprintf("sm_%d", w.Target(90)), len(w.Flags) > 0
	return linker.LinkFiles(context.Background(), opt, files...)
}

// inputs writes the files of a workload.
func inputs(t testing.TB, w *Workload, size int) (files []string) {
	t.Helper()
	dir := t.TempDir()
	err := w.Inputs(90, size, func(name string, data []byte) error {
		files = append(files, filepath.Join(dir, name))
		return os.WriteFile(files[len(files)-1], data, 0o666)
	})
	if err != nil {
		t.Fatalf("%s: %v", w.Name, err)
	}
	return files
}

// Every workload links without a message. The output does not depend on the number of threads.
func TestWorkloads(t *testing.T) {
	for i := range Workloads {
		w := &Workloads[i]
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			files := inputs(t, w, min(w.Size, 12))
			first := linked(w, files, linker.Options{Threads: 1})
			if len(first.Log.Diagnostics) > 0 || first.Output == nil {
				t.Fatalf("it says %v", first.Log.Diagnostics)
			}
			for _, threads := range []int{2, 16} {
				if again := linked(w, files, linker.Options{Threads: threads}); !bytes.Equal(again.Output, first.Output) {
					t.Errorf("%d threads make another output than 1", threads)
				}
			}
			var stream bytes.Buffer
			streamed := linked(w, files, linker.Options{Stream: true})
			if _, err := streamed.WriteTo(&stream); err != nil || streamed.Output != nil || !bytes.Equal(stream.Bytes(), first.Output) {
				t.Errorf("as a stream it is another file: %v", err)
			}
		})
	}
}
