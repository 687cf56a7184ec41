package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/interp/journal"
)

// replaceFile puts another file in the place of one.
func replaceFile(name string) error {
	if err := os.WriteFile(name+".other", []byte("another's"), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".other", name)
}

var displacedCases = []struct {
	name   string
	change func(path string) error
	want   string
}{
	{"nothing", func(string) error { return nil }, ""},
	{"read by somebody", func(path string) error { _, err := os.ReadFile(path); return err }, ""},
	{"the journal removed", os.Remove, "written: the file was removed or renamed"},
	{"the journal renamed", func(path string) error { return os.Rename(path, path+".aside") },
		"the file was removed or renamed"},
	{"the journal replaced", replaceFile, "the file was replaced"},
	{"the journal emptied", func(path string) error { return os.Truncate(path, 0) },
		"the file was cut while the script ran"},
	{"the lock removed", func(path string) error { return os.Remove(path + ".lock") },
		".lock was removed or renamed while the script ran; another shell may run the script"},
	{"the lock replaced", func(path string) error { return replaceFile(path + ".lock") }, ".lock was replaced"},
	{"their folder renamed", func(path string) error {
		return os.Rename(filepath.Dir(path), filepath.Dir(path)+".aside")
	}, "was removed or renamed"},
	{"their folder replaced", func(path string) error {
		folder := filepath.Dir(path)
		return errors.Join(os.Rename(folder, folder+".aside"), os.Mkdir(folder, 0o700))
	}, "was removed or renamed"},
}

// TestDisplaced holds that a journal or a lock that is no longer the file that was opened is a failed write, and that
// nothing comes into a file that is another's.
func TestDisplaced(t *testing.T) {
	for _, test := range displacedCases {
		for _, how := range []string{"a line", "a rewriting"} {
			t.Run(test.name+", "+how, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "folder", "journal")
				j := mustOpen(t, path, journal.Config{}.WithLimits(2000, 1<<20))
				text := "short"
				if how == "a rewriting" {
					text = strings.Repeat("long", 1000)
				}
				write := func(text string) error {
					return j.Sync(context.Background(), j.Write(journal.Record{Kind: "k",
						Changes: []journal.Change{{Key: "k", Value: journal.Quote(text)}}}))
				}
				if err := write("first"); err != nil {
					t.Fatal(err)
				}
				if err := test.change(path); err != nil {
					t.Fatal(err)
				}
				err := write(text)
				_ = j.Close()
				var failed *journal.WriteError
				switch {
				case test.want == "" && err != nil:
					t.Errorf("got %v, want that it is written", err)
				case test.want != "" && (!errors.As(err, &failed) || !strings.Contains(err.Error(), test.want)):
					t.Errorf("got %v, want a failed write: %s", err, test.want)
				}
				if got, _ := os.ReadFile(path); test.name == "the journal replaced" && string(got) != "another's" {
					t.Errorf("the file of another is now %q", got)
				}
			})
		}
	}
}

// TestBefore holds that Before sees what a journal holds, also a corrupt one, and which lock was taken, before anything
// is changed.
func TestBefore(t *testing.T) {
	refused := errors.New("refused")
	for _, test := range []struct {
		name, more string // is appended to the file
		open       func(path string, c journal.Config) error
		want       error
	}{
		{"open", "", openAndClose, refused},
		{"open one that is torn", "torn", openAndClose, refused},
		{"restart", "", journal.Restart, refused},
		{"restart a corrupt one", "x", journal.Restart, refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			j := mustOpen(t, path, journal.Config{})
			_ = j.Sync(context.Background(), j.Write(journal.Record{Kind: "k",
				Changes: []journal.Change{{Key: "shell", Value: journal.Quote("named")}}}))
			lock := j.LockID()
			_ = j.Close()
			text, _ := os.ReadFile(path)
			switch test.more {
			case "x": // what is on disk for certain, and is wrong
				text = []byte(strings.Replace(string(text), `"named"`, `"nam\u0065d"`, 1))
				text = append(text, text[strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n")+1:]...)
			default:
				text = append(text, test.more...)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			asked := 0
			err := test.open(path, journal.Config{Before: func(image *journal.Image, id journal.FileID) error {
				asked++
				if got, found := image.Get("", "shell"); test.more != "x" && (!found || string(got) != `"named"`) {
					t.Errorf("it holds %q", got)
				}
				if id != lock {
					t.Errorf("the lock is %v, want %v", id, lock)
				}
				return refused
			}})
			if err != test.want || asked != 1 {
				t.Errorf("got %v after %d questions, want %v", err, asked, test.want)
			}
			if now, _ := os.ReadFile(path); string(now) != string(text) {
				t.Errorf("it was changed from\n%s\nto\n%s", text, now)
			}
		})
	}
}

func openAndClose(path string, c journal.Config) error {
	j, err := journal.Open(path, c)
	if err == nil {
		err = j.Close()
	}
	return err
}
