package main

import (
	"testing"

	"ftsh/interp/journal"
	"ftsh/interp/process/procfs"
)

// TestJudge holds that a free lock tells something only where nobody can look, and only if it is the one that was
// taken.
func TestJudge(t *testing.T) {
	named := namedShell{Lock: "1:2"}
	ours, other := journal.FileID{Device: 1, Inode: 2}, journal.FileID{Device: 1, Inode: 3}
	for _, test := range []struct {
		name string
		life procfs.Life
		lock journal.FileID
		want verdict
	}{
		{"it lives", procfs.Alive, other, itRuns},
		{"it lives, and has freed its lock", procfs.Alive, ours, itRuns},
		{"it is dead", procfs.Dead, ours, mayGoOn},
		{"it is dead, and its lock is gone", procfs.Dead, other, mayGoOn},
		{"nobody can look, and its lock is free", procfs.Unseen, ours, mayGoOn},
		{"nobody can look, and its lock is gone", procfs.Unseen, other, cannotTell},
		{"nobody can look, and there is no lock", procfs.Unseen, journal.FileID{}, cannotTell},
	} {
		if got := named.judgeLife(test.life, test.lock); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
