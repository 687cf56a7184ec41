package ast

import "slices"

// Word is a run of adjacent parts without a blank between.
type Word struct {
	Pos    Pos
	Parts  []Part // at least one
	Broken bool   // the word stands on a continuation line of its own: \newline before it
}

// Literal returns the word's text if it has no reference, glob or tilde in it.
func (w *Word) Literal() (text string, ok bool) {
	if len(w.Parts) == 1 {
		lit, ok := w.Parts[0].(*Lit)
		if !ok {
			return "", false
		}
		return lit.Text, true
	}
	for _, part := range w.Parts {
		lit, ok := part.(*Lit)
		if !ok {
			return "", false
		}
		text += lit.Text
	}
	return text, true
}

// RunsCommand reports whether a ${ command } stands in the word.
func (w *Word) RunsCommand() bool {
	return w != nil && slices.ContainsFunc(w.Parts, func(part Part) bool {
		switch part := part.(type) {
		case *Output:
			return true
		case *Ref:
			return part.Default.RunsCommand() || part.Pattern.RunsCommand() || part.Instead.RunsCommand()
		}
		return false
	})
}

// Part is a piece of a word: *Lit, *Ref, *Output, *Glob or *Tilde.
type Part interface{ isPart() }

func (*Lit) isPart()    {}
func (*Ref) isPart()    {}
func (*Output) isPart() {}
func (*Glob) isPart()   {}
func (*Tilde) isPart()  {}

// Quote is the kind of text in which a part stands.
type Quote uint8

// The kinds of text. Parts of one pair of double quotes follow each other; Open
// and Shut of their first and last tell where the quotes are.
const (
	Bare Quote = iota
	Single
	Double
	Document // a here-document that is expanded
)

// Lit is literal text.
type Lit struct {
	Text  string // what it means, quotes and backslashes gone
	Quote Quote
	Raw   string // as written, without the quotes around it; what the printer prints
	Edge  Edge
}

// Ref is a reference to a variable or parameter. Bare ones split.
type Ref struct {
	Pos     Pos
	Kind    RefKind
	Name    string // as written between the braces: "x", "1", "@", "try.attempt"
	Var     Var    // of a Variable
	Index   int    // of a Positional, from 0
	Dotted  Dotted // of a Shell value
	Quote   Quote
	Braced  Brace
	Default *Word   // the text after :- or :? , its parts double-quoted; nil without
	Must    bool    // it was :? , and the text is the message of a failure
	Portion Portion // which part of the value is meant
	Pattern *Word   // what a Portion leaves out or replaces, its parts double-quoted or patterns; else nil
	Instead *Word   // what a Portion puts in its place, its parts double-quoted; nil: it was not written
	Edge    Edge
}

// Output is `${ command }`: what a command writes to standard output, without the newlines at its end. Bare ones split.
type Output struct {
	Pos   Pos
	Node  Node // *Command or *Pipeline
	Quote Quote
	Edge  Edge
}

// Stages are its commands, of which a pipeline has several.
func (o *Output) Stages() []*Command {
	switch n := o.Node.(type) {
	case *Command:
		return []*Command{n}
	case *Pipeline:
		return n.Stages
	}
	return nil
}

// IsList reports whether the reference means a list, which is one word for each of its members in double
// quotes: "$@" and "${error.items}".
func (r *Ref) IsList() bool {
	return r.Kind == Arguments || r.Kind == Shell && r.Dotted == ErrorItems
}

// Edge says which double quotes stand beside a part of a double-quoted string.
type Edge struct {
	Open bool // the part begins a quoted string
	Shut bool // the part ends one
}

// Brace is the way in which a reference is written: $name, ${name} or $(name).
type Brace uint8

// $name, ${name}, $(name).
const (
	NoBrace Brace = iota
	Curly
	Round
)

// Portion is which part of a value a reference means.
type Portion uint8

// The portions.
const (
	Whole                Portion = iota
	Length                       // ${#name}
	WithoutPrefix                // ${name#P}
	WithoutLongestPrefix         // ${name##P}
	WithoutSuffix                // ${name%P}
	WithoutLongestSuffix         // ${name%%P}
	FirstReplaced                // ${name/P/text}
	AllReplaced                  // ${name//P/text}
)

// String returns the marks that are written beside the name.
func (p Portion) String() string { return [...]string{"", "#", "#", "##", "%", "%%", "/", "//"}[p] }

// RefKind is what a reference refers to.
type RefKind uint8

// The kinds of reference.
const (
	Variable   RefKind = iota
	Positional         // $0 $1 ${10}
	Count              // $#
	Arguments          // $@
	Joined             // $*
	ProcessID          // $$
	Shell              // ${try.attempt}, ${error.kind} …
)

// Dotted is a value that belongs to the shell.
type Dotted uint8

// The shell's own values.
const (
	TryAttempt Dotted = iota + 1
	TryElapsed
	TryRemaining
	TryKey
	LastKind // of the attempt before
	LastStatus
	LastStderr
	ErrorKind
	ErrorStatus
	ErrorCommand
	ErrorLine
	ErrorMessage
	ErrorStderr
	ErrorReason
	ErrorSummary
	ErrorItem
	ErrorItems // a list
	ScriptDir  // of the file in which it is written
)

var dotted = [...]string{
	TryAttempt: "try.attempt", TryElapsed: "try.elapsed", TryRemaining: "try.remaining", TryKey: "try.key",
	LastKind: "last.kind", LastStatus: "last.status", LastStderr: "last.stderr",
	ErrorKind: "error.kind", ErrorStatus: "error.status", ErrorCommand: "error.command", ErrorLine: "error.line",
	ErrorMessage: "error.message", ErrorStderr: "error.stderr", ErrorReason: "error.reason",
	ErrorSummary: "error.summary", ErrorItem: "error.item", ErrorItems: "error.items",
	ScriptDir: "script.dir",
}

// String is the value's name, such as "try.attempt".
func (d Dotted) String() string { return dotted[d] }

// TellsStderr reports whether the value tells of what a failed command wrote to its
// standard error, which is kept only where somebody asks for it.
func (d Dotted) TellsStderr() bool { return d == ErrorStderr || d == ErrorSummary || d == LastStderr }

// TellsCommand reports whether the value tells of the words of a failed command.
func (d Dotted) TellsCommand() bool { return d == ErrorCommand || d == ErrorSummary }

// LookupDotted finds one of the shell's own values by its name.
func LookupDotted(name string) (Dotted, bool) {
	i := max(0, slices.Index(dotted[:], name))
	return Dotted(i), i > 0
}

// Glob is an unquoted pattern character or set: `*`, `?`, `[a-z]`.
type Glob struct{ Pattern string }

// Tilde is `~` or `~user` at the start of a bare word.
type Tilde struct{ User string }
