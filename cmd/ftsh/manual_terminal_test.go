package main

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// TestManualOnTerminal shows a page on terminals, narrow and wide, through a pager and without.
func TestManualOnTerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		columns int
		env     []string
		shows   string
	}{
		"wide": {100, []string{"PAGER=cat"},
			"The group is attempted. If it fails, ftsh waits and attempts it again, until it succeeds or a limit"},
		"narrow":    {40, []string{"PAGER=cat"}, "The group is attempted. If it fails,"},
		"no colour": {60, []string{"PAGER=cat", "NO_COLOR=1"}, "Limits\n------"},
		"pager":     {60, []string{"PAGER=head -n 3"}, "try: repeat within limits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--manual", "try"}
			c := shelltest.NewConsole(t, shelltest.ConsoleConfig{Columns: test.columns, Rows: 300, Args: args, Env: test.env})
			c.Leaves()
			screen := strings.Join(c.Now(), "\n")
			if !strings.Contains(screen, test.shows) {
				t.Errorf("not shown: %s\n%s", test.shows, screen)
			}
			if strings.Contains(screen, "```") {
				t.Errorf("marks of Markdown are shown:\n%s", screen)
			}
		})
	}
}
