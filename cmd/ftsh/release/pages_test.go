package release

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

// pagesDir holds what buildPages has written, and the programs in its folder bin; TestMain removes it.
var pagesDir string

// buildOnce builds the programs, and has .ci/pages write man pages and completions.
var buildOnce = sync.OnceValue(func() error {
	var err error
	if pagesDir, err = os.MkdirTemp("", "pages-"); err != nil {
		return err
	}
	bin := pagesDir + "/bin/"
	for _, line := range []*exec.Cmd{
		exec.Command("go", "build", "-o", bin, "../../ftsh", "../../ftshsim"),
		exec.Command("../../../.ci/pages", pagesDir+"/pages", bin+"ftsh", bin+"ftshsim"),
	} {
		line.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := line.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", line, err, out)
		}
	}
	return nil
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
	return pagesDir + "/pages"
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
	pages, err := filepath.Glob(buildPages(t) + "/man/*/*")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, page := range pages {
		text += drawn(t, page)
	}
	for _, topic := range manual.Topics() {
		if n := strings.Count(text, "\n"+manual.Title(topic)+"\n"); n != 1 {
			t.Errorf("the page %s is %d times in the man pages, wanted once", topic, n)
		}
	}
}
