package process

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

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
	Observe  func(Notice) // told what happens, by several goroutines; may be nil; must not call back
}

// defaultKillTimeout is the time between SIGTERM and SIGKILL where Config does
// not say.
const defaultKillTimeout = 30 * time.Second

// markerName is the environment variable that tells whose a process is.
const markerName = "FTSH_COMMAND"

// launchers is how many programs are started at the same time. Each occupies a
// thread until its program is loaded; with more of them 1,000 commands at once
// took as long and 31 threads.
const launchers = 2

// Host starts commands and is sure that they are gone. It is safe for
// concurrent use.
type Host struct {
	cfg      Config
	self     int
	born     ticks         // no command is older
	prefix   string        // of the marker of every command: what was inherited, and this Host's own
	count    atomic.Uint64 // of commands
	launcher chan struct{} // full when as many launch as may
	guardian guardian
	groups   groups

	// table is held when a child of ours is reaped: who holds it finds that the
	// kernel's list of them is exact, and that the id of one that was there can be
	// no other's. It is locked before mu.
	table sync.Mutex

	mu        sync.Mutex   // guards what follows
	running   map[int]*run // by process id: started and not reaped
	forks     forks        // those being started
	leader    *run         // who is blocked in waiting for any child
	sweeper   run          // leads where no command does
	leftover  ticks        // when a command that succeeded last left something behind
	hunt      hunt
	jobs      int          // that are not closed
	witnesses map[int]*Job // by process id
	adopting  bool         // this process is a subreaper

	real     *Clock      // real time, whatever Config.Clock shows
	ownClock bool        // it is not that one
	kinless  atomic.Bool // the kernel does not list a process's children

	baton   chan struct{} // held by the one who does the hunting for all
	stir    chan struct{} // tells the hunter that something has happened
	scratch []byte        // the hunter's
	reaper  bool          // it was one before
}

// Open makes a Host. The only error is that of a kernel that knows no
// subreapers (before Linux 3.4), if the process is the shell's.
func Open(cfg Config) (*Host, error) {
	if cfg.KillTimeout <= 0 {
		cfg.KillTimeout = defaultKillTimeout
	}
	h := &Host{
		cfg:      cfg,
		guardian: guardian{wanted: cfg.Whole && cfg.Guardian},
		self:     syscall.Getpid(),
		born:     ticksNow(),
		launcher: make(chan struct{}, launchers),
		running:  make(map[int]*run),
		baton:    make(chan struct{}, 1),
		stir:     make(chan struct{}, 1),
	}
	h.prefix = cfg.Marker + "/" + uniqueName(h.self) + "."
	h.real, _ = cfg.Clock.(*Clock)
	if h.real == nil {
		h.real, h.ownClock = NewClock(), true
	}
	if cfg.Whole {
		return h, h.adopt()
	}
	return h, nil
}

// uniqueName is unique on the machine: no two processes have the same id at the
// same time.
func uniqueName(pid int) string {
	return strconv.FormatInt(int64(pid), 36) + "." + strconv.FormatInt(int64(sinceBoot()), 36)
}

// adopt makes this process the one that orphans among its descendants come to.
func (h *Host) adopt() error {
	var before int32
	if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&before)), 0, 0, 0) == nil {
		h.reaper = before != 0
	}
	h.adopting = true
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Close gives up the role of subreaper and dismisses the guardian. No command
// may be under way. Daemons of commands that succeeded live on.
func (h *Host) Close() error {
	h.Detach()
	if h.ownClock {
		h.real.Close()
	}
	return nil
}

// Detach does what Close does, before this process becomes another by exec. If
// that fails, the next Run takes both up again.
func (h *Host) Detach() {
	h.reapAll()
	h.guardian.dismiss()
	h.groups.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.adopting && !h.reaper {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
	h.adopting = false
}

// Rest is called before a long wait: if no command is under way, the guardian
// leaves, with its memory, and what has ended is reaped. The next command has a new one.
func (h *Host) Rest() {
	h.reapAll()
	h.guardian.rest()
}

// environment is a command's, with its marker in front: getenv finds the first,
// and whoever looks for it in /proc need not read far.
func (h *Host) environment(r *run) []string {
	env := make([]string, 1, len(r.cmd.Env)+1)
	env[0] = markerName + "=" + h.prefix + strconv.FormatUint(r.number, 36)
	for _, entry := range r.cmd.Env {
		if !strings.HasPrefix(entry, markerName+"=") {
			env = append(env, entry)
		}
	}
	return env
}

// observe tells what happened to whoever wants to know.
func (h *Host) observe(n Notice) {
	if h.cfg.Observe != nil {
		h.cfg.Observe(n)
	}
}
