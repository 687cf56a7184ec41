package repl_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// pane is a shell in a terminal of tmux, which divides long lines anew when it is resized.
type pane struct {
	t      *testing.T
	socket string
	prompt string // without blanks
	above  string // what stands above it
}

// newPane starts a shell that has this prompt.
func newPane(t *testing.T, prompt string, shell ...string) *pane {
	t.Helper()
	folder, err := os.MkdirTemp("", "pane") // of which the name is short enough for a socket's
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, socket: folder + "/tmux", prompt: prompt}
	command := append([]string{"-f", os.DevNull, "new-session", "-d", "-c", folder, "-x", "100", "-y", "30",
		"env", "-i", "HOME=" + folder, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=screen-256color",
		"TMUX=" + p.socket}, shell...)
	t.Cleanup(func() {
		p.tmux("kill-server")
		p.wait("tmux to end", func() bool { return exec.Command("tmux", "-S", p.socket, "has-session").Run() != nil })
		_ = os.RemoveAll(folder)
	})
	p.tmux(command...)
	p.wait("its prompt", func() (is bool) {
		p.above, _, is = strings.Cut(p.shown(), prompt)
		return is
	})
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Errorf("tmux %s: %v: %s", args, err, out)
	}
	return string(out)
}

// shown is all that the terminal shows, and has shown above that, without blanks and newlines.
func (p *pane) shown() string {
	p.t.Helper()
	return strings.NewReplacer(" ", "", "\n", "").Replace(p.tmux("capture-pane", "-p", "-S", "-"))
}

// typed is what stands after the prompt, or what is torn off and stands above it.
func (p *pane) typed() string {
	p.t.Helper()
	above, after, _ := strings.Cut(p.shown(), p.prompt)
	if above != p.above {
		return above
	}
	return after
}

func (p *pane) wait(what string, is func() bool) {
	p.t.Helper()
	for late := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			p.t.Fatalf("waited in vain for %s; the terminal shows\n%s", what, p.tmux("capture-pane", "-p", "-S", "-"))
		}
	}
}

// What resizing leaves of a long line is what it leaves in fish, which is known to draw cleanly: the line, once.
// (Fish 3.6 has torn copies of it on the way there, and on a busy machine also then; the prompt has none at any width.)
func TestResizeBesideFish(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"fish", "tmux"} {
		if _, err := exec.LookPath(program); err != nil {
			skip.Test(t, "there is no %s to compare with", program)
		}
	}
	shell := shelltest.Shell(t)
	for name, piece := range map[string]string{"ascii": "abcdefghi ", "wide": "一二三四五 "} {
		t.Run(name, func(t *testing.T) {
			text := "echo " + strings.Repeat(piece, 25) + "END"
			whole := strings.ReplaceAll(text, " ", "")
			ours := newPane(t, "ftsh~>", shell)
			fish := newPane(t, "fish>", "fish", "-C",
				"set -g fish_greeting; function fish_prompt; echo 'fish> '; end")
			for _, p := range []*pane{ours, fish} {
				p.tmux("send-keys", "-l", text)
				p.wait("what was typed", func() bool { return p.typed() == whole })
			}
			for _, columns := range []int{40, 60, 33, 100} {
				for _, p := range []*pane{ours, fish} {
					p.tmux("resize-window", "-x", strconv.Itoa(columns), "-y", "30")
				}
				ours.wait("the text, once", func() bool { return ours.typed() == whole })
			}
			for late := time.Now().Add(10 * time.Second); fish.typed() != whole; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(late) { // which is no fault of ours
					t.Logf("at the end fish shows\n%s", fish.typed())
					break
				}
			}
		})
	}
}
