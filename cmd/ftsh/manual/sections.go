package manual

// Section is a part of the manual.
type Section struct {
	Title  string
	Topics []string // in reading order
}

// ReadFirst are the pages to begin with.
func ReadFirst() []string { return []string{"start", "try", "catch", "redirect", "forall"} }

// Sections lists all pages in the order in which they are best read.
func Sections() []Section {
	return []Section{
		{"First steps", []string{"start", "bash", "recipes", "lists", "cron", "install"}},
		{"The language", []string{
			"commands", "words", "variables", "redirect", "expressions", "if", "loops", "functions", "builtins",
			"errors", "differences",
		}},
		{"When things fail", []string{
			"try", "limits", "catch", "failures", "forany", "backoff", "policies", "signals",
		}},
		{"Many at once", []string{"forall", "resources"}},
		{"Scripts that survive", []string{"durable"}},
		{"Clusters", []string{"cluster", "submission"}},
		{"Tools", []string{
			"options", "logging", "check", "testing", "progress", "interactive", "editors", "security",
		}},
		{"The simulator", []string{"simulator", "servers"}},
		{"The whole reference", []string{"reference", "not-yet"}},
	}
}
