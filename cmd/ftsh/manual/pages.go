package manual

import (
	"embed"
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
)

//go:embed *.md
var files embed.FS

// Topics are the names of the pages in alphabetical order.
func Topics() []string {
	entries, _ := files.ReadDir(".") // what is embedded can be read
	topics := make([]string, len(entries))
	for i, entry := range entries {
		topics[i] = strings.TrimSuffix(entry.Name(), ".md")
	}
	return topics
}

// Page is the text of a page, in Markdown. A name that a page once had finds the page that took it in.
func Page(topic string) (text string, found bool) {
	bytes, err := files.ReadFile(currentName(topic) + ".md")
	return string(bytes), err == nil
}

// currentName returns the name that a page has today.
func currentName(topic string) string {
	if name, ok := formerNames()[topic]; ok {
		return name
	}
	return topic
}

// Title is the first heading of a page, without the marks of Markdown.
func Title(topic string) string {
	text, _ := Page(topic)
	title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return markdown.Plain(title)
}
