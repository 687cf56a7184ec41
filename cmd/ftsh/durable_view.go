package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// view is the text of the script with what the journal says beside it, and on demand its variables. width is that of
// the terminal; 0: there is none.
func (l listing) view(state bool, width int) string {
	_, script, file, err := l.readScript()
	if err != nil {
		return visibleText(fmt.Sprintf("\nwhere it stands in its text cannot be shown: %v\n", err))
	}
	var undecided []durable.Undecided
	if _, busy := runnerOf(l.path, l.image); !busy {
		undecided = l.undecided()
	}
	hideWritten(file)
	spots, variables := script.Spots(file, undecided, state)
	v := markedText{width: width, now: l.now}
	v.addSources(file, spots)
	if state {
		v.text.WriteString("\nvariables:\n" + visibleText(cutLines(variables)))
	}
	return v.text.String()
}

// sayMended shows where the script goes on once a person has decided, who saw what the journal said before; at log
// level 0 nothing is said.
func (d *durableRun) sayMended(file *ast.File, before []durable.Spot) {
	if d.options.logLevel == 0 {
		return
	}
	hideWritten(file)
	v := markedText{width: terminalColumns(2), now: time.Now(), short: true}
	v.addSources(file, d.config.Mended(file, before))
	sayError(v.text.String())
}

// hideWritten masks what a script assigns to secrets in so many words.
func hideWritten(file *ast.File) {
	ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
		if a, is := node.(*ast.Assign); is && slices.Contains(file.Secrets, a.Var.Name) {
			if value, written := a.Value.(*ast.Operand); written {
				text, _ := value.Word.Literal()
				secrets.Add(text)
			}
		}
		return true
	})
}

// cutLines gives each text a line, in which a long one is cut.
func cutLines(list []string) string {
	const longest = 400
	var text strings.Builder
	for _, line := range list {
		text.WriteString("    " + ast.OneLine(line, longest) + "\n")
	}
	return text.String()
}

// markedText is a text in the making.
type markedText struct {
	text  strings.Builder
	width int
	now   time.Time
	short bool // without what is far from where the script stands
}

// addSources adds the script, and what it sources as far as it stands there.
func (v *markedText) addSources(file *ast.File, spots []durable.Spot) {
	v.addSource(file.Source, spots)
	known := []*ast.Source{file.Source}
	for _, s := range spots {
		if s.Stands() && !slices.Contains(known, s.Pos.Source) {
			v.addSource(s.Pos.Source, spots)
			known = append(known, s.Pos.Source)
		}
	}
}

// addSource adds the lines of a script or of what it sources.
func (v *markedText) addSource(source *ast.Source, spots []durable.Spot) {
	const around = 2 // lines
	at, near := map[int][]durable.Spot{}, map[int]bool{}
	for _, s := range spots {
		line := int(s.Pos.Line)
		if s.Pos.Source == source {
			at[line] = append(at[line], s)
		}
		for i := line - around; i <= line+around && s.Pos.Source == source && s.Stands(); i++ {
			near[i] = true
		}
	}
	lines := strings.Split(strings.TrimSuffix(source.Text, "\n"), "\n")
	digits := len(strconv.Itoa(len(lines)))
	v.text.WriteString("\n" + visibleText(source.Title()) + ":\n")
	for i, line := range lines {
		if v.short && !near[i+1] {
			if near[i] || i == 0 {
				v.text.WriteString("…\n")
			}
			continue
		}
		v.addLine(digits, i+1, strings.TrimSuffix(line, "\r"), at[i+1])
	}
}

// addLine adds a line, with its notes behind it, or below it where the terminal is too narrow for both.
func (v *markedText) addLine(digits, number int, line string, spots []durable.Spot) {
	slices.SortStableFunc(spots, func(a, b durable.Spot) int { return int(b.Mark) - int(a.Mark) })
	mark := ""
	if len(spots) > 0 {
		mark = spots[0].Mark.String()
	}
	head := fmt.Sprintf("%-9s  %*d  ", mark, digits, number)
	text, notes := visibleText(line), visibleText(strings.Join(v.notes(spots), "; "))
	switch used := utf8.RuneCountInString(head + strings.ReplaceAll(text, "\t", "        ") + "  # " + notes); {
	case notes == "":
	case v.width > 0 && used > v.width:
		notes = "\n" + strings.Repeat(" ", len(head)) + "# " + notes
	default:
		notes = "  # " + notes
	}
	v.text.WriteString(strings.TrimRight(head+text+notes, " ") + "\n")
}

// notes says of the spots of a line, in the order of their marks, what there is to say: of many with one mark how many
// they are.
func (v *markedText) notes(spots []durable.Spot) (list []string) {
	const most = 3
	for len(spots) > 0 {
		first, notes, names := &spots[0], []string(nil), []string(nil)
		for ; len(spots) > 0 && spots[0].Mark == first.Mark; spots = spots[1:] {
			if note := v.note(&spots[0]); note != "" {
				notes, names = append(notes, note), append(names, spots[0].Branch)
			}
		}
		if len(notes) < most {
			list = append(list, notes...)
			continue
		}
		note := fmt.Sprintf("%d %s: %s", len(names), first.Mark, strings.Join(names[:most], ", "))
		if more := len(names) - most; more > 0 {
			note += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, note)
	}
	return list
}

// note says what there is to say of one: nothing of a branch that is further in.
func (v *markedText) note(s *durable.Spot) string {
	until := ""
	if !s.Until.IsZero() {
		until = "until " + s.Until.Format(time.DateTime)
		if left := s.Until.Sub(v.now); left > 0 {
			until += ", in " + briefTime(left)
		}
	}
	note := joined("; ", until, s.Note)
	if note == "" && s.Mark.String() == "in" {
		return ""
	}
	return joined(": ", s.Branch, note)
}

// joined joins two texts, if both are there.
func joined(by, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + by + b
}
