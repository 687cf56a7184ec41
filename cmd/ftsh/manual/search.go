package manual

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Found is a page that tells of what was sought.
type Found struct {
	Topic string
	Title string
	// Line is a line of it that has the word, a heading where there is one; empty
	// if the page tells of it in other words.
	Line string
	rank int
}

// Search lists the pages that have all these words, or tell of them in ftsh's
// own, the most promising first. A word may be the beginning of one, in small
// or capital letters, or a sign such as `->`.
func Search(words ...string) []Found {
	var list []Found
	for _, topic := range Topics() {
		text, _ := Page(topic)
		found := Found{Topic: topic, Title: Title(topic)}
		if !slices.ContainsFunc(words, func(word string) bool { return !found.add(word, text) }) {
			list = append(list, found)
		}
	}
	slices.SortStableFunc(list, func(a, b Found) int {
		return cmp.Or(strings.Count(a.Topic, whole)-strings.Count(b.Topic, whole), b.rank-a.rank)
	})
	return list
}

// add counts what a page has to say of a word, and reports whether that is anything. A line of text counts 1.
func (f *Found) add(word, text string) bool {
	const inOtherWords, isTopic, inTitle, inHeading = 1000, 900, 500, 100
	before := f.rank
	if pages := pagesFor(word); slices.Contains(pages, f.Topic) {
		f.rank += inOtherWords * (len(pages) - slices.Index(pages, f.Topic))
	}
	if strings.EqualFold(word, f.Topic) {
		f.rank += isTopic
	}
	pattern := regexp.QuoteMeta(strings.ToValidUTF8(word, "\ufffd")) // a sign that stands nowhere
	if regexp.MustCompile(`^\w`).MatchString(word) {
		pattern = `(?i)\b` + pattern
	}
	find := regexp.MustCompile(pattern)
	var heading, first string
	for n, line := range strings.Split(text, "\n") {
		switch {
		case !find.MatchString(line):
		case n == 0:
			f.rank += inTitle
		case strings.HasPrefix(line, "##"):
			f.rank += inHeading
			heading = cmp.Or(heading, line)
		default:
			f.rank++
			first = cmp.Or(first, line)
		}
	}
	const mostShown = 100
	line := plain(strings.Trim(cmp.Or(heading, first), "#| "))
	f.Line = cmp.Or(f.Line, displaywidth.TruncateString(line, mostShown, "…"))
	return f.rank > before
}
