package filestate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestChoose holds where a script that goes on reads.
func TestChoose(t *testing.T) {
	unread := Saved{Kind: File, Name: "/list", Device: 1, Inode: 2}
	read := unread
	read.Offset, read.Read = 10, true
	same := found{kind: File, device: 1, inode: 2, size: 20}
	shorter := found{kind: File, device: 1, inode: 2, size: 9}
	other := found{kind: File, device: 1, inode: 3, size: 20}
	unread.Made, read.Made = 7, 7
	later := found{kind: File, device: 1, inode: 2, made: 8, size: 20}
	elsewhere := found{kind: File, device: 2, inode: 2, size: 20}
	pipe, terminal, none := found{kind: Pipe}, found{kind: Terminal}, found{}
	for _, test := range []struct {
		name         string
		saved        Saved
		given, named found
		want         source
	}{
		{"the same file is given", read, same, same, setGiven},
		{"it is given, and has another name now", read, same, none, setGiven},
		{"it is given, and its name is another's", read, same, other, setGiven},
		{"nothing is given", read, none, same, byName},
		{"another file is given", read, other, same, byName},
		{"a pipe is given", read, pipe, same, byName},
		{"nothing is given, and nothing was read", unread, none, same, byName},
		{"its name is gone", read, none, none, lost},
		{"another file has its name", read, none, other, lost},
		{"a file made later has its name and inode", read, none, later, lost},
		{"a file made later, with its inode, is given", read, later, later, lost},
		{"a file of another device has its name", read, none, elsewhere, lost},
		{"it is given, and was cut", read, shorter, shorter, lost},
		{"a pipe is given, and the file is gone", read, pipe, none, lost},
		{"nothing was read, and the file is gone", unread, none, none, asGiven},
		{"nothing was read, and another is given", unread, pipe, other, asGiven},
		{"a pipe that was read from", Saved{Kind: Pipe, Read: true}, pipe, none, lost},
		{"a file is given for it", Saved{Kind: Pipe, Read: true}, same, none, lost},
		{"a pipe that was not read from", Saved{Kind: Pipe}, same, none, asGiven},
		{"a terminal that was read from", Saved{Kind: Terminal, Read: true}, terminal, none, lost},
		{"a terminal that was not read from", Saved{Kind: Terminal}, none, none, asGiven},
	} {
		if got := choose(test.saved, test.given, test.named); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestResume reads a part of a file, and goes on in it.
func TestResume(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	must(t, os.WriteFile(name, []byte("one\ntwo\n"), 0o600))
	file, err := os.Open(name)
	must(t, err)
	in, kept := Describe(int(file.Fd()))
	if !kept || in.Kind != File || string(in.Name) != name || in.Read {
		t.Fatalf("%+v, %v", in, kept)
	}
	_, _ = file.Seek(4, 0)
	if !in.Sample() || !in.Read || in.Offset != 4 || in.Sample() {
		t.Errorf("after 4 bytes it is %+v", in)
	}
	_ = file.Close()
	text, err := json.Marshal(in.Saved)
	must(t, err)
	var saved Saved
	must(t, json.Unmarshal(text, &saved))
	if saved != in.Saved {
		t.Errorf("%s is %+v, want %+v", text, saved, in.Saved)
	}
	again := Resume(0, saved, -1, false, false)
	rest := make([]byte, 10)
	if n, err := unix.Read(again.FD, rest); err != nil || string(rest[:n]) != "two\n" || again.Lost != "" {
		t.Errorf("it goes on with %q, %v, %s", rest[:max(n, 0)], err, again.Lost)
	}
	again.Close()
	moved := saved
	moved.Device++
	after := Resume(0, moved, -1, true, false)
	if after.Lost != "" {
		t.Errorf("after a reboot, by which its device has another number: %s", after.Lost)
	}
	after.Close()
	refused(t, Resume(0, moved, -1, false, false), "another file has that name now")
	must(t, os.Truncate(name, 3))
	refused(t, Resume(0, saved, -1, false, false),
		"standard input was the file "+name+" when the script began, which is shorter now than the 4 bytes")
	must(t, os.Rename(name, name+".aside"))
	refused(t, Resume(3, saved, -1, false, false),
		"descriptor 3 was the file "+name+" when the script began, which is gone; it was read up to byte 4")
	must(t, os.WriteFile(name, []byte("one\ntwo\n"), 0o600))
	refused(t, Resume(0, saved, -1, false, false),
		"another file has that name now; it was read up to byte 4: give the file itself, as in  < "+name)
}

func refused(t *testing.T, in *Input, want string) {
	t.Helper()
	if !strings.Contains(in.Lost, want) || in.FD < 0 {
		t.Errorf("it goes on with descriptor %d: %q, want %q", in.FD, in.Lost, want)
	}
	in.Close()
}

// TestPipe sees that something was taken out of a pipe, and only then.
func TestPipe(t *testing.T) {
	var ends [2]int
	must(t, unix.Pipe(ends[:]))
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	in, kept := Describe(ends[0])
	if _, output := Describe(ends[1]); !kept || output || in.Kind != Pipe {
		t.Fatalf("%+v, %v, and the end to write to: %v", in, kept, output)
	}
	_, _ = unix.Write(ends[1], []byte("one\n"))
	if in.Sample() {
		t.Error("what was written was taken for read")
	}
	_, _ = unix.Read(ends[0], make([]byte, 1))
	if !in.Sample() || !in.Read {
		t.Error("nobody has seen that something was read")
	}
	refused(t, Resume(0, in.Saved, ends[0], false, false),
		"standard input was a pipe when the script began, and what it had still to give is gone")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
