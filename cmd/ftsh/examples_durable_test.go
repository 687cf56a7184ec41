package main

import (
	"fmt"
	"strings"
	"testing"
)

// crashes are ways in which a step ends the shell that runs it, and how that ends. The second
// leaves nobody, like a power cut; after the third the shell has to end the step, as systemd has it.
var crashes = []struct{ name, text, status string }{
	{"killed", "kill -9 $PPID; sleep 3600", "KILL"},
	{"power", "kill -9 $(pgrep -P $PPID -x ftsh-guardian) $PPID $$", "KILL"},
	{"stopped", "kill -TERM $PPID; sleep 3600", "TERM"},
}

// TestExampleMigrateCrashes has a migration crash at each of 21 moments, and go on. The ledger
// that its steps keep tells whether one was skipped, or run again after it had ended.
func TestExampleMigrateCrashes(t *testing.T) {
	t.Parallel()
	for moment := 1; moment <= 21; moment++ {
		crash := crashes[moment%len(crashes)]
		t.Run(fmt.Sprintf("%s at %d", crash.name, moment), func(t *testing.T) {
			s := newScene(t, "sha256sum", "pgrep")
			mark := fmt.Sprintf(`echo "$1 ${0##*/}" >> $CALLS/ledger; n=0; while read line; do n=$((n+1)); done < $CALLS/ledger
[ $n -ne %d ] || { %s; }`, moment, crash.text)
			files := []string{".local/state/ftsh/migration.journal", ".local/state/ftsh/migration.journal.lock"}
			for i := range 7 {
				name := stepName(i)
				s.program("steps/"+name, "mark() { "+mark+"; }\nmark begin\nmark half\necho made\nmark end\n")
				files = append(files, "steps/"+name, "state/"+name)
			}
			run := []string{"--journal", "migration", example("migrate.ftsh"), "steps", "state"}
			s.beginShell(run...).end().ends(crash.status)
			s.beginShell(run...).end().ends("0")
			checkLedger(t, s.calls("ledger"))
			s.beginShell(run...).end().ends("0").complains("the script succeeded")
			s.leaves(files...)
		})
	}
}

// checkLedger wants each step to have begun, in order, to have ended last of all, and not to have begun
// more than once more.
func checkLedger(t *testing.T, ledger []string) {
	t.Helper()
	step, runs, last := 0, 0, ""
	for _, line := range ledger {
		what, name, _ := strings.Cut(line, " ")
		if name != stepName(step) {
			if step++; name != stepName(step) || last != "end" {
				t.Fatalf("%s comes after %s of %s: %q", line, last, stepName(step-1), ledger)
			}
			runs = 0
		}
		if what == "begin" {
			runs++
		}
		if last = what; runs > 2 {
			t.Fatalf("step %s was begun %d times: %q", name, runs, ledger)
		}
	}
	if step != 6 || last != "end" {
		t.Errorf("it ends with %s of %s: %q", last, stepName(step), ledger)
	}
}

func stepName(n int) string { return fmt.Sprintf("%03d", n) }
