package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// decision is what is said of a command: the option that says it, "" for nothing.
type decision string

const (
	again    decision = "--again"
	happened decision = "--happened"
)

// answers are what the command line says of commands whose outcome is unknown, or that have failed.
type answers struct {
	numbered map[int]decision // of one
	others   decision         // of all of which no number is given
}

// readAnswers reads --again and --happened.
func readAnswers(line *commandLine) (answers, error) {
	a := answers{numbered: map[int]decision{}}
	for _, number := range line.Again {
		if err := a.add(again, number); err != nil {
			return a, err
		}
	}
	for _, number := range line.Happened {
		if err := a.add(happened, number); err != nil {
			return a, err
		}
	}
	return a, nil
}

// add takes up an option; without a number it is about all others.
func (a *answers) add(said decision, number string) error {
	if number == "" {
		if a.others != "" && a.others != said {
			return errors.New("--again and --happened do not go together: choose one, or say which command each is about, " +
				"as in --happened=1")
		}
		a.others = said
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("%s=%s: wanted the number of a command, as the shell has printed it, or %[1]s alone for all",
			said, number)
	}
	if before := a.numbered[n]; before != "" && before != said {
		return fmt.Errorf("--again=%d and --happened=%[1]d do not go together: choose one", n)
	}
	a.numbered[n] = said
	return nil
}

// of returns what is said of the command with a number.
func (a answers) of(number int) decision {
	if said, given := a.numbered[number]; given {
		return said
	}
	return a.others
}

// say reports whether something is said by one of these options.
func (a answers) say(options ...decision) bool {
	return slices.Contains(options, a.others) || slices.ContainsFunc(options, func(said decision) bool {
		return slices.Contains(slices.Collect(maps.Values(a.numbered)), said)
	})
}

// unknown is the error of a number that no command of a list has; what says what the list is of. nil: all are known.
func (a answers) unknown(what string, known []int) error {
	for _, n := range slices.Sorted(maps.Keys(a.numbered)) {
		if !slices.Contains(known, n) {
			var list strings.Builder
			for _, number := range known {
				fmt.Fprintf(&list, " =%d", number)
			}
			return fmt.Errorf("there is no %s: there are %d%s", fmt.Sprintf(what, n), len(known), list.String())
		}
	}
	return nil
}
