package experiment

import (
	"embed"
	"encoding/csv"
	"math"
	"strconv"

	"ftsh/cmd/ftshsim/herd/measure"
)

// What was published. Of Thain and Livny's figures: values from the plots' vector paths, of the long series 300
// points. The first line of each file names the columns.
//
//go:embed published/*.csv
var publishedFiles embed.FS

// readPublished returns the lines of a file.
func readPublished(name string) [][]string {
	file, err := publishedFiles.Open("published/" + name + ".csv")
	if err != nil {
		panic(err) // it is embedded
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows[1:]
}

// near is the y of the point whose x is nearest, NaN if that is further away than within.
func (l Line) near(x, within float64) float64 {
	y := math.NaN()
	for i := range l.X {
		if d := math.Abs(l.X[i] - x); d <= within {
			within, y = d, l.Y[i][0]
		}
	}
	return y
}

// publishedCurve returns the points of a published curve. The name is that of its file.
func publishedCurve(name string) Line {
	l := Line{Name: "published", Published: true}
	for _, row := range readPublished(name) {
		x, errX := strconv.ParseFloat(row[0], 64)
		y, errY := strconv.ParseFloat(row[1], 64)
		if errX != nil || errY != nil {
			panic("published/" + name + ".csv: no numbers: " + row[0] + "," + row[1])
		}
		l.addPoint(x, measure.Sample{max(y, 0)})
	}
	return l
}
