package faults

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The shell is started with some of its streams closed: what it opens does not
// become one of them.
func TestClosedStreams(t *testing.T) {
	const script = `./step 1 -> said
./page 2 => page.1
./leave
`
	for closed := 1; closed < 8; closed++ {
		var which []string
		redirections := ""
		for n, name := range []string{"input", "output", "error"} {
			if closed&(1<<n) != 0 {
				which = append(which, name)
				redirections += " " + string(rune('0'+n)) + ">&-"
			}
		}
		fault(t, "standard "+strings.Join(which, ", ")+" closed", func(s *stage) {
			s.put("page.1", page("old"), 0o644)
			c := s.shell("try\n" + strings.ReplaceAll(script, "\n", "\n    ") + "\ncatch\n    ./step last > plain\nend\n")
			c.Args = append([]string{"sh", "-c", `exec "$@"` + redirections, "sh"}, append([]string{c.Path}, c.Args[1:]...)...)
			sh, err := exec.LookPath("sh")
			s.must(err)
			c.Path = sh
			ended := s.wait(s.start(c))
			s.pages("page.1", "2", "old")
			if plain := s.get("plain"); plain != "last\n" && plain != "" {
				s.Errorf("it wrote %q", plain)
			}
			if !ended.Exited() || ended.ExitStatus() == 0 && !strings.HasSuffix(s.get("truth"), "last\n") {
				s.Errorf("ended with %s after %q: %s", outcome(ended), s.get("truth"), s.logged())
			}
			s.orderly()
			s.nothingLeft()
			s.truth(ended)
		})
	}
}

// Nobody reads what the shell writes any more.
func TestNobodyReads(t *testing.T) {
	fault(t, "nobody reads standard output and standard error", func(s *stage) {
		r, w, err := os.Pipe()
		s.must(err)
		r.Close()
		defer w.Close()
		c := s.shell("try\n    echo x\n    ./step wrong\ncatch\n    ./step caught > plain\nend\ntry\n" +
			"    sh -c 'echo x >&2; exit 1'\ncatch\n    ./step last > plain\nend\n")
		c.Stdout, c.Stderr = w, w
		s.wellAfter(s.start(c))
		if strings.Contains(s.get("truth"), "wrong") {
			s.Errorf("a failure was not noticed: %q", s.get("truth"))
		}
	})
}
