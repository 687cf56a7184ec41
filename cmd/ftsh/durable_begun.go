package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/journal"
	"ftsh/parser"
)

// keptOptions are the options that change what a script means, as they were given.
type keptOptions struct {
	Undefined   string `json:"undefined,omitempty"`
	KillTimeout string `json:"kill-timeout,omitempty"`
	KillMode    string `json:"kill-mode,omitempty"`
	Seed        uint64 `json:"seed,omitempty"`
	NoGuardian  bool   `json:"no-guardian,omitempty"`
	JournalSync bool   `json:"journal-sync,omitempty"`

	Alone *string `json:"alone,omitempty"`
}

func keepOptions(line *commandLine) keptOptions {
	kept := keptOptions{Undefined: line.Undefined, KillTimeout: line.Timeout, KillMode: line.Mode,
		NoGuardian: line.NoGuardian, JournalSync: line.SyncAll, Alone: line.Alone}
	if line.Seed != nil {
		kept.Seed = uint64(*line.Seed)
	}
	return kept
}

// asWords gives the options as a command line has them.
func (k keptOptions) asWords() (words []string) {
	for _, option := range []struct{ name, value string }{
		{"--undefined=", k.Undefined}, {"--kill-timeout=", k.KillTimeout}, {"--kill-mode=", k.KillMode},
	} {
		if option.value != "" {
			words = append(words, option.name+option.value)
		}
	}
	if k.Seed != 0 {
		words = append(words, "--seed="+strconv.FormatUint(k.Seed, 10))
	}
	if k.NoGuardian {
		words = append(words, "--no-guardian")
	}
	if k.Alone != nil {
		words = append(words, "--alone="+*k.Alone)
	}
	if k.JournalSync {
		words = append(words, "--journal-sync")
	}
	return words
}

// begunWith is the command line that a journal was begun with, as --continue needs it.
type begunWith struct {
	Script  journal.Text   `json:"script,omitempty"` // as it was named, from Dir
	Path    journal.Text   `json:"path,omitempty"`   // the same, absolute
	Text    *string        `json:"text,omitempty"`   // of -c
	Name    journal.Text   `json:"name"`             // $0
	Args    []journal.Text `json:"args"`
	Dir     journal.Text   `json:"dir,omitempty"`
	Options keptOptions    `json:"options"`
}

const keyCommand = "command" // of the root of the journal: the command line

// readBegun reads the command line that began a journal; false: it was not begun.
func readBegun(image *journal.Image) (b begunWith, found bool) {
	text, found := image.Get("", keyCommand)
	return b, found && json.Unmarshal(text, &b) == nil
}

// begin is the command line that begins a journal now.
func (o *options) begin(words []string) begunWith {
	b := begunWith{Text: o.text, Name: journal.Text(words[0]), Options: o.journal.kept}
	for _, word := range words[1:] {
		b.Args = append(b.Args, journal.Text(word))
	}
	dir, _ := os.Getwd()
	b.Dir = journal.Text(dir)
	if o.text == nil {
		path, _ := filepath.Abs(words[0])
		b.Script, b.Path = journal.Text(words[0]), journal.Text(path)
	}
	return b
}

// commandLine is the arguments of a shell that goes on with a journal. given are options that
// were given with --continue.
func (b begunWith) commandLine(path string, given []string) []string {
	words := append([]string{"ftsh", "--journal=" + path}, b.Options.asWords()...)
	words = append(words, given...)
	if b.Text != nil {
		return b.withArguments(append(words, "--command="+string(*b.Text), "--", string(b.Name)))
	}
	script := b.Script
	if !b.inPlace() {
		script = b.Path
	}
	return b.withArguments(append(words, "--", string(script)))
}

// withArguments appends the arguments.
func (b begunWith) withArguments(words []string) []string {
	for _, arg := range b.Args {
		words = append(words, string(arg))
	}
	return words
}

// parse reads the script as it is now.
func (b begunWith) parse() (*ast.File, error) {
	source := &ast.Source{Name: string(b.Script)}
	if b.Text != nil {
		source = &ast.Source{Name: "-c", Text: *b.Text, Typed: true}
	} else {
		source.Text, _ = readScript(string(b.Path))
	}
	return parser.Parse(source, parser.Config{})
}

// inPlace reports whether the directory is there in which the script was started.
func (b begunWith) inPlace() bool {
	info, err := os.Stat(string(b.Dir))
	return err == nil && info.IsDir()
}
