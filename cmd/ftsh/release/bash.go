package main

import (
	"fmt"
	"strings"
)

// bashCompletion is a completion for bash, which needs nothing else to be installed.
// Where it offers nothing, readline completes file names.
func bashCompletion(p program) string {
	var b strings.Builder
	name := strings.ReplaceAll(p.name, "-", "_")
	fmt.Fprintf(&b, `# Completion of %s for bash.

_%[2]s() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at
    COMPREPLY=()
    # bash makes words of its own of --option=value
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
`, p.name, name)
	if len(p.commands) == 0 {
		bashOptions(&b, p.options, "    ", true)
	} else {
		bashCommands(&b, p)
	}
	fmt.Fprintf(&b, "}\ncomplete -o default -F _%s %s\n", name, p.name)
	return b.String()
}

// bashCommands completes a command, and then its options.
func bashCommands(b *strings.Builder, p program) {
	var names []string
	for _, c := range p.commands {
		names = append(names, c.name)
	}
	fmt.Fprintf(b, `    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W '%s' -- "$word"))
        return
    fi
`, strings.Join(names, " "))
	b.WriteString("    case ${COMP_WORDS[1]} in\n")
	for _, c := range p.commands {
		fmt.Fprintf(b, "    %s)\n", c.name)
		bashOptions(b, c.options, "        ", false)
		b.WriteString("        ;;\n")
	}
	b.WriteString("    esac\n")
}

// bashOptions completes an option, or the value of the one before. If options are
// only read before the first argument, nothing is offered behind that.
func bashOptions(b *strings.Builder, options []option, indent string, first bool) {
	var all, valued []string
	line := func(format string, args ...any) { fmt.Fprintf(b, indent+format+"\n", args...) }
	for _, o := range options {
		all = append(all, o.spellings()...)
		if o.needsValue() {
			valued = append(valued, o.spellings()...)
		}
	}
	if first {
		line("for ((at = 1; at < COMP_CWORD; at++)); do")
		line("    case ${COMP_WORDS[at]} in")
		line("    %s) ((at++)); [[ ${COMP_WORDS[at]} == = ]] && ((at++)) ;;", strings.Join(valued, "|"))
		line("    --manual) ;;")
		line("    -|[!-]*) [[ ${COMP_WORDS[at-1]} == --manual ]] || return ;; # the script: what follows is for it")
		line("    esac")
		line("done")
	}
	line("case $before in")
	for _, o := range options {
		switch {
		case len(o.words) > 0:
			line("%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;",
				strings.Join(o.spellings(), "|"), strings.Join(o.words, " "))
		case o.needsValue():
			line("%s) return ;;", strings.Join(o.spellings(), "|"))
		}
	}
	line("esac")
	line("if [[ $word == -* ]]; then")
	line("    COMPREPLY=($(compgen -W '%s' -- \"$word\"))", strings.Join(all, " "))
	line("fi")
}
