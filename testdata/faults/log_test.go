package faults

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// shells counts those that write to one log at once.
const shells = 200

// Many shells log to one file: no line is torn, none is lost.
func TestOneLog(t *testing.T) {
	const script = `for i in 1 .to. 20
    x="a value of some length, so that lines differ: $i $i $i $i"
end
./step one
`
	fault(t, "200 shells that log to one file, as JSON", func(s *stage) {
		s.together(script)
		counts, ended := map[int]int{}, map[int]bool{}
		for _, l := range s.lines() {
			counts[l.Shell]++
			if ended[l.Shell] {
				s.Errorf("shell %d logged after its end", l.Shell)
			}
			ended[l.Shell] = l.Event == "shell.end"
		}
		sameCounts(s, counts)
	})
	fault(t, "200 shells that log to one file, as text", func(s *stage) {
		s.together(script, "--log-format", "text")
		text := regexp.MustCompile(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:Z|[+-][0-9:]{5}) \[([0-9]+)\] ` +
			`(script\.ftsh:[0-9]+|ftsh|script\.ftsh)[: ].*$`)
		counts := map[string]int{}
		for line := range strings.Lines(s.logged()) {
			match := text.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if match == nil {
				s.Fatalf("torn line %q", line)
			}
			counts[match[1]]++
		}
		sameCounts(s, counts)
	})
}

// together runs shells at once.
func (s *stage) together(script string, args ...string) {
	s.Helper()
	var all []*exec.Cmd
	for range shells {
		all = append(all, s.shell(script, args...))
	}
	for _, c := range all {
		s.start(c)
	}
	for _, c := range all {
		if ended := s.wait(c); ended.ExitStatus() != 0 {
			s.Errorf("ended with %s", outcome(ended))
		}
		c.Stdout.(*os.File).Close()
		c.Stderr.(*os.File).Close()
	}
	s.orderly()
	s.nothingLeft()
}

// sameCounts holds that all shells have logged as many lines.
func sameCounts[K comparable](s *stage, counts map[K]int) {
	s.Helper()
	if len(counts) != shells {
		s.Errorf("%d shells have logged, of %d", len(counts), shells)
	}
	first := 0
	for shell, n := range counts {
		if first == 0 {
			first = n
		}
		if n != first || n < 40 {
			s.Errorf("shell %v has logged %d lines, another %d", shell, n, first)
		}
	}
}
