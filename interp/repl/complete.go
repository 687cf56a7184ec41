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
	at := newScan(text, func(string) style { return stylePlain })
	start, ok := at.unfinishedWord()
	if !ok {
		return nil, len(text)
	}
	if open := openCommand(text[start:]); open > 0 {
		found, inner := s.candidates(text[start+open:])
		return found, start + open + inner
	}
	w := readWord(text[start:], s.Runner.Lookup)
	if name, ok := w.reference(); ok {
		return s.variableCandidates(w, name), start
	}
	if w.failed {
		return nil, start
	}
	before, place := at.tokenBefore(start)
	switch place {
	case placeCommand:
		found = s.commandCandidates(at, w)
	case placeHeader:
		found = plainCandidates(ifElse(before.text == "via", s.Runner.Resources(), clauseWords(before)), w)
	case placeNames:
		found = plainCandidates(s.Runner.Variables(), w)
	case placeName:
		found = s.nameCandidates(at, before, w)
	case placeValue:
		found = plainCandidates(valueWords(newScan(text[:start], at.kind), before), w)
		if tests := before.text == "if" || before.text == "while"; !tests || !strings.HasPrefix(w.value, ".") {
			found = append(found, s.fileCandidates(w, anyFile)...)
		}
	default:
		found = s.argumentCandidates(newScan(text[:start], at.kind), before, w)
	}
	return sortCandidates(found), start
}

// sortCandidates sorts candidates, and leaves out those that are there twice.
func sortCandidates(list []candidate) []candidate {
	slices.SortStableFunc(list, func(a, b candidate) int { return strings.Compare(a.shown, b.shown) })
	return slices.CompactFunc(list, func(a, b candidate) bool { return a.text == b.text })
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
			text := ifElse(name == "[", name, w.withLastSegment(name, true)) // alone it is no pattern
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
func (s *shell) nameCandidates(at *scan, before token, w word) []candidate {
	switch {
	case before.kind == lexer.Word:
		return plainCandidates(ifElse(at.inLoopHeader(), []string{"in"}, nil), w)
	case before.text == "for", before.text == "forany", before.text == "forall":
		return plainCandidates(s.Runner.Variables(), w)
	case before.text == "export", before.text == "local":
		found := plainCandidates(s.Runner.Variables(), w)
		for i := range found {
			found[i].whole = false
		}
		return found
	}
	return nil
}

// argumentCandidates returns what may stand after a command: mostly files.
func (s *shell) argumentCandidates(at *scan, before token, w word) []candidate {
	redirected := before.kind == lexer.Redirect
	switch {
	case redirected && isCapture(before.text), !redirected && (at.command == "unset" || at.command == "export"):
		return plainCandidates(s.Runner.Variables(), w)
	case redirected:
	case at.command == "cd":
		return s.fileCandidates(w, noFile)
	case at.command == "help":
		return plainCandidates(s.Topics, w)
	case at.command == "fg", at.command == "kill" && strings.HasPrefix(w.value, "%"):
		return s.stoppedOnes(w)
	default:
		if found := s.askCompletion(at, w); len(found) > 0 || strings.HasPrefix(w.value, "-") {
			return found
		}
	}
	return s.fileCandidates(w, anyFile)
}

// variableCandidates are those whose names begin so, after the $ that stands before.
func (s *shell) variableCandidates(w word, start string) []candidate {
	names, closer := s.Runner.Variables(), ""
	if w.brace {
		names, closer = append(names, ast.DottedNames()...), "}"
	}
	var found []candidate
	for _, name := range names {
		if strings.HasPrefix(name, start) {
			text := w.raw[:len(w.raw)-len(start)] + name + closer
			found = append(found, candidate{text: text, shown: "$" + name})
		}
	}
	return sortCandidates(found)
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
	letter := func(r rune) rune { return ifElse(inWord(r) && r < 0x80, r, '_') }
	function := "complete_" + strings.Map(letter, path.Base(before.command))
	own := s.definesFunction(function)
	if name := path.Base(before.command); !own && !strings.Contains(ready, "\nfunction "+function+"\n") {
		if s.isBuiltin(name) && name != "kill" || s.definesFunction(name) {
			return nil
		}
		function = "ask_others " + quoteWord(name)
	}
	script := ifElse(own, "", ready) + "try\nword=" + quoteWord(w.value) + "\n" + function
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
