package manual

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Found is a page on which a search found something.
type Found struct {
	Topic, Title string
	// Line is a line of it that has the word, a heading where there is one; empty
	// if the page speaks of it in other words.
	Line string
	rank int
}

// Search lists the pages that have all these words, or tell of them in ftsh's
// own, the most promising first. A word may be the beginning of one, in small
// or capital letters, or a sign such as `->`.
func Search(words ...string) (list []Found) {
	const last = -1 << 20
	for _, topic := range Topics() {
		found := Found{Topic: topic, Title: Title(topic)}
		if topic == "reference" { // it has everything, and is not for learning from
			found.rank = last
		}
		if !slices.ContainsFunc(words, func(word string) bool { return !found.add(word) }) {
			list = append(list, found)
		}
	}
	slices.SortStableFunc(list, func(a, b Found) int { return b.rank - a.rank })
	return list
}

// add counts what a page has to say of a word, and reports whether that is anything. A line of text counts 1.
func (f *Found) add(word string) bool {
	const inOtherWords, isTopic, inTitle, inHeading = 1000, 900, 500, 100
	before := f.rank
	pages := otherwise(word)
	if at := slices.Index(pages, f.Topic); at >= 0 {
		f.rank += inOtherWords * (len(pages) - at)
	}
	if strings.EqualFold(word, f.Topic) {
		f.rank += isTopic
	}
	pattern := regexp.QuoteMeta(strings.ToValidUTF8(word, "\ufffd")) // a sign that stands nowhere
	if regexp.MustCompile(`^\w`).MatchString(word) {
		pattern = `(?i)\b` + pattern
	}
	find := regexp.MustCompile(pattern)
	text, _ := Page(f.Topic)
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
