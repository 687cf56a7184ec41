package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/local"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/parser"
	"ftsh/testdata/shelltest"
)

// TestOneSync holds that each command that runs alone costs one sync, and what is no command none.
func TestOneSync(t *testing.T) {
	count := func(text string) int {
		syncs := 0
		j, err := journal.Open(filepath.Join(t.TempDir(), "j"), journal.Config{
			Hook: func(point string) {
				if strings.HasPrefix(point, "before sync") {
					syncs++
				}
			},
			AfterFunc: func(time.Duration, func()) func() bool { return func() bool { return true } },
		})
		must(t, err)
		defer j.Close()
		c := clock.New()
		defer c.Close()
		host, err := process.Open(process.Config{Clock: c})
		must(t, err)
		defer host.Close()
		file, err := parser.Parse(&ast.Source{Name: "-", Text: text}, parser.Config{})
		must(t, err)
		must(t, interp.New(interp.Config{World: local.New(local.Config{Programs: host, Clock: c}),
			Durable: &durable.Script{Journal: j, Canonical: printer.Code}}).Run(context.Background(), file))
		return syncs
	}
	base := count("")
	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"commands", strings.Repeat("/bin/true\n", 20), 20},
		{"no commands", "x=1\nwhile $x .lt. 20\nx=$x .add. 1\nif $x .eq. 3\ntrue\nend\nend", 0},
		{"a loop", "for x in 1 .to. 20\n/bin/true\nend", 20},
	} {
		if got := count(test.text) - base; got != test.want {
			t.Errorf("%s: %d syncs, want %d", test.name, got, test.want)
		}
	}
}

// TestDurableMap holds that what testdata/durable.md names as showing a rule exists.
func TestDurableMap(t *testing.T) {
	page, err := os.ReadFile("../../testdata/durable.md")
	must(t, err)
	var code strings.Builder
	for _, room := range []string{".", "../../interp", "../../interp/durable", "../../interp/durable/filestate",
		"../../interp/journal",
		"../../interp/process/procfs"} {
		files, err := filepath.Glob(room + "/*_test.go")
		must(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			must(t, err)
			code.Write(text)
		}
	}
	names := regexp.MustCompile("`((?:Test|Benchmark)[A-Za-z]+|durable_[a-z]+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 50 {
		t.Errorf("it names %d tests, want more", len(names))
	}
	for _, name := range names {
		if strings.HasPrefix(name[1], "durable_") {
			_, err := os.Stat("../../interp/testdata/script/" + name[1] + ".txtar")
			must(t, err)
		} else if !strings.Contains(code.String(), "\nfunc "+name[1]+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
}

// BenchmarkDurable measures 1,000 commands in a script with a journal and without.
func BenchmarkDurable(b *testing.B) {
	shell := shelltest.Shell(b)
	for name, options := range map[string][]string{"without": nil, "with": {"--journal", "J"}} {
		b.Run(name, func(b *testing.B) {
			for n := range b.N {
				args := strings.Split(strings.ReplaceAll(strings.Join(options, " "), "J",
					fmt.Sprintf("%s/%d", b.TempDir(), n)), " ")
				args = append(args, "-c", "for x in 1 .to. 1000; /bin/true; end")
				if options == nil {
					args = args[1:]
				}
				command := exec.Command(shell, args...)
				command.Stderr = os.Stderr
				if err := command.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestJournalOnTerminal shows where a script stands on terminals: what is said of a line goes below it where it has no
// room.
func TestJournalOnTerminal(t *testing.T) {
	t.Parallel()
	const line, note = "in         1  for name in one two three", "# name=one, 1 of 3\n"
	for columns, shows := range map[int]string{100: line + "  " + note, 40: line + "\n              " + note} {
		c := shelltest.NewConsole(t, shelltest.ConsoleConfig{Columns: columns, Rows: 300,
			Args:  []string{"-c", "try; ftsh --journal j j.ftsh; catch; true; end; ftsh --journals j"},
			Files: map[string]string{"j.ftsh": "for name in one two three\n    sh -c 'exit 3'\nend\n"},
		})
		c.Leaves()
		if screen := strings.Join(c.Now(), "\n"); strings.Count(screen, shows) == 0 {
			t.Errorf("in %d columns not shown:\n%s\n%s", columns, shows, screen)
		}
	}
}
