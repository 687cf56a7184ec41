package main

import (
	"fmt"
	"strings"
)

// fishCompletion is a completion for fish.
func fishCompletion(p program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for fish.\n\n", p.name)
	if len(p.commands) == 0 {
		b.WriteString(fishBefore(p))
		fishOptions(&b, p.name, "-n __"+p.name+"_before_script ", p.options)
	}
	for _, c := range p.commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -f -a %s -d %s\n", p.name, c.name, fishQuoted(c.usage))
	}
	for _, c := range p.commands {
		fishOptions(&b, p.name, fmt.Sprintf("-n '__fish_seen_subcommand_from %s' ", c.name), c.options)
	}
	return b.String()
}

// fishBefore is a function that reports whether the word under the cursor stands
// before the script: what stands behind is for that.
func fishBefore(p program) string {
	var valued []string
	for _, o := range p.options {
		if o.needsValue() {
			valued = append(valued, o.spellings()...)
		}
	}
	return fmt.Sprintf(`function __%s_before_script
    set -l value
    for word in (commandline -opc)[2..]
        if set -q value[1]
            set value
            continue
        end
        switch $word
            case -
                return 1
            case %s
                set value next
            case '-*'
            case '*'
                return 1
        end
    end
end

`, p.name, strings.Join(valued, " "))
}

// fishOptions writes a line for each option.
func fishOptions(b *strings.Builder, name, condition string, options []option) {
	for _, o := range options {
		fmt.Fprintf(b, "complete -c %s %s", name, condition)
		if o.short != "" {
			b.WriteString("-s " + o.short + " ")
		}
		if o.long != "" {
			b.WriteString("-l " + o.long + " ")
		}
		switch {
		case len(o.words) > 0:
			fmt.Fprintf(b, "-x -a '%s' ", strings.Join(o.words, " "))
		case o.needsValue() && o.takesFile():
			b.WriteString("-r -F ")
		case o.needsValue():
			b.WriteString("-x ")
		}
		fmt.Fprintf(b, "-d %s\n", fishQuoted(o.usage))
	}
}

// fishQuoted quotes a word for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
