package repl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp"
)

// beginPrompt is called before a statement is read. What is looked up for it is looked up once.
func (s *shell) beginPrompt() string {
	s.known, s.onPath = map[string]style{}, nil
	s.beginLine()
	prompt := s.promptText()
	s.setRunning(nil)
	s.setReading(true)
	return prompt
}

// promptText returns the value of the function prompt, or the usual prompt.
func (s *shell) promptText() string {
	if s.definesFunction("prompt") {
		if s.askPrompt(); s.shown != "" {
			return s.shown
		}
	}
	return s.inStyle("ftsh", styleKeyword) + " " +
		diag.Visible(s.Runner.Secrets.Text(s.underHome(s.Runner.Directory()))) + "> "
}

// definesFunction reports whether there is a function of that name.
func (s *shell) definesFunction(name string) bool { return slices.Contains(s.Runner.Functions(), name) }

// underHome is a path with ~ for the home directory that it begins with.
func (s *shell) underHome(path string) string {
	if home, _ := s.Runner.Lookup("HOME"); home != "" && home != "/" {
		if rest, below := strings.CutPrefix(path, home); below && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return path
}

// promptPatience limits the time of the function prompt.
const promptPatience = 500 * time.Millisecond

// askPrompt calls the function prompt: its value is the prompt, or if it returns none, its output. What it does wrong
// is not reported, as that would stand before each prompt. If it takes too long, which is said once, the prompt before
// stays.
func (s *shell) askPrompt() {
	elapsed := strconv.FormatFloat(s.elapsed.Seconds(), 'f', 3, 64)
	const call = "try\n_prompt_value=prompt()\nend -> _prompt_output\n"
	last := ""
	if s.succeeded {
		last = "try\nend\n" // after which ${error.status} is 0
	}
	apart, late := s.runApart(last+"PROMPT_ELAPSED="+elapsed+"\n"+call, promptPatience)
	if late {
		if !s.slow {
			s.slow = true
			s.printMessage(s.inStyle("the function prompt took longer than 0.5 s, and was ended", styleFaint))
		}
		return
	}
	s.shown = ""
	for _, name := range []string{"_prompt_value", "_prompt_output"} {
		if text, set := apart.Lookup(name); set && s.shown == "" {
			s.shown = text
		}
	}
}

// runApart runs a script from where the shell is, so that nothing it assigns stays. What is left of it when the time
// is over is killed.
func (s *shell) runApart(text string, patience time.Duration) (apart *interp.Runner, late bool) {
	kill := make(chan struct{})
	apart = s.Runner.Fork(func(c *interp.Config) { c.Observer, c.View, c.World = nil, nil, killable{s.world, kill} })
	file, err := s.parseScript(&ast.Source{Name: typedSource, Text: text, Typed: true}, apart.Names())
	if err != nil {
		return apart, false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	s.setRunning(func(sig os.Signal) { cancel(cancelled{sig}) })
	defer s.setRunning(nil)
	limit := time.AfterFunc(patience, func() {
		cancel(context.DeadlineExceeded)
		close(kill)
	})
	_ = apart.Run(ctx, file)
	return apart, !limit.Stop()
}

// isComplete reports whether a text can be run, or is wrong in a way that more lines would not mend. If not, it tells
// what is open.
func (s *shell) isComplete(text string) (whole bool, open string) {
	_, err := s.parseScript(&ast.Source{Name: typedSource, Text: text + "\n"}, nil)
	if list, ok := errors.AsType[diag.List](err); ok && list[0].Incomplete {
		return false, list[0].Open
	}
	return true, ""
}

// keepInHistory enters a statement in the history. One that begins with a blank is not kept.
func (s *shell) keepInHistory(text string) {
	if strings.TrimSpace(text) == "" || isBlank(rune(text[0])) {
		return
	}
	text = strings.TrimRight(text, " \t\n")
	if s.Runner.Secrets.Hides(text) {
		return
	}
	s.recall.addStatement(text)
	s.history.appendStatement(text)
}

// forgetSecrets takes out of the history what holds the value of a secret: a statement before may have made it one. Of
// the file only what this session has written goes.
func (s *shell) forgetSecrets() {
	if secrets := s.Runner.Secrets; secrets.Any() && slices.ContainsFunc(s.recall.entries, secrets.Hides) {
		s.recall.entries = slices.DeleteFunc(s.recall.entries, secrets.Hides)
		s.history.loadStatements()
	}
}

// beginLine moves to the beginning of a line, marking what a program has left without a newline. (A mark and blanks,
// one row's worth in all: from the beginning of a row they stay in it, from elsewhere they reach into the next.)
func (s *shell) beginLine() {
	if s.Plain {
		return
	}
	columns, _ := s.term.cellSize()
	mark := styleFaint.escapeSequence(s.Colours) + "⏎" + resetStyle
	s.term.writeText(mark + strings.Repeat(" ", columns-1) + "\r\x1b[K")
}

// readPlain reads a statement from a terminal that knows no escape sequences: the kernel does the editing, line by
// line, and sends a signal for Ctrl-C. Ctrl-D drops a statement that is unfinished, and ends the shell where none has
// begun.
func (s *shell) readPlain() (string, error) {
	var typed []byte
	s.term.writeText(s.beginPrompt())
	for {
		b, _, err := s.term.readByte(forever)
		if err == errWoken {
			if event, _ := s.term.takeEvent(); event.name != "ctrl-c" {
				continue
			}
			err = errInterrupted
		}
		if err == io.EOF && bytes.IndexByte(typed, '\n') >= 0 {
			err = errInterrupted
		}
		if err != nil {
			s.printMessage("")
			return "", err
		}
		if typed = append(typed, b); b != '\n' {
			continue
		}
		text := string(typed)
		if whole, _ := s.isComplete(strings.TrimSuffix(text, "\n")); whole {
			return strings.TrimSuffix(text, "\n"), nil
		}
		s.term.writeText(newScan(text, s.commandStyle).openAt(len(text)) + "... ")
	}
}
