package parser

import (
	"slices"
	"strconv"
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

// noteHabit notes a command that is no builtin as it is written, as few are; t is its first token.
func (b *builder) noteHabit(t *token, c *ast.Command) {
	words := c.Words
	if len(words) == 0 {
		return
	}
	name := "" // of a program, after a redirection
	if t.Type == lexer.Word {
		name = t.Value
	}
	if i := strings.Index(name, "+="); i > 0 && ast.IsName(name[:i]) {
		b.errorf(b.posOf(t), "+= is not known here; write  %[1]s=$%[1]s…", name[:i])
	}
	if text, literal := words[0].Literal(); literal && (text == "exit" || text == "giveup" || text == "umask") {
		name = text // these mean the same in quotes, and anywhere
	}
	message := ""
	switch {
	case (name == "exit" || name == "giveup") && b.around.finally:
		message = leavesFinally(name)
	case name == "umask":
		message = b.misplacedUmask(words[1:])
	case name == "set":
		message = foreignSet(words[1:])
	case name == "read":
		message = b.readNames(words[1:])
	case name == "exec" && len(words) == 1 && len(c.Redirects) > 0:
		message = "exec redirects nothing by itself here; run the whole script with  ftsh FILE > log, " +
			"or put the lines into a block that is redirected:  try … end > log"
	case b.config.Interactive && (name == "fg" || name == "jobs"):
	case b.config.Interactive && name == "bg":
		message = "bg is not known here, as nothing runs in the background; write  fg  to go on with what is stopped, " +
			"or  forall … end  to run commands at the same time"
	default:
		if instead := foreignWord(name); instead != "" {
			message = name + " is not known here; " + instead
		}
	}
	if message != "" {
		b.noteForeign(habit{word: name, message: message}, words[0].Pos)
	}
}

// noteForeign notes a command that is an error unless the script has a function of its name.
func (b *builder) noteForeign(command habit, pos ast.Pos) {
	i := slices.IndexFunc(b.habits, func(h habit) bool { return h.word == command.word && h.message == command.message })
	if i < 0 {
		i = len(b.habits)
		b.program.habits = append(b.program.habits, command)
	}
	if h := &b.habits[i]; len(h.places) < maxErrors {
		h.places = append(h.places, pos)
		h.cut = b.atEnd(b.peekToken())
	}
}

// misplacedUmask is the message about an umask that stands elsewhere than at the top level, or has no mode.
func (b *builder) misplacedUmask(words []*ast.Word) string {
	top := b.depth == 0 || b.depth == 1 && b.starting
	if !top || !b.atStatement || b.peekToken().Type == lexer.Bar {
		return "umask concerns all files and programs from then on; it stands at the top level of a script, or in on start"
	}
	mode, literal := "", false
	if len(words) == 1 {
		mode, literal = words[0].Literal()
	}
	if n, err := strconv.ParseUint(mode, 8, 32); len(words) != 1 || literal && (err != nil || n > 0o777) {
		return "umask takes a mode in octal digits, such as 027"
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
	return "set only replaces the arguments here; write  set -- word …  " +
		"(the first failure always stops the script, and a variable is set by  name=value)"
}

// readNames makes variables of the names after `read`, and says what else stands there.
func (b *builder) readNames(words []*ast.Word) string {
	for i := 0; i < len(words); i++ {
		name, literal := words[i].Literal()
		switch {
		case i == 0 && name == "-s":
			i++
		case ast.IsName(name):
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

// foreignWord says what to write instead of a word at the beginning of a command;
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
		return "write  while .not. …  or  while not try cmd, or try for …  to repeat a command until it succeeds"
	case "select":
		return "write  if … else if … end, or  case … when … end"
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
	case "ulimit":
		return "it would concern the shell alone; write  sh -c '" + word + " …; exec cmd'"
	case "alias", "unalias":
		return "write  function name … end"
	case "getopts":
		return "look at $1 and drop it with shift"
	case "type", "command", "hash":
		return "write  sh -c 'command -v name' -> path"
	case "!":
		return "write  if not try cmd"
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
	case assigned && ast.IsName(name):
		b.errorf(b.posOf(t), "an assignment cannot stand here, only a command; "+
			"to set a variable for one command write  env %s cmd", t.Value)
	case ast.IsKeyword(t.Value):
		b.errorf(b.posOf(t), "%s cannot stand here, only a command; quote it if it is a program", t.Value)
	}
}

// noBlock reports a stage of a pipeline that is no simple command.
func (b *builder) noBlock(t *token) {
	switch t.Value {
	case "for", "forany", "forall", "function", "if", "try", "while":
		if t.Type == lexer.Word {
			b.unopened++
			b.errorf(b.posOf(t), "a block is no stage of a pipeline; give it its input at its end,  end < file  or  "+
				"end -< name, or put it into a function, and call that as the last stage")
		}
	default:
		b.onlyCommand(t)
	}
}

// nearestWord asks whether a word of a list was meant, if one is near.
func nearestWord(text string, known []string) string {
	if word := diag.Nearest(text, known); word != "" {
		return " (did you mean " + word + "?)"
	}
	return ""
}
