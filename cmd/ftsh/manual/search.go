package manual

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"ftsh/cmd/ftsh/manual/markdown"
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

// How much it counts where a word stands. A line of text counts 1.
const (
	rankOther   = 1000 // the page tells what to do in place of the word, another shell's
	rankTopic   = 900
	rankTitle   = 500
	rankHeading = 100
)

// whole is the page that has everything and comes last: it is not for learning from.
const whole = "reference"

// Search lists the pages that have all these words, or tell of them in ftsh's
// own, the most promising first. A word may be the beginning of one, in small
// or capital letters, or a sign such as `->`.
func Search(words ...string) []Found {
	var list []Found
	for _, topic := range Topics() {
		text, _ := Page(topic)
		found := Found{Topic: topic, Title: Title(topic)}
		for _, word := range words {
			rank, line := lookFor(word, topic, text)
			if rank == 0 {
				found.rank = 0
				break
			}
			found.rank += rank
			found.Line = cmp.Or(found.Line, line)
		}
		if found.rank > 0 {
			list = append(list, found)
		}
	}
	slices.SortStableFunc(list, func(a, b Found) int {
		if (a.Topic == whole) != (b.Topic == whole) {
			return cmp.Compare(strings.Index(a.Topic, whole), strings.Index(b.Topic, whole))
		}
		return b.rank - a.rank
	})
	return list
}

// lookFor tells how much a page has to say of a word, 0 for nothing, and shows a line.
func lookFor(word, topic, text string) (rank int, line string) {
	pattern := beginning(word)
	others := pagesFor(word)
	if at := slices.Index(others, topic); at >= 0 {
		rank += rankOther * (len(others) - at)
	}
	if strings.EqualFold(currentName(strings.ToLower(word)), topic) {
		rank += rankTopic
	}
	var heading, first string
	for n, l := range strings.Split(text, "\n") {
		switch {
		case !pattern.MatchString(l):
			continue
		case n == 0:
			rank += rankTitle
		case strings.HasPrefix(l, "##"):
			rank += rankHeading
			heading = cmp.Or(heading, l)
		default:
			rank++
			first = cmp.Or(first, l)
		}
	}
	return rank, excerpt(cmp.Or(heading, first))
}

// excerpt is a line of a page as a list shows it.
func excerpt(line string) string {
	const most = 100
	return displaywidth.TruncateString(markdown.Plain(strings.Trim(line, "#| ")), most, "…")
}

// beginning matches a word, or what begins with it; a text that is no word anywhere.
func beginning(word string) *regexp.Regexp {
	word = strings.ToValidUTF8(word, "\ufffd") // which stands nowhere
	if regexp.MustCompile(`^\w`).MatchString(word) {
		return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(word))
	}
	return regexp.MustCompile(regexp.QuoteMeta(word))
}
