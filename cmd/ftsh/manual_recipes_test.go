package main

import (
	"regexp"
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// TestRecipesInEmptyEnvironment runs the pages that scripts are copied from with no variable but PATH, and
// with none that the page's own commands set. What cron sets, the page about cron may use.
func TestRecipesInEmptyEnvironment(t *testing.T) {
	t.Parallel()
	assigned := regexp.MustCompile(`(?m)^\$ ([A-Za-z_]+=|.*[;&|] *[A-Za-z_]+=.*ftsh)`)
	for page, more := range map[string][]string{
		"recipes": nil, "lists": nil, "try": nil, "redirect": nil, "forall": nil,
		"cron": {"HOME", "LOGNAME", "SHELL"},
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, "manual/"+page+".md", func() (string, error) { return "", nil })
			// All but PATH are the test's own.
			s.environ = append(s.environ, "LOGNAME=ann", "SHELL=/bin/sh")
			s.environ = keptVariables(s.environ, append(more, "PATH", "TMPDIR", "FTSH_STATE_DIR", shelltest.Marker, "GORACE")...)
			for _, b := range blocks(s.page) {
				if set := assigned.FindString(b.text); b.label == "console" && set != "" {
					t.Errorf("%s:%d: a variable that the reader may lack: %s", s.path, b.line, set)
				}
			}
			s.run()
		})
	}
}

// keptVariables are those of an environment with one of these names.
func keptVariables(environ []string, names ...string) (kept []string) {
	for _, entry := range environ {
		for _, name := range names {
			if strings.HasPrefix(entry, name+"=") {
				kept = append(kept, entry)
			}
		}
	}
	return kept
}
