package release

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A shell on a terminal, and how it is told of completions in the folder DIR. In it
// the programs are functions that print their arguments.
var shells = []struct {
	name    string
	command []string
	prepare string
}{
	{"bash", []string{"bash", "--norc", "--noprofile", "-i"}, `
bind 'set enable-bracketed-paste off'
. DIR/completion/bash/ftsh; . DIR/completion/bash/ftshsim
ftsh() { printf 'got:'; printf '<%s>' "$@"; echo; }; ftshsim() { ftsh "$@"; }
`},
	{"zsh", []string{"zsh", "-f", "-i"}, `
unsetopt zle_bracketed_paste 2>/dev/null; fpath=(DIR/completion/zsh $fpath); autoload -Uz compinit; compinit -u -D
ftsh() { printf 'got:'; printf '<%s>' "$@"; echo; }; ftshsim() { ftsh "$@"; }
`},
	{"fish", []string{"fish", "--no-config", "-i"}, `
source DIR/completion/fish/ftsh.fish; source DIR/completion/fish/ftshsim.fish
function ftsh; printf 'got:'; printf '<%s>' $argv; echo; end; function ftshsim; ftsh $argv; end
`},
}

// TestCompletion types the beginnings of command lines and the key Tab into real shells.
func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := buildPages(t)
	for _, shell := range shells {
		t.Run(shell.name, func(t *testing.T) {
			need(t, shell.name)
			terminal := startShell(t, shell.command, strings.ReplaceAll(shell.prepare, "DIR", dir))
			for _, c := range []struct{ typed, want string }{
				{"ftsh --log-fo\tjs\t", "<--log-format><json>"},
				{"ftsh -k we\t", "<-k><weak>"},
				{"ftsh --no-gu\t", "<--no-guardian>"},
				{"ftsh --manual expr\t", "<--manual><expressions>"},
				{"ftsh -f nightl\t", "<-f><nightly.log>"},
				{"ftsh -l 20 a\\ b\t", "<-l><20><a b.ftsh>"},
				{"ftsh a\\ b.ftsh --no-gu\t", "<a b.ftsh><--no-gu>"},
				{"ftsh --expl\tmy.sp\t", "<--explain><my.spec>"},
				{"ftshsim cont\t", "<contention>"},
				{"ftshsim run --serv\tmy.sp\t", "<run><--server><my.spec>"},
			} {
				terminal.typeIn(c.typed + "\r")
				want := c.want
				if shell.name == "zsh" { // it completes a long option together with its sign
					want = strings.NewReplacer("format><", "format=", "server><", "server=").Replace(want)
				}
				terminal.wait("got:" + want)
			}
		})
	}
}

// terminal is a shell on a terminal.
type terminal struct {
	t     *testing.T
	file  *os.File
	shell *os.Process
	seen  bytes.Buffer
	from  int // where what was waited for last ended
}

// startShell starts a shell that is ready to be typed into.
func startShell(t *testing.T, command []string, prepare string) *terminal {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"nightly.log", "a b.ftsh", "my.spec"} {
		if err := os.WriteFile(home+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "PATH="+pagesDir+"/bin:"+os.Getenv("PATH"), "TERM=dumb", "HOME="+home, "TMPDIR="+home,
		"XDG_CONFIG_HOME="+home+"/.config", "XDG_DATA_HOME="+home+"/.local")
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 400})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = file.Close()
	})
	s := &terminal{t: t, file: file, shell: cmd.Process}
	for line := range strings.Lines(strings.TrimSpace(prepare) + "\n") {
		s.typeIn(strings.TrimSuffix(line, "\n") + "\r")
	}
	s.typeIn("echo rea''dy\r")
	s.wait("ready")
	return s
}

func (s *terminal) typeIn(text string) {
	s.t.Helper()
	if _, err := s.file.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// wait reads until a text has come.
func (s *terminal) wait(want string) {
	s.t.Helper()
	const most = 2 * time.Minute
	late := time.AfterFunc(most, func() { _ = s.shell.Kill() }) // which ends the read
	defer late.Stop()
	buffer := make([]byte, 4096)
	for {
		rest := s.seen.Bytes()[s.from:]
		if at := bytes.Index(rest, []byte(want)); at >= 0 {
			s.from += at + len(want)
			return
		}
		n, err := s.file.Read(buffer)
		s.seen.Write(buffer[:n])
		if err != nil {
			s.t.Fatalf("waiting for %q: %v; seen: %q", want, err, s.seen.Bytes()[s.from:])
		}
	}
}
