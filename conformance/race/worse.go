package race

import (
	"fmt"
	"io"
)

// writeWorse prints the links for which A needs more than B by more than the given percentage. It compares the least CPU
// time, which other load on the machine affects little, and the median memory.
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
