package backoff

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// FromEnvironment returns the backoff of tries that name none, as the
// environment has it: FTSH_BACKOFF (a policy's name), FTSH_EXPMIN and
// FTSH_EXPMAX (seconds, at least 0.001, fractions allowed), FTSH_EXPFACTOR (a
// number, at least 1), and FTSH_EXPRAND, which at 0 means [Exact] where
// FTSH_BACKOFF does not say otherwise. What is unset or empty keeps its default. lookup is os.LookupEnv
// or its like. An error names the variable, what was found and what was
// wanted.
func FromEnvironment(lookup func(name string) (value string, ok bool)) (Backoff, error) {
	e := environment{lookup: lookup}
	b := Backoff{
		Initial: e.seconds("FTSH_EXPMIN"),
		Max:     e.seconds("FTSH_EXPMAX"),
		Factor:  e.number("FTSH_EXPFACTOR", 1, "a number of at least 1, such as 2 or 1.5"),
		Policy:  e.policy(),
	}
	if e.err != nil {
		return Backoff{}, e.err
	}
	return b, nil
}

// environment reads variables, and keeps the first error.
type environment struct {
	lookup func(name string) (string, bool)
	err    error
}

// policy reads the two variables that choose one.
func (e *environment) policy() Policy {
	random, _ := e.lookup("FTSH_EXPRAND")
	e.number("FTSH_EXPRAND", 0, "0 or 1")
	name, _ := e.lookup("FTSH_BACKOFF")
	if name == "" {
		if strings.Trim(random, "0.") == "" && random != "" {
			return Exact
		}
		return Ethernet
	}
	p, ok := ParsePolicy(name)
	if !ok {
		e.wrong("FTSH_BACKOFF", name, "one of "+policies())
	}
	return p
}

// seconds reads a time, 0 if there is none.
func (e *environment) seconds(variable string) time.Duration {
	const shortest = 0.001
	return duration(e.number(variable, shortest, "seconds of at least 0.001, such as 30 or 0.5") * float64(time.Second))
}

// number reads a decimal number of at least least, 0 if there is none.
func (e *environment) number(variable string, least float64, wanted string) float64 {
	text, _ := e.lookup(variable)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < least || strings.Trim(text, "0123456789.") != "" { // no 0x1p4, 1e9, inf or nan
		e.wrong(variable, text, wanted)
		return 0
	}
	return n
}

// wrong keeps the first error.
func (e *environment) wrong(variable, found, wanted string) {
	if e.err == nil {
		e.err = errors.New(variable + " is " + strconv.Quote(found) + ", wanted " + wanted)
	}
}

// policies is the list of all names.
func policies() string {
	var names []string
	for p := Ethernet; p <= Fixed; p++ {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}
