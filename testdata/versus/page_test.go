package versus

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"unicode/utf8"
)

const (
	page     = "../../cmd/ftsh/manual/versus.md"
	readme   = "../../README.md"
	mostWide = 80 // columns of the page
	mostSaid = 2400
)

// groups are the sections of the page, by the first tag of their rows.
var groups = [][2]string{
	{"limits", "Limits, and what they leave"},
	{"mistakes", "Mistakes"},
	{"output", "Output and disks"},
	{"many", "Many jobs"},
	{"again", "Killed, and started again"},
	{"servers", "Servers and hosts"},
	{"jobs", "Jobs on Slurm (bash with sbatch, and sbatch alone)"},
}

// short are the words of the page for verdicts.
var short = map[string]string{
	"right": "ok", "false success": "FALSE", "left behind": "left", "false alarm": "alarm",
}

// TestPages wants the page and the README to say what results.txt says, and nothing else.
func TestPages(t *testing.T) {
	t.Parallel()
	known, rows := readResults(t), readRows(t)
	made := map[string]string{page: makePage(t, known, rows), readme: withTable(t, readFile(t, readme), known, rows)}
	for name, text := range made {
		if *update {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if readFile(t, name) != text {
			t.Errorf("%s is not what is made of results.txt: see -update", name)
		}
	}
	if words := len(strings.Fields(made[page])); words > mostSaid {
		t.Errorf("the page has %d words, at most %d are wanted", words, mostSaid)
	}
	for n, line := range strings.Split(made[page], "\n") {
		if utf8.RuneCountInString(line) > mostWide {
			t.Errorf("%s:%d is wider than %d columns: %s", page, n+1, mostWide, line)
		}
	}
}

// makePage fills versus.md.tmpl.
func makePage(t *testing.T, known *results, rows []row) string {
	t.Helper()
	var sections strings.Builder
	for _, group := range groups {
		inside := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.tags[0] != group[0] })
		if len(inside) > 0 {
			fmt.Fprintf(&sections, "\n## %s\n\n%s\n", group[1], section(known, inside))
		}
	}
	var text strings.Builder
	err := template.Must(template.ParseFiles("versus.md.tmpl")).Execute(&text, map[string]string{
		"Sections": sections.String(),
		"Versions": wrapped(known.versionList()),
		"Shorter":  wrapped(known.better(rows, "lines")),
		"Faster":   wrapped(known.better(rows, "time")),
		"Wrong":    wrapped(known.wrong(rows)),
		"Figures":  known.figureTable(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// seldom is a tool with so few scripts that it has no column of its own.
const seldom = "tsp"

// section is a table of some rows with the tools that have scripts there, and what each row is about.
func section(known *results, rows []row) string {
	var columns []string
	for _, tool := range tools {
		if tool != seldom && slices.ContainsFunc(rows, func(r row) bool { return known.cell(r.name, tool).verdict != "" }) {
			columns = append(columns, tool)
		}
	}
	var text, about strings.Builder
	fmt.Fprintf(&text, "| | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)+1))
	for _, r := range rows {
		fmt.Fprintf(&text, "| %s |", r.name)
		for _, tool := range columns {
			fmt.Fprintf(&text, " %s |", known.cell(r.name, tool).brief())
		}
		text.WriteString("\n")
		more := r.text
		if c := known.cell(r.name, seldom); c.verdict != "" {
			more = strings.TrimSpace(more + " (" + seldom + ": " + c.brief() + ".)")
		}
		about.WriteString("\n" + wrapped(fmt.Sprintf("- `%s`: %s. %s", r.name, r.title, more)))
	}
	return text.String() + about.String()
}

// brief is a cell of the page: verdict, lines and, of what is right, the time.
func (c cell) brief() string {
	if c.verdict == "" {
		return "–"
	}
	verdict, is := short[c.verdict]
	if !is {
		verdict = c.verdict
	}
	text := fmt.Sprintf("%s %d", verdict, c.lines)
	if c.verdict == "right" && c.tool != "bash" && c.ratio > 0 {
		text += " " + ratio(c.ratio)
	}
	return text
}

func ratio(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// wrapped is a paragraph in lines that fit, with those of an item of a list indented.
func wrapped(paragraph string) string {
	indent := ""
	if strings.HasPrefix(paragraph, "- ") {
		indent = "  "
	}
	var text strings.Builder
	column := 0
	for i, word := range strings.Fields(paragraph) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+width > mostWide:
			text.WriteString("\n" + indent)
			column = len(indent)
		default:
			text.WriteByte(' ')
			column++
		}
		text.WriteString(word)
		column += width
	}
	return text.String()
}

func (r *results) versionList() string {
	all := []string{"Seen on " + r.date + ", with"}
	for _, tool := range tools {
		if version := r.versions[tool]; version != "" {
			all = append(all, tool+" "+version+",")
		}
	}
	return strings.TrimSuffix(strings.Join(all, " "), ",") + "."
}

// better lists the rows in which other tools are right, too, with fewer lines or in less time than ours.
func (r *results) better(rows []row, what string) string {
	var all []string
	for _, row := range rows {
		var others []string
		mine := r.cell(row.name, ours)
		for _, c := range r.of(row.name) {
			switch {
			case c.tool == ours || c.verdict != "right":
			case what == "lines" && c.lines < mine.lines:
				others = append(others, fmt.Sprintf("%s %d", c.tool, c.lines))
			case what == "time" && mine.ratio > 1.2*c.ratio:
				others = append(others, fmt.Sprintf("%s %s", c.tool, ratio(c.ratio/mine.ratio)))
			}
		}
		if len(others) > 0 {
			all = append(all, fmt.Sprintf("`%s` (%s)", row.name, strings.Join(others, ", ")))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// wrong lists the rows in which ours is not right.
func (r *results) wrong(rows []row) string {
	var all []string
	for _, row := range rows {
		if c := r.cell(row.name, ours); c.verdict != "right" {
			all = append(all, fmt.Sprintf("`%s` (%s)", row.name, c.verdict))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// figureTable has the figures by ratio to bash, once there are any.
func (r *results) figureTable(t *testing.T) string {
	if len(r.figures) == 0 {
		return ""
	}
	var text strings.Builder
	columns := []string{"parallel", "make", "snakemake", ours}
	fmt.Fprintf(&text, "| | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)+1))
	for _, name := range figures {
		title, _, _ := strings.Cut(readFile(t, "figures/"+name+"/about"), "\n")
		fmt.Fprintf(&text, "| %s |", title)
		for _, tool := range columns {
			i := slices.IndexFunc(r.figures, func(c cell) bool { return c.row == name && c.tool == tool })
			if i < 0 {
				text.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&text, " %s |", ratio(r.figures[i].ratio))
		}
		text.WriteString("\n")
	}
	return text.String()
}

// inReadme are the tools that README.md shows.
var inReadme = []string{"bash", "parallel", "make", "snakemake", ours}

const headOfTable = "| what happens | bash, written well | GNU parallel | make | snakemake | ftsh |\n"

// withTable is the README with its table made anew.
func withTable(t *testing.T, text string, known *results, rows []row) string {
	t.Helper()
	table := regexp.MustCompile(regexp.QuoteMeta(headOfTable) + `(\|.*\n)*`)
	if !table.MatchString(text) {
		t.Fatal("README.md has no table")
	}
	var made strings.Builder
	made.WriteString(headOfTable + "|" + strings.Repeat(" --- |", len(inReadme)+1) + "\n")
	for _, r := range rows {
		if !r.is("README") {
			continue
		}
		fmt.Fprintf(&made, "| %s |", r.title)
		for _, tool := range inReadme {
			switch c := known.cell(r.name, tool); c.verdict {
			case "":
				made.WriteString(" – |")
			case "right":
				fmt.Fprintf(&made, " right, %d |", c.lines)
			default:
				fmt.Fprintf(&made, " **%s**, %d |", c.verdict, c.lines)
			}
		}
		made.WriteString("\n")
	}
	return table.ReplaceAllLiteralString(text, made.String())
}
