package race

import (
	"fmt"
	"io"
)

// writeWorse writes what A needs more of than B, by more than so many percent: of the CPU time the least, to which other
// work on the machine adds little, and of the memory the median.
func (r *Result) writeWorse(w io.Writer, percent int) {
	fmt.Fprintf(w, "\nmore than %d %% worse than B\n", percent)
	number := 0
	for _, h := range r.Heats {
		if h.A == nil || h.B == nil || h.A.Least.Exit != 0 || h.B.Least.Exit != 0 {
			continue
		}
		for _, figure := range []struct {
			name, unit string
			a, b       float64
		}{
			{"CPU time", "ms", h.A.Least.CPU * 1e3, h.B.Least.CPU * 1e3},
			{"memory", "MB", float64(h.A.Median.Memory) / (1 << 20), float64(h.B.Median.Memory) / (1 << 20)},
		} {
			if figure.b > 0 && figure.a*100 > figure.b*float64(100+percent) {
				fmt.Fprintf(w, "%-12s %7d %-8s %8.1f %s, %8.1f\n", h.Workload, h.Size, figure.name, figure.a, figure.unit, figure.b)
				number++
			}
		}
	}
	if number == 0 {
		fmt.Fprintln(w, "nothing")
	}
}
