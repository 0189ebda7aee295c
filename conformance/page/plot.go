package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"sync"
)

// A Sheet is a page of tables and plots of measurements.
type Sheet struct {
	Title, About string
	Head         []string
	Rows         [][]string
	Plots        []Plot
}

// WriteSheet writes the sheet as one file that needs no network.
func WriteSheet(w io.Writer, s Sheet) error { return sheetTemplate().Execute(w, s) }

//go:embed sheet.html
var sheetSource string

var sheetTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("sheet").Parse(sheetSource)) })

// A Plot shows curves on logarithmic axes. On such axes a power law is a straight line, and the slope is the exponent.
type Plot struct {
	Title, X, Y string
	Curves      []Curve
}

// A Curve has positive points in increasing order of X.
type Curve struct {
	Name string
	X, Y []float64
}

// The size of a plot and of the margins for the axes, in pixels.
const (
	plotWidth, plotHeight = 420, 300
	plotLeft, plotBottom  = 64, 40
	plotTop, plotRight    = 14, 14
)

// SVG draws the plot.
func (p Plot) SVG() template.HTML {
	fromX, toX := p.span(func(c *Curve) []float64 { return c.X })
	fromY, toY := p.span(func(c *Curve) []float64 { return c.Y })
	// Both axes have the same scale, so a slope of 1 has the same angle in every plot.
	decades := max(toX-fromX, toY-fromY, 1)
	x := func(v float64) float64 {
		return plotLeft + (math.Log10(v)-fromX)/decades*(plotWidth-plotLeft-plotRight)
	}
	y := func(v float64) float64 {
		return plotHeight - plotBottom - (math.Log10(v)-fromY)/decades*(plotHeight-plotTop-plotBottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(p.Title))
	for d := math.Ceil(fromX); d <= fromX+decades; d++ {
		at := x(math.Pow(10, d))
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			at, plotTop, at, plotHeight-plotBottom, at, plotHeight-plotBottom+16, power(d))
	}
	for d := math.Ceil(fromY); d <= fromY+decades; d++ {
		at := y(math.Pow(10, d))
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, at, plotWidth-plotRight, at, plotLeft-6, at+4, power(d))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (plotLeft+plotWidth-plotRight)/2, plotHeight-6, template.HTMLEscapeString(p.X))
	fmt.Fprintf(&b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`, (plotTop+plotHeight-plotBottom)/2, template.HTMLEscapeString(p.Y))
	for i, c := range p.Curves {
		var points []string
		for k := range c.X {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(c.X[k]), y(c.Y[k])))
			fmt.Fprintf(&b, `<circle class="c%d" cx="%.1f" cy="%.1f" r="3"><title>%s: %g, %.3g</title></circle>`,
				i, x(c.X[k]), y(c.Y[k]), template.HTMLEscapeString(c.Name), c.X[k], c.Y[k])
		}
		fmt.Fprintf(&b, `<polyline class="c%d" points="%s"/><text class="c%d" x="%d" y="%d">%s</text>`,
			i, strings.Join(points, " "), i, plotLeft+10, plotTop+16+16*i, template.HTMLEscapeString(c.Name))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// span returns the range of a coordinate over all curves, in decimal logarithms.
func (p Plot) span(of func(*Curve) []float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for i := range p.Curves {
		for _, v := range of(&p.Curves[i]) {
			from, to = min(from, math.Log10(v)), max(to, math.Log10(v))
		}
	}
	if from > to {
		return 0, 1
	}
	return from - 0.1, to + 0.1
}

// power formats 10 to the power of d.
func power(d float64) string {
	if d >= 0 {
		return fmt.Sprintf("%.0f", math.Pow(10, d))
	}
	return fmt.Sprintf("%.*f", int(-d), math.Pow(10, d))
}
