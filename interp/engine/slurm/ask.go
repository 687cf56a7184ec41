package slurm

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// answer is what a program of Slurm said.
type answer struct {
	stdout, stderr string
	status         process.Status
	err            error // it could not be run, or was cut off
}

// text is what it said for people, in one line.
func (a answer) text() string {
	if a.err != nil {
		return a.err.Error()
	}
	var lines []string
	for line := range strings.Lines(a.stderr) {
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

// ask runs a program of Slurm. What it reads and writes lies in memory: a disk may be full.
func (s *Slurm) ask(ctx context.Context, args []string, input string) (a answer) {
	path, err := process.Find(args[0], s.path, "")
	if err != nil {
		return answer{err: err}
	}
	var files []*os.File
	for range 3 {
		file, err := memory()
		if err != nil {
			return answer{err: err}
		}
		defer file.Close()
		files = append(files, file)
	}
	if _, err := files[0].WriteString(input); err != nil {
		return answer{err: err}
	}
	_, _ = files[0].Seek(0, io.SeekStart)
	c := &process.Command{Path: path, Args: args, Env: s.environ, Dir: "/"}
	for _, file := range files {
		c.Files = append(c.Files, int(file.Fd()))
	}
	a.status, a.err = s.run(ctx, c)
	a.stdout, a.stderr = contents(files[1]), contents(files[2])
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

func readFile(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// isMissing reports whether a program could not be found.
func isMissing(err error) bool {
	var start *process.StartError
	return errors.As(err, &start) && start.Missing
}
