package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// unpacked returns the contents of a file in gzip's format.
func (s *scene) unpacked(path string) string {
	s.Helper()
	cmd := exec.Command("gzip", "--decompress", "--stdout", path)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		s.Errorf("%s: %v", path, err)
	}
	return string(out)
}

func TestExampleDump(t *testing.T) {
	s := newScene(t, "gzip")
	for _, date := range []string{"2026-11-17", "2026-11-18", "2026-11-19"} {
		s.file("to/orders-"+date+".gz", date)
	}
	s.file("to/orders-new-2026-11-01.gz", "of another database")
	s.standIn("pg_dump", `echo "half of $1"; [ $n -ge 3 ] || exit 1; echo "the other half"`)
	s.set("DUMP_KEEP=2", "DUMP_DATE=2026-11-20")
	s.run("dump.ftsh", "to", "orders", "pg_dump", "orders").ends("0").complains("ended with status 1")
	s.called("pg_dump", 3)
	if got := s.unpacked("to/orders-2026-11-20.gz"); got != "half of orders\nthe other half\n" {
		t.Errorf("the dump holds %q", got)
	}
	s.leaves("to/orders-2026-11-19.gz", "to/orders-2026-11-20.gz", "to/orders-new-2026-11-01.gz")
}

// TestExampleDumpFails: the dumps of the nights before stay as they are.
func TestExampleDumpFails(t *testing.T) {
	s := newScene(t, "gzip")
	s.file("to/orders-2026-11-19.gz", "old")
	s.file("to/orders-2026-11-20.gz", "of this morning")
	s.set("DUMP_KEEP=1", "DUMP_DATE=2026-11-20", "DUMP_EACH=1s", "DUMP_TIMES=2")
	s.standIn("pg_dump", `echo half; sleep 3600 & sleep 3600`)
	s.run("dump.ftsh", "to", "orders", "pg_dump").ends("1").says("")
	s.called("pg_dump", 2)
	s.run("dump.ftsh", "to", "orders", "no-such-program").ends("1").says("")
	s.holds("to/orders-2026-11-19.gz", "old")
	s.holds("to/orders-2026-11-20.gz", "of this morning")
	s.leaves("to/orders-2026-11-19.gz", "to/orders-2026-11-20.gz")
}

// TestExampleBackup has three disks: one is not mounted, one is full, on one tar fails at first.
func TestExampleBackup(t *testing.T) {
	s := newScene(t, "tar", "gzip")
	s.file("home/letters/a", strings.Repeat("Dear Ethernet,\n", 1000))
	s.file("home/b", "b")
	s.file("full/.backup-disk", "")
	s.file("good/.backup-disk", "")
	s.must(os.Mkdir(s.dir+"/unmounted", 0o755))
	s.file("good/home-20260101T000000Z.tar.gz", "the oldest")
	s.file("good/home-20260102T000000Z.tar.gz", "an older one")
	s.file("good/home-movies-20260102T000000Z.tar.gz", "of another directory")
	s.standIn("df", `case $* in *full) printf 'Avail\n0\n' ;; *) exec $real "$@" ;; esac`)
	s.standIn("tar", `[ $n -gt 1 ] || { echo half; echo "tar: home: file changed as we read it" >&2; exit 1; }; `+
		`exec $real "$@"`)
	s.set("BACKUP_KEEP=2")
	p := s.run("backup.ftsh", "home", "unmounted", "full", "good").ends("0")
	p.complains("unmounted is not mounted").complains("full has 0 MB free")
	s.called("tar", 3)
	file, _, _ := strings.Cut(p.stdout.String(), "\n")
	p.says(file + "\nremoved good/home-20260101T000000Z.tar.gz\n")
	s.leaves("home/letters/a", "home/b", "full/.backup-disk", "good/.backup-disk", file,
		"good/home-20260102T000000Z.tar.gz", "good/home-movies-20260102T000000Z.tar.gz")
	cmd := exec.Command("tar", "--compare", "--gzip", "--file="+file)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the backup differs: %v %s", err, out)
	}
	s.set("BACKUP_LIMIT=300ms")
	s.run("backup.ftsh", "home", "unmounted", "full").ends("1").says("")
}

func TestExampleScratch(t *testing.T) {
	s := newScene(t)
	s.must(os.Mkdir(s.dir+"/disk", 0o755))
	s.standIn("df", `case $n in 3|5|6) echo Avail; echo 500 ;; *) echo Avail; echo 99 ;; esac`)
	s.standIn("simulate", `echo half; [ $n -gt 1 ] || { echo "No space left on device" >&2; exit 1; }; echo "the `+
		`other half"`)
	s.run("scratch.ftsh", "disk", "100", "result", "simulate").ends("0").complains("disk has 99 MB free, 100 are wanted")
	s.called("df", 5)
	s.called("simulate", 2)
	s.holds("disk/result", "half\nthe other half\n")
	s.set("SCRATCH_LIMIT=300ms")
	s.run("scratch.ftsh", "disk", "501", "other", "simulate").ends("1")
	s.called("simulate", 2) // it was never begun
	s.leaves("disk/result")
}

func TestExampleCompress(t *testing.T) {
	s := newScene(t, "xz", "cmp")
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"a", "b b", "-c", "d"} {
		path := s.file(name, strings.Repeat(name, 1000))
		s.must(os.Chtimes(path, when, when))
		s.must(os.Chmod(path, 0o640))
	}
	s.file("done.xz", "is not looked at")
	// For a: it breaks off. For d: it writes something else, and says nothing, every time.
	s.standIn("xz", `case $* in
		*--decompress*) ;;
		*a) [ $(grep -c a$ $CALLS/xz) -gt 1 ] || { echo half; exit 1; } ;;
		*d) echo other | $real --stdout; exit ;;
		esac
		exec $real "$@"`)
	p := s.run("compress.ftsh", "a", "b b", "-c", "d", "done", "missing").ends("1")
	if got := len(strings.Fields(p.stdout.String())); got != 4 { // a.xz, b, b.xz, -c.xz
		t.Errorf("stdout %q", p.stdout.String())
	}
	s.leaves("a.xz", "b b.xz", "-c.xz", "d", "done.xz")
	info, err := os.Stat(s.dir + "/a.xz")
	s.must(err)
	if !info.ModTime().Equal(when) || info.Mode() != 0o640 {
		t.Errorf("a.xz is of %v, mode %v", info.ModTime(), info.Mode())
	}
	back := exec.Command("xz", "--decompress", "--stdout", "a.xz")
	back.Dir = s.dir
	if out, err := back.Output(); err != nil || string(out) != strings.Repeat("a", 1000) {
		t.Errorf("a came back as %.20q, %v", out, err)
	}
}
