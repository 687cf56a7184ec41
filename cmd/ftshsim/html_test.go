package main

import (
	"context"
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

// TestNarrowPage holds that a page of 390 pixels is no wider than that, although its tables and the names in it are.
func TestNarrowPage(t *testing.T) {
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
	page := filepath.Join(dir, "page.html")
	args := []string{"--quiet", "--seeds", "1", "--clients", "20,30,40,50", "--backoff", "full", "--backoff", "fixed",
		"--server", spec, "--html", page, script}
	if status := runScripts(t.Context(), args); status != 0 {
		t.Fatalf("it ended with %d", status)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	frame := write("frame.html", `<iframe width="390" height="800" style="border: 0" srcdoc="`+
		html.EscapeString(string(text))+`"
onload="const d = this.contentDocument, t = d.querySelector('table');
document.title = 'page ' + d.documentElement.scrollWidth + ', table ' +
	t.clientWidth + ' of ' + t.scrollWidth + '.'"></iframe>`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+dir+"/profile", "--dump-dom", "file://"+frame)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`page (\d+), table (\d+) of (\d+)\.`).FindStringSubmatch(string(dom))
	var wide, shown, whole int
	if found != nil {
		_, _ = fmt.Sscan(found[1]+" "+found[2]+" "+found[3], &wide, &shown, &whole)
	}
	if found == nil || wide > 390 || shown > 390 || whole <= shown {
		t.Errorf("the page is %d pixels wide, its first table shows %d of %d", wide, shown, whole)
	}
}
