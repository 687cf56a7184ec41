package repl

import (
	"context"
	"os"
	"strings"

	"ftsh/ast"
	"ftsh/interp"
)

// prompt is what stands before a statement: what the function prompt says, or
// the usual.
func (s *shell) prompt() string {
	for _, name := range s.Runner.Functions() {
		if name == "prompt" {
			if text, ok := s.ownPrompt(); ok {
				return text
			}
		}
	}
	return s.usualPrompt()
}

// usualPrompt is the shell's name and the directory.
func (s *shell) usualPrompt() string {
	dir := s.Runner.Directory()
	if home, _ := s.Runner.Lookup("HOME"); home != "" && home != "/" {
		if rest, below := strings.CutPrefix(dir, home); below && (rest == "" || rest[0] == '/') {
			dir = "~" + rest
		}
	}
	return s.coloured("ftsh", styleKeyword) + " " + printable(dir) + "> "
}

// ownPrompt calls the function prompt: its value is the prompt, or if it
// returns none, its output. It runs apart, so that nothing it assigns stays, and
// what it does wrong is not told: that would be before each prompt.
func (s *shell) ownPrompt() (string, bool) {
	kill := make(chan struct{})
	apart := s.Runner.Fork(func(c *interp.Config) { c.Observer, c.View, c.Kill, c.Engine = nil, nil, kill, s.engine })
	const text = "try\n_prompt_value=prompt()\nend -> _prompt_output\n"
	file, err := s.parse(&ast.Source{Name: "prompt", Text: text}, apart.Names())
	if err != nil {
		return "", false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.setRunning(func(sig os.Signal) { cancel(cancelled{sig}) })
	_ = apart.Run(ctx, file)
	s.setRunning(nil)
	cancel(nil)
	for _, name := range []string{"_prompt_value", "_prompt_output"} {
		if text, set := apart.Lookup(name); set && text != "" {
			return text, true
		}
	}
	return "", false
}
