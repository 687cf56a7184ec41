package repl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// listHistory is the builtin that shows the statements that were typed, or those
// with a text in them.
func (s *shell) listHistory(_ context.Context, stdout int, args []string) error {
	var list strings.Builder
	e, ok := s.reader.(*editor)
	if !ok {
		return nil
	}
	sought := strings.Join(args, " ")
	for at, found := e.recall.find(sought, 0, 1); found; at, found = e.recall.find(sought, at+1, 1) {
		list.WriteString(e.recall.entries[at] + "\n")
	}
	return write(stdout, list.String())
}

// abbreviate is the builtin that lists, makes and forgets abbreviations.
func (s *shell) abbreviate(_ context.Context, stdout int, args []string) error {
	switch {
	case len(args) == 0:
		var list strings.Builder
		for _, name := range slices.Sorted(maps.Keys(s.short)) {
			fmt.Fprintf(&list, "abbr %s %s\n", name, s.short[name])
		}
		return write(stdout, list.String())
	case strings.ContainsAny(args[0], " \t\n;|&<>()$\"'\\"):
		return errors.New("usage: abbr [NAME [TEXT …]], and NAME is one word without quotes")
	case len(args) == 1:
		delete(s.short, args[0])
	default:
		s.short[args[0]] = strings.Join(args[1:], " ")
	}
	return nil
}

// abbreviation is what a command is short for, if it is.
func (s *shell) abbreviation(command string) (meant string, ok bool) {
	meant, ok = s.short[command]
	return meant, ok
}

// compose has the user write a text with an editor of theirs.
func (s *shell) compose(text string) string {
	s.take()
	program := "vi"
	for _, name := range []string{"EDITOR", "VISUAL"} {
		if value, _ := s.Runner.Lookup(name); value != "" {
			program = value
		}
	}
	file, err := os.CreateTemp("", "ftsh-*.ftsh")
	if err != nil {
		return text
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text + "\n")
	if closed := file.Close(); err != nil || closed != nil {
		return text
	}
	s.runText(program + " " + quoted(file.Name()))
	written, err := os.ReadFile(file.Name())
	if err != nil {
		return text
	}
	return strings.TrimRight(cleanPaste(string(written)), "\n")
}

// goBack goes to the directory before.
func (s *shell) goBack() {
	s.take()
	s.runText("cd -")
}

// page shows the page of the manual about the word that a text ends in: ours, or
// the one of a program.
func (s *shell) page(text string) {
	s.take()
	at := newScan(text, func(string) style { return stylePlain })
	topic := tokenTopic(at.last, "")
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
		s.runText("man -- " + quoted(at.command))
	}
}

// quoted is a text as one word of a script.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `\'`) + "'" }
