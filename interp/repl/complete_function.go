package repl

import (
	_ "embed"
	"path"
	"strings"
	"time"
)

// ready are the functions that complete the words of some commands, in the
// language itself.
//
//go:embed complete.ftsh
var ready string

// completePatience is how long a function that completes may take.
const completePatience = 2 * time.Second

// asked asks the function complete_NAME, the user's or a ready one, what may stand
// after the command NAME; none if there is no such function.
func (s *shell) asked(before *scan, w word) []candidate {
	function := "complete_" + strings.Map(func(r rune) rune {
		if inWord(r) && r < 0x80 {
			return r
		}
		return '_'
	}, path.Base(before.command))
	script := ""
	if !s.defines(function) {
		script = ready
		if !strings.Contains(ready, "\nfunction "+function+"\n") {
			return nil
		}
	}
	script += "try\nword=" + quoted(w.value) + "\n" + function
	for _, raw := range before.words {
		script += " " + quoted(readWord(raw, s.Runner.Lookup).value)
	}
	apart, _ := s.runApart(script+" "+quoted(w.value)+"\nend -> _candidates 2> /dev/null\n", completePatience)
	list, _ := apart.Lookup("_candidates")
	return answered(list, w)
}

// answered makes candidates of what a function has printed.
func answered(list string, w word) (found []candidate) {
	for line := range strings.Lines(list) {
		text, about, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(text, w.value) && text != "" && text == printable(text) {
			open := strings.HasSuffix(text, "/") || strings.HasSuffix(text, "=")
			rest := w.quoted(text[len(w.folder):], !open)
			found = append(found, candidate{text: rest, shown: text, whole: !open, about: printable(strings.TrimSpace(about))})
		}
	}
	return found
}
