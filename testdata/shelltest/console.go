package shelltest

import (
	"bytes"
	"errors"
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
	"golang.org/x/sys/unix"
)

// Console is the shell on a terminal of its own: what the test types goes in,
// and what the shell draws is on a screen that the test can look at.
type Console struct {
	T    *testing.T
	Home string // HOME of the shell, its directory, and where programs for tests may lie
	cmd  *exec.Cmd
	mark string // that its processes carry
	pty  *os.File
	held *os.File // keeps the leader of a script's session from ending

	mu      sync.Mutex
	changed *sync.Cond // the screen, or ended
	Screen  *vt.Emulator
	Raw     []byte // all that was written
	ended   bool
	status  error
}

// ConsoleConfig says what is different from a shell alone on 80 × 24.
type ConsoleConfig struct {
	Columns, Rows int
	Args          []string
	Under         string            // a program that runs the shell as its child, without arguments
	Env           []string          // more of it
	Files         map[string]string // in the home directory; those in bin/ are programs
}

// slow limits the wait of a test for what must come. It passes only in failing.
const slow = 2 * time.Minute

// NewConsole starts a shell. It ends with the test.
func NewConsole(t *testing.T, config ConsoleConfig) *Console {
	t.Helper()
	shell := Shell(t)
	if config.Columns == 0 {
		config.Columns, config.Rows = 80, 24
	}
	c := &Console{T: t, Home: t.TempDir(), Screen: vt.NewEmulator(config.Columns, config.Rows)}
	c.changed = sync.NewCond(&c.mu)
	c.write(HistoryFile, "\n") // of who has used a prompt before, and is not greeted
	for name, text := range config.Files {
		c.write(name, text)
	}
	c.cmd = exec.Command(shell)
	if len(config.Args) > 0 {
		c.cmd = exec.Command("lead", append([]string{shell}, config.Args...)...)
		var end *os.File
		var err error
		if end, c.held, err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		defer end.Close()
		c.cmd.ExtraFiles = []*os.File{end}
	}
	if config.Under != "" {
		c.cmd = exec.Command(filepath.Join(c.Home, config.Under))
	}
	c.cmd.Dir = c.Home
	c.mark = strconv.Itoa(os.Getpid()) + c.Home
	c.cmd.Env = append([]string{
		"HOME=" + c.Home, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TMPDIR=" + c.Home, Marker + "=" + c.mark,
		"PATH=" + filepath.Join(c.Home, "bin") + ":" + filepath.Dir(shell) + ":" + os.Getenv("PATH"),
	}, config.Env...)
	c.start(&pty.Winsize{Cols: uint16(config.Columns), Rows: uint16(config.Rows)})
	return c
}

// start starts the program on a terminal of that size, and ends both with the test.
func (c *Console) start(size *pty.Winsize) {
	t := c.T
	t.Helper()
	command := *c.cmd
	var err error
	for c.pty, err = pty.StartWithSize(c.cmd, size); errors.Is(err, syscall.ETXTBSY); {
		// Another test has forked while the program was written, and holds it until its child begins.
		*c.cmd = command
		c.pty, err = pty.StartWithSize(c.cmd, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.pty, err = closable(c.pty); err != nil {
		t.Fatal(err)
	}
	done, answered := make(chan struct{}), make(chan struct{})
	go c.follow(done)
	go func() {
		_, _ = io.Copy(c.pty, c.Screen) // what the terminal answers
		close(answered)
	}()
	t.Cleanup(func() {
		c.HangUp()
		<-done
		_ = c.Screen.InputPipe().(io.Closer).Close() // its own Close is a data race
		<-answered
		_ = c.pty.Close()
		if strings.Contains(string(c.Raw), "DATA RACE") {
			t.Errorf("the shell reports a data race:\n%s", c.Raw)
		}
		for pid, name := range Carriers(c.mark) {
			t.Error("left behind: process ", pid, " ", name)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
}

// closable returns a file in whose place another can be closed while it is being read.
func closable(file *os.File) (*os.File, error) {
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), file.Name()), nil
}

// CloseTerminal closes the terminal, as the one who sits at it does.
func (c *Console) CloseTerminal() { _ = c.pty.Close() }

// Processes are those of the shell, with their command lines.
func (c *Console) Processes() map[int]string { return Carriers(c.mark) }

// write makes a file in the home directory.
func (c *Console) write(name, text string) {
	c.T.Helper()
	path := filepath.Join(c.Home, name)
	mode := os.FileMode(0o644)
	if strings.HasPrefix(name, "bin/") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		c.T.Fatal(err)
	}
}

// follow puts on the screen what the shell writes, until the shell ends.
func (c *Console) follow(done chan<- struct{}) {
	defer close(done)
	buf := make([]byte, 1<<16)
	for {
		n, err := c.pty.Read(buf)
		text, end, ended := bytes.Cut(buf[:n], []byte{shellEnded})
		c.mu.Lock()
		_, _ = c.Screen.Write(append(text, end...))
		c.Raw = append(c.Raw, buf[:len(text)+len(end)]...)
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

// HangUp ends the shell if it has not ended.
func (c *Console) HangUp() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if !ended {
		_ = c.cmd.Process.Signal(syscall.SIGHUP)
		c.Wait("the shell to end", func() bool { return c.ended })
	}
}

// Wait returns when something is true, which is asked again whenever the screen
// has changed.
func (c *Console) Wait(what string, is func() bool) {
	c.T.Helper()
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
			c.T.Fatalf("waited in vain for %s; the screen:\n%s", what, c.Picture())
		}
		c.changed.Wait()
	}
}

// Picture is the screen with the cursor, for messages.
func (c *Console) Picture() string {
	var b strings.Builder
	for y := range c.Screen.Height() {
		fmt.Fprintf(&b, "%2d |%s\n", y, c.Row(y))
	}
	at := c.Screen.CursorPosition()
	fmt.Fprintf(&b, "cursor: row %d, column %d", at.Y, at.X)
	return b.String()
}

// Row is the text of a row without the blanks at its end.
func (c *Console) Row(y int) string {
	var b strings.Builder
	for x := 0; x < c.Screen.Width(); {
		cell := c.Screen.CellAt(x, y)
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

// Lines returns the screen, without the empty rows below. Like Row, BeforeCursor and the
// fields it is for the functions given to Wait, and for consoles that have ended.
func (c *Console) Lines() []string {
	var lines []string
	for y := range c.Screen.Height() {
		lines = append(lines, c.Row(y))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Now is Lines for a test that does not wait for anything.
func (c *Console) Now() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Lines()
}

// Send types bytes as they are.
func (c *Console) Send(keys string) {
	c.T.Helper()
	if _, err := c.pty.WriteString(keys); err != nil {
		c.T.Fatal(err)
	}
}

// Typed types a text key by key, and waits for each to be seen at the cursor.
func (c *Console) Typed(text string) {
	c.T.Helper()
	for _, r := range text {
		c.mu.Lock()
		before := c.Screen.CursorPosition()
		c.mu.Unlock()
		c.Send(string(r))
		c.Wait("the key "+string(r), func() bool { return c.Screen.CursorPosition() != before })
	}
}

// Entered types a line and Enter.
func (c *Console) Entered(text string) {
	c.T.Helper()
	c.Typed(text)
	c.Send("\r")
}

// Runs types a statement of one line and waits until it has run, which prints
// those lines.
func (c *Console) Runs(text string, output ...string) {
	c.T.Helper()
	c.CursorAfter(Prompt)
	c.Send(text)
	c.CursorAfter(Prompt + text)
	c.Send("\r")
	c.Sees(append(append([]string{Prompt + text}, output...), Prompt)...)
	c.CursorAfter(Prompt)
}

// Sees waits until the screen's last lines are these. ${home} stands for the
// home directory.
func (c *Console) Sees(want ...string) {
	c.T.Helper()
	for i := range want {
		want[i] = strings.TrimRight(want[i], " ")
	}
	c.Wait("the lines\n"+strings.Join(want, "\n"), func() bool {
		lines := c.Lines()
		return len(lines) >= len(want) && strings.Join(lines[len(lines)-len(want):], "\n") == strings.Join(want, "\n")
	})
}

// Shows waits until a text is on the screen.
func (c *Console) Shows(text string) {
	c.T.Helper()
	c.Wait("the text "+strconv.Quote(text), func() bool { return strings.Contains(strings.Join(c.Lines(), "\n"), text) })
}

// CursorAfter waits until the cursor stands after a text in its row.
func (c *Console) CursorAfter(text string) {
	c.T.Helper()
	c.Wait("the cursor after "+strconv.Quote(text), func() bool { return c.BeforeCursor() == text })
}

// BeforeCursor returns the cursor's row up to it.
func (c *Console) BeforeCursor() string {
	var b strings.Builder
	at := c.Screen.CursorPosition()
	for x := 0; x < at.X; {
		cell := c.Screen.CellAt(x, at.Y)
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

// Resize changes the size of the terminal.
func (c *Console) Resize(columns, rows int) {
	c.T.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Screen.Resize(columns, rows)
	if err := pty.Setsize(c.pty, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}); err != nil {
		c.T.Fatal(err)
	}
}

// Leaves waits until the shell has ended and returns its status.
func (c *Console) Leaves() string {
	c.T.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := time.AfterFunc(slow, func() { _ = c.cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	for !c.ended {
		c.changed.Wait()
	}
	return StatusOf(c.status)
}

const (
	// Prompt is the prompt in the home directory.
	Prompt = "ftsh ~> "
	// HistoryFile is where the prompt keeps what is typed, in the home directory.
	HistoryFile = ".local/state/ftsh/history"
)
