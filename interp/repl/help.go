package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/event"
)

// keysHelp is what `help` says about the prompt's keys.
const keysHelp = `
A statement that is complete runs on Enter; one that is not goes on in the next
line. help TOPIC shows a page of the manual, Ctrl-D leaves.

  Tab          complete            Ctrl-R       search the history
  Up Down      the history         Ctrl-C       drop the line; cancel what runs
  Right        take the suggestion Ctrl-Z       stop the program; fg: go on
  Alt-Enter    a new line          F1 Alt-H     the page on the word there
  Alt-E        write in $EDITOR    Alt-.        the last word of the one before
  Ctrl-_       undo
`

// showHelp is the builtin that shows the manual.
func (s *shell) showHelp(ctx context.Context, stdout int, args []string) error {
	if len(args) == 0 {
		return writeAll(stdout, "The pages of the manual. Begin with those marked *.\n\n"+s.Contents()+keysHelp)
	}
	if len(args) > 1 {
		return errors.New("usage: help [TOPIC]")
	}
	page, found := s.Help(args[0])
	if !found {
		return fmt.Errorf("the manual has no page %s; help lists the pages", args[0])
	}
	if _, err := unix.IoctlGetTermios(stdout, unix.TCGETS); err == nil {
		columns, rows := s.term.cellSize()
		page = s.HelpOn(page, columns)
		if strings.Count(page, "\n") >= rows && s.showInPager(ctx, page) {
			return nil
		}
	}
	return writeAll(stdout, page)
}

// showInPager shows a text with a pager; false if there is none.
func (s *shell) showInPager(ctx context.Context, text string) bool {
	pager, _ := s.Runner.Lookup("PAGER")
	path, err := makeTemporary("", "ftsh-help-*", text)
	defer os.Remove(path)
	if err != nil {
		return false
	}
	apart := s.Runner.Fork(func(c *interp.Config) { c.Observer = nil })
	command := cmp.Or(pager, "less -R") + " " + quoteWord(path) + "\n"
	script, err := s.parseScript(&ast.Source{Name: "help", Text: command}, apart.Names())
	return err == nil && apart.Run(ctx, script) == nil
}

// makeTemporary makes a file with a text. The caller removes it, also after an error.
func makeTemporary(dir, pattern, text string) (path string, err error) {
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return file.Name(), err
}

// listHistory is the builtin that shows the statements that were typed, or those with a text in them.
func (s *shell) listHistory(_ context.Context, stdout int, args []string) error {
	var list strings.Builder
	sought := strings.Join(args, " ")
	for at, found := s.recall.findEntry(sought, 0, 1); found; at, found = s.recall.findEntry(sought, at+1, 1) {
		list.WriteString(event.Visible(s.recall.entries[at]) + "\n")
	}
	return writeAll(stdout, list.String())
}

// abbreviate is the builtin that lists, makes and forgets abbreviations.
func (s *shell) abbreviate(_ context.Context, stdout int, args []string) error {
	switch {
	case len(args) == 0:
		var list strings.Builder
		for _, name := range slices.Sorted(maps.Keys(s.short)) {
			fmt.Fprintf(&list, "abbr %s %s\n", name, s.short[name])
		}
		return writeAll(stdout, list.String())
	case strings.ContainsAny(args[0], " \t\n;|&<>()$\"'\\"):
		return errors.New("usage: abbr [NAME [TEXT …]], and NAME is one word without quotes")
	case len(args) == 1:
		delete(s.short, args[0])
	default:
		s.short[args[0]] = strings.Join(args[1:], " ")
	}
	return nil
}

// composeElsewhere opens a text in the user's editor and returns what was written there.
func (s *shell) composeElsewhere(text string) string {
	visual, _ := s.Runner.Lookup("VISUAL")
	editor, _ := s.Runner.Lookup("EDITOR")
	path, err := makeTemporary("", "ftsh-*.ftsh", text+"\n")
	defer os.Remove(path)
	if err != nil {
		return text
	}
	s.runText(cmp.Or(visual, editor, "vi") + " " + quoteWord(path))
	written, err := os.ReadFile(path)
	if err != nil {
		return text
	}
	return strings.TrimRight(cleanPaste(string(written)), "\n")
}

// showHelpOn shows the page of the manual about the word that a text ends in: ours, or the one of a program.
func (s *shell) showHelpOn(text string) {
	at := newScan(text, func(string) style { return stylePlain })
	topic := s.tokenTopic(at.last, "")
	switch {
	case slices.Contains(s.Topics, at.last.text):
		topic = at.last.text
	case topic != "":
	case text == "":
		topic = "interactive"
	case s.isBuiltin(at.command):
		topic = "builtins"
	}
	if topic != "" {
		s.runText("help " + topic)
	} else {
		s.runText("man -- " + quoteWord(at.command))
	}
}

// quoteWord is a text as one word of a script.
func quoteWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `\'`) + "'" }
