package interp_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A redirectionCell is one cell of the table.
type redirectionCell struct {
	form  form
	place redirectionPlace
	end   ending
}

// expect returns what the model says of the cell.
func (c redirectionCell) expect() string {
	if c.place.not != nil && c.place.not(c.form, c.end) != "" {
		return "-"
	}
	m := newLedger(c.form)
	return m.afterwards(c.place.model(m, c.end))
}

// bodies replaces the bodies of a place.
var bodies = regexp.MustCompile(`(LAST1|BUILTINLAST2|BUILTINLAST|LAST|PROGRAM|BUILTIN|ENDS)(?: (\d))?(?: (failure))?`)

// script is the cell as a script.
func (c redirectionCell) script() string {
	text := bodies.ReplaceAllStringFunc(c.place.script, func(body string) string {
		m := bodies.FindStringSubmatch(body)
		n, how := m[2], ending(m[3])
		if how == "" {
			how = succeeds
		}
		switch m[1] {
		case "LAST1":
			return c.program("1", c.end)
		case "LAST":
			return c.program("2", c.end)
		case "PROGRAM":
			return c.program(n, how)
		case "BUILTINLAST":
			return c.lonelyBuiltin()
		case "BUILTINLAST2":
			return c.builtin("2", c.end)
		case "ENDS":
			return map[ending]string{succeeds: "true", fails: "exit 3", isCut: "echo > ready; exec sleep 1000"}[c.end]
		}
		return c.builtin(n, how)
	})
	line := regexp.MustCompile(`(?m)^(.*)REDIR(.*)$`)
	text = line.ReplaceAllStringFunc(text, func(line string) string {
		return strings.TrimSuffix(strings.Replace(line, "REDIR", c.form.text, 1)+"\n"+c.form.document, "\n")
	})
	if c.place.name == "builtin" && c.form.reads() == 0 && c.end == succeeds {
		text += "\nsaw \"$line\""
	}
	functions := ""
	if strings.HasPrefix(text, "function") {
		end := strings.LastIndex(text, "\nend\n") + len("\nend\n")
		functions, text = text[:end], text[end:]
	}
	if !strings.HasPrefix(text, "on start") { // which stands at the top level only
		text = "try for 1 hour or 1 time\n" + text + "\ncatch\nnote result \"${error.kind} ${error.status}\"\nend"
	}
	return functions + "echo old -> set\n" + text + "\necho " + afterCell + "\necho " + afterCell + " >&2\n" +
		"if .defined. set\nnote set $set\nend\nif .defined. unset\nnote unset $unset\nend\n"
}

// afterCell holds what comes out behind the cell on both streams, which must lead again to where they had led.
const afterCell = "after"

// program is the program, which reads all there is and writes its number.
func (c redirectionCell) program(n string, how ending) string {
	var to []string
	for _, fd := range c.form.writes() {
		to = append(to, strconv.Itoa(fd))
	}
	return fmt.Sprintf("work %s %q %d %q", n, how, c.form.reads(), strings.Join(to, " "))
}

const workProgram = `#!/bin/sh
# work NUMBER ENDING READS WRITES
: > ran
case $3 in
0) cat >> seen ;;
3) cat <&3 >> seen ;;
esac
for fd in $4; do
    case $fd in
    1) echo $1 ;;
    2) echo e$1 >&2 ;;
    3) echo t$1 >&3 ;;
    esac || exit 9
done
case $2 in
failure) exit 3 ;;
'cut off') echo > ready; exec sleep 1000 ;;
esac
`

// builtin is a builtin that reads a line and writes its number.
func (c redirectionCell) builtin(n string, how ending) string {
	read := ""
	switch c.form.reads() {
	case 0:
		read = "read line\nsaw \"$line\"\n"
	case 3:
		read = "read line <&3\nsaw \"$line\"\n"
	}
	return read + fmt.Sprintf("say %s %s", n, how)
}

// lonelyBuiltin is a builtin that the redirections are of.
func (c redirectionCell) lonelyBuiltin() string {
	switch {
	case c.end == isCut:
		return "sleep 2 hours"
	case c.form.reads() >= 0:
		return "read line"
	}
	return "say 1 " + string(c.end)
}
