package main

import (
	"os"
	"strings"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/interp"
	"ftsh/interp/journal"
)

// statusSuspended is that of a durable script that can go on later (EX_TEMPFAIL).
const statusSuspended = 75

// durable is the journal of the script that runs.
type durable struct {
	config  *interp.Durable
	journal *journal.Journal
}

// openDurable opens the journal that the command line names.
func openDurable(o *options) (*durable, error) {
	j, err := journal.Open(o.journal, journal.Config{Warn: func(text string) { complainText(text) }})
	if err != nil {
		return nil, err
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return &durable{&interp.Durable{Journal: j, Canonical: canonical, Boot: strings.TrimSpace(string(boot))}, j}, nil
}

func complainText(text string) { os.Stderr.WriteString("ftsh: " + text + "\n") }

// canonical is statements without comments.
func canonical(list ...ast.Stmt) string {
	var text strings.Builder
	_ = printer.Print(&text, &ast.File{Body: ast.Group{List: list}})
	return text.String()
}

func (d *durable) close() { _ = d.journal.Close() }
