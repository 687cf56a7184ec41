package repl

import (
	"io"
	"strings"
)

// plainReader reads statements from a terminal that knows no escape sequences:
// the kernel does the editing, line by line.
type plainReader struct {
	shell *shell
}

// read reads lines until they make a statement.
func (p *plainReader) read(prompt string) (string, error) {
	text := ""
	for {
		_, _ = p.shell.term.Write([]byte(prompt))
		typed, err := p.readLine()
		if err != nil {
			return "", err
		}
		text += typed
		if p.shell.complete(strings.TrimSuffix(text, "\n")) {
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
		if err != nil {
			return "", err
		}
		typed = append(typed, b)
		if b == '\n' {
			return string(typed), nil
		}
	}
}

func (p *plainReader) close() { p.shell.term.interrupt() }

var _ io.Writer = (*terminal)(nil)
