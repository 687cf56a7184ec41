package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// filling is a script that fails for want of disk in all ways, and goes on.
const filling = `
try
    head -c 3000000 /dev/zero -> large
    ./step 'large was captured'
catch
    ./step capture
end
try
    ./long => small/page.1
    ./step 'a page was written'
catch
    ./step atomic
end
try
    ./long > small/plain
    ./step 'a file was written'
catch
    ./step plain
end
try
    head -c 900000 /dev/zero -> input
    wc -c -< input
    ./step 'it was read'
catch
    ./step input
end
rm -f small/plain
./page 2 => small/page.2
./step last
`

// The disk is full under captures, atomic output and files.
func TestFullDisk(t *testing.T) {
	for name, where := range map[string]func(s *stage, c *exec.Cmd){
		"no space on the file system of captures and outputs (tmpfs)": func(s *stage, c *exec.Cmd) { s.start(c) },
		"captures and outputs beyond RLIMIT_FSIZE": func(s *stage, c *exec.Cmd) {
			s.limited(c, "--fsize=400000")
			s.start(c)
		},
	} {
		fault(t, name, func(s *stage) {
			if strings.Contains(name, "tmpfs") {
				s.mount()
			} else {
				s.must(os.Mkdir(s.path("small"), 0o755))
			}
			s.put("small/page.1", page("old"), 0o644)
			s.put("long", "#!/bin/sh\ntrap '' XFSZ\nhead -c 2000000 /dev/zero\n", 0o755)
			c := s.shell(filling)
			for i, entry := range c.Env {
				if strings.HasPrefix(entry, "TMPDIR=") {
					c.Env[i] = "TMPDIR=" + s.path("small")
				}
			}
			where(s, c)
			ended := s.wait(c)
			if want := "capture\natomic\nplain\ninput\nlast\n"; s.get("truth") != want || ended.ExitStatus() != 0 {
				s.Errorf("ended with %s after %q, want %q: %s %s", outcome(ended), s.get("truth"), want, s.get("err"), s.logged())
			}
			s.pages("small/page.1", "old")
			s.pages("small/page.2", "2")
			if left, _ := filepath.Glob(s.path("small/.*")); len(left) > 0 {
				s.Errorf("left behind: %q", left)
			}
			s.orderly()
			s.nothingLeft()
			s.truth(ended)
		})
	}
}

// mount puts a small file system on the directory small. This thread sees it, and
// what it starts; it goes with the thread.
func (s *stage) mount() {
	s.Helper()
	runtime.LockOSThread() // for good
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS); err != nil {
		s.Skipf("no mounts here: %v", err)
	}
	s.must(os.Mkdir(s.path("small"), 0o755))
	s.must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	s.must(unix.Mount("none", s.path("small"), "tmpfs", 0, "size=400k"))
	s.Cleanup(func() { _ = unix.Unmount(s.path("small"), unix.MNT_DETACH) })
}

// The log has no space left for a while: the script goes on, and the log says how
// many lines it has lost.
func TestFullLog(t *testing.T) {
	fault(t, "no space for the log (tmpfs)", func(s *stage) {
		s.mount()
		s.log = s.path("small/log")
		s.put("small/rest", strings.Repeat("x", 380<<10), 0o644)
		s.run(s.shell("for i in 1 .to. 200\n    ./step $i\nend\nrm small/rest\n"+
			"for i in 1 2 3\n    ./step after.$i\nend\n"), 0)
		s.lossTold(200)
	})
	fault(t, "a log beyond RLIMIT_FSIZE", func(s *stage) {
		c := s.shell("for i in 1 .to. 100\n    ./step $i\nend\n")
		s.limited(c, "--fsize=16384")
		s.run(c, 0)
		if n := len(s.lines()); n < 10 {
			s.Errorf("the log has %d lines", n)
		}
		if done := strings.Count(s.get("truth"), "\n"); done != 100 {
			s.Errorf("%d steps were done", done)
		}
		s.nothingLeft()
	})
}

// lossTold holds that a log tells of all that happened or of how much it does not.
func (s *stage) lossTold(steps int) {
	s.Helper()
	lost, told := 0, 0
	for _, l := range s.lines() {
		if told++; l.Event == "log.lost" {
			lost += l.Count
			told--
		}
	}
	// Each step is four lines and one for its turn; the loops and rm are some more.
	if least := 5 * steps; lost == 0 || lost+told < least {
		s.Errorf("the log tells of %d lines and %d lost, of more than %d", told, lost, least)
	}
	s.orderly()
	s.nothingLeft()
}
