package main

import (
	"fmt"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/process"
)

// writeDecisions writes what the options say about commands whose outcome is unknown, and reports whether none
// is left: else it has told of those.
func (d *durableRun) writeDecisions(config interp.Config, file *ast.File) (status int, runs bool) {
	j := &d.options.journal
	if j.abandon {
		return 0, true
	}
	config.Durable = d.config
	list := interp.Undecided(config, file)
	var known []int
	for _, u := range list {
		known = append(known, u.Number)
	}
	if err := j.answers.unknown("command %d that is undecided", known); err != nil {
		return refuseToRun(err, ""), false
	}
	decided := len(list) > 0 && j.answers.say(again, happened)
	var before []durable.Spot
	if decided {
		before, _ = d.config.Spots(file, list, false)
	}
	says := func(said decision) func(durable.Undecided) bool {
		return func(u durable.Undecided) bool { return j.answers.of(u.Number) == said }
	}
	if err := d.config.Answer(list, says(again), says(happened)); err != nil {
		return notDurably(err, d.name), false
	}
	if decided {
		list = interp.Undecided(config, file)
	}
	if len(list) == 0 {
		if decided {
			d.sayMended(file, before)
		}
		return 0, true
	}
	sayError(d.undecidedText(list))
	return statusNotRun, false
}

// undecidedText tells of commands that nobody but the reader can decide about: what is known, and what
// can be done.
func (d *durableRun) undecidedText(list []durable.Undecided) string {
	var text strings.Builder
	for _, u := range list {
		number := ""
		if len(list) > 1 {
			number = fmt.Sprintf("%d. ", u.Number)
		}
		fmt.Fprintf(&text, "ftsh: %s%s:%d: '%s' %s\n", number, event.VisibleLine(u.File), u.Line, u.Text, d.whatBecame(u))
		for _, fact := range d.commandFacts(u) {
			fmt.Fprintf(&text, "    %-10s %s\n", fact[0], fact[1])
		}
	}
	text.WriteString("Nothing is run before you have looked, and say so:\n")
	command := "ftsh --continue " + quoteWord(d.name)
	which := ""
	if len(list) > 1 {
		which = fmt.Sprintf("=%d", list[0].Number)
		fmt.Fprintf(&text, "    (%s is the first; several may stand in one command; without a number it is said of "+
			"all others)\n", which)
	}
	decision := func(option, meaning string) {
		fmt.Fprintf(&text, "    %s %-13s %s\n", command, option, meaning)
	}
	if len(list) > 1 || !list[0].Captures {
		decision("--happened"+which, "it has done its work: go on after it")
	}
	decision("--again"+which, "it has done nothing, or may be repeated: run it again")
	decision("--abandon", "give up: run the finally groups that are owed, end with status 1")
	return text.String()
}

// whatBecame says in words how far a command had come.
func (d *durableRun) whatBecame(u durable.Undecided) string {
	if ended := d.endOf(u); ended != nil {
		return fmt.Sprintf("had ended with status %d, which could not be recorded", ended.Status)
	}
	return fmt.Sprintf("was under way when the %s; whether it did its work is unknown", d.whatStopped())
}

// endOf returns the end of a command that the shell before knew, but could not record; nil: it knew none.
func (d *durableRun) endOf(u durable.Undecided) *durable.EndedUnit {
	for i := range d.known {
		if d.known[i].Node == u.Node {
			return &d.known[i]
		}
	}
	return nil
}

// whatStopped says what has stopped the script.
func (d *durableRun) whatStopped() string {
	if d.wasRebooted() {
		return "machine stopped"
	}
	return "shell ended"
}

// commandFacts lists what is known of a command, each with its title.
func (d *durableRun) commandFacts(u durable.Undecided) [][2]string {
	ago := briefTime(max(0, time.Since(u.Began)))
	facts := [][2]string{{"began", fmt.Sprintf("%s, %s ago", u.Began.Format(time.DateTime), ago)}}
	if len(u.Items) > 0 {
		facts = append(facts, [2]string{"item", strings.Join(u.Items, ", ")})
	}
	if u.Attempt > 0 {
		facts = append(facts, [2]string{"attempt", fmt.Sprintf("%d of the try around it, which makes no other", u.Attempt)})
	}
	facts = append(facts, [2]string{"process", d.processFact(u)})
	if u.Said != "" {
		facts = append(facts, [2]string{"stderr",
			fmt.Sprintf("its last line, %s: %s", u.SaidAt.Format(time.DateTime), u.Said)})
	}
	for _, target := range d.targetFacts(u) {
		facts = append(facts, [2]string{"file", target})
	}
	if u.Captures {
		facts = append(facts, [2]string{"variable", "it sets one, and what that would be is lost: " +
			"so it cannot be taken as done"})
	}
	return facts
}

// processFact tells of the processes of a command. Those of a dead shell were looked for before; one that
// ended in order has ended its commands itself, and has left no list of them.
func (d *durableRun) processFact(u durable.Undecided) string {
	switch {
	case d.endOf(u) != nil:
		return "had ended before the shell did"
	case d.wasRebooted():
		return "went with the machine, which was started anew since"
	}
	switch d.remains {
	case process.NoneSeen:
		return "was ended with the shell, or had just ended: no process shows its FTSH_COMMAND; " +
			"one that dropped that cannot be seen"
	case process.SomeLeft:
		return "was to be ended with the shell, and some of it is left: a process shows its FTSH_COMMAND"
	}
	if d.listed {
		return "whether something of it is left cannot be looked at: there is no /proc that shows it"
	}
	return "was ended by the shell before that ended, as far as that could see"
}
