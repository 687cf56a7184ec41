package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
)

// shellStream returns the number of the stream of the shell that a file's name means; false: it means a file.
func shellStream(name string) (fd int, ok bool) {
	switch name {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, found := strings.CutPrefix(name, folder); found {
			fd, err := strconv.Atoi(number)
			return fd, err == nil
		}
	}
	return 0, false
}

// redirectToShell adds a redirection to a stream of the shell: where the job runs its name would mean the job's own. It
// is one to what the job has as its output or error, and all others are refused, before anything is submitted.
func (t *jobCall) redirectToShell(n *ast.Redirect, name string, fd int, before []*ast.Redirect, last bool) error {
	own := standardStreams(t.f.run.Files)
	writes := n.Op == ast.Out || n.Op == ast.Append || isOfBoth(n)
	changed := reads(before, fd) || slices.ContainsFunc(before, isOfBoth) || !last // it may be a pipe
	if !writes || fd < 1 || fd > 2 || t.before[fd] != own[fd] || changed {
		return t.f.faultAt(n.Pos, fmt.Sprintf("on %s: %s is a stream of the shell, which a job cannot open here",
			t.site.Engine, name))
	}
	t.job.Script += fmt.Sprintf(">&%d ", fd)
	if isOfBoth(n) {
		t.job.Script += fmt.Sprintf("2>&%d ", fd)
	}
	return nil
}

// isOfBoth reports whether a redirection is of both output and error.
func isOfBoth(n *ast.Redirect) bool {
	return n.Op == ast.Both || n.Op == ast.AppendBoth || n.Op == ast.BothVar || n.Op == ast.AppendBothVar
}
