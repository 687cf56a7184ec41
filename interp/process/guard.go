package process

import (
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Guard does the work of a guardian whose shell has died: it ends the commands
// that were under way, within the shell's kill timeout, and returns the exit
// status for its process. The shell's program has to call it with its further
// arguments when the first is [GuardianFlag].
func Guard(args []string) int {
	const wanted = 7
	if len(args) != wanted {
		return 2
	}
	timeout, err := strconv.ParseInt(args[1], 10, 64)
	born, err2 := strconv.ParseUint(args[4], 10, 64)
	if err != nil || err2 != nil || born == 0 || !strings.Contains(args[0], "/") {
		return 2
	}
	title := append([]byte(guardianTitle), 0)
	unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&title[0])), 0, 0, 0)
	clock := NewClock()
	defer clock.Close()
	cfg := Config{Clock: clock, KillTimeout: time.Duration(timeout), Weak: args[2] == "true", Sessions: args[3] == "true"}
	h, err := Open(cfg)
	if err != nil {
		return 1
	}
	h.prefix, h.born = args[0], ticks(born)
	if home := args[5]; home != "" {
		h.groups.looked, h.groups.prefix = true, groupPrefix(h.prefix)
		defer removeGroups(home, h.groups.prefix)
	}
	h.avenge(entries(args[6]))
	return 0
}

// What a shell was just starting when it died is not to be found before it
// executes its program, which takes a moment: so the guardian looks again.
const (
	looks = 5
	later = 50 * time.Millisecond
)

// mostMargin is how long before the end of the kill timeout the guardian sends SIGKILL at most.
const mostMargin = 2 * time.Second

// avenge ends what was under way. SIGKILL comes early enough that all is over when
// the kill timeout is; and late enough for a nested shell, which was told five seconds less,
// or half if that is more.
func (h *Host) avenge(list []entry) {
	killAt, now := h.cfg.Clock.Now()+h.cfg.KillTimeout-min(h.cfg.KillTimeout/8, mostMargin), ticksNow()
	for range looks {
		var quarries []*quarry
		h.mu.Lock()
		for _, e := range list {
			r := &run{cmd: &Command{}, number: e.number, pid: e.pid, born: h.born, died: now, ended: true}
			quarries = append(quarries, h.pursue(r, killAt-h.cfg.Clock.Now()))
		}
		h.mu.Unlock()
		for _, q := range quarries {
			h.end(q)
		}
		nap(later)
	}
}
