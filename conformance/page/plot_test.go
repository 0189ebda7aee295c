package page

import (
	"bytes"
	"strings"
	"testing"
)

// The page has the table and the plots, and loads nothing from elsewhere.
func TestSheet(t *testing.T) {
	var b bytes.Buffer
	err := WriteSheet(&b, Sheet{
		Title: "a <race>", Head: []string{"size"}, Rows: [][]string{{"10"}},
		Plots: []Plot{{Title: "p", X: "size", Y: "ms", Curves: []Curve{{"one", []float64{1, 10, 100}, []float64{2, 20, 200}}, {"none", nil, nil}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a &lt;race&gt;", "<td>10</td>", "<polyline", ">100</text>", "one: 10, 20"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in it", want)
		}
	}
	if strings.Contains(b.String(), "http") {
		t.Error("it refers to the network")
	}
}

// Linear growth is a line with the same angle for every range.
func TestPlotSlope(t *testing.T) {
	p := Plot{Curves: []Curve{{"c", []float64{1, 1000}, []float64{5, 5000}}}}
	svg := string(p.SVG())
	if !strings.Contains(svg, `points="74.7,252.3 395.3,21.7"`) {
		t.Errorf("%s", svg)
	}
	if empty := (Plot{}).SVG(); !strings.HasPrefix(string(empty), "<svg") {
		t.Error("a plot without curves")
	}
}
