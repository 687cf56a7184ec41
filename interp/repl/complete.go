package repl

import (
	_ "embed"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/lexer"
)

// candidates returns what could be written at the end of a text, and the beginning of the word that it replaces.
func (s *shell) candidates(text string) (found []candidate, start int) {
	plain := func(string) style { return stylePlain }
	start, ok := newScan(text, plain).unfinishedWord()
	if !ok {
		return nil, len(text)
	}
	w := readWord(text[start:], s.Runner.Lookup)
	if w.command > 0 {
		found, inner := s.candidates(w.raw[w.command:])
		return found, start + w.command + inner
	}
	if name, refers := w.reference(); refers {
		found = s.variableCandidates(w, name)
	} else if !w.failed {
		found = s.candidatesAfter(newScan(text[:start], plain), w)
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return strings.Compare(a.shown, b.shown) })
	return slices.CompactFunc(found, func(a, b candidate) bool { return a.text == b.text }), start
}

// candidatesAfter are those for a word that stands after what was scanned.
func (s *shell) candidatesAfter(at *scan, w word) (found []candidate) {
	before := at.last
	switch at.place {
	case placeCommand:
		return s.commandCandidates(at, w)
	case placeHeader:
		if before.text == "via" {
			return plainCandidates(s.Runner.Resources(), w)
		}
		return plainCandidates(clauseWords(before), w)
	case placeNames:
		return plainCandidates(s.Runner.Variables(), w)
	case placeName:
		return s.nameCandidates(at, w)
	case placeValue:
		found = plainCandidates(valueWords(at), w)
		if (before.text == "if" || before.text == "while") && strings.HasPrefix(w.value, ".") {
			return found
		}
	default:
		var only bool
		if found, only = s.argumentCandidates(at, w); only {
			return found
		}
	}
	return append(found, s.fileCandidates(w, anyFile)...)
}

// plainCandidates makes candidates of those words that the word begins.
func plainCandidates(words []string, w word) []candidate {
	var found []candidate
	for _, text := range words {
		if w.bare && strings.HasPrefix(text, w.value) {
			found = append(found, candidate{text: text, shown: text, whole: true})
		}
	}
	return found
}

// commandCandidates are the commands and keywords that may stand at a place.
func (s *shell) commandCandidates(at *scan, w word) []candidate {
	if strings.Contains(w.value, "/") {
		return s.fileCandidates(w, func(path string) bool { _, err := s.Runner.Finder()(path); return err == nil })
	}
	found := plainCandidates(at.keywordsHere(), w)
	names := append(interp.Builtins(), s.Runner.Functions()...)
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(s.builtins)), maps.Keys(s.programsOnPath()))
	for _, name := range names {
		if strings.HasPrefix(name, w.value) && s.commandStyle(name) == styleCommand {
			text := name
			if name != "[" { // which is no pattern alone
				text = w.withLastSegment(name, true)
			}
			found = append(found, candidate{text: text, shown: name, whole: true})
		}
	}
	if w.value != "" && len(found) == 0 || strings.HasPrefix(w.value, "~") {
		found = append(found, s.fileCandidates(w, noFile)...)
	}
	return found
}

// nameCandidates returns what may stand where a name is expected. A value may follow the name that is exported or
// local.
func (s *shell) nameCandidates(at *scan, w word) (found []candidate) {
	switch before := at.last; {
	case before.kind == lexer.Word:
		if at.inLoopHeader() {
			found = plainCandidates([]string{"in"}, w)
		}
	case slices.Contains([]string{"for", "forany", "forall", "export", "local"}, before.text):
		found = plainCandidates(s.Runner.Variables(), w)
		for i := range found {
			found[i].whole = before.text != "export" && before.text != "local"
		}
	}
	return found
}

// argumentCandidates returns what may stand after a command, and whether nothing else may: no file.
func (s *shell) argumentCandidates(at *scan, w word) (found []candidate, only bool) {
	redirected := at.last.kind == lexer.Redirect
	switch {
	case redirected && isCapture(at.last.text), !redirected && (at.command == "unset" || at.command == "export"):
		return plainCandidates(s.Runner.Variables(), w), true
	case redirected:
		return nil, false
	case at.command == "cd":
		return s.fileCandidates(w, noFile), true
	case at.command == "help":
		return plainCandidates(s.Topics, w), true
	case at.command == "fg", at.command == "kill" && strings.HasPrefix(w.value, "%"):
		return s.stoppedOnes(w), true
	}
	found = s.askCompletion(at, w)
	return found, len(found) > 0 || strings.HasPrefix(w.value, "-")
}

// variableCandidates are those whose names begin so, after the $ that stands before.
func (s *shell) variableCandidates(w word, start string) (found []candidate) {
	names, closer := s.Runner.Variables(), ""
	if w.brace {
		names, closer = append(names, ast.DottedNames()...), "}"
	}
	for _, name := range names {
		if strings.HasPrefix(name, start) {
			text := w.raw[:len(w.raw)-len(start)] + name + closer
			found = append(found, candidate{text: text, shown: "$" + name})
		}
	}
	return found
}

// ready are the functions that complete the words of some commands, in the language itself.
//
//go:embed complete.ftsh
var ready string

// completePatience limits the time of a function that completes.
const completePatience = 2 * time.Second

// askCompletion asks what may stand after the command NAME: the function complete_NAME, the user's or a ready one, or
// else what other shells have for the program of that name.
func (s *shell) askCompletion(before *scan, w word) []candidate {
	name := path.Base(before.command)
	function := "complete_" + strings.Map(func(r rune) rune {
		if inWord(r) && r < 0x80 {
			return r
		}
		return '_'
	}, name)
	script := ready
	switch own, known := s.definesFunction(function), strings.Contains(ready, "\nfunction "+function+"\n"); {
	case own:
		script = ""
	case known:
	case s.isBuiltin(name) && name != "kill" || s.definesFunction(name):
		return nil
	default:
		function = "ask_others " + quoteWord(name)
	}
	script += "try\nword=" + quoteWord(w.value) + "\n" + function
	for _, raw := range before.words {
		script += " " + quoteWord(readWord(raw, s.Runner.Lookup).value)
	}
	apart, _ := s.runApart(script+" "+quoteWord(w.value)+"\nend -> _candidates 2> /dev/null\n", completePatience)
	list, _ := apart.Lookup("_candidates")
	return readAnswers(list, w)
}

// readAnswers makes candidates of what a function has printed.
func readAnswers(list string, w word) (found []candidate) {
	for line := range strings.Lines(list) {
		text, about, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		text = strings.TrimRight(text, " ")
		if strings.HasPrefix(text, w.value) && text != "" && text == diag.Visible(text) {
			open := strings.ContainsAny(text[len(text)-1:], "/=:")
			rest := w.withLastSegment(text[len(w.folder):], !open)
			about = diag.Visible(strings.TrimSpace(about))
			found = append(found, candidate{text: rest, shown: text, whole: !open, about: about})
		}
	}
	return found
}
