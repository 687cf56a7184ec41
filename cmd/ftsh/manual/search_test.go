package manual

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSearch wants the page that helps to come first, whatever a reader calls it.
func TestSearch(t *testing.T) {
	for word, want := range map[string]string{
		"retry": "try", "retries": "try", "Timeout": "limits", "timeouts": "limits", "array": "lists", "arrays": "lists",
		"getopts": "lists", "trap": "recipes", "background": "forall", "heredoc": "redirect", "lock": "recipes",
		"csv":      "lists",
		"deadline": "limits", "jitter": "backoff", "forany": "forany", "verify": "submission", "=>": "redirect",
		".matches.": "expressions",
		"crontab":   "cron", "set -e": "failures", "semaphore": "resources", "FTSH_EXPMAX": "backoff",
		"resources": "resources",
	} {
		found := Search(word)
		if len(found) == 0 || found[0].Topic != want {
			t.Errorf("%s: got %v, wanted %s first", word, found, want)
		}
		if last := slices.IndexFunc(found, func(f Found) bool { return f.Topic == "reference" }); last >= 0 &&
			last != len(found)-1 {
			t.Errorf("%s: the reference comes before %s", word, found[last+1].Topic)
		}
	}
}

func TestSearchAllWords(t *testing.T) {
	if found := Search("qwertz"); found != nil {
		t.Errorf("qwertz is in %v", found)
	}
	if found := Search("retry", "qwertz"); found != nil {
		t.Errorf("not all words are in %v", found)
	}
	one, both := Search("journal"), Search("journal", "systemd")
	if len(both) == 0 || len(both) >= len(one) {
		t.Errorf("%d pages have one word and %d both", len(one), len(both))
	}
}

// TestTopicOf wants each keyword to lead to a page that has it in code.
func TestTopicOf(t *testing.T) {
	for _, keyword := range strings.Fields(`try catch finally verify for forany forall in while if else
		function return shift local export
		source resource sense times each every backoff from to by jitter only except unknown matching via key`) {
		text, found := Page(TopicOf(keyword))
		if !found || !regexp.MustCompile("(`|\n *)([^`\n]* )?"+keyword+"\\b").MatchString(text) {
			t.Errorf("%s leads to the page %q, which does not tell of it", keyword, TopicOf(keyword))
		}
	}
	if topic := TopicOf("make"); topic != "" {
		t.Errorf("make is no keyword, and has the page %s", topic)
	}
}

// TestIndex holds that index.txt names each page once, that what leads to pages leads to some that are there, and that
// a word which is a page's name leads nowhere else.
func TestIndex(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, entry := range entries {
		if name, isPage := strings.CutSuffix(entry.Name(), ".md"); isPage {
			pages = append(pages, name)
		}
	}
	if !slices.Equal(Topics(), pages) {
		t.Errorf("index.txt has the pages\n%q\nthere are\n%q", Topics(), pages)
	}
	for _, line := range append(readIndex("keywords"), readIndex("words")...) {
		topics, words, _ := strings.Cut(line, ": ")
		for _, topic := range strings.Fields(topics) {
			if !slices.Contains(pages, topic) {
				t.Errorf("%s leads to %s, which is no page", words, topic)
			}
		}
		for word := range strings.SplitSeq(words, ", ") {
			if text, found := Page(word); !found || text == "" {
				t.Errorf("%s finds no page", word)
			}
		}
	}
}
