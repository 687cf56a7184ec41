package experiment

import (
	"embed"
	"encoding/csv"
	"math"
	"strconv"

	"ftsh/cmd/ftshsim/herd/measure"
)

// What was read from the figures of Thain and Livny's paper: values from the
// plots' vector paths, of the long series 300 points. The first line of each file names
// the columns.
//
//go:embed published/*.csv
var publishedFiles embed.FS

// publishedCurve returns the points of a published curve. The name is that of its file.
func publishedCurve(name string) Line {
	l := Line{Name: "published", Published: true}
	file, err := publishedFiles.Open("published/" + name + ".csv")
	if err != nil {
		panic(err) // it is embedded
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		panic(err)
	}
	for _, row := range rows[1:] {
		x, errX := strconv.ParseFloat(row[0], 64)
		y, errY := strconv.ParseFloat(row[1], 64)
		if errX != nil || errY != nil {
			panic("published/" + name + ".csv: no numbers: " + row[0] + "," + row[1])
		}
		l.addPoint(x, measure.Sample{max(y, 0)})
	}
	return l
}

// nearestY is the y of the point whose x is nearest, NaN if that is further away
// than within.
func (l *Line) nearestY(x, within float64) float64 {
	best, y := within, math.NaN()
	for i := range l.X {
		if d := math.Abs(l.X[i] - x); d <= best {
			best, y = d, l.Y[i][0]
		}
	}
	return y
}

// lastY is the y of the last point.
func (l *Line) lastY() float64 { return l.Y[len(l.Y)-1][0] }
