package fit

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Log holds the calls that were read.
type Log struct {
	shells []*shell
	calls  []call // by the time at which they began
	access bool   // it is a server's
	began  time.Time
	ended  time.Time
	from   []string // the files
}

// shell is one that ran a script, or a host that asked a server.
type shell struct {
	began, ended time.Time
	over         bool // its end was seen
	failed       bool
}

// call is a program that was run, or a request.
type call struct {
	words   []string
	began   time.Time
	took    time.Duration
	timed   bool // took is known
	outcome outcome
	status  int // of what failed
}

type outcome uint8

const (
	good outcome = iota
	bad
	cut // its client gave it up
)

// Read adds a file. The error has its name and the line that is wrong.
func (l *Log) Read(name string, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	var read func(text string) error
	number := 0
	for {
		text, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", name, err)
		}
		ending := err
		number++
		if text = strings.TrimSpace(text); text != "" {
			if read == nil {
				read = l.readerFor(text)
			}
			if err := read(text); err != nil {
				return fmt.Errorf("%s:%d: %w", name, number, err)
			}
		}
		if ending == io.EOF {
			break
		}
	}
	if read == nil {
		return fmt.Errorf("%s: it is empty: "+
			"wanted a log that was written with --log-format json -l 30, or a server's access log", name)
	}
	l.from = append(l.from, name)
	return nil
}

// readerFor returns the function that reads the lines of a file, by its first.
func (l *Log) readerFor(first string) func(string) error {
	if strings.HasPrefix(first, "{") {
		return (&events{log: l, shells: map[int]*shell{}}).readLine
	}
	return (&access{log: l, clients: map[string]*shell{}}).readLine
}

// sortAll sorts what was read, and finds when it was.
func (l *Log) sortAll() error {
	if l.access {
		spreadSeconds(l.calls)
	}
	slices.SortStableFunc(l.calls, func(a, b call) int { return a.began.Compare(b.began) })
	for _, s := range l.shells {
		if l.began.IsZero() || s.began.Before(l.began) {
			l.began = s.began
		}
		if s.ended.After(l.ended) {
			l.ended = s.ended
		}
	}
	if len(l.calls) == 0 {
		return fmt.Errorf("%s: no program was run in it: wanted a log of level 20 or more (-l 30)",
			strings.Join(l.from, ", "))
	}
	return nil
}

// spreadSeconds gives requests of the same second each a part of it: the times of an access log
// have no fractions.
func spreadSeconds(calls []call) {
	same := map[int64][]int{}
	for i := range calls {
		second := calls[i].began.Unix()
		same[second] = append(same[second], i)
	}
	for _, list := range same {
		for n, i := range list {
			calls[i].began = calls[i].began.Add(time.Duration(n) * time.Second / time.Duration(len(list)))
		}
	}
}

// sinceStart is a time as the simulation counts it.
func (l *Log) sinceStart(at time.Time) time.Duration { return at.Sub(l.began) }

// sortedTimes are the times of calls with one of these outcomes.
func sortedTimes(calls []call, of ...outcome) (list []time.Duration) {
	for _, c := range calls {
		if c.timed && slices.Contains(of, c.outcome) {
			list = append(list, c.took)
		}
	}
	slices.Sort(list)
	return list
}

// quantile is the value of a sorted list below which that share lies, 0 to 1; 0 if there is none.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(int(share*float64(len(list))), len(list)-1)]
}

// threeDigits keeps three digits of a time.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// mostFrequent returns the number that stands most often in a list, the least of several; 1 if it is empty.
func mostFrequent(list []int) int {
	count := map[int]int{}
	for _, v := range list {
		count[v]++
	}
	best := 1
	for v, n := range count {
		if cmp.Or(cmp.Compare(count[best], n), cmp.Compare(v, best)) < 0 {
			best = v
		}
	}
	return best
}
