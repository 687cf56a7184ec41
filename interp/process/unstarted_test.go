package process

import (
	"ftsh/interp/files"
	"ftsh/interp/world"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFirstLine has what is read of a program that the kernel does not execute: whether it may be a script, and what
// its first line names.
func TestFirstLine(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, text, interpreter string
		script                  bool
	}{
		{"script", "#!/no/such -x y\nrest\x00", "/no/such", true},
		{"spaced", "#! \t/no/such\n", "/no/such", true},
		{"bare", "#!\n", "(dynamic loader)", true},
		{"none", "echo a\n", "(dynamic loader)", true},
		{"one-line", "echo a", "(dynamic loader)", true},
		{"empty", "", "(dynamic loader)", true},
		{"binary", "\x7fELF\x00\n", "(dynamic loader)", false},
		{"long", strings.Repeat("x", 256) + "\x00", "(dynamic loader)", true},
		{"long-binary", strings.Repeat("x", 255) + "\x00", "(dynamic loader)", false},
	} {
		if err := os.WriteFile(filepath.Join(dir, tt.name), []byte(tt.text), 0o755); err != nil {
			t.Fatal(err)
		}
		d := files.Directory{Name: dir}
		if got := interpreter(tt.name, d); got != tt.interpreter {
			t.Errorf("%s: its interpreter is %q, want %q", tt.name, got, tt.interpreter)
		}
		if got := isText(tt.name, d); got != tt.script {
			t.Errorf("%s: it may be a script: %v", tt.name, got)
		}
	}
	before := len(openFiles(t))
	for _, name := range []string{"no-such", "."} { // which is a directory
		if got := interpreter(name, files.Directory{Name: dir}); got != "" || isText(name, files.Directory{Name: dir}) {
			t.Errorf("%s: %q is read of it", name, got)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	isText("pipe", files.Directory{Name: dir}) // without waiting for anybody to write
	if after := len(openFiles(t)); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// TestStartErrors has what is said of each failure of a system call: whether the program is missing, whether the
// machine had no room, and the words.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "locked")
	if err := os.WriteFile(file, []byte("#!/no/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, dir       string
		err             unix.Errno
		missing, system bool
		words           string
	}{
		{"tool", "", unix.ENOENT, true, false, "tool: no such program"},
		{"./tool", "", unix.ENOENT, true, false, "./tool: no such file or directory"},
		{file, "", unix.ENOENT, true, false, file + ": its interpreter /no/interpreter is missing"},
		{file, "", unix.EACCES, true, false, file + ": not executable"},
		{file, dir, unix.EACCES, true, false, file + ": not executable"},
		{"tool", dir + "/none", unix.EACCES, false, false, "cannot start tool in " + dir + "/none: permission denied"},
		{"tool", dir + "/none", unix.ENOENT, false, false,
			"cannot start tool in " + dir + "/none: no such file or directory"},
		{"tool", "", unix.ENOTDIR, true, false, "tool: not a directory"},
		{"tool", "", unix.ELOOP, true, false, "tool: too many levels of symbolic links"},
		{"tool", "", unix.ENAMETOOLONG, true, false, "tool: file name too long"},
		{"tool", dir + "/none", unix.ENOEXEC, true, false, "tool: not a program for this machine"},
		{"tool", "", unix.EISDIR, true, false, "tool: is a directory"},
		{"tool", "", unix.EPERM, true, false, "tool: operation not permitted"},
		{"tool", "", unix.ELIBBAD, true, false, "tool: accessing a corrupted shared library"},
		{"tool", "", unix.EINVAL, true, false, "tool: invalid argument"},
		{"tool", "", unix.E2BIG, false, false, "tool: the arguments and the environment are too long"},
		{"tool", "", unix.EAGAIN, false, true, "tool: resource temporarily unavailable"},
		{"tool", "", unix.ENOMEM, false, true, "tool: cannot allocate memory"},
		{"tool", "", unix.EMFILE, false, true, "tool: too many open files"},
		{"tool", "", unix.ENFILE, false, true, "tool: too many open files in system"},
		{"tool", "", unix.ETXTBSY, false, true, "tool: text file busy"},
	} {
		c := &world.Command{Path: tt.path, Dir: files.Directory{Name: tt.dir}}
		e := startError(c, tt.err).(*world.StartError)
		if e.Missing != tt.missing || e.System() != tt.system || e.Unwrap() != tt.err || e.Error() != tt.words {
			t.Errorf("%s, %v: %+v, system %v: %s", tt.path, tt.err, e, e.System(), e)
		}
		if wanted := strings.HasPrefix(tt.words, "cannot start"); (e.Dir != "") != wanted {
			t.Errorf("%s, %v: in %q", tt.path, tt.err, e.Dir)
		}
	}
}
