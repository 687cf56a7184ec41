package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ftsh/interp/journal"
)

// journalOptions holds the options of the command line about journals.
type journalOptions struct {
	name    string // "": the script has none
	list    bool   // --journals
	state   bool   // --state
	goesOn  bool   // --continue
	answers answers
	restart bool
	abandon bool
	sync    bool
	given   []string // options, as they were written
	kept    keptOptions
}

// parseAround reads options that stand after names, too: of --continue and --journals nothing is for a script. given
// are all options as they were written, rest begins with a name.
func (line *commandLine) parseAround(given, rest []string) (all, names []string, err error) {
	for len(rest) > 0 {
		if !strings.HasPrefix(rest[0], "-") || given[len(given)-1] == "--" {
			names, rest = append(names, rest[0]), rest[1:]
			continue
		}
		before := rest
		if rest, err = line.parseOptions(rest); err != nil {
			return nil, nil, err
		}
		given = append(slices.Clip(given), before[:len(before)-len(rest)]...)
	}
	return given, names, nil
}

// readGiven takes over what the options say, and refuses what does not go together. given are all
// options as they were written.
func (j *journalOptions) readGiven(o *options, line *commandLine, given []string) (err error) {
	if len(given) == 0 {
		return nil
	}
	*j = journalOptions{
		list: line.Journals, state: line.State, goesOn: line.Continue,
		restart: line.Restart, abandon: line.Abandon, sync: line.SyncAll, kept: keepOptions(line),
	}
	if line.Journal != nil {
		if j.name = *line.Journal; j.name == "" {
			return errUnnamed
		}
	}
	separator := func(word string) bool { return word == "--continue" || word == "--" }
	j.given = slices.DeleteFunc(slices.Clone(given), separator)
	if j.answers, err = readAnswers(line); err != nil {
		return err
	}
	return j.checkTogether(o)
}

// checkTogether refuses options that do not go together.
func (j *journalOptions) checkTogether(o *options) error {
	var decisions []string
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"--again", j.answers.say(again)}, {"--happened", j.answers.say(happened)},
		{"--restart", j.restart}, {"--abandon", j.abandon},
	} {
		if option.set {
			decisions = append(decisions, option.name)
		}
	}
	switch {
	case len(decisions) > 1 && (j.restart || j.abandon):
		return fmt.Errorf("%s do not go together: choose one", strings.Join(decisions, " and "))
	case j.state && !j.list:
		return errors.New("--state goes with --journals NAME")
	case j.goesOn && j.name != "":
		return errors.New("--continue and --journal do not go together: " +
			"ftsh --continue NAME goes on with the script that the journal names")
	case j.goesOn && (o.text != nil || o.try != nil):
		return errors.New("--continue takes names of journals, and the scripts that they name")
	case j.name == "" && !j.goesOn && (len(decisions) > 0 || j.sync):
		return fmt.Errorf("%s goes with --journal NAME or --continue", append(decisions, "--journal-sync")[0])
	case j.name == "":
		return nil
	case o.try != nil:
		return errors.New("--try cannot have a journal: write the try into a script, or after -c")
	case o.text == nil && len(o.args) > 0 && o.args[0] == "-":
		return errors.New("what standard input holds cannot have a journal, as a later run would not find it: " +
			"name a file, or use -c")
	case o.text == nil && len(o.args) == 0 && !o.help && !o.version && !o.manual:
		return fmt.Errorf("--journal %s: name the script, or go on with the one that was begun: "+
			"ftsh --continue %[1]s", j.name)
	}
	return nil
}

// journalConfig returns the settings with which journals are opened.
func (j *journalOptions) journalConfig() journal.Config {
	return journal.Config{Warn: func(text string) { printWarning(text) }, SyncAll: j.sync}
}
