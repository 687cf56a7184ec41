package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestExampleLock runs several at once: their commands must never overlap.
func TestExampleLock(t *testing.T) {
	s := newScene(t, "flock")
	alone := s.program(s.away+"/bin/alone",
		`mkdir $CALLS/held && ls > /dev/null && rmdir $CALLS/held && echo "$1" >> $CALLS/turns`)
	var plays []*play
	for _, name := range []string{"one", "two", "three", "four"} {
		plays = append(plays, s.begin("lock.ftsh", "the lock", alone, name))
	}
	for _, p := range plays {
		p.end().ends("0")
	}
	s.called("turns", 4)
	_ = os.Remove(s.dir + "/the lock.clearing") // made if an owner ends just when another looks for it
	s.leaves()
}

func TestExampleLockOwners(t *testing.T) {
	s := newScene(t, "flock")
	host, err := exec.Command("uname", "-n").Output()
	s.must(err)
	gone := exec.Command("true")
	s.must(gone.Run())
	for _, c := range []struct{ name, owner, status, out string }{
		{"of a dead process", strings.TrimSpace(string(host)) + ":" + pid(gone), "0", "ran\n"},
		{"of another machine", "elsewhere.example:" + pid(gone), "1", ""},
		{"of a living process", strings.TrimSpace(string(host)) + ":1", "1", ""},
	} {
		s.must(os.Symlink(c.owner, s.dir+"/lock"))
		s.set("LOCK_LIMIT=400ms")
		if c.status == "0" {
			s.set("LOCK_LIMIT=1m")
		}
		s.run("lock.ftsh", "lock", "echo", "ran").ends(c.status).says(c.out)
		if owner, _ := os.Readlink(s.dir + "/lock"); (owner == c.owner) != (c.status == "1") {
			t.Errorf("the lock %s is now %q", c.name, owner)
		}
		_ = os.Remove(s.dir + "/lock")
	}
	s.leaves("lock.clearing")
}

func pid(c *exec.Cmd) string {
	text, _ := json.Marshal(c.Process.Pid)
	return string(text)
}

func TestExampleLockInterrupted(t *testing.T) {
	s := newScene(t, "flock")
	inside := s.signpost("inside")
	s.standIn("work", "echo > "+inside.path+"; sleep 3600 & sleep 3600")
	p := s.begin("lock.ftsh", "lock", "work")
	inside.reached(s)
	s.must(p.cmd.Process.Signal(syscall.SIGINT))
	p.end().ends("INT")
	s.leaves()
}

func TestExampleCron(t *testing.T) {
	s := newScene(t)
	s.standIn("report", `echo "attempt $n"; echo "warning" >&2; [ $n -ge ${GOOD:-99} ] || exit 3`)
	s.set("CRON_WAIT=10ms", "GOOD=3")
	log := []string{"-l", "20", "-f", s.away + "/calls/log", "--log-format", "json", example("cron.ftsh")}
	p := s.beginShell(append(log, "1m", "report", "monthly")...).end().ends("0").says("")
	if p.stderr.String() != "" {
		t.Errorf("cron would mail %q", p.stderr.String())
	}
	s.called("report", 3)
	failures := 0
	for _, line := range s.calls("log") {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Errorf("the log has %q: %v", line, err)
		}
		if event["status"] == 3.0 {
			failures++
		}
	}
	if failures < 2 {
		t.Errorf("the log tells of %d failures, want 2: %q", failures, s.calls("log"))
	}
}

func TestExampleCronFails(t *testing.T) {
	s := newScene(t)
	s.standIn("report", `echo "attempt $n"; echo "no database" >&2; exit 3`)
	s.set("CRON_WAIT=10ms")
	s.run("cron.ftsh", "1m", "report", "monthly").ends("3").
		says("report monthly: ended with status 3 (attempts)\nattempt 3\nno database\n")
	s.standIn("hang", `echo "so far"; sleep 3600 & sleep 3600`)
	s.run("cron.ftsh", "1s", "hang").ends("124").says("hang: the limit of 1s passed (deadline)\nso far\n")
	s.run("cron.ftsh", "1m", "no-such-program").ends("127")
	s.leaves()
}

// TestExampleInbox has a file that needs a second attempt, one that is hopeless, and one that
// nobody may touch yet.
func TestExampleInbox(t *testing.T) {
	s := newScene(t)
	for _, name := range []string{"good", "shaky one", "-bad", ".unfinished"} {
		s.file("in/"+name, name)
	}
	s.standIn("ingest", `echo "reading $(cat -- "$2")"; case $2 in *bad) exit 1 ;; *shaky*) [ $(grep -c shaky `+
		`$CALLS/ingest) -gt 1 ] ;; esac`)
	s.set("INBOX_POLL=once")
	p := s.run("inbox.ftsh", "in", "ingest", "--fast").ends("0")
	for _, want := range []string{"good done\n", "shaky one done\n", "-bad failed: ended with status 1\n"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("stdout does not say %q", want)
		}
	}
	s.called("ingest", 1+2+3)
	s.holds("in/.failed/-bad.log", "reading -bad\n")
	s.leaves("in/.unfinished", "in/.done/good", "in/.done/shaky one", "in/.failed/-bad", "in/.failed/-bad.log")
}

// TestExampleInboxInterrupted: the file under way goes back, what comes later is found.
func TestExampleInboxInterrupted(t *testing.T) {
	s := newScene(t)
	s.file("in/1", "quick")
	inside, looked := s.signpost("inside"), s.signpost("looked")
	s.standIn("ingest", `case $(cat $1) in quick) ;; *) echo > `+inside.path+`; sleep 3600 & sleep 3600 ;; esac`)
	s.standIn("mv", `$real "$@" && case $* in *.done/1) echo > `+looked.path+` ;; esac`)
	s.set("INBOX_POLL=20ms")
	p := s.begin("inbox.ftsh", "in", "ingest")
	looked.reached(s)
	s.file("in/2", "slow")
	inside.reached(s)
	s.must(p.cmd.Process.Signal(syscall.SIGTERM))
	p.end().ends("TERM").says("1 done\n")
	s.holds("in/2", "slow")
	s.leaves("in/2", "in/.done/1")
}

func TestExampleMigrate(t *testing.T) {
	s := newScene(t, "sha256sum")
	count := `echo "$0" >> $CALLS/steps; n=$(grep -c "$0" $CALLS/steps); `
	s.program("steps/001-create", count+"echo created")
	s.program("steps/002-index", count+"echo half; [ $n -ge 2 ] || exit 75; echo indexed")
	s.program("steps/003-fill", count+"echo half; exit 64")
	s.run("migrate.ftsh", "steps", "state").ends("1").says("001-create done\n002-index done\n")
	s.called("steps", 1+2+1) // 64 says that another attempt is of no use
	steps := []string{"steps/001-create", "steps/002-index", "steps/003-fill", "state/001-create", "state/002-index"}
	s.leaves(steps...)
	s.program("steps/003-fill", count+"echo filled")
	s.run("migrate.ftsh", "steps", "state").ends("0").says("003-fill done\n")
	s.called("steps", 4+1)
	s.run("migrate.ftsh", "steps", "state").ends("0").says("")
	s.program("steps/001-create", count+"echo created otherwise")
	s.run("migrate.ftsh", "steps", "state").ends("1").complains("001-create was changed after it had run")
	s.called("steps", 5)
	if got := s.read("state/002-index"); !strings.HasSuffix(got, "\nhalf\nindexed\n") || strings.Count(got, "half") != 1 {
		t.Errorf("the record is %q", got)
	}
	s.leaves(append(steps, "state/003-fill")...)
}
