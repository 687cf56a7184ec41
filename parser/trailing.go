package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// Errors of lines that go on where they could have ended.

// reportTrailing reports what follows on a line that was complete before it.
func (b *builder) reportTrailing(f *fault, first *token) {
	t := &f.token
	pos := b.posOf(t)
	switch first.Value {
	case "case":
		if t.Value == "in" {
			b.errorf(pos, "in is not written after the value of a case; the next line is  when PATTERN …")
			return
		}
	case "if", "while", "else if":
		if first.Type == lexer.Keyword {
			b.afterTest(t, first)
			return
		}
	case "export", "local":
		if b.declarationOption(t, first) {
			return
		}
		if name := b.following(first); first.Type == lexer.Keyword && t.Value == "=" {
			b.errorf(pos, "no blanks may stand around the =; write  %s %s=value", first.Value, name.Value)
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
			quoteSource(t.Value), b.textBetween(first, t))
	case first.Type == lexer.Assign:
		b.errorf(pos, "an assignment has no output; to keep that of a command write  cmd -> %s", first.Value)
	case first.Value == "end" && t.Type == lexer.Bar:
		b.errorf(pos, "a block is no stage of a pipeline; "+
			"send its output to a variable,  end -> name, and read that with  -< name")
	case first.Value == "function" && first.Type == lexer.Keyword && t.Value == "{":
		b.errorf(pos, "{ is not known here; the group of a function begins on the next line, and ends with  end")
	case first.Type == lexer.Keyword:
		b.errorf(pos, "expected %s, not %s", mayFollow(first.Value), describeToken(t))
	default:
		b.errorf(pos, "unexpected %s", describeToken(t))
	}
}

// declarationOption reports an option of an export or a local, if there is one before a token.
func (b *builder) declarationOption(t, first *token) bool {
	option := b.following(first)
	if first.Type != lexer.Keyword || option == t || !strings.HasPrefix(option.Value, "-") {
		return false
	}
	b.errorf(b.posOf(option), "%s takes no option %s here; write  %[1]s name=value", first.Value, option.Value)
	return true
}

// textBetween is the text of a line from one token to the end of another, if it is short.
func (b *builder) textBetween(first, last *token) string {
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
		b.errorf(b.posOf(begin), "%s takes an expression, such as  $a .eq. b  or  .exists. file, "+
			"or  try  and a command; %s is not known here", first.Value, begin.Value)
		return
	case "!":
		b.errorf(b.posOf(begin), "! is no operator; write .not. before an expression, or  %s not try cmd", first.Value)
		return
	case "not":
		b.errorf(b.posOf(begin), "not is no operator; write .not. before an expression, or  %s not try cmd", first.Value)
		return
	case ".not.":
		if next := b.following(begin); next.Value == "try" {
			b.errorf(b.posOf(begin), ".not. stands before an expression; before a command write  %s not try cmd", first.Value)
			return
		}
	}
	switch message, instead := misplacedToken(t), foreignWord(begin.Value); {
	case begin.Type == lexer.Word && t.Type == lexer.Word && foreignTest(begin.Value, t.Value) != "":
		b.errorf(b.posOf(begin), "%s is not known here; write  %s %s, or  %[2]s try test %[1]s …",
			begin.Value, first.Value, foreignTest(begin.Value, t.Value))
	case instead != "":
		b.errorf(b.posOf(begin), "%s is not known here; %s", begin.Value, instead)
	case message != "":
		b.errorf(b.posOf(t), "%s", message)
	case t.Type == lexer.Word && undottedOperator(t.Value) != "":
		b.errorf(b.posOf(t), "%s is no operator; write %s", t.Value, undottedOperator(t.Value))
	case begin.Type == lexer.Word && t.Type == lexer.Word:
		b.errorf(b.posOf(t), "expected an operator such as .eq., not %s; to decide by a command write  %s try %s …",
			describeToken(t), first.Value, commandMeant(begin.Value))
	case t.Type == lexer.Redirect && foreignOperator(t.Value) != "":
		b.errorf(b.posOf(t), "%s", foreignOperator(t.Value))
	default:
		b.errorf(b.posOf(t), "expected an operator or the end of the line, not %s; to decide by a command write  %s try cmd",
			describeToken(t), first.Value)
	}
}

// undottedOperator is the operator whose dots a word lacks, as eq and .eq do; "" if there is none.
func undottedOperator(word string) string {
	if operator := "." + strings.Trim(word, ".") + "."; slices.Contains(ast.Operators(), operator) {
		return operator
	}
	return ""
}

// commandMeant is the command that a word after an if was probably meant for: of an option, test.
func commandMeant(word string) string {
	if strings.HasPrefix(word, "-") {
		return "test " + word
	}
	return word
}

// foreignTest returns what to write instead of a test of other shells, such as -f x; "" if it is none.
func foreignTest(option, operand string) string {
	switch option {
	case "-e", "-a":
		return ".exists. " + operand
	case "-f":
		return ".isfile. " + operand
	case "-d":
		return ".isdir. " + operand
	case "-r", "-w", "-x":
		return ".is" + option[1:] + ". " + operand
	case "-h", "-L":
		return ".islink. " + operand
	case "-b":
		return ".isblock. " + operand
	case "-c":
		return ".ischar. " + operand
	case "-p":
		return ".ispipe. " + operand
	case "-S":
		return ".issock. " + operand
	case "-v":
		return ".defined. " + operand
	case "-z":
		return operand + ` .eq. ""`
	case "-n":
		return operand + ` .ne. ""`
	}
	return ""
}

// following is the token after the first of a line.
func (b *builder) following(first *token) *token {
	i, _ := slices.BinarySearchFunc(b.tokens, first.Pos.Offset, func(t token, offset int) int {
		return t.Pos.Offset - offset
	})
	for i < len(b.tokens) && b.tokens[i].Pos.Offset <= first.Pos.Offset {
		i++
	}
	return &b.tokens[min(i, len(b.tokens)-1)]
}

// mayFollow describes what may follow a complete statement on its line.
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
	case "secret":
		return "names of variables"
	case "source":
		return "one path"
	case "end":
		return "redirections or the end of the line"
	case "slots", "break", "continue":
		return "the end of the line"
	case "case":
		return "the end of the line; the first when stands on the next one"
	case "when":
		return "patterns and the end of the line"
	case "budget":
		return "at least N per minute, or the end of the line"
	case "breaker":
		return "probe every and a time, or the end of the line"
	}
	return "the end of the line; the group begins on the next one"
}
