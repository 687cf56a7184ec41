package journal_test

import (
	"strings"
	"testing"
)

// TestReleased holds that a long value of an earlier run can be let go of: it takes no memory then, is read again if
// it is asked for, and survives that the journal is rewritten; if it cannot be read nothing further begins. A short
// one stays.
func TestReleased(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs).WithLimits(2000, 100)
	long := strings.Repeat("x", 200)
	j := mustOpen(t, path, c)
	mustSync(t, j, j.Write(setting("long", long)))
	mustSync(t, j, j.Write(setting("short", "y")))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, path, c)
	defer j.Close()
	image := j.Image()
	before, _ := image.Get("a/long", "k")
	if image.Size() != len(before) || len(before) < len(long) {
		t.Fatalf("%d bytes of %q", image.Size(), before)
	}
	image.Release("a/long", "k")
	image.Release("a/short", "k")
	image.Release("none", "k")
	if image.Size() != 0 {
		t.Errorf("%d bytes are left", image.Size())
	}
	for range 60 { // until it was rewritten
		mustSync(t, j, j.Write(setting("short", strings.Repeat("z", 80))))
	}
	if again, found := image.Get("a/long", "k"); !found || string(again) != string(before) {
		t.Errorf("read again: %q", again)
	}
	if short, _ := image.Get("a/short", "k"); len(short) < 80 || j.Err() != nil {
		t.Errorf("%q, %v", short, j.Err())
	}
	names, _ := fs.List(path + ".d")
	must(t, fs.Unlink(path+".d/"+names[0]))
	if value, _ := image.Get("a/long", "k"); value != nil || j.Err() == nil {
		t.Errorf("a value that cannot be read is %q, and the journal says %v", value, j.Err())
	}
}
