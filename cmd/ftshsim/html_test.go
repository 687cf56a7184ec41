package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// TestPages looks at pages in a browser. The answer and the picture stand in the first screen, which is 1100 wide and
// 800 high, or twice 800 on a telephone of 390. There no page is wider than that, although its tables are: their first
// column stays, and numbers are seen beside it.
func TestPages(t *testing.T) {
	t.Parallel()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("FTSH_BROWSER") == "required" {
			t.Fatal("no Chromium is installed")
		}
		skip.Test(t, "no Chromium is installed")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	spec := write("my.spec", exampleSpec)
	script := write("fetch-"+strings.Repeat("x", 80)+".ftsh", "try for 1 hour\n    fetch\nend\n")
	page := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"run", "--quiet", "--seeds", "1", "--clients", "20,30,40,50", "--backoff", "full", "--backoff", "fixed",
			"--server", spec, "--html", page("several"), script},
		{"run", "--quiet", "--seeds", "1", "--clients", "20", "--server", spec, "--html", page("one"), script},
		{"choose", "--quiet", "--seeds", "1", "--clients", "5", "--server", spec, "--policies", "full", "--from", "5s",
			"--outages", "1m", "--share", "100", "--html", page("choose"), script},
		{"replica", "--quiet", "--seeds", "2", "--html", page("replica")},
	} {
		if err := runCommandLine(t.Context(), args); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	}
	var frames strings.Builder
	for _, name := range []string{"several", "one", "choose", "replica"} {
		text, err := os.ReadFile(page(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, screen := range [][2]int{{1100, 800}, {390, 1600}} {
			fmt.Fprintf(&frames, `<iframe name="%s" width="%d" height="%d" style="border: 0" onload="measure(this)" `+
				`srcdoc="%s">`+
				"</iframe>\n", name, screen[0], screen[1], html.EscapeString(string(text)))
		}
	}
	for _, m := range measureFrames(t, browser, write("frames.html", measuring+frames.String()), dir) {
		if m.Page > m.Width || m.Answer > m.Height || m.Picture > m.Height || m.Picture == 0 ||
			m.Answer == 0 && m.Name != "replica" {
			t.Errorf("%s, %.0f pixels: the page is %.0f wide, the answer ends at %.0f, the picture at %.0f",
				m.Name, m.Width, m.Page, m.Answer, m.Picture)
		}
		if m.Width == 390 && (m.Number > m.Width || m.Whole > m.Table && (m.Sticky < 0 || m.Sticky > m.Width/2)) {
			t.Errorf("%s, %.0f pixels: a table shows %.0f of %.0f, its first number ends at %.0f, and the names go to %.0f",
				m.Name, m.Width, m.Table, m.Whole, m.Number, m.Sticky)
		}
	}
}

// measured is where things are in a page, in pixels.
type measured struct {
	Name                                                               string
	Width, Height, Page, Table, Whole, Answer, Picture, Sticky, Number float64
}

// measuring is the script of the page of frames.
const measuring = `<script>
const all = [];
function measure(frame) {
	const d = frame.contentDocument, t = d.querySelector('table'), end = e => e ? e.getBoundingClientRect().bottom : 0;
	const m = {Name: frame.name, Width: frame.clientWidth, Height: frame.clientHeight, Page: d.documentElement.scrollWidth,
		Table: t.clientWidth, Whole: t.scrollWidth, Answer: end(d.querySelector('.verdict')),
		Picture: end(d.querySelector('svg')), Number: Math.max(...[...d.querySelectorAll('table')].
			filter(t => t.offsetParent && t.querySelector('td.number'))
			.map(t => t.querySelector('td.number').getBoundingClientRect().right))};
	t.scrollLeft = 1000;
	m.Sticky = t.querySelector('td').getBoundingClientRect().left;
	all.push(m);
	document.title = JSON.stringify(all);
}
</script>
`

// measureFrames looks at a page of eight frames.
func measureFrames(t *testing.T, browser, file, dir string) (all []measured) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+dir+"/profile", "--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`<title>(.*?)</title>`).FindSubmatch(dom)
	if found == nil || json.Unmarshal(found[1], &all) != nil || len(all) != 8 {
		t.Fatalf("the pages were not measured: %s", found)
	}
	return all
}
