package ast

import (
	"maps"
	"slices"
)

// File is a parsed script.
type File struct {
	Source    *Source
	Body      Group
	Functions []*Function // all that the script and what it sources define, in the order read
	Resources []*Resource // likewise
	Names     *Names      // the numbering that the file's variables refer to
	// ReadsStderr: ${error.stderr} or another value made of it occurs
	// somewhere, so that the interpreter keeps what failing commands wrote.
	ReadsStderr bool
	// ReadsCommand: ${error.command} or another value made of it occurs, which a durable script keeps.
	ReadsCommand bool
	// Secrets are the names that a `secret` of the script, or of what it sources, makes so. They are from its beginning.
	Secrets []string
}

// Files returns the file and all that it sources, each once, in the order in which they are first sourced.
func (f *File) Files() (list []*File) {
	var add func(f *File)
	add = func(f *File) {
		if f == nil || slices.Contains(list, f) {
			return
		}
		list = append(list, f)
		for i := range f.Body.List {
			if n, ok := f.Body.List[i].Node.(*SourceFile); ok {
				add(n.File)
			}
		}
	}
	add(f)
	return list
}

// Names numbers the variables of a script, so that a running script finds them
// in a slice and not in a map. It grows as more is parsed (the prompt parses
// one statement after another with the same Names). Not safe for concurrent use.
type Names struct {
	numbers map[string]int
	names   []string
}

// Number returns the number of a variable, and gives it the next one at its first mention.
func (n *Names) Number(name string) int {
	if number, known := n.numbers[name]; known {
		return number
	}
	if n.numbers == nil {
		n.numbers = make(map[string]int)
	}
	number := len(n.names)
	n.numbers[name] = number
	n.names = append(n.names, name)
	return number
}

// Lookup returns the number of a variable, if it was ever mentioned.
func (n *Names) Lookup(name string) (number int, known bool) {
	number, known = n.numbers[name]
	return number, known
}

// Clone returns a numbering that begins with this one.
func (n *Names) Clone() *Names {
	return &Names{numbers: maps.Clone(n.numbers), names: slices.Clone(n.names)}
}

// Len counts the variables; their numbers are 0 to Len-1.
func (n *Names) Len() int { return len(n.names) }

// Name is the variable with that number.
func (n *Names) Name(number int) string { return n.names[number] }

// Var is a mention of a variable.
type Var struct {
	Name   string
	Number int // in the Names of the file
	// Local is the variable's number among the locals of the function it stands
	// in, counted from 1; 0 if that function has no `local` of this name. Until
	// that `local` has run, the mention means the global variable.
	Local int
}

// Group is a list of statements that stops at the first failure.
type Group struct {
	Pos   Pos // of the word that begins it, of a verify, catch, finally or else
	List  []Stmt
	After string    // the comment on the line that opens the group, with its #
	Tail  []Comment // comments between the last statement and what closes the group
}

// Comment is a comment on a line of its own.
type Comment struct {
	Text  string // with its #, without the newline
	Blank bool   // blank lines stand before it
}

// Stmt is one statement with what belongs to its place in the text.
type Stmt struct {
	Pos       Pos
	Node      Node
	Redirects []*Redirect // of a block (after its end); a command has its own
	Before    []Comment   // on the lines before it
	Blank     bool        // blank lines stand between those (or the statement before) and it
	After     string      // the comment at the end of its last line, with its #
}

// Node is a statement: *Assign, *Command, *Pipeline, *Try, *For, *While, *If,
// *Break, *Continue, *Function, *Return, *Shift, *Export, *Local, *Secret, *SourceFile, *Resource (and, in its
// body only, *Slots, *Budget, *Breaker and *Sense) or *Bad.
type Node interface{ isNode() }

func (*Assign) isNode()     {}
func (*Command) isNode()    {}
func (*Pipeline) isNode()   {}
func (*Try) isNode()        {}
func (*For) isNode()        {}
func (*While) isNode()      {}
func (*If) isNode()         {}
func (*On) isNode()         {}
func (*Break) isNode()      {}
func (*Continue) isNode()   {}
func (*Function) isNode()   {}
func (*Return) isNode()     {}
func (*Shift) isNode()      {}
func (*Export) isNode()     {}
func (*Local) isNode()      {}
func (*Secret) isNode()     {}
func (*SourceFile) isNode() {}
func (*Resource) isNode()   {}
func (*Slots) isNode()      {}
func (*Budget) isNode()     {}
func (*Breaker) isNode()    {}
func (*Sense) isNode()      {}
func (*Bad) isNode()        {}
