package process

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// Config tells how a Host treats its processes. The zero value (but for the
// Clock) suits a program in which the interpreter is embedded.
type Config struct {
	Clock       backoff.Clock // needed
	KillTimeout time.Duration // between SIGTERM and SIGKILL; 0 means 30 s
	Weak        bool          // SIGKILL once, and do not wait for what survives it
	// Whole says that this Unix process is the shell's alone: it becomes a
	// subreaper, every child that ends is reaped, and a guardian may be started.
	Whole    bool
	Sessions bool         // each program in a session of its own
	Guardian bool         // end what was under way even if this process is killed; needs Whole
	Marker   string       // FTSH_COMMAND as it was inherited
	Observe  func(Notice) // told what happens; may be nil; must not block for long nor call back
}

// DefaultKillTimeout is the time between SIGTERM and SIGKILL where Config does
// not say.
const DefaultKillTimeout = 30 * time.Second

// markerName is the environment variable that tells whose a process is.
const markerName = "FTSH_COMMAND"

// Host starts commands and is sure that they are gone. It is safe for
// concurrent use.
type Host struct {
	cfg    Config
	self   int
	prefix string        // of the marker of every command: what was inherited, and this Host's own
	count  atomic.Uint64 // of commands

	// forking is held for reading while a child is started and entered in
	// running: who holds it for writing knows that every child is in there.
	forking sync.RWMutex

	// mu guards all below. No child of ours is reaped without it, so that with
	// it held the process id of one that is not ended can be no other's.
	mu      sync.Mutex
	running map[int]*run // by process id: started and not reaped
	leading bool         // somebody is blocked in waiting for any child
	hunt    hunt
	closed  bool

	baton    chan struct{} // held by the one who does the hunting for all
	stir     chan struct{} // tells the hunter that something has happened
	reaping  bool          // was a subreaper before us
	observed func(Notice)
}

// Open makes a Host. The only error is that of a kernel that lacks subreapers (before Linux 3.4).
func Open(cfg Config) (*Host, error) {
	if cfg.KillTimeout <= 0 {
		cfg.KillTimeout = DefaultKillTimeout
	}
	h := &Host{
		cfg:      cfg,
		self:     syscall.Getpid(),
		running:  make(map[int]*run),
		baton:    make(chan struct{}, 1),
		stir:     make(chan struct{}, 1),
		observed: cfg.Observe,
	}
	h.prefix = cfg.Marker + "/" + h.name() + "."
	if cfg.Whole {
		return h, h.adopt()
	}
	return h, nil
}

// name is unique on the machine: no two processes have the same id at the same time.
func (h *Host) name() string {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return strconv.FormatInt(int64(h.self), 36) + "." + strconv.FormatInt(t.Nano(), 36)
}

// adopt makes this process the one that orphans among its descendants come to.
func (h *Host) adopt() error {
	var before int32
	if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(pointer(&before)), 0, 0, 0) == nil {
		h.reaping = before != 0
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Close gives up the role of subreaper and dismisses the guardian. No command
// may be under way. Daemons of commands that succeeded live on.
func (h *Host) Close() error {
	h.Detach()
	return nil
}

// Detach does so too, before this process becomes another by exec.
func (h *Host) Detach() {
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if closed || !h.cfg.Whole {
		return
	}
	h.reapAll()
	if !h.reaping {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
}

// environment is a command's, with its marker in front: getenv finds the first,
// and whoever looks for it in /proc need not read far.
func (h *Host) environment(c *Command, marker string) []string {
	env := make([]string, 1, len(c.Env)+1)
	env[0] = markerName + "=" + marker
	for _, entry := range c.Env {
		if !strings.HasPrefix(entry, markerName+"=") {
			env = append(env, entry)
		}
	}
	return env
}

// observe tells what happened to whoever wants to know.
func (h *Host) observe(n Notice) {
	if h.observed != nil {
		h.observed(n)
	}
}
