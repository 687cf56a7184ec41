package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"ftsh/cmd/ftshsim/fit"
	"ftsh/cmd/ftshsim/herd/spread"
)

const fitUsage = `ftshsim fit: a SPEC of what really happened, out of logs

  ftshsim fit LOG… > my.spec
  ftshsim run --server my.spec SCRIPT

A LOG is what shells wrote with --log-format json -l 30, one or many of them, or
a server's access log in the common format. The SPEC says how many clients there
were and when they began, what the servers can do at the same time, how long they
take as it was measured, when they were down, and how they fail. A "run" with it
prints what it predicts for the same period beside what was seen.

`

// fitting are the options of `ftshsim fit`.
type fitting struct {
	Calls string `value-name:"NAME,…" help:"programs that call a server although their words name no host"`
	Takes string `value-name:"TIMES" help:"how long requests take, where an access log does not tell"`
}

func runFit(_ context.Context, args []string) error {
	var o fitting
	known := newOptions("ftshsim fit", &o)
	names, err := known.readOptions(args, fitUsage)
	if err == nil && len(names) == 0 {
		err = known.refuse(errors.New("fit wants a log: of shells (--log-format json -l 30), or a server's access log"))
	}
	if err != nil {
		return err
	}
	text, err := o.makeSpec(names)
	fmt.Print(text)
	return err
}

// spaced is a time as a SPEC has it, 100 ms: one word here.
var spaced = regexp.MustCompile(`(\d) +(ms|s|m|h)\b`)

func (o *fitting) makeSpec(names []string) (string, error) {
	var takes *spread.Time
	if o.Takes != "" {
		given, err := spread.Parse(strings.Fields(spaced.ReplaceAllString(o.Takes, "$1$2")))
		if err != nil {
			return "", fmt.Errorf("invalid value %q for --takes: %w", o.Takes, err)
		}
		takes = &given
	}
	var log fit.Log
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("cannot read the log: %w", err)
		}
		err = log.Read(name, file)
		_ = file.Close() // it was only read
		if err != nil {
			return "", err
		}
	}
	return log.Spec(strings.FieldsFunc(o.Calls, func(r rune) bool { return r == ',' }), takes)
}
