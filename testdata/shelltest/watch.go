package shelltest

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

const ctrlZ = "\x1a"

// Bottom waits until the last row of the terminal matches a pattern.
func (c *Console) Bottom(pattern string) {
	c.T.Helper()
	re := regexp.MustCompile("^" + pattern + "$")
	c.Wait("a last row like "+pattern, func() bool { return re.MatchString(c.Row(c.Screen.Height() - 1)) })
}

// Release lets a program go on that waits at a fifo, or will.
func (c *Console) Release(name string) {
	c.T.Helper()
	path := filepath.Join(c.Home, name)
	for end := time.Now().Add(slow); ; time.Sleep(time.Millisecond) {
		fifo, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_ = fifo.Close()
			return
		}
		if !os.IsNotExist(err) || time.Now().After(end) {
			c.T.Fatal(err)
		}
	}
}

// Stops presses Ctrl-Z until the statement is stopped: less misses one that
// comes just before it begins to wait for a key.
func (c *Console) Stops(text string) {
	c.T.Helper()
	c.Repeats(ctrlZ, "stopped: "+text)
}

// Repeats presses a key, and again every five seconds, until a text is on the screen.
func (c *Console) Repeats(key, text string) {
	c.T.Helper()
	again := time.NewTicker(5 * time.Second)
	defer again.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-again.C:
				_, _ = c.pty.WriteString(key)
			case <-done:
				return
			}
		}
	}()
	c.Send(key)
	c.Shows(text)
}
