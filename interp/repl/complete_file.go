package repl

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// wish tells whether a file is wanted, or only leads to what is.
type wish uint8

const (
	isNot wish = iota
	isWanted
	leadsOn // a directory
)

func anyFile(path string) wish {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return leadsOn
	}
	return isWanted
}

func directory(path string) wish {
	if anyFile(path) == leadsOn {
		return leadsOn
	}
	return isNot
}

func programFile(path string) wish {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return isNot
	case info.IsDir():
		return leadsOn
	case info.Mode().IsRegular() && unix.Access(path, unix.X_OK) == nil:
		return isWanted
	}
	return isNot
}

// files are the files that a word begins.
func (s *shell) files(w word, wanted func(path string) wish) []candidate {
	if home, ok := s.tilde(w); ok {
		return home
	}
	folder := s.expandTilde(w)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(s.Runner.Directory(), folder)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var found []candidate
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, w.base()) || name[0] == '.' && !strings.HasPrefix(w.base(), ".") || !writable(name, w) {
			continue
		}
		switch wanted(filepath.Join(folder, name)) {
		case isWanted:
			found = append(found, candidate{text: w.guarded(name, true), shown: name, whole: true})
		case leadsOn:
			found = append(found, candidate{text: w.guarded(name, false) + "/", shown: name + "/"})
		}
	}
	return found
}

// guarded is a name as it is written, and no option: also where it needs quotes.
func (w word) guarded(name string, whole bool) string {
	text := w.quoted(name, whole)
	if strings.HasPrefix(text, "-") || w.raw == "" && strings.HasPrefix(name, "-") {
		return "./" + text
	}
	return text
}

// writable tells whether a name can be written in the quotes that are open: no
// invalid text; and between single quotes, where a backslash before a quote is
// not itself, no backslash.
func writable(name string, w word) bool {
	single := w.slashQuote == '\'' || w.quote == '\'' || strings.ContainsAny(name, "\n\t")
	for _, r := range name {
		if r < ' ' && r != '\n' && r != '\t' || r == rubout {
			return false
		}
	}
	return utf8.ValidString(name) && !(single && strings.Contains(name, `\`))
}

// expandTilde is the folder of a word, with the home directory for a ~ at its beginning.
func (s *shell) expandTilde(w word) string {
	if rest, ok := strings.CutPrefix(w.folder, "~/"); ok && w.raw[0] == '~' {
		if home, set := s.Runner.Lookup("HOME"); set {
			return filepath.Join(home, rest)
		}
	}
	return w.folder
}

// tilde completes a lone ~.
func (s *shell) tilde(w word) ([]candidate, bool) {
	if w.raw != "~" {
		return nil, false
	}
	return []candidate{{text: "~/", shown: "~/"}}, true
}
