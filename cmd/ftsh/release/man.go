package main

import (
	"slices"
	"strings"

	"ftsh/cmd/ftsh/manual"
)

// manPages makes all man pages, by their names below the folder of a package. Each page of the manual is in one of
// them, in reading order.
func manPages(crowd program) map[string]string {
	var shell, simulator, language []string
	for _, section := range manual.Sections() {
		for _, topic := range section.Topics {
			switch {
			case topic == "options" || topic == "editors": // which have places of their own
			case section.Title == "The simulator":
				simulator = append(simulator, topic)
			case section.Title == "Tools" || slices.Contains([]string{"durable", "signals", "cron", "install"}, topic):
				shell = append(shell, topic)
			default:
				language = append(language, topic)
			}
		}
	}
	return map[string]string{
		"man/man1/ftsh.1":     shellPage(shell),
		"man/man1/ftshsim.1":  simulatorPage(simulator, crowd),
		"man/man1/ftsh-lsp.1": serverPage(),
		"man/man7/ftsh.7":     languagePage(language),
	}
}

// shellPage is ftsh(1).
func shellPage(topics []string) string {
	synopsis, rest := splitSynopsis()
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
		text+pages(topics)+seeAlso("ftsh(7)", "ftshsim(1)", "ftsh-lsp(1)"))
}

// splitSynopsis takes the block of the page options that shows how ftsh is called, and
// what stands before it, out of that page.
func splitSynopsis() (synopsis, rest string) {
	before, after, _ := strings.Cut(page("options"), "```text\n")
	synopsis, rest, _ = strings.Cut(after, "```\n")
	title, _, _ := strings.Cut(before, "\n")
	return synopsis, title + "\n" + rest
}

// page is the text of a page of the manual.
func page(topic string) string {
	text, _ := manual.Page(topic)
	return text
}

// pages is the text of some pages, one after the other.
func pages(topics []string) string {
	text := ""
	for _, topic := range topics {
		text += "\n" + page(topic)
	}
	return text
}

// languagePage is ftsh(7).
func languagePage(topics []string) string {
	return manPage("ftsh", "7", "Miscellaneous Information", "the language of the fault-tolerant shell",
		pages(topics)+seeAlso("ftsh(1)", "ftshsim(1)"))
}

// simulatorPage is ftshsim(1).
func simulatorPage(topics []string, crowd program) string {
	synopsis, commands := "", ""
	for _, c := range crowd.commands {
		synopsis += "ftshsim " + c.name + " [OPTIONS]\n"
		commands += "## " + c.name + ": " + c.usage + "\n\n" + example(c.help)
	}
	return manPage("ftshsim", "1", "User Commands", "what a retry policy does to a server",
		"# SYNOPSIS\n\n"+example(synopsis)+"# COMMANDS\n\n"+commands+pages(topics)+seeAlso("ftsh(1)", "ftsh(7)"))
}

// serverPage is ftsh-lsp(1).
func serverPage() string {
	return manPage("ftsh-lsp", "1", "User Commands", "a language server for ftsh scripts",
		"# SYNOPSIS\n\n"+example("ftsh-lsp\n")+page("editors")+seeAlso("ftsh(1)", "ftsh(7)"))
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
