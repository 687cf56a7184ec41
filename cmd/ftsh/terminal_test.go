package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// console is the shell on a terminal of its own: what the test types goes in,
// and what the shell draws is on a screen that the test can look at.
type console struct {
	t    *testing.T
	home string // HOME of the shell, its directory, and where programs for tests may lie
	cmd  *exec.Cmd
	pty  *os.File
	held *os.File // keeps the leader of a script's session from ending

	mu      sync.Mutex
	changed *sync.Cond // the screen, or ended
	screen  *vt.Emulator
	raw     []byte // all that was written
	ended   bool
	status  error
}

// consoleConfig says what is different from a shell alone on 80 × 24.
type consoleConfig struct {
	columns, rows int
	args          []string
	env           []string          // more of it
	files         map[string]string // in the home directory; those in bin/ are programs
}

// slow is how long a test waits for what must come. It passes only in failing.
const slow = 30 * time.Second

// newConsole starts a shell. It ends with the test.
func newConsole(t *testing.T, config consoleConfig) *console {
	t.Helper()
	if config.columns == 0 {
		config.columns, config.rows = 80, 24
	}
	c := &console{t: t, home: t.TempDir(), screen: vt.NewEmulator(config.columns, config.rows)}
	c.changed = sync.NewCond(&c.mu)
	for name, text := range config.files {
		c.write(name, text)
	}
	c.cmd = exec.Command("ftsh")
	if len(config.args) > 0 {
		c.cmd = exec.Command("lead", config.args...)
		var end *os.File
		var err error
		if end, c.held, err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		defer end.Close()
		c.cmd.ExtraFiles = []*os.File{end}
	}
	c.cmd.Dir = c.home
	mark := strconv.Itoa(os.Getpid()) + c.home
	c.cmd.Env = append([]string{
		"HOME=" + c.home, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMPDIR=" + c.home, marker + "=" + mark,
		"PATH=" + filepath.Join(c.home, "bin") + ":" + os.Getenv("PATH"),
	}, config.env...)
	var err error
	c.pty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Cols: uint16(config.columns), Rows: uint16(config.rows)})
	if err != nil {
		t.Fatal(err)
	}
	done, answered := make(chan struct{}), make(chan struct{})
	go c.follow(done)
	go func() {
		_, _ = io.Copy(c.pty, c.screen) // what the terminal answers
		close(answered)
	}()
	t.Cleanup(func() {
		c.hangUp()
		<-done
		_ = c.screen.InputPipe().(io.Closer).Close() // its own Close is a data race
		<-answered
		_ = c.pty.Close()
		if strings.Contains(string(c.raw), "DATA RACE") {
			t.Errorf("the shell reports a data race:\n%s", c.raw)
		}
		for pid, name := range carriers(mark) {
			t.Error("left behind: process ", pid, " ", name)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return c
}

// write makes a file in the home directory.
func (c *console) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.home, name)
	mode := os.FileMode(0o644)
	if strings.HasPrefix(name, "bin/") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		c.t.Fatal(err)
	}
}

// follow puts on the screen what the shell writes, until the shell ends.
func (c *console) follow(done chan<- struct{}) {
	defer close(done)
	buf := make([]byte, 1<<16)
	for {
		n, err := c.pty.Read(buf)
		text, end, ended := bytes.Cut(buf[:n], []byte{shellEnded})
		c.mu.Lock()
		_, _ = c.screen.Write(append(text, end...))
		c.raw = append(c.raw, buf[:len(text)+len(end)]...)
		c.changed.Broadcast()
		c.mu.Unlock()
		if ended && c.held != nil {
			_ = c.held.Close()
		}
		if err != nil {
			break
		}
	}
	status := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended, c.status = true, status
	c.changed.Broadcast()
}

// hangUp ends the shell if it has not ended.
func (c *console) hangUp() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if !ended {
		_ = c.cmd.Process.Signal(syscall.SIGHUP)
		c.wait("the shell to end", func() bool { return c.ended })
	}
}

// wait returns when something is true, which is asked again whenever the screen
// has changed.
func (c *console) wait(what string, is func() bool) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	late := false
	timer := time.AfterFunc(slow, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	for !is() {
		if late || c.ended {
			if c.cmd.Process != nil && late {
				_ = c.cmd.Process.Signal(syscall.SIGKILL)
			}
			c.t.Fatalf("waited in vain for %s; the screen:\n%s", what, c.picture())
		}
		c.changed.Wait()
	}
}

// picture is the screen with the cursor, for messages.
func (c *console) picture() string {
	var b strings.Builder
	for y := range c.screen.Height() {
		fmt.Fprintf(&b, "%2d |%s\n", y, c.row(y))
	}
	at := c.screen.CursorPosition()
	fmt.Fprintf(&b, "cursor: row %d, column %d", at.Y, at.X)
	return b.String()
}

// row is the text of a row without the blanks at its end.
func (c *console) row(y int) string {
	var b strings.Builder
	for x := 0; x < c.screen.Width(); {
		cell := c.screen.CellAt(x, y)
		if cell == nil || cell.Content == "" {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(cell.Content)
		x += max(1, cell.Width)
	}
	return strings.TrimRight(b.String(), " ")
}

// lines is what is on the screen, without the empty rows below.
func (c *console) lines() []string {
	var lines []string
	for y := range c.screen.Height() {
		lines = append(lines, c.row(y))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// send types bytes as they are.
func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := c.pty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// typed types a text key by key, and waits for each to be seen at the cursor.
func (c *console) typed(text string) {
	c.t.Helper()
	for _, r := range text {
		c.mu.Lock()
		before := c.screen.CursorPosition()
		c.mu.Unlock()
		c.send(string(r))
		c.wait("the key "+string(r), func() bool { return c.screen.CursorPosition() != before })
	}
}

// entered types a line and Enter.
func (c *console) entered(text string) {
	c.t.Helper()
	c.typed(text)
	c.send("\r")
}

// runs types a statement of one line and waits until it has run, which prints
// those lines.
func (c *console) runs(text string, output ...string) {
	c.t.Helper()
	c.cursorAfter(prompt)
	c.send(text)
	c.cursorAfter(prompt + text)
	c.send("\r")
	c.sees(append(append([]string{prompt + text}, output...), prompt)...)
	c.cursorAfter(prompt)
}

// sees waits until the screen's last lines are these. ${home} stands for the
// home directory.
func (c *console) sees(want ...string) {
	c.t.Helper()
	for i := range want {
		want[i] = strings.TrimRight(want[i], " ")
	}
	c.wait("the lines\n"+strings.Join(want, "\n"), func() bool {
		lines := c.lines()
		return len(lines) >= len(want) && strings.Join(lines[len(lines)-len(want):], "\n") == strings.Join(want, "\n")
	})
}

// shows waits until a text is on the screen.
func (c *console) shows(text string) {
	c.t.Helper()
	c.wait("the text "+strconv.Quote(text), func() bool { return strings.Contains(strings.Join(c.lines(), "\n"), text) })
}

// cursorAt waits until the cursor stands after a text in its row.
func (c *console) cursorAfter(text string) {
	c.t.Helper()
	c.wait("the cursor after "+strconv.Quote(text), func() bool { return c.beforeCursor() == text })
}

// beforeCursor is what is in the cursor's row before it.
func (c *console) beforeCursor() string {
	var b strings.Builder
	at := c.screen.CursorPosition()
	for x := 0; x < at.X; {
		cell := c.screen.CellAt(x, at.Y)
		if cell == nil || cell.Content == "" {
			b.WriteByte(' ')
			x++
			continue
		}
		b.WriteString(cell.Content)
		x += max(1, cell.Width)
	}
	return b.String()
}

// resize changes the size of the terminal.
func (c *console) resize(columns, rows int) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screen.Resize(columns, rows)
	if err := pty.Setsize(c.pty, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		c.t.Fatal(err)
	}
}

// leaves waits until the shell has ended and returns its status.
func (c *console) leaves() string {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := time.AfterFunc(slow, func() { _ = c.cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	for !c.ended {
		c.changed.Wait()
	}
	return statusOf(c.status)
}

const prompt = "ftsh ~> "

// requireProgram skips a test where a program is not installed.
func requireProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed")
	}
}
