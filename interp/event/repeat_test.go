package event

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var date = regexp.MustCompile(`(?m)^\S+ \[\d+\] `)

func TestEqualLinesAreWrittenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := OpenOutput(path)
	must(t, err)
	log, objects := NewLog(out, Config{Level: Failures}), NewLog(out, Config{Level: Failures, JSON: true})
	other := failed
	other.Status = 2
	for _, e := range []Event{failed, failed, failed, other, failed, failed} {
		log.Observe(e)
	}
	out.Flush()
	log.Observe(failed)
	for range 2 {
		objects.Observe(failed)
	}
	log.Observe(failed)
	log.Observe(failed)
	must(t, out.Close())
	const want = `ftsh failed: false: exit status 1
ftsh the same 2 more times
ftsh failed: false: exit status 2
ftsh failed: false: exit status 1
ftsh the same 1 more time
ftsh failed: false: exit status 1
{}
{}
ftsh failed: false: exit status 1
ftsh the same 1 more time
`
	got := date.ReplaceAllString(read(t, path), "")
	if got = regexp.MustCompile(`(?m)^{.*}$`).ReplaceAllString(got, "{}"); got != want {
		t.Errorf("logged\n%swant\n%s", got, want)
	}
}

// Nothing is lost or torn when many write equal lines at the same time.
func TestEqualLinesOfManyAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	out, err := OpenOutput(path)
	must(t, err)
	log := NewLog(out, Config{Level: Failures})
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 100 {
				log.Observe(failed)
			}
		})
	}
	writers.Wait()
	must(t, out.Close())
	lines := strings.Split(date.ReplaceAllString(read(t, path), ""), "\n")
	if len(lines) != 3 || lines[1] != "ftsh the same 799 more times" {
		t.Errorf("logged:\n%s", strings.Join(lines, "\n"))
	}
}

func TestEqualLinesOnAFullDiskAreCountedAsLost(t *testing.T) {
	out, err := OpenOutput("/dev/full")
	must(t, err)
	log := NewLog(out, Config{Level: Failures})
	path := filepath.Join(t.TempDir(), "log")
	for range 5 {
		log.Observe(failed)
	}
	replace(t, out, path)
	must(t, out.Close())
	if text := read(t, path); !strings.Contains(text, "lost 5 lines") {
		t.Errorf("logged:\n%s", text)
	}
}
