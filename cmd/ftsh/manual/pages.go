package manual

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.md index.txt
var files embed.FS

// readIndex returns the lines of a part of index.txt. "pages" has sections in brackets and the names of their pages,
// those to begin with marked by *. "keywords" has those of the language, and "words" those of other shells, or that a
// page was called by: pages, the best first, a colon, and what leads there, divided by commas.
func readIndex(part string) []string {
	text, _ := files.ReadFile("index.txt") // what is embedded can be read
	_, lines, _ := strings.Cut(string(text), "[["+part+"]]\n\n")
	lines, _, _ = strings.Cut(lines, "\n\n[[")
	return strings.Split(strings.TrimSpace(lines), "\n")
}

// pagesFor lists the pages to which a word leads in a part of the index.
func pagesFor(part, word string) []string {
	for _, line := range readIndex(part) {
		pages, words, _ := strings.Cut(line, ": ")
		if slices.Contains(strings.Split(words, ", "), word) {
			return strings.Fields(pages)
		}
	}
	return nil
}

// List is the names of all pages with their titles, in sections, and in the order in which they are best read. A *
// marks those to begin with.
func List() string {
	var list strings.Builder
	for _, line := range readIndex("pages") {
		topic := strings.TrimPrefix(line, "* ")
		if line == "" || line[0] == '[' {
			list.WriteString(strings.Trim(line, "[]") + "\n")
			continue
		}
		fmt.Fprintf(&list, "%-2s%-14s %s\n", strings.TrimSuffix(line, topic), topic, Title(topic))
	}
	return list.String()
}

// Topics lists the names of the pages in alphabetical order.
func Topics() (topics []string) {
	for _, line := range readIndex("pages") {
		if line != "" && line[0] != '[' {
			topics = append(topics, strings.TrimPrefix(line, "* "))
		}
	}
	slices.Sort(topics)
	return topics
}

// TopicOf returns the page of a keyword of the language, "" for any other word.
func TopicOf(keyword string) string { return strings.Join(pagesFor("keywords", keyword), "") }

// otherwise lists the pages to read for a word of other shells and programs, or for a former name of a page, the best
// first.
func otherwise(word string) []string {
	word = strings.ToLower(word)
	if pages := pagesFor("words", word); pages != nil {
		return pages
	}
	return pagesFor("words", strings.TrimSuffix(word, "s"))
}

// Page returns a page in Markdown: the one of that name or, where there is none, the best for that word.
func Page(topic string) (text string, found bool) {
	for _, name := range append([]string{topic, TopicOf(topic)}, otherwise(topic)...) {
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
