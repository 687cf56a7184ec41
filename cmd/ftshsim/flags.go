package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ftsh/backoff/herd/experiment"
)

// options is what a command of ftshsim can be told. As with all programs that
// read their options by the standard library, one dash is as good as two.
type options struct {
	set     *flag.FlagSet
	command string // what the user types, say "ftshsim submit"
	listed  []option
}

// option is one of them, for the help.
type option struct {
	short, long, usage string
	value              experiment.Value
	standard           string
}

// errHelp is what parse returns where help was asked for.
var errHelp = flag.ErrHelp

func newOptions(command string) *options {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return &options{set: set, command: command}
}

// add adds an option; short is a letter or nothing.
func (o *options) add(short, long, usage string, value experiment.Value) {
	o.listed = append(o.listed, option{short, long, usage, value, value.String()})
	o.set.Var(value, long, usage)
	if short != "" {
		o.set.Var(value, short, usage)
	}
}

// parse reads the options and returns the arguments behind them. An error names
// the option and what is allowed.
func (o *options) parse(args []string) ([]string, error) {
	err := o.set.Parse(args)
	if err != nil && !errors.Is(err, errHelp) {
		text := strings.NewReplacer(" for flag -", " for --", "\" for -", "\" for --", "flag provided but not defined: -", "there is no option --",
			"flag needs an argument: -", "a value is missing after --", "invalid boolean value", "invalid value").Replace(err.Error())
		err = errors.New(text)
	}
	return o.set.Args(), err
}

// complain tells what is wrong with the options.
func (o *options) complain(err error) int {
	return complain(err, o.command+" --help shows the options")
}

// help lists the options and what they are if nothing is said.
func (o *options) help() string {
	var text strings.Builder
	width := 0
	for _, one := range o.listed {
		width = max(width, utf8.RuneCountInString(one.head()))
	}
	for _, one := range o.listed {
		head := one.head()
		fmt.Fprintf(&text, "%s%s  %s", head, strings.Repeat(" ", width-utf8.RuneCountInString(head)), one.usage)
		if one.standard != "" && one.standard != "false" {
			fmt.Fprintf(&text, " (%s)", one.standard)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// head is the left side of its line in the help.
func (o option) head() string {
	head := "      --" + o.long
	if o.short != "" {
		head = "  -" + o.short + ", --" + o.long
	}
	if kind := o.value.Type(); kind != "bool" {
		head += " " + kind
	}
	return head
}
