package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftsh/manual"
	"ftsh/interp"
	"ftsh/interp/event"
)

// How long a page and a section of it may be, in lines, and how wide their text, in characters. Tables and
// code may be wider.
const (
	mostLines   = 420
	mostSection = 110
	mostWidth   = 80
)

// How many words, as wc counts them, a page and all pages together may have. The reference counts for itself.
const (
	mostPageWords = 2_400
	mostWords     = 36_000
)

// named finds where a page is named.
var named = regexp.MustCompile(`--manual\s+([a-z][a-z-]*)`)

// opening matches the beginning of a page: its title, and a sentence, no example, table or section.
var opening = regexp.MustCompile("^# .*\n\n(`[^`]|\\pL)")

// TestManualPages wants each page to have a title, a bearable size, and references to other pages that exist.
func TestManualPages(t *testing.T) {
	for _, path := range manualPages(t) {
		text := readPage(t, path)
		title, _, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(title, "# ") || utf8.RuneCountInString(title) > 62 {
			t.Errorf("%s: the first line is no title of at most 60 characters: %q", path, title)
		}
		if filepath.Base(path) != "README.md" && !opening.MatchString(text) {
			t.Errorf("%s does not say in its first sentence what one can do with it", path)
		}
		if base := filepath.Base(path); base != "README.md" && base != referencePage {
			checkSize(t, path, text)
		}
		for _, topic := range named.FindAllStringSubmatch(strings.Join(prose(text), "\n"), -1) {
			if topic[1]+".md" == filepath.Base(path) {
				t.Errorf("%s sends its reader to itself", path)
			}
		}
	}
}

// TestManualIsShort counts the words of the pages.
func TestManualIsShort(t *testing.T) {
	sum := 0
	for _, path := range manualPages(t) {
		if base := filepath.Base(path); base == "README.md" || base == referencePage {
			continue
		}
		words := len(strings.Fields(readPage(t, path)))
		if words > mostPageWords {
			t.Errorf("%s has %d words, more than %d", path, words, mostPageWords)
		}
		sum += words
	}
	if sum > mostWords {
		t.Errorf("the manual has %d words, more than %d", sum, mostWords)
	}
}

// TestManualNamesPages wants all that names a page, be it a page, a message, a help text or a comment, to name one
// that is there, by the name that it has today.
func TestManualNamesPages(t *testing.T) {
	topics := manual.Topics()
	count := 0
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".md", ".ftsh", ".spec"}, filepath.Ext(path)) {
			return err
		}
		for _, topic := range named.FindAllStringSubmatch(readPage(t, path), -1) {
			count++
			// which types a part of a name
			if !slices.Contains(topics, topic[1]) && filepath.Base(path) != "completion_test.go" {
				t.Errorf("%s: there is no page %s", path, topic[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Errorf("pages are named %d times only: the test looks in the wrong place", count)
	}
}

// checkSize wants a page to fit a terminal and a reader's patience.
func checkSize(t *testing.T, path, text string) {
	t.Helper()
	if n := strings.Count(text, "\n"); n > mostLines {
		t.Errorf("%s has %d lines, at most %d are wanted", path, n, mostLines)
	}
	for section := range strings.SplitSeq(text, "\n## ") {
		if n := strings.Count(section, "\n"); n > mostSection {
			title, _, _ := strings.Cut(section, "\n")
			t.Errorf("%s: the section %q has %d lines, at most %d are wanted", path, title, n, mostSection)
		}
	}
	for n, line := range prose(text) {
		if utf8.RuneCountInString(line) > mostWidth {
			t.Errorf("%s:%d: wider than %d characters", path, n+1, mostWidth)
		}
	}
}

// prose is the lines of a page, empty where there is a table or code.
func prose(text string) []string {
	lines, code := strings.Split(text, "\n"), false
	for n, line := range lines {
		fence := strings.HasPrefix(line, "```")
		if fence {
			code = !code
		}
		if code || fence || strings.HasPrefix(line, "|") {
			lines[n] = ""
		}
	}
	return lines
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestManualIsComplete wants everything that has a name to be told of.
func TestManualIsComplete(t *testing.T) {
	var whole strings.Builder
	for _, path := range manualPages(t) {
		if filepath.Base(path) != referencePage { // which has it all, and is not for learning from
			whole.WriteString(readPage(t, path))
		}
	}
	for what, words := range map[string][]string{
		"builtin":              builtins(t),
		"keyword":              keywords,
		"option":               optionsOfHelp(),
		"environment variable": variablesInSource(t),
		"policy":               backoff.Policies(),
		"kind of failure":      kinds,
		"reason":               reasons,
		"value of the shell":   dotted(),
		"operator":             ast.Operators(),
		"redirection":          redirections(),
	} {
		if len(words) == 0 {
			t.Errorf("no %s is known to the test", what)
		}
		for _, word := range words {
			if !mentions(whole.String(), word) {
				t.Errorf("the manual does not mention the %s %s", what, word)
			}
		}
	}
}

// TestManualHasClauses holds that the page of try has each clause of its first line in the table.
func TestManualHasClauses(t *testing.T) {
	page := readPage(t, "manual/try.md")
	for _, clause := range ast.Clauses() {
		if !strings.Contains(page, "`"+clause+" ") {
			t.Errorf("try.md lacks the clause %s", clause)
		}
	}
}

// mentions reports whether a word stands in a text, not as a part of another.
func mentions(text, word string) bool {
	symbol := strings.Trim(word, "<>=&-") == ""
	for {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if symbol || !partOfWord(last) && last != '.' && !partOfWord(next) {
			return true
		}
		text = after
	}
}

func partOfWord(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

var keywords = strings.Fields(`try catch finally verify end for forany forall in while if else function return shift
	resource on sense local export secret source times time or each every backoff from to by jitter only except unknown
	matching via key ms s m h d milliseconds seconds minutes hours days`)

// builtins are all of them, as the interpreter's switch has them.
func builtins(t *testing.T) []string {
	t.Helper()
	source := readPage(t, "../../interp/builtin.go")
	_, list, _ := strings.Cut(source, "func builtin(name string)")
	list, _, _ = strings.Cut(list, "\n}\n")
	var names []string
	for _, quoted := range regexp.MustCompile(`"([a-z]+)"`).FindAllStringSubmatch(list, -1) {
		names = append(names, quoted[1])
		if !interp.IsBuiltin(quoted[1]) {
			t.Errorf("%s is no builtin", quoted[1])
		}
	}
	return names
}

func optionsOfHelp() (names []string) {
	for _, found := range regexp.MustCompile(`(?m)(?:^ +|, )(-[a-zA-Z]|--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		names = append(names, found[1])
	}
	return names
}

// variablesInSource are the variables of the environment that the shell's source names.
func variablesInSource(t *testing.T) []string {
	t.Helper()
	var names []string
	name := regexp.MustCompile(`"(FTSH_[A-Z_]+[A-Z])`)
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, found := range name.FindAllStringSubmatch(readPage(t, path), -1) {
			names = append(names, found[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var kinds = []string{
	string(interp.KindExit), string(interp.KindSignal), string(interp.KindMissing), string(interp.KindSystem),
	string(interp.KindTimeout),
	string(interp.KindCancelled), string(interp.KindRedirect), string(interp.KindFailure), string(interp.KindError),
}

var reasons = []string{
	string(backoff.Attempts), string(backoff.Deadline), string(backoff.Giveup), string(backoff.Rejected),
	string(backoff.Unknown), string(backoff.Budget), string(backoff.Breaker), string(backoff.Cancelled),
}

func dotted() (names []string) {
	for _, name := range ast.DottedNames() {
		names = append(names, "${"+name+"}")
	}
	return names
}

func redirections() (names []string) {
	for op := ast.In; op <= ast.HereTabs; op++ {
		names = append(names, op.String())
	}
	return names
}

// TestEventsInManual wants the page on logging to have a row for each event, with its level.
func TestEventsInManual(t *testing.T) {
	page := readPage(t, "manual/logging.md")
	for k := event.Kind(1); k.String() != "unknown"; k++ {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\|[^|]*`%s`[^|]*\\| %d \\|", regexp.QuoteMeta(k.String()), k.Level()))
		if !row.MatchString(page) {
			t.Errorf("logging.md has no row for the event %s of level %d", k, k.Level())
		}
	}
}
