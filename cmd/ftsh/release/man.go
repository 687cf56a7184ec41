package main

import (
	"slices"
	"strings"
)

// commandTopics are the pages that are about the program ftsh, in the order of
// ftsh(1). All others, but those about other programs, are about the language: ftsh(7).
var commandTopics = []string{
	"options", "logging", "check", "testing", "progress", "interactive", "durable", "signals", "cron", "security", "install",
}

// languageTopics are the pages that ftsh(7) begins with; the rest follows in the order of their names.
var languageTopics = []string{
	"start", "commands", "words", "variables", "redirect", "expressions", "if", "loops", "functions", "builtins",
	"try", "limits", "failures", "errors", "backoff", "verify", "forall", "resources",
}

// otherTopics are the pages that are about other programs.
var otherTopics = map[string][]string{
	"ftshsim":  {"simulator", "servers", "policies"},
	"ftsh-lsp": {"editors"},
}

// manPages makes all man pages, by their names below the folder of a package.
func manPages(m *manual, crowd program) map[string]string {
	pages := map[string]string{
		"man/man1/ftsh.1":    shellPage(m),
		"man/man1/ftshsim.1": simulatorPage(m, crowd),
		"man/man7/ftsh.7":    languagePage(m),
	}
	if _, ok := m.pages["editors"]; ok {
		pages["man/man1/ftsh-lsp.1"] = serverPage(m)
	}
	return pages
}

// shellPage is ftsh(1).
func shellPage(m *manual) string {
	synopsis, rest := m.splitSynopsis()
	text := "# SYNOPSIS\n\n" + example(synopsis) + `# DESCRIPTION

ftsh runs scripts in a language made for work in which things fail. It parses a script as a whole, runs it, and
ends as it did. The language is described in ftsh(7); ` + "`ftsh --manual`" + ` shows the same pages one by one.

# EXIT STATUS

| | |
| --- | --- |
| 0 | the script succeeded |
| 1 | it failed |
| 2 | it did not run: usage, syntax, unreadable |
| other | what the script's ` + "`exit`" + ` said; else ftsh dies of the signal that it received |

` + rest
	return manPage("ftsh", "1", "User Commands", "the fault-tolerant shell",
		text+m.text(commandTopics[1:])+seeAlso("ftsh(7)", "ftshsim(1)", "ftsh-lsp(1)"))
}

// splitSynopsis takes the block of the page options that shows how ftsh is called, and
// what stands before it, out of that page.
func (m *manual) splitSynopsis() (synopsis, rest string) {
	page := m.pages["options"]
	before, after, _ := strings.Cut(page, "```text\n")
	synopsis, rest, _ = strings.Cut(after, "```\n")
	title, _, _ := strings.Cut(before, "\n")
	return synopsis, title + "\n" + rest
}

// text is the text of some pages, of those that are there, one after the other.
func (m *manual) text(topics []string) string {
	text := ""
	for _, topic := range topics {
		text += "\n" + m.pages[topic]
	}
	return text
}

// languagePage is ftsh(7).
func languagePage(m *manual) string {
	topics := slices.Clone(languageTopics)
	elsewhere := slices.Concat(commandTopics, otherTopics["ftshsim"], otherTopics["ftsh-lsp"])
	for _, topic := range m.topicNames() {
		if !slices.Contains(topics, topic) && !slices.Contains(elsewhere, topic) {
			topics = append(topics, topic)
		}
	}
	return manPage("ftsh", "7", "Miscellaneous Information", "the language of the fault-tolerant shell",
		m.text(topics)+seeAlso("ftsh(1)", "ftshsim(1)"))
}

// simulatorPage is ftshsim(1).
func simulatorPage(m *manual, crowd program) string {
	synopsis, commands := "", ""
	for _, c := range crowd.commands {
		synopsis += "ftshsim " + c.name + " [OPTIONS]\n"
		commands += "## " + c.name + ": " + c.usage + "\n\n" + example(c.help)
	}
	return manPage("ftshsim", "1", "User Commands", "what a retry policy does to a server",
		"# SYNOPSIS\n\n"+example(synopsis)+"# COMMANDS\n\n"+commands+
			m.text(otherTopics["ftshsim"])+seeAlso("ftsh(1)", "ftsh(7)"))
}

// serverPage is ftsh-lsp(1).
func serverPage(m *manual) string {
	return manPage("ftsh-lsp", "1", "User Commands", "a language server for ftsh scripts",
		"# SYNOPSIS\n\n"+example("ftsh-lsp\n")+m.text(otherTopics["ftsh-lsp"])+seeAlso("ftsh(1)", "ftsh(7)"))
}

// example is a text that is shown as it stands.
func example(text string) string {
	return "```\n" + strings.TrimSuffix(text, "\n") + "\n```\n\n"
}

// seeAlso ends a page with the names of others.
func seeAlso(names ...string) string {
	for i, name := range names {
		page, section, _ := strings.Cut(name, "(")
		names[i] = "**" + page + "**(" + section
	}
	return "\n# SEE ALSO\n\n" + strings.Join(names, ",\n") + "\n"
}
