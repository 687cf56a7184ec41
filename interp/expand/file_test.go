package expand

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ftsh/ast"
	"ftsh/testdata/skip"
)

// playground makes a directory with a file of each kind that needs no privileges.
func playground(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(at("file"), []byte("x"), 0o600))
	must(os.Mkdir(at("dir"), 0o700))
	must(os.Symlink("file", at("link")))
	must(os.Symlink("missing", at("dangling")))
	must(os.Symlink("loop", at("loop")))
	must(syscall.Mkfifo(at("fifo"), 0o600))
	socket, err := net.Listen("unix", at("socket"))
	must(err)
	t.Cleanup(func() { socket.Close() })
	must(os.Chmod(at("socket"), 0o600))
	must(os.WriteFile(at("program"), nil, 0o700))
	must(os.WriteFile(at("locked"), nil, 0))
	return dir
}

func TestFileTests(t *testing.T) {
	env := with()
	env.dir = playground(t)
	yes := map[string]string{ // the tests that hold for a path, of those in all
		"file":       "exists isr isw isfile",
		"dir":        "exists isr isw isx isdir",
		".":          "exists isr isw isx isdir",
		"link":       "exists isr isw isfile islink",
		"dangling":   "islink",
		"fifo":       "exists isr isw ispipe",
		"socket":     "exists isr isw issock",
		"program":    "exists isr isw isx isfile",
		"missing":    "",
		"":           "",
		"file/below": "",
		"/dev/null":  "exists isr isw ischar",
	}
	all := strings.Fields("exists isr isw isx isfile isdir islink isblock ischar ispipe issock")
	for path, want := range yes {
		for _, name := range all {
			got, err := Truth(t.Context(), env, op(name, word(quoted(path))))
			if err != nil {
				t.Errorf(".%s. %q: %v", name, path, err)
			}
			if got != strings.Contains(" "+want+" ", " "+name+" ") {
				t.Errorf(".%s. %q: %v", name, path, got)
			}
		}
	}
}

func TestFileTestsFail(t *testing.T) {
	env := with("long", strings.Repeat("x", 300))
	env.dir = playground(t)
	_, err := Truth(t.Context(), env, op("exists", "loop"))
	wantFault(t, err, `.exists. "loop": too many levels of symbolic links`)
	_, err = Truth(t.Context(), env, op("isr", "loop"))
	wantFault(t, err, `.isr. "loop": too many levels of symbolic links`)
	_, err = Truth(t.Context(), env, op("islink", ref("long")))
	wantFault(t, err, `.islink. "`+strings.Repeat("x", 60)+`"…: file name too long`)
}

func TestFilesOutOfReach(t *testing.T) {
	if os.Geteuid() == 0 {
		skip.Test(t, "root may search every directory")
	}
	env := with()
	env.dir = playground(t)
	if err := os.Chmod(filepath.Join(env.dir, "dir"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []ast.Expr{op("exists", "dir/x"), op("isr", "dir/x"), op("islink", "dir/x"), op("isr", "locked"),
		op("isw", "locked")} {
		if got, err := Truth(t.Context(), env, e); err != nil || got {
			t.Errorf("%v: %v, %v", e.(*ast.Unary).Op, got, err)
		}
	}
}
