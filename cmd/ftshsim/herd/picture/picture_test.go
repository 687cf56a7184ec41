package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
)

// line is one whose values are the same in each run.
func line(name string, published bool, xy ...float64) experiment.Line {
	l := experiment.Line{Name: name, Published: published}
	for i := 0; i < len(xy); i += 2 {
		l.X, l.Y = append(l.X, xy[i]), append(l.Y, measure.Sample{xy[i+1]})
	}
	return l
}

var figure = experiment.Figure{
	Name: "work", Title: "work by clients", X: experiment.Axis{Label: "clients"}, Y: experiment.Axis{Label: "work (1/s)"},
	Lines: []experiment.Line{line("fixed", true, 0, 10, 10, 1), line("fixed", false, 0, 8, 5, 4, 10, 0),
		line("full", false, 0, 8, 10, 8)},
}

func TestText(t *testing.T) {
	want := `work by clients
f fixed   u full   · published
      10 ┤·
         ┤uuuuuuuuuuuuuuuuuuuuu
         ┤    fff
       5 ┤       fff
         ┤          fffff
         ┤               fffff·
       0 ┤                    f
         └─────────────────────
          0     clients      10
`
	if got := Text(figure, 21, 7); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTextShapes holds that a plot has its size whatever the values are.
func TestTextShapes(t *testing.T) {
	nan := math.NaN()
	for name, lines := range map[string][]experiment.Line{
		"nothing": nil, "no points": {line("a", false)}, "one point": {line("a", false, 3, 3)},
		"flat":   {line("a", false, 0, 2, 9, 2)},
		"zeroes": {line("a", false, 0, 0, 9, 0)}, "holes": {line("a", false, 0, 1, 1, nan, 2, 3)},
		"negative": {line("a", false, -3, -5, 4, 2)},
		"many":     {line("aa", false, 0, 1), line("aa", false, 1, 1), line("aa", false, 2, 1), line("", false, 1, 3)},
		"huge":     {line("a", false, 0, 1e300, 1, -1e300)},
	} {
		for _, log := range []bool{false, true} {
			f := figure
			f.Lines, f.X.Log, f.Y.Log = lines, log, log
			rows := strings.Split(Text(f, 40, 5), "\n")
			if len(rows) != 2+5+2+1 {
				t.Errorf("%s, log %v: %d rows", name, log, len(rows))
			}
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 7: "7", 1234.56: "1235", 12.34: "12.3", 1.234: "1.23", 0.5: "0.50",
		0.01234: "0.012", -12.34: "-12.3", math.NaN(): "–"} {
		if got := Short(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestKind(t *testing.T) {
	for file, want := range map[string]string{"a.svg": "svg", "dir.x/a.PNG": "png", "a.pdf": "", "svg": "", "": ""} {
		if got, err := Kind(file); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", file, got, err, want)
		}
	}
}

// wellFormed holds that it is XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no SVG: %v", err)
		}
	}
}

// TestLegend holds that the legend covers no data: it stands below all that is drawn of the
// plot, however many lines there are.
func TestLegend(t *testing.T) {
	texts := regexp.MustCompile(`<text x="[^"]*" y="([^"]*)"[^>]*>(line \d+)</text>`)
	floor := regexp.MustCompile(`<path d="M0,([0-9.]+)L[^"]*" style="fill:#FFFFFF"`)
	for _, lines := range []int{1, 3, 12} {
		f := figure
		f.Lines = nil
		for n := range lines {
			// into all corners
			f.Lines = append(f.Lines, line(fmt.Sprint("line ", n), n%2 > 0, 0, 0, 0, 10, 5, 5, 10, 0, 10, 10))
		}
		var svg bytes.Buffer
		if err := Draw(&svg, f, "svg"); err != nil {
			t.Fatal(err)
		}
		bottom := floor.FindStringSubmatch(svg.String())
		names := texts.FindAllStringSubmatch(svg.String(), -1)
		if bottom == nil || len(names) != lines {
			t.Fatalf("%d lines: the plot begins at %v, and %d names are shown", lines, bottom, len(names))
		}
		low, _ := strconv.ParseFloat(bottom[1], 64)
		for _, name := range names {
			const tall = 9 // points, of letters above their line
			if y, err := strconv.ParseFloat(name[1], 64); err != nil || -y < 0 || -y+tall > low {
				t.Errorf("%d lines: %s stands at %s, and the plot begins at %v", lines, name[2], name[1], low)
			}
		}
	}
}

// TestInline holds that a picture inside of a page takes its colours, and nothing from elsewhere.
func TestInline(t *testing.T) {
	f := figure
	f.Title = `"a" < b`
	svg, err := Inline(f)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	for part, want := range map[string]bool{
		`<svg role="img" aria-label="&#34;a&#34; &lt; b" viewBox="0 0 `: true, "currentColor": true, "var(--faint)": true,
		"http": false, "#000000": false, "#FFFFFF": false, "width=": false,
	} {
		if strings.Contains(svg, part) != want {
			t.Errorf("%q is in the picture: %v, want %v", part, !want, want)
		}
	}
}

// TestDraw holds that pictures are whole, and show what they are to show.
func TestDraw(t *testing.T) {
	noisy := figure
	noisy.Y.Log = true
	noisy.Lines = append([]experiment.Line{
		{Name: "noisy", X: []float64{1, 2}, Y: []measure.Sample{{1, 2, 3}, {math.NaN()}}}, line("nothing", false)},
		figure.Lines...)
	for _, f := range []experiment.Figure{figure, noisy, {Title: "empty"}} {
		var svg, bitmap bytes.Buffer
		if err := errors.Join(Draw(&svg, f, "svg"), Draw(&bitmap, f, "png")); err != nil {
			t.Fatalf("%s: %v", f.Title, err)
		}
		wellFormed(t, svg.String())
		for _, wanted := range []string{f.Title, f.X.Label, f.Y.Label} {
			if !strings.Contains(svg.String(), wanted) {
				t.Errorf("%s: the SVG does not show %q", f.Title, wanted)
			}
		}
		picture, err := png.Decode(&bitmap)
		if err != nil || picture.Bounds().Dx() < 500 {
			t.Errorf("%s: no PNG of that size: %v", f.Title, err)
		}
	}
	if err := Draw(io.Discard, figure, "nothing"); err == nil {
		t.Error("a kind that there is not is drawn")
	}
}

// TestRoundTicks holds that ticks are 1, 2 or 5 times a power of ten apart, four to eleven of them.
func TestRoundTicks(t *testing.T) {
	for _, high := range []float64{1e-3, 0.7, 1, 3, 7, 9.99, 10, 23.2, 41.9, 78.6, 917, 86400} {
		var labels []string
		ticks := roundTicks{}.Ticks(0, high)
		for _, tick := range ticks {
			labels = append(labels, tick.Label)
		}
		step := strings.TrimLeft(strings.ReplaceAll(labels[1], ".", ""), "0")
		if labels[0] != "0" || len(ticks) < 5 || len(ticks) > 11 || !regexp.MustCompile(`^[125](0*|e.*)$`).MatchString(step) {
			t.Errorf("up to %v: %v", high, labels)
		}
	}
}

// TestBands holds that an outage is shaded and named, as far as it lies within the axis.
func TestBands(t *testing.T) {
	f := figure
	f.Bands = []experiment.Band{{From: 2, To: 4, Name: "outage: hang"}, {From: 8, To: 99, Name: "brown-out"},
		{From: 50, To: 60, Name: "later"}}
	text := Text(f, 21, 7)
	for _, want := range []string{"\n              ▒▒▒▒ outage: hang\n", "▒▒▒▒ brown-out\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	var svg bytes.Buffer
	if err := Draw(&svg, f, "svg"); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{"outage: hang": true, "brown-out": true, "later": false,
		"fill-opacity:0.12": true} {
		if strings.Contains(svg.String(), part) != want {
			t.Errorf("%q is in the picture: %v, want %v", part, !want, want)
		}
	}
	if strings.Contains(text, "later") {
		t.Errorf("what lies beyond the axis is shown\n%s", text)
	}
}

// TestLegendLines holds that the lines of a legend do not touch.
func TestLegendLines(t *testing.T) {
	f := figure
	f.Lines = nil
	for n := range 5 {
		f.Lines = append(f.Lines, line(fmt.Sprint("line ", n), false, 0, 0, 10, 10))
	}
	var svg bytes.Buffer
	if err := Draw(&svg, f, "svg"); err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`<text x="[^"]*" y="([^"]*)"[^>]*font-size:([0-9.]+)px[^>]*>line \d+</text>`).
		FindAllStringSubmatch(svg.String(), -1)
	if len(names) != 5 {
		t.Fatalf("there are %d names", len(names))
	}
	for n := 1; n < len(names); n++ {
		before, _ := strconv.ParseFloat(names[n-1][1], 64)
		here, _ := strconv.ParseFloat(names[n][1], 64)
		size, _ := strconv.ParseFloat(names[n][2], 64)
		if math.Abs(here-before) < 1.25*size {
			t.Errorf("letters of %v points stand %v apart", size, math.Abs(here-before))
		}
	}
}
