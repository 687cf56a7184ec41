package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
)

// IsAwaited reports whether a unit is a job that can be waited for. It cannot if somebody has removed its folder.
func (u *Unit) IsAwaited() bool {
	if u.Job == "" {
		return false
	}
	_, err := os.Lstat(string(u.Job))
	var around unix.Stat_t
	removed := errors.Is(err, fs.ErrNotExist) &&
		unix.Lstat(filepath.Dir(string(u.Job)), &around) == nil && around.Ino == u.Within
	return !removed
}

// Awaited gives the folders of the jobs that the next run of a script waits for. One that another branch
// of a forall has ended by its failure is not among them.
func Awaited(image *journal.Image) []string {
	if _, finished := image.Get("", keyResult); finished {
		return nil
	}
	return awaitedBelow(image, "", nil)
}

// AwaitedHere counts those below the statement under way.
func (p *Place) AwaitedHere() int {
	if !p.Resumed() {
		return 0
	}
	return len(awaitedBelow(p.script.past, p.Here(), nil))
}

func awaitedBelow(image *journal.Image, path string, list []string) []string {
	var begun Unit
	if _, ended := image.Get(path, keyEnd); !ended && read(image, path, keyBegin, &begun) && begun.Job != "" {
		list = append(list, string(begun.Job))
	}
	cancelled := cancelled(image, path)
	for _, child := range UnderWay(image, path) {
		if cancelled && strings.HasPrefix(child, Fork.name()) {
			continue
		}
		list = awaitedBelow(image, join(path, child), list)
	}
	return list
}

// join is the node of a child.
func join(path, child string) string {
	if path == "" {
		return child
	}
	return path + "/" + child
}

// Resumes reports whether the next run of a script goes on in an `on`, whose pilots it uses then.
func Resumes(image *journal.Image, site string) bool {
	if _, finished := image.Get("", keyResult); finished {
		return false
	}
	for i := range site {
		if site[i] == '/' && strings.HasPrefix(site[i+1:], Fork.name()) && cancelled(image, site[:i]) {
			return false
		}
	}
	_, within := image.Get(join(site, On.name()), keyAt)
	return within
}
