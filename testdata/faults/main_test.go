package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

var (
	rounds  = flag.Int("rounds", 1, "how often each fault is tried; 1 is the short form")
	write   = flag.Bool("write", false, "write the counts to testdata/faults.md")
	seed    = flag.Uint64("seed", rand.Uint64(), "of the random moments")
	soaking = flag.Bool("soak", false, "run a million commands and 100,000 retries")
)

// program is the shell under test.
var program string

func TestMain(m *testing.M) {
	if many := os.Getenv(play); many != "" {
		inherit(many)
	}
	if file := os.Getenv("FAULTS_AGENT"); file != "" {
		playAgent(file)
	}
	flag.Parse()
	if program = os.Getenv(hidden); program != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = os.Chmod(dir, 0o755) // other users run the shell, too
	code := 1
	if program, err = shelltest.Build(dir, skip.UnderRace); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if *write {
		if err := publish("../faults.md"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
