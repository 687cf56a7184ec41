// Package picture draws the figures of a report: as SVG or PNG, or with
// characters on a terminal.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"ftsh/cmd/ftshsim/herd/experiment"
)

// colours can be told apart by people who see red and green alike (Okabe and
// Ito 2008).
var colours = [...]color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
	{0x99, 0x99, 0x00, 0xff}, {0x88, 0x88, 0x88, 0xff},
}

// Kind is the kind of picture that a file name asks for: svg or png.
func Kind(file string) (string, error) {
	switch kind := strings.ToLower(strings.TrimPrefix(path.Ext(file), ".")); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", fmt.Errorf("wanted a name that ends in .svg or .png")
}

// Draw writes a figure as a picture of that kind, with axes, units, a legend,
// and published series as dots. Where there are several runs, a line has the
// interval of 95 % around it as bars.
func Draw(w io.Writer, f experiment.Figure, kind string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X.Label, f.Y.Label
	p.Title.Padding = vg.Points(6)
	logarithmic(&p.X, f.X.Log)
	logarithmic(&p.Y, f.Y.Log)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe0}, color.Gray{0xe0}
	p.Add(grid)
	if err := shadeBands(p, f); err != nil {
		return err
	}
	next := 0
	for _, l := range f.Lines {
		if err := drawLine(p, l, f.Y.Log, colours[next%len(colours)]); err != nil {
			return err
		}
		if !l.Published { // a published series has the colour of ours, which follows it
			next++
		}
	}
	if !f.Y.Log {
		p.Y.Min = math.Min(p.Y.Min, 0)
	}
	if !f.X.Log && p.X.Min > 0 && p.X.Min < p.X.Max/20 {
		p.X.Min = 0
	}
	p.Y.Max += (p.Y.Max - p.Y.Min) * 0.02
	return drawPlot(w, p, kind)
}

// drawPlot draws a plot, and its legend below it, where it covers nothing.
func drawPlot(w io.Writer, p *plot.Plot, kind string) error {
	const width, height = 18 * vg.Centimeter, 11 * vg.Centimeter
	legend := p.Legend
	legend.Padding = vg.Points(6) // between the lines
	p.Legend = plot.NewLegend()
	below := legend.Rectangle(draw.New(vgsvg.New(width, height))).Size().Y + vg.Points(6)
	canvas, err := draw.NewFormattedCanvas(width, height+below, kind)
	if err != nil {
		return err
	}
	whole := draw.New(canvas)
	p.Draw(draw.Crop(whole, 0, 0, below, 0))
	legend.Left = true
	legend.Draw(draw.Crop(whole, vg.Points(40), 0, 0, -height))
	_, err = canvas.WriteTo(w)
	return err
}

func logarithmic(a *plot.Axis, on bool) {
	if on {
		a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	} else {
		a.Tick.Marker = roundTicks{}
	}
}

// roundTicks are at 1, 2 or 5 times a power of ten, and their multiples: four to ten of them.
type roundTicks struct{}

// Ticks implements [plot.Ticker].
func (roundTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	if !(high > low) || math.IsInf(high-low, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, share := range []float64{1, 0.5, 0.2} {
		if (high-low)/(step*share) >= 4 {
			step *= share
			break
		}
	}
	for n := math.Ceil(low/step-1e-9) + 0; n*step <= high+step*1e-9; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: strconv.FormatFloat(n*step, 'g', 6, 64)})
	}
	return ticks
}

// shadeBands draws what is behind the lines, as high as they are.
func shadeBands(p *plot.Plot, f experiment.Figure) error {
	left, right, top := math.Inf(1), math.Inf(-1), 0.0
	for _, l := range f.Lines {
		xy, bars := drawablePoints(l, f.Y.Log)
		for i := range xy {
			left, right, top = math.Min(left, xy[i].X), math.Max(right, xy[i].X), math.Max(top, xy[i].Y+bars[i].High)
		}
	}
	for _, b := range f.Bands {
		from, to := math.Max(b.From, math.Min(left, 0)), math.Min(b.To, right)
		if from >= to {
			continue
		}
		area, err := plotter.NewPolygon(plotter.XYs{{X: from}, {X: to}, {X: to, Y: top}, {X: from, Y: top}})
		if err != nil {
			return err
		}
		area.Color, area.LineStyle.Width = color.RGBA{A: 0x20}, 0
		name, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: from, Y: top}}, Labels: []string{b.Name}})
		if err != nil {
			return err
		}
		name.Offset = vg.Point{X: vg.Points(3), Y: vg.Points(-12)}
		p.Add(area, name)
	}
	return nil
}

// drawablePoints are those of a line that can be drawn.
func drawablePoints(l experiment.Line, log bool) (xy plotter.XYs, bars plotter.YErrors) {
	for i := range l.X {
		y, half := l.Y[i].Mean(), l.Y[i].Half()
		if math.IsNaN(y) || log && y <= 0 {
			continue
		}
		if math.IsNaN(half) || log && half >= y {
			half = 0
		}
		xy = append(xy, plotter.XY{X: l.X[i], Y: y})
		bars = append(bars, struct{ Low, High float64 }{half, half})
	}
	return xy, bars
}

// uncertain is the points that have bars.
type uncertain struct {
	plotter.XYs
	plotter.YErrors
}

func drawLine(p *plot.Plot, l experiment.Line, log bool, c color.RGBA) error {
	xy, bars := drawablePoints(l, log)
	if len(xy) == 0 {
		return nil
	}
	if l.Published || l.Dots {
		dots, err := plotter.NewScatter(xy)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}}
		p.Add(dots)
		p.Legend.Add(l.Name, dots)
		return nil
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(1.4)
	p.Add(line)
	p.Legend.Add(l.Name, line)
	u := uncertain{}
	for i, bar := range bars {
		if bar.Low > 0 {
			u.XYs, u.YErrors = append(u.XYs, xy[i]), append(u.YErrors, bar)
		}
	}
	if len(u.XYs) == 0 {
		return nil
	}
	whiskers, err := plotter.NewYErrorBars(u)
	if err != nil {
		return err
	}
	whiskers.Color, whiskers.CapWidth = c, vg.Points(3)
	p.Add(whiskers)
	return nil
}

// pageColours makes the library's colours those of the page around the picture, which may
// be dark. Curves keep theirs: they can be seen on both.
var pageColours = strings.NewReplacer("fill:#FFFFFF", "fill:none", ":#000000", ":currentColor",
	":#E0E0E0", ":var(--faint)")

// Inline is a figure as an SVG element of an HTML page, whose style has the colour --faint.
func Inline(f experiment.Figure) (string, error) {
	var drawn, title bytes.Buffer
	if err := Draw(&drawn, f, "svg"); err != nil {
		return "", err
	}
	if err := xml.EscapeText(&title, []byte(f.Title)); err != nil {
		return "", err
	}
	_, box, _ := strings.Cut(drawn.String(), `viewBox="`)
	box, rest, _ := strings.Cut(box, `"`)
	_, inside, _ := strings.Cut(rest, ">")
	return `<svg role="img" aria-label="` + title.String() + `" viewBox="` + box + `">` + pageColours.Replace(inside), nil
}
