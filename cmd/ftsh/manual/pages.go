package manual

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

//go:embed *.md index.txt
var files embed.FS

// whole is the page that has everything and comes last: it is not for learning from.
const whole = "reference"

// Section is a part of the manual.
type Section struct {
	Title  string
	Topics []string // in reading order
}

// index is what index.txt says of the pages.
type index struct {
	sections []Section
	first    []string            // the pages to begin with
	keywords map[string][]string // the page of each keyword of the language
	words    map[string][]string // the pages for a word of other shells, or one that a page was called by; the best first
}

// readIndex reads index.txt: sections in brackets, a page a line, marked by * if it is to be read first; then for
// keywords and for words lines of pages, a colon, and what leads there, divided by commas.
var readIndex = sync.OnceValue(func() index {
	text, _ := files.ReadFile("index.txt") // what is embedded can be read
	x := index{keywords: map[string][]string{}, words: map[string][]string{}}
	into := map[string]map[string][]string{"keywords": x.keywords, "words": x.words}
	var title string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		pages, words, _ := strings.Cut(line, ": ")
		switch {
		case line == "":
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			title = strings.Trim(line, "[]")
			if into[title] == nil {
				x.sections = append(x.sections, Section{Title: title})
			}
		case into[title] != nil:
			for _, word := range strings.Split(words, ", ") {
				into[title][word] = strings.Fields(pages)
			}
		default:
			topic, isFirst := strings.CutPrefix(line, "* ")
			if isFirst {
				x.first = append(x.first, topic)
			}
			last := &x.sections[len(x.sections)-1]
			last.Topics = append(last.Topics, topic)
		}
	}
	return x
})

// Sections lists all pages in the order in which they are best read.
func Sections() []Section { return readIndex().sections }

// ReadFirst lists the pages to begin with.
func ReadFirst() []string { return readIndex().first }

// Topics lists the names of the pages in alphabetical order.
func Topics() []string {
	var topics []string
	for _, section := range Sections() {
		topics = append(topics, section.Topics...)
	}
	slices.Sort(topics)
	return topics
}

// TopicOf returns the page of a keyword of the language, "" for any other word.
func TopicOf(keyword string) string {
	if pages := readIndex().keywords[keyword]; pages != nil {
		return pages[0]
	}
	return ""
}

// pagesFor lists the pages to read for a word of other shells and programs, or for a former name of a page, the best
// first.
func pagesFor(word string) []string {
	word, words := strings.ToLower(word), readIndex().words
	if pages := words[word]; pages != nil {
		return pages
	}
	return words[strings.TrimSuffix(word, "s")]
}

// Page returns a page in Markdown: the one of that name or, where there is none, the best for that word.
func Page(topic string) (text string, found bool) {
	for _, name := range append([]string{topic, TopicOf(topic)}, pagesFor(topic)...) {
		if bytes, err := files.ReadFile(name + ".md"); err == nil {
			return string(bytes), true
		}
	}
	return "", false
}

// Title returns the first heading of a page, without the marks of Markdown.
func Title(topic string) string {
	text, _ := Page(topic)
	title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return plain(title)
}
