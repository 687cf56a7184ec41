package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ftsh/cmd/ftsh/manual"
)

// pagesDir holds what buildPages has written; TestMain removes it.
var pagesDir string

// buildOnce writes man pages and completions.
var buildOnce = sync.OnceValue(func() error {
	var err error
	if pagesDir, err = os.MkdirTemp("", "pages-"); err != nil {
		return err
	}
	simulator := pagesDir + "/ftshsim"
	build := exec.Command("go", "build", "-o", simulator, "../../ftshsim")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return writePages("../../..", pagesDir, simulator)
})

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(pagesDir)
	os.Exit(status)
}

// buildPages writes man pages and completions, once for all tests, and returns where they are.
func buildPages(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return pagesDir
}

// need skips a test that needs a program which is not installed here. Where CI has
// installed all of them, that is a failure.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("FTSH_SHELLS") == "required" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// TestManPages has mandoc and groff read the pages: neither may find a fault.
func TestManPages(t *testing.T) {
	t.Parallel()
	need(t, "mandoc", "groff")
	pages, err := filepath.Glob(buildPages(t) + "/man/*/*")
	if err != nil || len(pages) < 3 {
		t.Fatal("no man pages:", pages, err)
	}
	for _, page := range pages {
		if out, err := exec.Command("mandoc", "-Tlint", "-W", "warning", page).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("mandoc: %v\n%s", err, out)
		}
		groff := exec.Command("groff", "-K", "utf8", "-ww", "-t", "-man", "-Tutf8", "-", page)
		groff.Stdin = strings.NewReader(".pl 20000v\n") // where a page of paper ends, a row of a table may not fit
		var faults strings.Builder
		groff.Stderr = &faults
		if err := groff.Run(); err != nil || faults.Len() > 0 {
			t.Errorf("groff: %v\n%s", err, faults.String())
		}
	}
}

// TestManPagesSay checks that what a reader looks for is in the page that is drawn.
func TestManPagesSay(t *testing.T) {
	t.Parallel()
	need(t, "mandoc")
	dir := buildPages(t)
	for page, wanted := range map[string][]string{
		"man/man1/ftsh.1":     {"ftsh - the fault-tolerant shell", "EXIT STATUS", "--kill-timeout", "FTSH_LOG_LEVEL"},
		"man/man1/ftshsim.1":  {"ftshsim - what a retry policy does to a server", "--clients", "contention", "SEE ALSO"},
		"man/man1/ftsh-lsp.1": {"ftsh-lsp - a language server", "SEE ALSO"},
		"man/man7/ftsh.7":     {"forany", "backoff", "${error.message}", "printf \"%s\\n\"", "SEE ALSO"},
	} {
		text := drawn(t, filepath.Join(dir, page))
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", page, want)
			}
		}
	}
}

// drawn is a man page as a reader sees it, without fonts.
func drawn(t *testing.T, page string) string {
	t.Helper()
	out, err := exec.Command("mandoc", "-Tutf8", page).Output()
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(".\b").ReplaceAllString(string(out), "")
}

// TestAllPages checks that each page of the manual is in exactly one man page.
func TestAllPages(t *testing.T) {
	t.Parallel()
	need(t, "mandoc")
	text := ""
	for name, page := range manPages(program{}) {
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		text += drawn(t, path)
	}
	for _, topic := range manual.Topics() {
		if n := strings.Count(text, "\n"+manual.Title(topic)+"\n"); n != 1 {
			t.Errorf("the page %s is %d times in the man pages, wanted once", topic, n)
		}
	}
}

// TestManPage checks how Markdown is written, where a reader of commands would be misled.
func TestManPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, markdown, want string }{
		{"code is bold, its dashes are dashes", "say `-l 20`", "\n" + `say \fB\-l 20\fR` + "\n"},
		{"no line becomes a request", ".hidden\n\n'quoted'", "\n\\&.hidden\n\n.PP\n\\&\\(aqquoted\\(aq\n"},
		{"a bar in code of a table", "| a | b |\n| --- | --- |\n| `x \\| y` | z |",
			"\n.TS\nlw(20n) lx.\nT{\n\\fBa\\fR\nT}\tT{\n\\fBb\\fR\nT}\nT{\n\\fBx | y\\fR\nT}\tT{\nz\nT}\n.TE\n"},
		{"a table without a heading", "| | |\n| --- | --- |\n| x | z |", "\n.TS\nlw(20n) lx.\nT{\nx\nT}\tT{\nz\nT}\n.TE\n"},
		{"examples stand as they are", "```sh\na\\b -c 'd' ~ ^ `\n# e\n```",
			"\n.in +4n\n.EX\na\\eb \\-c \\(aqd\\(aq \\(ti \\(ha \\(ga\n# e\n.EE\n.in\n"},
		{"points of a list", "- one\n  and more\n- two", "\n.IP \\(bu 2\none\nand more\n.IP \\(bu 2\ntwo\n"},
		{"links keep their text", "see [there](https://example.org)", "\nsee there\n"},
		{"a picture is not drawn", "![there](a.svg)\n\nhere", "\nhere\n"},
		{"a page, and a section of it", "# A: `b`\n\n## C", "\n.SH A: \\fBb\\fR\n.SS C"},
	} {
		got := manPage("ftsh", "1", "Commands", "the shell", c.markdown)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
