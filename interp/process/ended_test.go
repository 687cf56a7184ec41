package process

import (
	"errors"
	"ftsh/interp/world"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A command that has ended when its cancelling begins was not cut off, also if nobody has reaped it yet. What it has
// left may stay if it succeeded.
func TestEndedBeforeCut(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		cut, stays   bool
	}{
		{"success", "exit 0", false, true}, {"failure", "exit 7", false, false},
		{"signal", "kill -9 $$", false, false}, {"alive", "sleep 60", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := openInside(t, Config{Whole: true})
			r := &run{cmd: &world.Command{}, number: 1, born: h.born, cancelled: make(chan struct{})}
			name := filepath.Join(t.TempDir(), "left")
			r.pid = forkShell(t, "sleep 60 & echo $! >"+name+"; "+tt.script)
			h.running[r.pid] = r
			if !tt.cut {
				if _, err := peekChild(unix.P_PID, r.pid, 0); err != nil {
					t.Fatal(err)
				}
			}
			h.cancelCommand(r, errors.New("the limit passed"))
			h.awaitCommand(r)
			if r.cut != tt.cut {
				t.Errorf("cut off: %v, want %v", r.cut, tt.cut)
			}
			text, _ := os.ReadFile(name)
			left, _ := strconv.Atoi(strings.TrimSpace(string(text)))
			if stays := left > 0 && unix.Kill(left, 0) == nil; stays != tt.stays {
				t.Errorf("what it left stays: %v", stays)
			}
			if tt.stays {
				reapNow(left)
			}
		})
	}
}
