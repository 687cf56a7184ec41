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

// fitting are the options of `ftshsim fit`.
type fitting struct {
	Calls string `value-name:"NAME,…" help:"programs that call a server although their words name no host"`
	Takes string `value-name:"TIMES" help:"how long requests take, where an access log does not tell"`
}

func runFit(_ context.Context, args []string) error {
	var o fitting
	var names []string
	err := newOptions("fit", &o).readOptions(args, func(logs []string) error {
		if names = logs; len(names) == 0 {
			return errors.New("fit wants a log: of shells (--log-format json -l 30), or a server's access log")
		}
		return nil
	})
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
