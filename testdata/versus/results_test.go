package versus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// cell is what was seen of a tool in a row, or measured for a figure.
type cell struct {
	row, tool, verdict string
	lines              int
	took               time.Duration
	ratio              float64 // of took to bash's in the same run, or of the figure
}

// results are results.txt: a line a cell, sealed by rows.
//
//	seen      DATE
//	version   TOOL VERSION
//	cell      ROW TOOL VERDICT LINES RATIO
//	seal      ROW SUM-OF-ITS-FILES SUM-OF-ITS-CELLS
//	figure    NAME TOOL RATIO
type results struct {
	mu       sync.Mutex
	date     string
	versions map[string]string
	cells    []cell
	files    map[string]string // the sum of a row's files when it was seen
	figures  []cell
}

func readResults(t *testing.T) *results {
	t.Helper()
	r := &results{versions: map[string]string{}, files: map[string]string{}}
	for line := range strings.Lines(readFile(t, "results.txt")) {
		f := append(strings.Split(strings.TrimSpace(line), "\t"), "", "", "", "", "")
		switch f[0] {
		case "seen":
			r.date = f[1]
		case "version":
			r.versions[f[1]] = f[2]
		case "cell":
			lines := int(number(t, f[4]))
			r.cells = append(r.cells, cell{row: f[1], tool: f[2], verdict: f[3], lines: lines, ratio: number(t, f[5])})
		case "figure":
			r.figures = append(r.figures, cell{row: f[1], tool: f[2], ratio: number(t, f[3])})
		case "seal":
			if got := r.sumOf(f[1]); got != f[3] {
				t.Errorf("results.txt: cells of %s were not written by -update", f[1])
			}
			r.files[f[1]] = f[2]
		}
	}
	return r
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal("results.txt: ", err)
	}
	return x
}

// of are the cells of a row.
func (r *results) of(row string) (cells []cell) {
	for _, c := range r.cells {
		if c.row == row {
			cells = append(cells, c)
		}
	}
	return cells
}

func (r *results) cell(row, tool string) cell {
	for _, c := range r.of(row) {
		if c.tool == tool {
			return c
		}
	}
	return cell{}
}

// set puts a cell in the place of what was seen before. bash comes first, and what the others took is told by its time.
func (r *results) set(c cell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ratio = 1
	if bash := r.cell(c.row, "bash"); c.tool != "bash" && bash.took > 0 {
		c.ratio = float64(c.took) / float64(bash.took)
	}
	r.cells = slices.DeleteFunc(r.cells, func(old cell) bool { return old.row == c.row && old.tool == c.tool })
	r.cells = append(r.cells, c)
}

// setFigure puts a figure in the place of what was measured before.
func (r *results) setFigure(c cell) {
	r.figures = slices.DeleteFunc(r.figures, func(old cell) bool { return old.row == c.row && old.tool == c.tool })
	r.figures = append(r.figures, c)
}

// seal notes of which files the cells of a row are.
func (r *results) seal(row, files string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[row] = files
}

func (c cell) line() string {
	return fmt.Sprintf("cell\t%s\t%s\t%s\t%d\t%.2f\n", c.row, c.tool, c.verdict, c.lines, c.ratio)
}

// sumOf is a sum of a row's cells.
func (r *results) sumOf(row string) string {
	all := sha256.New()
	for _, c := range r.of(row) {
		fmt.Fprint(all, c.line())
	}
	return hex.EncodeToString(all.Sum(nil))[:12]
}

func (r *results) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "seen\t%s\n", time.Now().UTC().Format(time.DateOnly))
	for _, tool := range tools {
		if tool == ours {
			continue
		}
		if version := versionOf(tool); version != "" {
			r.versions[tool] = version
		}
		fmt.Fprintf(&text, "version\t%s\t%s\n", tool, r.versions[tool])
	}
	r.cells = slices.DeleteFunc(r.cells, func(c cell) bool { return noFile("rows/" + c.row) }) // a row that was renamed
	slices.SortStableFunc(r.cells, func(a, b cell) int {
		if a.row != b.row {
			return strings.Compare(a.row, b.row)
		}
		return slices.Index(tools, a.tool) - slices.Index(tools, b.tool)
	})
	for i, c := range r.cells {
		text.WriteString(c.line())
		if i+1 == len(r.cells) || r.cells[i+1].row != c.row {
			fmt.Fprintf(&text, "seal\t%s\t%s\t%s\n", c.row, r.files[c.row], r.sumOf(c.row))
		}
	}
	for _, c := range r.figures {
		fmt.Fprintf(&text, "figure\t%s\t%s\t%.2f\n", c.row, c.tool, c.ratio)
	}
	if err := os.WriteFile("results.txt", []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func noFile(name string) bool {
	_, err := os.Stat(name)
	return err != nil
}

// versionOf asks a tool for its version.
func versionOf(tool string) string {
	command := []string{tool, "--version"}
	switch tool {
	case "tsp":
		command[1] = "-V"
	case "sbatch": // says it where it finds a cluster
		command = []string{"slurmd", "-V"}
	}
	out, err := exec.Command(command[0], command[1]).Output()
	if err != nil {
		return ""
	}
	return regexp.MustCompile(`\d+(\.\d+)*`).FindString(string(out))
}

// TestResults wants a line for each script, of the files as they are.
func TestResults(t *testing.T) {
	known := readResults(t)
	for _, r := range readRows(t) {
		if known.files[r.name] != r.sum(t) {
			t.Errorf("%s was seen with other files: run it with -update", r.name)
		}
		for _, tool := range tools {
			script, told := len(r.scripts(t, tool)) > 0, known.cell(r.name, tool).verdict != ""
			if script != told {
				t.Errorf("%s, %s: a script: %v, in results.txt: %v", r.name, tool, script, told)
			}
		}
	}
}
