package interp_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"ftsh/ast"
	"ftsh/interp/local"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/parser"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

var updateRedirections = flag.Bool("update-redirections", false,
	"write testdata/redirections.txt anew, by the model; read every line that changes")

const redirectionsFile = "../testdata/redirections.txt"

// redirectionEndings are the columns of the table.
var redirectionEndings = []ending{succeeds, fails, isCut}

// cellsOf are the cells of a form, place by place.
func cellsOf(f form) (list []redirectionCell) {
	for _, p := range redirectionPlaces() {
		for _, e := range redirectionEndings {
			list = append(list, redirectionCell{f, p, e})
		}
	}
	return list
}

func (c redirectionCell) name() string {
	return fmt.Sprintf("%s | %s | %s", c.form.text, c.place.name, c.end)
}

// TestRedirections runs the cells of the table of redirections by the shell, plain and with a journal: all of them if
// tests may take long, otherwise one in sixteen, which differ from seed to seed.
func TestRedirections(t *testing.T) {
	clock := clock.New()
	defer clock.Close()
	host, err := process.Open(process.Config{Clock: clock, KillTimeout: 5 * time.Second, Whole: true})
	must(t, err)
	defer host.Close()
	programs := t.TempDir()
	write.Program(t, filepath.Join(programs, "work"), workProgram)
	part, parts := rand.IntN(16), 16
	if skip.Long() {
		part, parts = 0, 1
	}
	t.Run("forms", func(t *testing.T) {
		for i, f := range forms() {
			t.Run(f.text, func(t *testing.T) {
				t.Parallel()
				for j, c := range cellsOf(f) {
					for journaled := range 2 {
						if (i+j+journaled*parts/2)%parts == part {
							c.check(t, host, programs, journaled == 1)
						}
					}
				}
			})
		}
	})
}

// check compares what the shell does with what the model says.
func (c redirectionCell) check(t *testing.T, engine local.Programs, programs string, journaled bool) {
	t.Helper()
	want := c.expect()
	if want == "-" {
		return
	}
	if got := c.run(t, engine, programs, journaled); got != want {
		t.Errorf("%s, with a journal: %v\ngot  %s\nwant %s\n%s", c.name(), journaled, got, want, c.script())
	}
}

// TestRedirectionsTable holds that the file says what the model says, and nothing else.
func TestRedirectionsTable(t *testing.T) {
	content := readFile(t, redirectionsFile)
	head, _, _ := strings.Cut(content, "\n\n")
	table := head + "\n\n" + redirectionsTable(t)
	if *updateRedirections {
		must(t, os.WriteFile(redirectionsFile, []byte(table), 0o644))
		return
	}
	if table != content {
		t.Error("testdata/redirections.txt is not what the model says; -update-redirections writes it: read every line")
	}
}

// A redirectionRow says what happens in some places, by ending.
type redirectionRow struct{ outcomes, places []string }

// rowsOf are the rows of a form: places where the same happens are in one.
func rowsOf(f form) (rows []redirectionRow) {
	for cells := range slices.Chunk(cellsOf(f), len(redirectionEndings)) {
		var outcomes []string
		for _, c := range cells {
			outcomes = append(outcomes, c.expect())
		}
		place := cells[0].place.name
		i := slices.IndexFunc(rows, func(r redirectionRow) bool { return slices.Equal(r.outcomes, outcomes) })
		if i < 0 {
			rows = append(rows, redirectionRow{outcomes, []string{place}})
		} else {
			rows[i].places = append(rows[i].places, place)
		}
	}
	return rows
}

// redirectionsTable is the table as the file has it.
func redirectionsTable(t *testing.T) string {
	var b strings.Builder
	for _, f := range forms() {
		fmt.Fprintf(&b, "%s\n", f.text)
		for line := range strings.Lines(f.document) {
			fmt.Fprintf(&b, "%s", line)
		}
		w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
		for _, row := range rowsOf(f) {
			fmt.Fprintf(w, "    %s\n", strings.Join(append(row.outcomes, strings.Join(row.places, "; ")), "\t| "))
		}
		must(t, w.Flush())
		b.WriteString("\n")
	}
	b.WriteString("# These are no redirections.\n\n")
	for _, form := range slices.Sorted(maps.Keys(forbidden)) {
		fmt.Fprintf(&b, "%s\n    syntax error: %s\n", form, forbidden[form])
	}
	b.WriteString("\n# Here no redirection may stand.\n\n")
	for _, statement := range slices.Sorted(maps.Keys(statements)) {
		text := strings.ReplaceAll(strings.Replace(statement, "REDIR", "> new", 1), "\n", "; ")
		fmt.Fprintf(&b, "%s\n    syntax error: %s\n", text, statements[statement])
	}
	return b.String()
}

// TestRedirectionsRefused holds what is no redirection, and where none may stand.
func TestRedirectionsRefused(t *testing.T) {
	refuse := func(text, want string) {
		t.Helper()
		_, err := parser.Parse(&ast.Source{Name: "cell", Text: text}, parser.Config{})
		if err == nil {
			t.Errorf("%q is no syntax error, want %q", text, want)
			return
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		if _, message, _ := strings.Cut(first, " "); message != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, message, want)
		}
	}
	for form, message := range forbidden {
		refuse("true "+form+"\n", message)
		refuse("if true\ntrue\nend "+form+"\n", message)
	}
	for statement, message := range statements {
		refuse(strings.Replace(statement, "REDIR", "> new", 1)+"\n", message)
	}
}

// TestRedirectionsAreWhole holds that there is a row for each form of redirection that the reference or the parser
// knows, with a descriptor where one may stand, and a place, or a refusal, for each keyword.
func TestRedirectionsAreWhole(t *testing.T) {
	atoms := map[string]bool{}
	operators := map[ast.RedirectOp]bool{}
	for _, f := range forms() {
		for _, a := range atomsOf(f.text) {
			atoms[a.kind()] = true
		}
		file := parse(t, "true "+f.text+"\n"+f.document)
		for _, r := range file.Body.List[0].Node.(*ast.Command).Redirects {
			operators[r.Op] = true
		}
	}
	for op := range ast.HereTabs + 1 {
		if !operators[op] {
			t.Errorf("no row has %s", op)
		}
	}
	for _, kind := range kindsOfReference(t) {
		if !atoms[kind] {
			t.Errorf("no row has %s, which the reference names", kind)
		}
	}
	everywhere := ""
	for _, p := range redirectionPlaces() {
		everywhere += p.script + "\n"
	}
	for statement := range statements {
		everywhere += statement + "\n"
	}
	anywhere, top := ast.Keywords()
	ofTry, ofIf, ofCase := ast.Sections()
	for _, word := range slices.Concat(anywhere, top, ofTry, ofIf, ofCase, []string{"on here", "on start"}) {
		if !strings.Contains("\n"+everywhere, "\n"+word) {
			t.Errorf("there is no place with %s", word)
		}
	}
}

// kind is an operator, and whether a descriptor stands before it or after it.
func (a atom) kind() string {
	return fmt.Sprint(map[bool]string{true: "n"}[a.fd >= 0], a.op, map[bool]string{true: "m"}[a.duplicates()])
}

// kindsOfReference are the kinds of atoms in the reference's table of redirections.
func kindsOfReference(t *testing.T) (list []string) {
	_, table, _ := strings.Cut(readFile(t, "../cmd/ftsh/manual/reference.md"), "| form | meaning |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		first := strings.Split(line, " | ")[0]
		for _, m := range regexp.MustCompile("`(n?)([^` ]+?)(m?)( [a-zA-Z]+)?`").FindAllStringSubmatch(first, -1) {
			list = append(list, m[2]+m[3])
			if m[1] != "" {
				list = append(list, m[1]+m[2]+m[3])
			}
		}
	}
	if len(list) < 20 {
		t.Errorf("the reference's table was not found: %q", list)
	}
	return list
}
