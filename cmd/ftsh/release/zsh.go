package main

import (
	"fmt"
	"strings"
)

// zshCompletion is a completion function for zsh.
func zshCompletion(p program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# Completion of %[1]s for zsh.\n\n", p.name)
	if len(p.commands) == 0 {
		b.WriteString("_arguments -s -S -A '-*' \\\n")
		zshOptions(&b, p.options, "    ")
		b.WriteString("    '1:script:_files' \\\n    '*::argument:_files'\n")
		return b.String()
	}
	b.WriteString("if ((CURRENT == 2)); then\n    local -a commands=(\n")
	for _, c := range p.commands {
		fmt.Fprintf(&b, "        %s\n", zshQuoted(c.name+":"+strings.ReplaceAll(c.usage, ":", `\:`)))
	}
	b.WriteString(`    )
    _describe command commands
    return
fi
local command=$words[2]
shift words
((CURRENT--))
case $command in
`)
	for _, c := range p.commands {
		fmt.Fprintf(&b, "%s)\n    _arguments -S \\\n", c.name)
		zshOptions(&b, c.options, "        ")
		b.WriteString("        '*:file:_files'\n    ;;\n")
	}
	b.WriteString("esac\n")
	return b.String()
}

// zshOptions writes what _arguments wants to know of each option.
func zshOptions(b *strings.Builder, options []option, indent string) {
	for _, o := range options {
		usage := "[" + strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(o.usage) + "]" + zshValue(o)
		names := o.spellings()
		if len(names) == 1 {
			fmt.Fprintf(b, "%s%s \\\n", indent, zshQuoted(zshSpelling(names[0], o)+usage))
			continue
		}
		fmt.Fprintf(b, "%s'(%s)'{%s,%s}%s \\\n", indent, strings.Join(names, " "),
			zshSpelling(names[0], o), zshSpelling(names[1], o), zshQuoted(usage))
	}
}

// zshSpelling is an option with how its value follows.
func zshSpelling(name string, o option) string {
	switch {
	case !o.needsValue():
		return name
	case strings.HasPrefix(name, "--"):
		return name + "="
	}
	return name + "+"
}

// zshValue says what completes an option's value.
func zshValue(o option) string {
	switch {
	case o.value == "":
		return ""
	case len(o.words) > 0 && !o.needsValue():
		return "::" + strings.Trim(o.value, "[]") + ":(" + strings.Join(o.words, " ") + ")"
	case len(o.words) > 0:
		return ":" + o.value + ":(" + strings.Join(o.words, " ") + ")"
	case !o.needsValue():
		return ""
	case o.takesFile():
		return ":" + o.value + ":_files"
	}
	return ":" + strings.ReplaceAll(o.value, ":", `\:`) + ": "
}

// zshQuoted quotes a word for zsh.
func zshQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
