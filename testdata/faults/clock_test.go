package faults

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The wall clock is set by a day, to and fro, hundreds of times a second: no limit and no
// wait changes. (To set the clock of the machine would hurt others, so that
// this shell is built with a library in which it only seems to be set.)
func TestWallClock(t *testing.T) {
	leaping := leapingShell(t)
	fault(t, "the wall clock set by a day, to and fro", func(s *stage) {
		c := s.shell(`try for 400 ms
    ./hold
catch
    ./step ${error.kind}
end
try for 1 minute or 3 times every 100 ms
    ./step again
    false
catch
    ./step ${error.reason}
end
try for 1 minute or 1 times
    ` + leaping + ` -c './step nested
sleep 300 ms
try for 300 ms
    ./hold
catch
    ./step nested.${error.kind}
end'
end
./step last
`)
		c.Path, c.Args[0] = leaping, leaping
		began := time.Now()
		ended := s.wait(s.start(c))
		if took := time.Since(began); took < time.Second {
			s.Errorf("it took %v, less than its waits", took)
		}
		want := "holding timeout again again again attempts nested holding nested.timeout last"
		if got := strings.Join(strings.Fields(s.get("truth")), " "); got != want || ended.ExitStatus() != 0 {
			s.Errorf("ended with %s after %q, want %q", outcome(ended), got, want)
		}
		s.orderly()
		s.nothingLeft()
	})
	fault(t, "the wall clock set by a day while a journal is kept", func(s *stage) {
		s.put("killed.ftsh", "sleep 5 ms\nsh -c 'kill -9 $PPID'\n", 0o600)
		run := func(args ...string) string {
			c := s.shell("", args...)
			c.Path, c.Args, c.Stdout = leaping, append([]string{leaping}, args...), nil
			out, _ := c.Output()
			return string(out)
		}
		run("--journal", s.path("j"), "killed.ftsh")
		s.until("its guardian to end", func() bool { return len(s.alive()) == 0 })
		if got := run("--journals", s.path("j")); !regexp.MustCompile(`undecided .* =1\n`).MatchString(got) {
			s.Errorf("the command under way has no number: %s", got)
		}
		s.nothingLeft()
	})
}

// leapingShell builds a shell for which the wall clock leaps.
func leapingShell(t *testing.T) string {
	dir := t.TempDir()
	library, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(library)), "src/time/time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reading = "sec, nsec, mono := runtimeNow()\n"
	changed := strings.Replace(string(text), reading, reading+"\tsec += (mono>>22%3 - 1) * 86400\n", 1)
	if changed == string(text) {
		t.Skip("this version of Go reads the clock in another way")
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: filepath.Join(dir, "time.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"time.go": changed, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "ftsh")
	build := exec.Command("go", "build", "-pgo=off", "-overlay", filepath.Join(dir, "overlay.json"), "-o", name,
		"ftsh/cmd/ftsh")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}
