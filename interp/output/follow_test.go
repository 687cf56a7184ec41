package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// TestRewrittenWhileCopied: a program truncates its standard error and writes another text while what it had is being
// copied. Of that comes what was read before, and the other one whole.
func TestRewrittenWhileCopied(t *testing.T) {
	const part = 64 << 10
	same := func(length int) []byte { return bytes.Repeat([]byte("same\n"), length/5) }
	for name, c := range map[string]struct {
		first, second []byte
		read          int // so much has come when the text is replaced
		want          int // so much of the first text comes
	}{
		"as long":           {first: same(60000), second: same(60000), read: 10, want: 60000},
		"as long, much":     {first: same(4 * part), second: same(4 * part), read: 10, want: part},
		"longer":            {first: lines("a", 200000), second: lines("b", 300000), read: 10, want: part},
		"shorter":           {first: lines("a", 200000), second: lines("b", 50000), read: 10, want: part},
		"another":           {first: lines("a", 60000), second: lines("b", 60000), read: 10, want: 60000},
		"as long, later":    {lines("a", held+40000), lines("b", held+40000), held + 32000, held + 40000},
		"longer in the end": {lines("a", held+40000), lines("b", 2*held), held + 32000, held + 40000},
	} {
		t.Run(name, func(t *testing.T) {
			read, write := pipe(t)
			if _, err := unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
				t.Fatal(err)
			}
			ticks := clock.New()
			defer ticks.Close()
			f, err := new(Store).Follow(t.Context(), ticks, int(write.Fd()), nil)
			if err != nil {
				t.Fatal(err)
			}
			begin(t, f, c.first)
			got := make([]byte, c.read) // the copier stands in the middle of that part
			if _, err := io.ReadFull(read, got); err != nil {
				t.Fatal(err)
			}
			for before := written(t, f); written(t, f) == before; {
				begin(t, f, c.second)
			}
			go func() {
				f.Stop()
				_ = write.Close()
			}()
			rest, err := io.ReadAll(read)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rest...)
			if want := append(bytes.Clone(c.first[:c.want]), c.second...); !bytes.Equal(got, want) {
				t.Errorf("%d bytes came, want %d: %d and %d", len(got), len(want), c.want, len(c.second))
			}
		})
	}
}

// TestRewrittenLater: a text that is truncated is another one, whatever is written then, as soon as that was seen.
func TestRewrittenLater(t *testing.T) {
	read, write := pipe(t)
	f, err := new(Store).Follow(t.Context(), noClock{}, int(write.Fd()), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"same\n", "", "same\nsame\n", "same\n", "other\nlonger\n", "same\n"} {
		begin(t, f, []byte(text))
		f.(*follower).copy()
	}
	f.Stop()
	_ = write.Close()
	got, err := io.ReadAll(read)
	if want := "same\nsame\nsame\nsame\nother\nlonger\nsame\n"; err != nil || string(got) != want {
		t.Errorf("%q came, %v, want %q", got, err, want)
	}
}

// noClock is a clock by which nothing is ever due.
type noClock struct{}

func (noClock) Now() time.Duration                                { return 0 }
func (noClock) AfterFunc(time.Duration, func()) (t backoff.Timer) { return noTimer{} }

type noTimer struct{}

func (noTimer) Stop() bool { return true }

// lines is a text of that length in which each line is another.
func lines(word string, length int) []byte {
	var text []byte
	for n := 0; len(text) < length; n++ {
		text = fmt.Appendf(text, "%s %d\n", word, n)
	}
	return text[:length]
}

func pipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	return read, write
}

// begin truncates the file of a follower, and writes a text.
func begin(t *testing.T, f world.Followed, text []byte) {
	t.Helper()
	if err := unix.Ftruncate(f.Stream(), 0); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Write(f.Stream(), text); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
}

// written is the time at which it was written.
func written(t *testing.T, f world.Followed) unix.Timespec {
	t.Helper()
	var info unix.Stat_t
	if err := unix.Fstat(f.Stream(), &info); err != nil {
		t.Fatal(err)
	}
	return info.Mtim
}
