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
	out := newRoff("ftsh", "1", "User Commands", "the fault-tolerant shell")
	synopsis, rest := m.synopsis()
	out.heading(1, "Synopsis")
	out.verbatim(synopsis)
	out.heading(1, "Description")
	out.paragraph("ftsh runs scripts in a language made for work in which things fail. " +
		"It parses a script as a whole, runs it, and ends as it did. The language is described in ftsh(7); " +
		"`ftsh --manual` shows the same pages one by one.")
	out.heading(1, "Exit status")
	out.table([][]string{
		{"", ""},
		{"0", "the script succeeded"}, {"1", "it failed"},
		{"2", "it did not run: usage, syntax, unreadable"},
		{"other", "what the script's `exit` said; else ftsh dies of the signal that it received"},
	})
	convert(out, rest, 1)
	for _, topic := range commandTopics[1:] {
		if page, ok := m.pages[topic]; ok {
			convert(out, page, 1)
		}
	}
	seeAlso(out, "ftsh(7)", "ftshsim(1)", "ftsh-lsp(1)")
	return out.text.String()
}

// synopsis takes the block of the page options that shows how ftsh is called, and
// what stands before it, out of that page.
func (m *manual) synopsis() (synopsis, rest string) {
	page := m.pages["options"]
	before, after, _ := strings.Cut(page, "```text\n")
	synopsis, rest, _ = strings.Cut(after, "```\n")
	title, _, _ := strings.Cut(before, "\n")
	return synopsis, title + "\n" + rest
}

// languagePage is ftsh(7).
func languagePage(m *manual) string {
	out := newRoff("ftsh", "7", "Miscellaneous Information", "the language of the fault-tolerant shell")
	topics := slices.Clone(languageTopics)
	elsewhere := slices.Concat(commandTopics, otherTopics["ftshsim"], otherTopics["ftsh-lsp"])
	for _, topic := range m.topics() {
		if !slices.Contains(topics, topic) && !slices.Contains(elsewhere, topic) {
			topics = append(topics, topic)
		}
	}
	for _, topic := range topics {
		if page, ok := m.pages[topic]; ok {
			convert(out, page, 1)
		}
	}
	seeAlso(out, "ftsh(1)", "ftshsim(1)")
	return out.text.String()
}

// simulatorPage is ftshsim(1).
func simulatorPage(m *manual, crowd program) string {
	out := newRoff("ftshsim", "1", "User Commands", "what a retry policy does to a server")
	out.heading(1, "Synopsis")
	synopsis := ""
	for _, c := range crowd.commands {
		synopsis += "ftshsim " + c.name + " [OPTIONS]\n"
	}
	out.verbatim(synopsis)
	out.heading(1, "Commands")
	for _, c := range crowd.commands {
		out.heading(2, c.name+": "+c.usage)
		out.verbatim(c.help)
	}
	for _, topic := range otherTopics["ftshsim"] {
		convert(out, m.pages[topic], 1)
	}
	seeAlso(out, "ftsh(1)", "ftsh(7)")
	return out.text.String()
}

// serverPage is ftsh-lsp(1).
func serverPage(m *manual) string {
	out := newRoff("ftsh-lsp", "1", "User Commands", "a language server for ftsh scripts")
	out.heading(1, "Synopsis")
	out.verbatim("ftsh-lsp\n")
	convert(out, m.pages["editors"], 1)
	seeAlso(out, "ftsh(1)", "ftsh(7)")
	return out.text.String()
}

// seeAlso ends a page with the names of others.
func seeAlso(out *roff, names ...string) {
	out.heading(1, "See also")
	text := ""
	for _, name := range names {
		page, section, _ := strings.Cut(name, "(")
		if text != "" {
			text += ",\n"
		}
		text += "**" + page + "**(" + section
	}
	out.paragraph(text)
}
