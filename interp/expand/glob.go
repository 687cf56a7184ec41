package expand

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// step is a piece of a path pattern: text to append as it is, slashes included, or
// tokens that a name in the directory reached so far must fit.
type step struct {
	text   string
	tokens []token
}

// matchPaths returns the paths that fit a pattern, sorted by their bytes. The marks tell
// where in it the pattern characters are; there is at least one.
func matchPaths(env Env, pattern string, marks []mark) ([]string, error) {
	steps := splitSteps(pattern, marks)
	paths := []string{""}
	for _, s := range steps {
		if s.tokens == nil {
			for i := range paths {
				paths[i] += s.text
			}
			continue
		}
		var err error
		if paths, err = descendInto(env, paths, s.tokens); err != nil {
			return nil, err
		}
	}
	if steps[len(steps)-1].tokens == nil {
		paths = slices.DeleteFunc(paths, func(path string) bool { return !pathExists(env, path) })
	}
	slices.Sort(paths)
	for i, path := range paths {
		if strings.HasPrefix(path, "-") {
			paths[i] = "./" + path
		}
	}
	return paths, nil
}

// splitSteps takes a pattern apart, at least at the slashes beside pattern characters.
func splitSteps(pattern string, marks []mark) []step {
	var steps []step
	text := 0 // where the text that is not yet in a step begins
	for begin := 0; begin < len(pattern); {
		end := len(pattern)
		if n := strings.IndexByte(pattern[begin:], '/'); n >= 0 {
			end = begin + n
		}
		count := 0
		for count < len(marks) && marks[count].begin < end {
			count++
		}
		if count > 0 {
			if text < begin {
				steps = append(steps, step{text: pattern[text:begin]})
			}
			steps = append(steps, step{tokens: compileTokens(pattern[begin:end], marks[:count], begin)})
			marks, text = marks[count:], end
		}
		begin = end + 1
	}
	if text < len(pattern) {
		steps = append(steps, step{text: pattern[text:]})
	}
	return steps
}

// descendInto appends to each path each name in that directory that fits.
func descendInto(env Env, paths []string, tokens []token) ([]string, error) {
	var found []string
	for _, path := range paths {
		names, err := listDirectory(env, path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if matchTokens(tokens, name) {
				found = append(found, path+name)
			}
		}
	}
	return found, nil
}

// listDirectory returns the names in a directory, none if it cannot be read. It fails if
// the machine had no means to look, the names are not complete, or nothing stands behind what relative names begin at.
func listDirectory(env Env, path string) ([]string, error) {
	if path == "" {
		path = "."
	}
	// O_DIRECTORY keeps a FIFO of that name from blocking.
	dir, path := env.At(path)
	f, err := openForReading(dir, path, syscall.O_DIRECTORY)
	if err != nil {
		if Exhausted(err) || errors.Is(err, syscall.EBADF) {
			return nil, err
		}
		return nil, nil
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// openForReading opens a file for reading. It does without os.Open, which sets up the runtime's
// poller: where no descriptor is left for that, the runtime ends the whole process.
func openForReading(dir int, path string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(dir, path, syscall.O_RDONLY|syscall.O_CLOEXEC|flags, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if err != syscall.EINTR { // which file systems over a network know
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// Exhausted reports whether the machine has run out of what was needed: descriptors or
// memory. Such an error says nothing about the file it was met at.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// pathExists reports whether there is something at a path, be it a dangling link.
func pathExists(env Env, path string) bool {
	dir, path := env.At(path)
	var stat unix.Stat_t
	return unix.Fstatat(dir, path, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil
}
