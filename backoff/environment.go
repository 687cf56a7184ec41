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
	var b Backoff
	const aTime = "seconds of at least 0.001, such as 30 or 0.5"
	for _, v := range [...]struct {
		name   string
		least  float64
		wanted string
		set    func(n float64)
	}{
		{"FTSH_EXPMIN", Shortest.Seconds(), aTime, func(n float64) { b.Initial = fromNanoseconds(n * float64(time.Second)) }},
		{"FTSH_EXPMAX", Shortest.Seconds(), aTime, func(n float64) { b.Max = fromNanoseconds(n * float64(time.Second)) }},
		{"FTSH_EXPFACTOR", 1, "a number of at least 1, such as 2 or 1.5", func(n float64) { b.Factor = n }},
		{"FTSH_EXPRAND", 0, "0 or 1", func(n float64) {
			if n == 0 {
				b.Policy = Exact
			}
		}},
	} {
		text, _ := lookup(v.name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n < v.least || strings.Trim(text, "0123456789.") != "" { // no 0x1p4, 1e9, inf or nan
			return Backoff{}, unwantedValue(v.name, text, v.wanted)
		}
		v.set(n)
	}
	if name, _ := lookup("FTSH_BACKOFF"); name != "" {
		var known bool
		if b.Policy, known = ParsePolicy(name); !known {
			return Backoff{}, unwantedValue("FTSH_BACKOFF", name, "one of "+strings.Join(Policies(), ", "))
		}
	}
	return b, nil
}

// unwantedValue says what is wrong with a variable.
func unwantedValue(variable, found, wanted string) error {
	return errors.New(variable + " is " + strconv.Quote(found) + ", wanted " + wanted)
}
