package jobs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What could not be cancelled, as the batch system did not answer, is noted in a folder beside the jobs: a file for
// each, with the names by which the queue knows it. The next shell that reaches the batch system cancels it.
const laterName = ".cancel"

// cancelLater notes that a job is to be cancelled.
func (c *Cluster) cancelLater(t ticket, names []string) {
	in, err := makeFolder(c.folder.join(laterName))
	if err == nil {
		_ = in.replace(t.name, "."+t.name+"."+randomWord(), []byte(strings.Join(names, "\n")+"\n"))
	}
}

// cancelled forgets a job that was to be cancelled.
func (c *Cluster) cancelled(name string) {
	_ = os.Remove(c.folder.join(filepath.Join(laterName, name)))
}

// cancelNoted cancels what could not be cancelled before. It is called when the batch system has just answered.
func (c *Cluster) cancelNoted(ctx context.Context) {
	in := folder(c.folder.join(laterName))
	entries, _ := os.ReadDir(string(in))
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	if len(entries) == 0 {
		return
	}
	var names []string
	for _, entry := range entries {
		text, _ := in.read(entry.Name())
		names = append(names, strings.Fields(string(text))...)
	}
	if c.cancel(ctx, names) != nil {
		return
	}
	for _, entry := range entries {
		t := ticketAt(c.folder.join(entry.Name()))
		if held, made := t.claimed(t.generation()); made && held.Shell && !t.outlives() {
			t.remove() // it never began
		}
		c.cancelled(entry.Name())
	}
}

// outlives reports whether a later shell may look for the job.
func (t ticket) outlives() bool {
	var o order
	return t.readJSON("job", &o) != nil || o.Outlives
}

// isToCancel reports whether a job could not be cancelled yet.
func (t ticket) isToCancel() bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(string(t.folder)), laterName, t.name))
	return err == nil
}
