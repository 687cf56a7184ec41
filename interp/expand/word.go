package expand

import (
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// fewPieces limits the pieces of a string that are collected on the stack. More go to
// the heap.
const fewPieces = 8

// Word expands a word to exactly one string: nothing splits, and patterns stay as
// they are written. It is for the targets of redirections, here-documents, keys
// and the like. Errors are [*diag.Error].
func Word(env Env, w *ast.Word) (string, error) {
	if len(w.Parts) == 1 {
		return partText(env, w.Parts[0], w.Pos)
	}
	var few [fewPieces]string
	pieces := few[:0]
	for _, part := range w.Parts {
		text, err := partText(env, part, w.Pos)
		if err != nil {
			return "", err
		}
		pieces = append(pieces, text)
	}
	return strings.Join(pieces, ""), nil
}

// partText expands a part of a word to one string.
func partText(env Env, part ast.Part, at ast.Pos) (string, error) {
	switch part := part.(type) {
	case *ast.Lit:
		return part.Text, nil
	case *ast.Ref:
		return refText(env, part)
	case *ast.Output:
		return env.Output(part)
	case *ast.Tilde:
		return expandTilde(env, part, at)
	}
	return part.(*ast.Glob).Pattern, nil
}

// passwd lists the users and their home directories.
const passwd = "/etc/passwd"

// expandTilde is the directory that ~ or ~user stands for. A user that nobody knows
// stays as it is written. (A list that cannot be read knows nobody, as in other shells.)
func expandTilde(env Env, t *ast.Tilde, at ast.Pos) (string, error) {
	if t.User == "" {
		return homeDirectory(env, at)
	}
	if dir, ok := homeOf(t.User, string(readAll(passwd))); ok {
		return dir, nil
	}
	return "~" + t.User, nil
}

// readAll returns the contents of a file: nothing if it cannot be read.
func readAll(path string) []byte {
	f, err := openForReading(unix.AT_FDCWD, path, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(f)
	return text
}

// homeDirectory is $HOME. An empty one would turn ~/x into /x, so it counts as not set.
func homeDirectory(env Env, at ast.Pos) (string, error) {
	v, _ := env.Lookup("HOME")
	dir, err := v.Text()
	if err != nil {
		return "", diag.Errorf(at, "~ stands for $HOME, and that %v", err)
	}
	if dir == "" {
		return "", diag.Errorf(at, "~ stands for $HOME, and HOME is not set")
	}
	return dir, nil
}

// homeOf finds a user's home directory in the text of a passwd(5) file.
func homeOf(user, users string) (dir string, ok bool) {
	for line := range strings.SplitSeq(users, "\n") {
		fields := strings.Split(line, ":")
		if len(fields) == 7 && fields[0] == user && fields[5] != "" {
			return fields[5], true
		}
	}
	return "", false
}
