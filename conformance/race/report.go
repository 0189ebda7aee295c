package race

import (
	"fmt"
	"io"

	"github.com/culink/culink/conformance/page"
)

// WritePage writes the race as a page, with a plot of time by size for each workload.
func (r *Result) WritePage(w io.Writer) error {
	s := page.Sheet{
		Title: "Race of " + r.A,
		About: fmt.Sprintf("Links for sm_%d. Times are medians of %d runs, ratios medians of pairs of runs in turn, with the least and the most. Confinement: %s.", r.SM, r.Pairs, r.Confinement),
		Head:  []string{"workload", "size", "MB of input", r.A + " ms", "CPU ms", "MB"},
	}
	if r.B != "" {
		s.Title += " and " + r.B
		s.Head = append(s.Head, r.B+" ms", "CPU ms", "MB", r.B+" / "+r.A, "bytes")
	}
	for i, h := range r.Heats {
		s.Rows = append(s.Rows, h.cells())
		if i == 0 || r.Heats[i-1].Workload != h.Workload {
			s.Plots = append(s.Plots, r.plot(h.Workload))
		}
	}
	return page.WriteSheet(w, s)
}

// cells returns a heat as a row of the table.
func (h *Heat) cells() []string {
	cells := []string{h.Workload, fmt.Sprint(h.Size), fmt.Sprintf("%.1f", float64(h.Bytes)/1e6)}
	for _, m := range []*Measure{h.A, h.B} {
		switch {
		case m == nil:
		case m.Least.Exit != 0:
			cells = append(cells, fmt.Sprintf("exit %d", m.Least.Exit), "", "")
		default:
			cells = append(cells, fmt.Sprintf("%.1f", m.Median.Wall*1e3), fmt.Sprintf("%.1f", m.Median.CPU*1e3), fmt.Sprint(m.Median.Memory>>20))
		}
	}
	if h.B != nil {
		least, median, most := h.Ratio()
		same := map[bool]string{true: "same", false: "differ"}[h.Same]
		cells = append(cells, fmt.Sprintf("%.2f (%.2f to %.2f)", median, least, most), same)
	}
	return cells
}

// plot returns the plot of one workload's times.
func (r *Result) plot(workload string) page.Plot {
	p := page.Plot{Title: workload, X: "size", Y: "ms", Curves: []page.Curve{{Name: r.A}}}
	if r.B != "" {
		p.Curves = append(p.Curves, page.Curve{Name: r.B})
	}
	for _, h := range r.Heats {
		for i, m := range []*Measure{h.A, h.B} {
			if h.Workload == workload && m != nil && m.Least.Exit == 0 {
				c := &p.Curves[i]
				c.X, c.Y = append(c.X, float64(h.Size)), append(c.Y, m.Median.Wall*1e3)
			}
		}
	}
	return p
}
