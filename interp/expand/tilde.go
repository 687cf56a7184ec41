package expand

import (
	"os"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// passwd lists the users and their home directories.
const passwd = "/etc/passwd"

// tilde is the directory that ~ or ~user stands for. A user that nobody knows
// stays as it is written.
func tilde(env Env, t *ast.Tilde, at ast.Pos) (string, error) {
	if t.User == "" {
		return home(env, at)
	}
	// A file that cannot be read knows nobody, as in other shells.
	users, _ := os.ReadFile(passwd)
	if dir, ok := homeOf(t.User, string(users)); ok {
		return dir, nil
	}
	return "~" + t.User, nil
}

// home is $HOME. An empty one would turn ~/x into /x, so it counts as not set.
func home(env Env, at ast.Pos) (string, error) {
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
