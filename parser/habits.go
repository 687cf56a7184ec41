package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// What people write who come from other shells, and what to write instead.

// habit is such a word at the beginning of commands. It is no error if the script
// has a function of that name, which is only known at its end.
type habit struct {
	word    string
	message string
	places  []ast.Pos // the first few
	cut     bool      // the text ends right after the last of them
}

// habit notes the first word of a command if it is one.
func (b *builder) habit(t *token, c *ast.Command) {
	if t.Type != lexer.Word {
		return
	}
	if i := strings.Index(t.Value, "+="); i > 0 && isName(t.Value[:i]) {
		b.errorf(b.pos(t), "+= is not known here; write  %[1]s=$%[1]s…", t.Value[:i])
	}
	if message := b.foreignCommand(t.Value, c.Words); message != "" {
		b.foreign(t, message)
	}
}

// foreign notes a command that is an error unless the script has a function of its name.
func (b *builder) foreign(t *token, message string) {
	i := slices.IndexFunc(b.habits, func(h habit) bool { return h.word == t.Value && h.message == message })
	if i < 0 {
		i = len(b.habits)
		b.program.habits = append(b.program.habits, habit{word: t.Value, message: message})
	}
	if h := &b.habits[i]; len(h.places) < maxErrors {
		h.places = append(h.places, b.pos(t))
		h.cut = b.atEnd(b.peek())
	}
}

// foreignCommand is the message about a command that is no builtin as it is written; ""
// for most.
func (b *builder) foreignCommand(name string, words []*ast.Word) string {
	switch name {
	case "exit", "giveup":
		if b.around.finally {
			return leavesFinally(name)
		}
	case "set":
		return foreignSet(words[1:])
	case "read":
		return b.readNames(words[1:])
	case "fg", "jobs":
		if b.config.Interactive {
			return ""
		}
	}
	if instead := foreignWord(name); instead != "" {
		return name + " is not known here; " + instead
	}
	return ""
}

// foreignSet is the message about a set without its --.
func foreignSet(words []*ast.Word) string {
	if len(words) > 0 {
		if first, literal := words[0].Literal(); literal && first == "--" {
			return ""
		}
	}
	return "set only replaces the arguments here; write  set -- word …  (the first failure always stops the script, and a variable is set by  name=value)"
}

// readNames makes variables of the names after `read`, and says what else stands there.
func (b *builder) readNames(words []*ast.Word) string {
	for i := 0; i < len(words); i++ {
		name, literal := words[i].Literal()
		switch {
		case i == 0 && name == "-s":
			i++
		case isName(name):
			b.names.Number(name)
		case literal && strings.HasPrefix(name, "-"):
			return "read takes no option " + name + " here; write  read [-s SEPARATOR] NAME …  (a line is always taken as it is)"
		}
	}
	return ""
}

// keepHabits makes errors of the habits that name no function.
func (p *program) keepHabits() {
	for _, h := range p.habits {
		if p.defined[h.word].IsValid() || slices.Contains(p.config.Functions, h.word) {
			continue
		}
		if closes := []string{"fi", "done", "esac", "endif", "}"}; slices.Contains(closes, h.word) {
			// The ends are there, only they are written as in other shells.
			p.errors = slices.DeleteFunc(p.errors, func(e *diag.Error) bool { return e.Incomplete })
		}
		for i, pos := range h.places {
			e := diag.Errorf(pos, "%s", h.message)
			if !p.config.Interactive && h.cut && i == len(h.places)-1 {
				e.Incomplete, e.Open = true, "line" // the beginning of another word or command, cut
			}
			p.errors = append(p.errors, e)
		}
	}
}

// foreignWord is what to write instead of a word at the beginning of a command;
// "" for most words.
func foreignWord(word string) string {
	if len(word) > len("readonly") {
		return ""
	}
	switch word {
	case "then", "do":
		return "leave it out, the group begins on the next line"
	case "fi", "done", "esac", "endif", "}":
		return "write  end"
	case "elif", "elseif", "elsif":
		return "write  else if"
	case "until":
		return "write  while .not. …, or try for …  to repeat a command until it succeeds"
	case "case", "select":
		return "write  if … else if … end"
	case "trap":
		return "write  try … finally … end"
	case "eval":
		return "a value is never read as code"
	case "let", "((":
		return "write  name=$a .add. 1"
	case "declare", "typeset", "readonly":
		return "write  name=value, or local name=value  in a function"
	case ".":
		return "write  source PATH  at the top level"
	case "pushd", "popd":
		return "write  cd DIRECTORY"
	case "shopt":
		return "there are no options to set; the first failure always stops the script"
	case "wait", "jobs", "fg", "bg", "disown":
		return "write  forall … end  to run commands at the same time"
	case "umask", "ulimit":
		return "it would concern the shell alone; write  sh -c '" + word + " …; exec cmd'"
	case "alias", "unalias":
		return "write  function name … end"
	case "getopts":
		return "look at $1 and drop it with shift"
	case "type", "command", "hash":
		return "write  sh -c 'command -v name' -> path"
	case "!":
		return "write  if try cmd … else … end"
	case "{", "(":
		return "a group of commands is written  try … end"
	case "[[":
		return "write  if $a .eq. b"
	}
	return ""
}

// onlyCommand reports a word where only a simple command can stand, and that would
// begin another statement elsewhere.
func (b *builder) onlyCommand(t *token) {
	name, _, assigned := strings.Cut(t.Value, "=")
	switch {
	case t.Type != lexer.Word:
	case assigned && isName(name):
		b.errorf(b.pos(t), "an assignment cannot stand here, only a command; to set a variable for one command write  env %s cmd", t.Value)
	case ast.IsKeyword(t.Value):
		b.errorf(b.pos(t), "%s cannot stand here, only a command; quote it if it is a program", t.Value)
	}
}

// trailing reports what follows on a line that was complete before it.
func (b *builder) trailing(f *fault, first *token) {
	t := &f.token
	pos := b.pos(t)
	switch first.Value {
	case "if", "while", "else if":
		if first.Type == lexer.Keyword {
			b.afterTest(t, first)
			return
		}
	}
	if message := misplacedToken(t); message != "" && (first.Type == lexer.Assign || first.Type == lexer.Keyword) {
		b.errorf(pos, "%s", message)
		return
	}
	switch {
	case first.Type == lexer.Assign && t.Type == lexer.Word:
		b.errorf(pos, "%s after an assignment; to set a variable for one command write  env %s",
			quoted(t.Value), b.between(first, t))
	case first.Type == lexer.Assign:
		b.errorf(pos, "an assignment has no output; to keep that of a command write  cmd -> %s", first.Value)
	case first.Value == "end" && t.Type == lexer.Bar:
		b.errorf(pos, "a block is no stage of a pipeline; send its output to a variable,  end -> name, and read that with  -< name")
	case first.Type == lexer.Keyword:
		b.errorf(pos, "expected %s, not %s", mayFollow(first.Value), describe(t))
	default:
		b.errorf(pos, "unexpected %s", describe(t))
	}
}

// between is the text of a line from one token to the end of another, if it is short.
func (b *builder) between(first, last *token) string {
	text := b.src.Text[first.Pos.Offset:min(last.Pos.Offset+len(last.Value), len(b.src.Text))]
	if len(text) > 60 || strings.Contains(text, "\n") {
		return first.Value + "=… cmd"
	}
	return text
}

// misplacedToken says what is wrong about a token after an expression; "" if that
// depends on the statement.
func misplacedToken(t *token) string {
	switch t.Type {
	case lexer.Word:
		return foreignOperator(t.Value)
	case lexer.Operator:
		if isPrefix(t.Value) {
			return t.Value + " stands before a value, not after one"
		}
		return unknownOperator(t.Value)
	case lexer.Mark:
		return "this " + t.Value + " is outside of any parentheses that were opened"
	}
	return ""
}

// afterTest reports what follows the expression of an if or a while.
func (b *builder) afterTest(t, first *token) {
	begin := b.following(first)
	switch begin.Value {
	case "[", "[[", "test":
		b.errorf(b.pos(begin), "%s takes an expression, such as  $a .eq. b  or  .exists. file, or  try  and a command; %s is not known here",
			first.Value, begin.Value)
		return
	case "!":
		b.errorf(b.pos(begin), "! is no operator; write .not. before an expression, or  if try cmd … else … end")
		return
	}
	switch message, instead := misplacedToken(t), foreignWord(begin.Value); {
	case instead != "":
		b.errorf(b.pos(begin), "%s is not known here; %s", begin.Value, instead)
	case message != "":
		b.errorf(b.pos(t), "%s", message)
	case begin.Type == lexer.Word && t.Type == lexer.Word:
		b.errorf(b.pos(t), "expected an operator such as .eq., not %s; to decide by a command write  %s try %s …",
			describe(t), first.Value, begin.Value)
	case t.Type == lexer.Redirect && foreignOperator(t.Value) != "":
		b.errorf(b.pos(t), "%s", foreignOperator(t.Value))
	default:
		b.errorf(b.pos(t), "expected an operator or the end of the line, not %s; to decide by a command write  %s try cmd",
			describe(t), first.Value)
	}
}

// following is the token after the first of a line.
func (b *builder) following(first *token) *token {
	i, _ := slices.BinarySearchFunc(b.tokens, first.Pos.Offset, func(t token, offset int) int { return t.Pos.Offset - offset })
	for i < len(b.tokens) && b.tokens[i].Pos.Offset <= first.Pos.Offset {
		i++
	}
	return &b.tokens[min(i, len(b.tokens)-1)]
}

// mayFollow is what may follow on the line of a statement that is complete.
func mayFollow(keyword string) string {
	switch keyword {
	case "for", "forany", "forall":
		return "more of the list or the end of the line"
	case "function":
		return "the end of the line (arguments are $1, $2 …)"
	case "return", "shift":
		return "one value"
	case "export", "local":
		return "one variable"
	case "source":
		return "one path"
	case "end":
		return "redirections or the end of the line"
	case "slots", "break", "continue":
		return "the end of the line"
	case "budget":
		return "at least N per minute, or the end of the line"
	case "breaker":
		return "probe every and a time, or the end of the line"
	}
	return "the end of the line; the group begins on the next one"
}

// nearest asks whether a word of a list was meant, if one is near.
func nearest(text string, known []string) string {
	if word := diag.Nearest(text, known); word != "" {
		return " (did you mean " + word + "?)"
	}
	return ""
}
