package check

import (
	"path"
	"slices"
	"strings"
	"sync"

	"ftsh/ast"
)

// carriers are programs that hand a command to another host, container or shell.
var carriers = sync.OnceValue(func() map[string]carrier {
	return map[string]carrier{
		"docker": {verb: "exec", wrapper: wrapper{valued: []string{"-e", "-u", "-w", "--env", "--user", "--workdir"},
			operands: 2}},
		"podman": {verb: "exec", wrapper: wrapper{valued: []string{"-e", "-u", "-w", "--env", "--user", "--workdir"},
			operands: 2}},
		"kubectl": {verb: "exec", dashes: true},
		"ssh": {text: true, wrapper: wrapper{operands: 1,
			valued: strings.Fields("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")}},
		"xargs": {wrapper: wrapper{valued: strings.Fields("-a -d -E -I -L -n -P -s")}},
	}
})

// carrier says where the command that is handed on begins.
type carrier struct {
	verb    string // that must be its first operand
	dashes  bool   // the command stands behind --
	text    bool   // a shell reads it there
	wrapper wrapper
}

// shellNames are the shells whose -c is read.
var shellNames = []string{"sh", "bash", "dash", "ksh", "zsh", "ash"}

// shellText is a text that another shell reads.
type shellText struct {
	pieces []piece
	word   *ast.Word // in which it stands
	fails  bool      // -e is given: a command that fails ends it
	piped  bool      // and pipefail
}

// piece is a simple command of such a text, and the operator behind it.
type piece struct {
	words []string
	next  string // "|", ";", "&&", "||", "&" or ""
}

// readHanded reads what a program hands on, as far as it is written out.
func (s *script) readHanded(c at[*ast.Command], t tool) {
	if slices.Contains(shellNames, t.name) {
		s.readShell(c, t)
		return
	}
	k, carries := carriers()[t.name]
	if !carries || k.verb != "" && !slices.Contains(t.arguments(), k.verb) {
		if i := shellWithin(t.list); i > 0 {
			s.readShell(c, tool{list: t.list[i:]})
		}
		return
	}
	rest := k.wrapper.wrappedWords(t.list[1:])
	if k.dashes {
		rest = nil
		if i := slices.IndexFunc(t.list, func(w *ast.Word) bool { return shapeOf(w) == "--" }); i >= 0 {
			rest = t.list[i+1:]
		}
	}
	switch {
	case len(rest) == 0:
	case k.text && len(rest) == 1:
		s.addText(c, rest[0], shellText{})
	default:
		inner := &ast.Command{Pos: c.node.Pos, Words: rest}
		s.handed = append(s.handed, at[*ast.Command]{inner, c.in})
		s.readHanded(c, s.toolOf(inner))
	}
}

// shellWithin returns where a shell with -c stands among the words of a program that runs it; 0: there is none.
func shellWithin(list []*ast.Word) int {
	for i := 1; i+2 < len(list); i++ {
		name, _ := list[i].Literal()
		option, _ := list[i+1].Literal()
		if slices.Contains(shellNames, path.Base(name)) && strings.HasPrefix(option, "-") && strings.HasSuffix(option, "c") {
			return i
		}
	}
	return 0
}

// readShell reads the text behind -c.
func (s *script) readShell(c at[*ast.Command], t tool) {
	text := shellText{}
	for i, arg := range t.arguments() {
		switch {
		case arg == "pipefail":
			text.piped = true
		case !strings.HasPrefix(arg, "-") || len(arg) < 2 || arg[1] == '-':
			return
		default:
			text.fails = text.fails || strings.Contains(arg, "e")
			if strings.Contains(arg, "c") && i+2 < len(t.list) {
				s.addText(c, t.list[i+2], text)
				return
			}
		}
	}
}

// addText reads a text that a shell gets. One with structures is not understood.
func (s *script) addText(c at[*ast.Command], w *ast.Word, text shellText) {
	pieces, plain := readPieces(shapeOf(w))
	if !plain {
		return
	}
	text.pieces, text.word = pieces, w
	s.texts = append(s.texts, text)
	for i := range pieces {
		inner := text.command(i)
		handed := at[*ast.Command]{inner, c.in}
		s.handed = append(s.handed, handed)
		s.readHanded(handed, s.toolOf(inner))
	}
}

// command is a simple command of the text.
func (t shellText) command(i int) *ast.Command {
	c := &ast.Command{Pos: t.word.Pos}
	for _, word := range t.pieces[i].words {
		c.Words = append(c.Words, withReferences(word, t.word))
	}
	return c
}

// withReferences makes a word of a piece of a shape, with the references that stood there in the word.
func withReferences(shape string, from *ast.Word) *ast.Word {
	w := &ast.Word{Pos: from.Pos}
	for shape != "" {
		i := slices.IndexFunc(from.Parts, func(part ast.Part) bool {
			ref, ok := part.(*ast.Ref)
			return ok && ref.Default == nil && strings.HasPrefix(shape, "\x00"+ref.Name+"\x00")
		})
		if i >= 0 {
			w.Parts = append(w.Parts, from.Parts[i])
			shape = shape[len(from.Parts[i].(*ast.Ref).Name)+2:]
			continue
		}
		n := strings.IndexByte(shape[1:], 0) + 1
		if n == 0 {
			n = len(shape)
		}
		w.Parts = append(w.Parts, &ast.Lit{Text: shape[:n]})
		shape = shape[n:]
	}
	return w
}

// readPieces splits a text of another shell into its simple commands; plain is false if there is more in it.
func readPieces(text string) (list []piece, plain bool) {
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	endPiece := func(next string) {
		if endWord(); len(words) > 0 {
			list = append(list, piece{words, next})
			words = nil
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			inWord = true
		case c == '$' && nestedLength(text[i+1:]) > 0, strings.HasPrefix(text[i:], "{}"):
			n := max(nestedLength(text[i+1:]), 1)
			word.WriteString(text[i : i+1+n])
			i += n
			inWord = true
		case strings.IndexByte("(){}`", c) >= 0:
			return nil, false
		case c == '&' && (strings.HasSuffix(word.String(), ">") || strings.HasPrefix(text[i:], "&>")):
			word.WriteByte(c) // 2>&1, &> file
			inWord = true
		case strings.HasPrefix(text[i:], "||"), strings.HasPrefix(text[i:], "&&"):
			endPiece(text[i : i+2])
			i++
		case c == '|' || c == '&':
			endPiece(text[i : i+1])
		case c == ';' || c == '\n':
			endPiece(";")
		case c == ' ' || c == '\t':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endPiece("")
	return list, quote == 0 && !slices.ContainsFunc(list, isStructure)
}

// nestedLength is the length of what stands in parentheses or braces at the beginning of a text; 0: there is nothing.
func nestedLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		if depth == 0 {
			break
		}
	}
	return 0
}

// isStructure reports whether a piece begins with a keyword, or goes on behind a comment.
func isStructure(p piece) bool {
	const keywords = "if then else elif fi for while until do done case esac function ! [["
	return slices.Contains(strings.Fields(keywords), p.words[0]) || strings.HasPrefix(p.words[0], "#")
}

// isHarmless reports whether it does not matter that a piece fails, or nobody wants to know.
func isHarmless(p piece) bool {
	name := path.Base(p.words[0])
	if slices.Contains(p.words, "2>/dev/null") {
		return true
	}
	return strings.Contains(name, "=") || slices.Contains(strings.Fields(
		"echo printf true false : sleep set export unset umask ulimit trap exit return kill wait exec read test [ pwd date "+
			"shift local readonly shopt source . logger yes"), name)
}

// findHiddenFailures looks for commands of other shells whose failure nobody learns of.
func findHiddenFailures(s *script) {
	for _, t := range s.texts {
		if len(t.pieces) > 0 && saysOutcome(t.pieces[len(t.pieces)-1]) {
			continue
		}
		fails, piped, before := t.fails, t.piped, ""
		for i, p := range t.pieces {
			if p.words[0] == "set" {
				piped = piped || slices.Contains(p.words, "pipefail")
				fails = fails || slices.ContainsFunc(p.words, func(w string) bool {
					return strings.HasPrefix(w, "-") && strings.Contains(w, "e")
				})
			}
			hides := p.next == "|" && !piped || p.next == ";" && !fails && before != "||"
			if before = p.next; !hides || i == len(t.pieces)-1 || isHarmless(p) || asksStatus(t.pieces[i+1]) {
				continue
			}
			if p.next == "|" {
				s.addFinding(t.word.Pos,
					"if "+visibleName(p)+" fails, nobody learns of it: the status of the pipe is that of its end",
					"write the pipe as one of this shell, which fails if any of its commands does")
			} else {
				s.addFinding(t.word.Pos, "if "+visibleName(p)+" fails, that shell goes on, and nobody learns of it",
					"write each command on a line of its own, or set -e; at the beginning")
			}
			break
		}
	}
}

// saysOutcome reports whether a piece at the end says how the text ends, whatever happened before.
func saysOutcome(p piece) bool {
	return slices.Contains([]string{"exit", "true", ":", "false"}, p.words[0])
}

// asksStatus reports whether a piece looks at how the one before has ended.
func asksStatus(p piece) bool {
	return slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(w, "$?") })
}

// visibleName is the program of a piece.
func visibleName(p piece) string {
	if strings.Contains(p.words[0], "\x00") {
		return "a command"
	}
	return p.words[0]
}
