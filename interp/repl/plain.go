package repl

import (
	"io"
	"strings"
)

// plainReader reads statements from a terminal that knows no escape sequences:
// the kernel does the editing, line by line, and sends a signal for Ctrl-C.
type plainReader struct {
	shell *shell
}

// read reads lines until they make a statement. Ctrl-D drops one that is
// unfinished, and ends the shell where none has begun.
func (p *plainReader) read() (string, error) {
	text, prompt := "", p.shell.beginPrompt()
	for {
		_, _ = p.shell.term.Write([]byte(prompt))
		typed, err := p.readLine()
		if err == io.EOF && text != "" && !p.shell.term.gone.Load() {
			err = errInterrupted
		}
		if err != nil {
			p.shell.say("")
			return "", err
		}
		text += typed
		if whole, _ := p.shell.complete(strings.TrimSuffix(text, "\n")); whole {
			return strings.TrimSuffix(text, "\n"), nil
		}
		prompt = newScan(text, p.shell.commandStyle).opened(len(text)) + "... "
	}
}

// readLine reads one line and no more.
func (p *plainReader) readLine() (string, error) {
	var typed []byte
	for {
		b, _, err := p.shell.term.readByte(forever)
		switch {
		case err == errWoken:
			if event, _ := p.shell.term.event(); event.name == "ctrl-c" {
				return "", errInterrupted
			}
			continue
		case err != nil:
			return "", err
		}
		typed = append(typed, b)
		if b == '\n' {
			return string(typed), nil
		}
	}
}

func (p *plainReader) close() {}
