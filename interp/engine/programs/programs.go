// Package programs asks the programs of a batch system.
package programs

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// Config says how programs are run.
type Config struct {
	Run     func(context.Context, *process.Command) (process.Status, error)
	Environ []string // of the shell
}

// Programs are those of a batch system. Safe for concurrent use.
type Programs struct {
	run     func(context.Context, *process.Command) (process.Status, error)
	environ []string
	path    string
}

// New makes Programs that see those variables alone whose names are passed.
func New(c Config, isPassed func(name string) bool) *Programs {
	p := &Programs{run: c.Run, path: "/usr/local/bin:/usr/bin:/bin"}
	for _, entry := range c.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" {
			p.path = value
		}
		if isPassed(name) {
			p.environ = append(p.environ, entry)
		}
	}
	return p
}

// Also has programs be looked for in one more folder, after all others.
func (p *Programs) Also(folder string) { p.path += ":" + folder }

// IsBasic reports whether a variable is one that any program may see.
func IsBasic(name string) bool {
	basic := []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ"}
	return strings.HasPrefix(name, "LC_") || slices.Contains(basic, name)
}

// Lookup is the value of a variable that the programs see; "": there is none.
func (p *Programs) Lookup(name string) string {
	for _, entry := range p.environ {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// Answer is what a program said.
type Answer struct {
	Stdout, Stderr string
	Status         process.Status
	Err            error // it could not be run, or was cut off
}

// Success reports whether it did what it was asked for.
func (a Answer) Success() bool { return a.Err == nil && a.Status.Success() }

// Missing reports whether the program could not be found.
func (a Answer) Missing() bool {
	var start *process.StartError
	return errors.As(a.Err, &start) && start.Missing
}

// Text is what it said for people, in one line.
func (a Answer) Text() string {
	if a.Err != nil {
		return a.Err.Error()
	}
	var lines []string
	for line := range strings.Lines(a.Stderr) {
		_, message, found := strings.Cut(strings.TrimSpace(line), "error: ")
		if !found {
			message = strings.TrimSpace(line)
		}
		if message != "" {
			lines = append(lines, message)
		}
	}
	if len(lines) == 0 {
		return "it said nothing"
	}
	return strings.Join(lines, "; ")
}

// Ask runs a program. What it reads and writes lies in memory: a disk may be full.
func (p *Programs) Ask(ctx context.Context, args []string, input string) (a Answer) {
	path, err := process.Find(args[0], p.path, process.Directory{})
	if err != nil {
		return Answer{Err: err}
	}
	var files []*os.File
	for range 3 {
		file, err := memory()
		if err != nil {
			return Answer{Err: err}
		}
		defer file.Close()
		files = append(files, file)
	}
	if _, err := files[0].WriteString(input); err != nil {
		return Answer{Err: err}
	}
	_, _ = files[0].Seek(0, io.SeekStart)
	c := &process.Command{Path: path, Args: args, Env: p.environ, Dir: process.Directory{Name: "/"}}
	for _, file := range files {
		c.Files = append(c.Files, int(file.Fd()))
	}
	a.Status, a.Err = p.run(ctx, c)
	a.Stdout, a.Stderr = contents(files[1]), contents(files[2])
	return a
}

// memory makes a file in memory.
func memory() (*os.File, error) {
	fd, err := unix.MemfdCreate("ftsh", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "memory"), nil
}

func contents(file *os.File) string {
	var text strings.Builder
	buffer := make([]byte, 32<<10)
	for offset := int64(0); ; {
		n, err := file.ReadAt(buffer, offset)
		text.Write(buffer[:n])
		if offset += int64(n); err != nil || n == 0 {
			return text.String()
		}
	}
}
