package faults

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Few descriptors: what needs no more than there are succeeds, all else fails in
// an orderly way, and nothing is left in either case.
func TestFewDescriptors(t *testing.T) {
	for _, limit := range []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 32} {
		fault(t, "RLIMIT_NOFILE of "+strconv.Itoa(limit), func(s *stage) { fewDescriptors(s, limit) })
	}
	fault(t, "all descriptors used up by the script, at RLIMIT_NOFILE of 16", func(s *stage) {
		c := s.shell("./step one\ntry\n    ./step two -> x 3> a 4> b 5> c 6> d 7> e 8> f 9> g\ncatch\n    ./step three\n" +
			"end\n./step last\n")
		s.limited(c, "--nofile=16")
		s.wellAfter(s.start(c))
	})
}

func fewDescriptors(s *stage, limit int) {
	c := s.shell(`./step 1
try
    forall i in 2 3
        ./step $i -> x
        ./step more.$i | cat => page.$i
        ./leave
    end
catch
    ./step 4
end
try for 50 ms
    ./hold
catch
    ./step last
end
`)
	s.limited(c, "--nofile="+strconv.Itoa(limit))
	ended := s.wait(s.start(c))
	if ended.Exited() && ended.ExitStatus() == 0 {
		if !strings.Contains(s.get("truth"), "last\n") {
			s.Errorf("it succeeded after %q", s.get("truth"))
		}
	} else if !ended.Exited() || ended.ExitStatus() > 2 || s.get("err") == "" && s.logged() == "" {
		s.Errorf("ended with %s: %.2000s", outcome(ended), s.get("err"))
	}
	if limit >= 16 && ended.ExitStatus() != 0 {
		s.Errorf("ended with %s, though there are enough: %s", outcome(ended), s.logged())
	}
	s.orderly()
	s.nothingLeft()
	s.truth(ended)
}

// limited has a shell run with a limit.
func (s *stage) limited(c *exec.Cmd, limit string) {
	s.Helper()
	path, err := exec.LookPath("prlimit")
	s.must(err)
	c.Args = append([]string{path, limit, c.Path}, c.Args[1:]...)
	c.Path = path
}

// 20,000 inherited descriptors cost no time and do no harm, and neither guardian nor
// shell keeps one open for longer than the script lasts.
func TestManyDescriptors(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	many := min(int(limit.Max), 20100) - 100
	fault(t, strconv.Itoa(many)+" inherited descriptors", func(s *stage) {
		r, w, err := os.Pipe()
		s.must(err)
		defer r.Close()
		c := s.shell("./step 1\nforall i in 1 2 3\n    ./step x.$i -> y\nend\ntry for 50 ms\n    ./hold\nend\n")
		c.ExtraFiles = []*os.File{w}
		c.Env = append(c.Env, play+"="+strconv.Itoa(many))
		c.Args = append([]string{"inherit", c.Path}, c.Args[1:]...)
		c.Path = "/proc/self/exe"
		s.start(c)
		w.Close()
		ended := s.wait(c)
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF || ended.ExitStatus() != 1 {
			s.Errorf("ended with %s; the pipe: %v; %s", outcome(ended), err, s.get("err"))
		}
		s.orderly()
		s.nothingLeft()
		s.truth(ended)
	})
}

// play is the environment variable that makes this program one that hands the
// shell so many copies of its descriptor 3.
const play = "FAULTS_INHERIT"

func inherit(many string) {
	n, _ := strconv.Atoi(many)
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(n + 100), Max: uint64(n + 100)})
	for range n {
		if _, err := syscall.Dup(3); err != nil {
			panic(err)
		}
	}
	_ = os.Unsetenv(play)
	panic(syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
}
