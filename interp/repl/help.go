package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
)

// keysHelp is what `help` says of the prompt itself.
const keysHelp = `A statement that is complete runs on Enter; one that is not goes on in the next line.

  Tab          complete            Ctrl-R       search the history
  Up Down      the history         Ctrl-C       drop the line; cancel what runs
  Right        take the suggestion Ctrl-D       leave
  Alt-Enter    a new line          Ctrl-Z       stop the program, fg goes on with it
  Alt-E        write in $EDITOR    F1 Alt-H     the page on the word at the cursor
  Ctrl-_       undo                Alt-.        the last word of the statement before

help TOPIC shows a page of the manual:

`

// help is the builtin that shows the manual.
func (s *shell) help(ctx context.Context, stdout int, args []string) error {
	if len(args) == 0 {
		return write(stdout, keysHelp+s.topicList(stdout))
	}
	if len(args) > 1 {
		return errors.New("usage: help [TOPIC]")
	}
	page, found := s.Help(args[0])
	if !found {
		return fmt.Errorf("the manual has no page %s; help lists the pages", args[0])
	}
	if !isTerminal(stdout) {
		return write(stdout, page)
	}
	page = s.formatted(page)
	if _, rows := s.term.size(); strings.Count(page, "\n") >= rows && s.pages(ctx, page) {
		return nil
	}
	return write(stdout, page)
}

// pages shows a text with a pager; false if there is none.
func (s *shell) pages(ctx context.Context, text string) bool {
	pager, _ := s.Runner.Lookup("PAGER")
	if pager == "" {
		pager = "less -R"
	}
	file, err := os.CreateTemp("", "ftsh-help-*")
	if err != nil {
		return false
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	if closed := file.Close(); err != nil || closed != nil {
		return false
	}
	apart := s.Runner.Fork(func(c *interp.Config) { c.Observer = nil })
	script, err := s.parse(&ast.Source{Name: "help", Text: pager + " " + file.Name() + "\n"}, apart.Names())
	return err == nil && apart.Run(ctx, script) == nil
}

// topicList is the names of all pages, as many beside each other as fit.
func (s *shell) topicList(stdout int) string {
	columns := 80
	if size, err := unix.IoctlGetWinsize(stdout, unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		columns = int(size.Col)
	}
	const cell = 14
	across := max(1, (columns-2)/cell)
	var list strings.Builder
	for i, topic := range s.Topics {
		fmt.Fprintf(&list, "%*s%-*s", either(i%across == 0, 2, 0), "", cell-1, topic)
		list.WriteString(either(i%across == across-1 || i == len(s.Topics)-1, "\n", " "))
	}
	return list.String()
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// formatted is a page as a terminal shows it: headings stand out, and the
// fences around code are gone.
func (s *shell) formatted(page string) string {
	var out strings.Builder
	code := false
	for text := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(text, "```"):
			code = !code
		case code:
			out.WriteString("    " + text)
		case strings.HasPrefix(text, "#"):
			out.WriteString(s.coloured(strings.TrimSpace(strings.TrimLeft(text, "#")), styleKeyword) + "\n")
		default:
			out.WriteString(text)
		}
	}
	return out.String()
}

// write writes all of a text to a descriptor.
func write(fd int, text string) error {
	for len(text) > 0 {
		n, err := unix.Write(fd, []byte(text))
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("cannot write: %w", err)
		}
		text = text[max(n, 0):]
	}
	return nil
}
