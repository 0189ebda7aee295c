package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/race"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
)

// A byte of input may cost only a few bytes of memory, output and messages, and little time (LIMIT-001). The expensive
// inputs are files whose tables share bytes, and random damage rarely makes such files. So the seeds of this target are
// such files, and the target measures the cost.

// The limits for an input: a fixed part, and bytes for each byte of input, decoded code and output. All allocations
// count, including garbage, so these limits exceed the promised limits on memory.
const (
	fixedAllocation = 64 << 20
	allocationShare = 64
	fixedMessages   = 64 << 10
	messageShare    = 64
	mostWork        = 2 * time.Second
)

// FuzzAmplification links a file of at most 256 KiB and measures the cost.
func FuzzAmplification(f *testing.F) {
	suffixes := []string{".cubin", ".fatbin", ".o", ".a"}
	var m race.Module
	for i := range 2 {
		name := m.Kernel("k%d", i)
		m.More("section .nv.info.%s\n\tzero 40\nsection .rela.text.%s\n\tzero 48\nsection .nv.constant3.%s\n\tzero 16\n", name, name, name)
	}
	for range 4 {
		m.Symbols.WriteString("\tsymbol u global func undef\n")
	}
	cubin, err := cubintext.Parse("seed", m.String())
	if err != nil {
		f.Fatal(err)
	}
	packed := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: cubin, Compress: "zstd"})
	host := craft.RDC(packed, "_k", craft.Section{Name: ".nvHRKE", Data: []byte("k*\x00*1*2*\x00k0\x00")}, craft.Section{Name: ".nvHRKI", Data: []byte("*\x00")})
	f.Add(uint8(0), cubin)
	for _, prefix := range []string{".nv.info.", ".rela.text.", ".nv.constant3.", ".text.", "."} {
		f.Add(uint8(0), craft.Overlap(cubin, prefix))
	}
	f.Add(uint8(0), craft.LongNames(cubin, 3))
	f.Add(uint8(1), packed)
	f.Add(uint8(1), craft.OverlappingEntries(40))
	f.Add(uint8(2), host)
	f.Add(uint8(3), craft.Archive(craft.Member{Name: "a.o/", Data: host}, craft.Member{Name: "b.o/", Data: host}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, suffix uint8, data []byte) {
		if len(data) > 256<<10 {
			t.Skip()
		}
		name := filepath.Join(dir, "x"+suffixes[int(suffix)%len(suffixes)])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := cpuTime()
		output, said := linkWithBudget(name)
		work := cpuTime() - began
		runtime.ReadMemStats(&after)
		if n, most := int(after.TotalAlloc-before.TotalAlloc), fixedAllocation+allocationShare*(len(data)+output); n > most {
			t.Errorf("%d bytes of input, %d of output: %d allocated, %d allowed", len(data), output, n, most)
		}
		if said > fixedMessages+messageShare*len(data) {
			t.Errorf("%d bytes of input: %d bytes of messages", len(data), said)
		}
		if work > mostWork {
			t.Errorf("%d bytes of input: %v", len(data), work)
		}
	})
}

// linkWithBudget links one file with small limits. It returns the sizes of the output and of the messages.
func linkWithBudget(name string) (output, said int) {
	budget := new(limit.Budget)
	budget.Limits[limit.Decoded] = 1 << 20
	budget.Limits[limit.Matches] = 1 << 24
	var log diag.Log
	loaded, err := input.Load(context.Background(), input.Options{Arch: "sm_90", Files: []string{name}, Budget: budget}, &log)
	if err == nil && log.Worst() < diag.Error {
		var inputs []linker.Input
		for _, o := range loaded.Objects {
			inputs = append(inputs, linker.Input{Name: o.Name, Data: o.Data, System: o.System})
		}
		opt := linker.Options{ToolName: "nvlink", Arch: "sm_90", HostKernels: func(systemParts int) linker.HostKernel {
			if f := loaded.KernelFilter(systemParts); f != nil {
				return f.Keeps
			}
			return nil
		}}
		result := linker.Link(context.Background(), opt, inputs)
		output = len(result.Output)
		log.Append(&result.Log)
	}
	var text strings.Builder
	_ = diag.Print(&text, "nvlink", "", log.Diagnostics)
	return output, text.Len()
}
