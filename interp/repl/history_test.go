package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// FuzzHistory holds that any statement comes back as it was.
func FuzzHistory(f *testing.F) {
	for _, text := range []string{"echo a", "try\necho\nend", `\n`, `a\`, `a\` + "\n", "\\\\n\n\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := encodeEntry(text)
		if strings.Count(line, "\n") != 1 {
			t.Fatalf("%q is %q", text, line)
		}
		got := foldRepeated([]string{strings.TrimSuffix(line, "\n")})
		if text != "" && (len(got) != 1 || got[0] != text) {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}

func TestFold(t *testing.T) {
	got := foldRepeated([]string{"a", "b", "", "a", "c", "b"})
	if !slices.Equal(got, []string{"a", "c", "b"}) {
		t.Error(got)
	}
}

// TestHistoryIsRewritten has sessions add statements while others, which find
// the file too long, rewrite it.
func TestHistoryIsRewritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h := &history{path: path, patience: time.Minute}
	h.appendStatement("first")
	long := strings.Repeat("again\n", 2*historyLimit)
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	const sessions, statements = 4, 25
	var all sync.WaitGroup
	for n := range sessions {
		all.Go(func() {
			h := &history{path: path, patience: time.Minute}
			for i := range statements {
				h.appendStatement(fmt.Sprintf("session %d, statement %d", n, i))
				h.loadStatements()
			}
		})
	}
	all.Wait()
	info, err := os.Stat(path)
	if err != nil || info.Size() > 10_000 || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	kept := h.loadStatements()
	if len(kept) != sessions*statements+1 {
		t.Errorf("%d statements, want %d", len(kept), sessions*statements+1)
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Error("left behind: ", left)
	}
}

// TestHistoryIsLocked has another session hold the lock of the history: each opening waits for it a little, but not for
// its end, nothing is lost, and it is said once.
func TestHistoryIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("before\n"+strings.Repeat("again\n", 2*historyLimit)), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	var said []string
	h := &history{path: path, patience: lockPatience, warn: func(text string) { said = append(said, text) }}
	began := time.Now()
	h.appendStatement("one")
	h.appendStatement("two")
	if kept := h.loadStatements(); !slices.Equal(kept, []string{"before", "again", "one", "two"}) {
		t.Error(kept)
	}
	if took := time.Since(began); took < lockPatience || took > time.Minute { // most of it to read so long a file
		t.Error("it took ", took)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 2*historyLimit {
		t.Error("it was rewritten without the lock: ", info, err)
	}
	if !slices.Equal(said, []string{"another program locks the history; going on without the lock"}) {
		t.Error(said)
	}
}

// TestHistoryCannotBeWritten holds that a history that cannot be written is still read.
func TestHistoryCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	if os.Getuid() == 0 { // who may write all files
		_ = os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(nobody); err != nil {
			t.Fatal(err)
		}
		defer unix.Setfsuid(0)
	}
	var said []string
	h := &history{path: path, patience: lockPatience, warn: func(text string) { said = append(said, text) }}
	if kept := h.loadStatements(); !slices.Equal(kept, []string{"one", "two"}) {
		t.Error(kept)
	}
	h.appendStatement("three")
	if kept := h.loadStatements(); !slices.Equal(kept, []string{"one", "two"}) {
		t.Error(kept)
	}
	want := "the history cannot be written, only read: open " + path + ": permission denied"
	if !slices.Equal(said, []string{want}) {
		t.Error(said)
	}
}

func TestRecall(t *testing.T) {
	r := &recall{}
	for _, text := range []string{"echo a", "b", "echo a", "try\nc\nend", "echo b"} {
		r.addStatement(text)
	}
	for name, test := range map[string]struct {
		typed string
		steps []int
		want  []string
	}{
		"all": {"", []int{-1, -1, -1, -1, -1, 1},
			[]string{"echo b", "try\nc\nend", "echo a", "b", "b", "echo a"}},
		"what has the text in it": {"cho", []int{-1, -1, -1, 1, 1, 1},
			[]string{"echo b", "echo a", "echo a", "echo b", "cho", "cho"}},
		"in any line":       {"C\n", []int{-1}, []string{"C\n"}},
		"not what is typed": {"echo b", []int{-1, 1}, []string{"echo b", "echo b"}},
		"nothing newer":     {"half", []int{1}, []string{"half"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.beginNew()
			l := newLine(test.typed)
			for i, step := range test.steps {
				if l = r.stepTo(l, step, l.String()); l.String() != test.want[i] {
					t.Fatalf("step %d: %q, want %q", i, l.String(), test.want[i])
				}
			}
		})
	}
	r.beginNew()
	l := r.stepTo(newLine("echo"), -1, "echo").insertText("!")
	if l = r.stepTo(l, -1, l.String()); l.String() != "echo b!" {
		t.Error("what was made of an entry is lost: ", l)
	}
	if l = r.stepTo(r.stepTo(l, -1, "a"), 1, "a"); l.String() != "echo b!" {
		t.Error("what was made of an entry does not come back: ", l)
	}
}
