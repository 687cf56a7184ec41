package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
)

// welcomeText greets a newcomer.
func welcomeText() string {
	var text strings.Builder
	text.WriteString(`ftshsim: what does my retry policy do to my server?

What happens to my server when 500 of my scripts fail together?

  ftshsim spec > my.spec                a description of a server, to be changed
  ftshsim run --clients 500 --server my.spec script.ftsh
  ftshsim run --help                    compare policies, scripts, numbers of clients
  ftshsim choose --server my.spec --deadline 1h script.ftsh   which policy to take
  ftshsim fit LOG… > my.spec            the description out of logs of the real thing

Or try this:

  ftshsim overload                      does a server recover from half a minute of nothing?
  ftshsim contention                    how policies share a thing that only one can write
  ftshsim contention --plot c.svg       the same as a picture
  ftshsim submit --help                 what can be changed about an experiment

The experiments:

`)
	for _, p := range experiment.Presets() {
		fmt.Fprintf(&text, "  %-12s%s\n", p.Name, p.Title)
	}
	text.WriteString(`
For real, on this machine, and beside the sources:

  serve       an HTTP server that gets slower the more is asked of it (smira 2013)
  load        its 1,000 clients; stop the server for 30 s and see who recovers
  compare     a page with all numbers that were published, and ours

Every experiment knows --help, --seeds, --seed, --plot FILE.svg|.png, --csv FILE,
--json FILE, and --html FILE for a page with all of it.
`)
	return text.String()
}

// exampleSpec is a SPEC to begin with.
//
//go:embed example.spec
var exampleSpec string

const specUsage = `ftshsim spec: a SPEC to begin with, for ftshsim run --server

  ftshsim spec > my.spec
`

// printSpec is `ftshsim spec`.
func printSpec(_ context.Context, args []string) error {
	switch {
	case slices.Equal(args, []string{"--help"}):
		fmt.Print(specUsage)
	case len(args) > 0:
		return &misuse{fmt.Errorf("spec takes no arguments, but got %q", args), "ftshsim spec > my.spec makes a file of it"}
	default:
		fmt.Print(exampleSpec)
	}
	return nil
}
