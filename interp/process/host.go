package process

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
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
	Sessions bool // each program in a session of its own
	// Guardian says to end what was under way even if this process is killed. It
	// needs Whole, and a program that calls Serve.
	Guardian bool
	Marker   string // FTSH_COMMAND as it was inherited
	// Under is told of each command, by its number, before it starts and when nothing is left of it that had
	// to go; by several goroutines; nil: nobody is.
	Under func(number uint64, under bool)
	// Reaped is given what each child that has ended has used, with what its own children had that it waited for; nil:
	// that is not asked for. It must not call back.
	Reaped  func(*syscall.Rusage)
	Observe func(Notice) // told what happens, by several goroutines; may be nil; must not call back
}

// defaultKillTimeout is the time between SIGTERM and SIGKILL where Config does
// not say.
const defaultKillTimeout = 30 * time.Second

// markerName is the environment variable that tells whose a process is.
const markerName = "FTSH_COMMAND"

// maxLaunching limits the programs that are started at the same time. Each occupies a
// thread until its program is loaded; with more of them 1,000 commands at once
// took as long and 31 threads.
const maxLaunching = 2

// Host starts commands and is sure that they are gone. It is safe for
// concurrent use.
type Host struct {
	cfg       Config
	self      int
	born      procfs.Ticks  // no command is older
	prefix    string        // of the marker of every command: what was inherited, and this Host's own
	count     atomic.Uint64 // of commands
	launching chan struct{} // full when as many launch as may
	guardian  guardian.Guardian
	groups    *cgroup.Pool // nil before the first command, and where there are none
	opening   sync.Once    // of groups

	// table is held when a child of ours is reaped: its holder finds that the
	// kernel's list of them is exact, and that the id of one that was there can be
	// no other's. It is locked before mu.
	table sync.Mutex

	mu       sync.Mutex   // guards what follows
	running  map[int]*run // by process id: started and not reaped
	forks    forks        // those being started
	leader   *run         // that is blocked in waiting for any child
	reaping  run          // leads where no command does
	leftover procfs.Ticks // when a command that succeeded last left something behind
	kept     map[int]bool // children that were there then
	ending   ending
	jobs     int          // that are not closed
	relays   map[int]*Job // by process id
	adopting bool         // this process is a subreaper

	left     bool         // its commands are those of a shell that is dead, or stopped
	real     *clock.Clock // real time, whatever Config.Clock shows
	ownClock bool         // it is not that one
	unlisted atomic.Bool  // the kernel does not list a process's children
	blind    atomic.Bool  // there is no /proc
	looked   sync.Once    // whether there is one, when the first child is reaped

	sweeping     chan struct{} // held by the one that sweeps for all
	woken        chan struct{} // tells the one that sweeps that something has happened
	scratch      []byte        // of the one that sweeps
	wasSubreaper bool          // before it was opened
}

// Open makes a Host. The only error is that of a kernel that knows no
// subreapers (before Linux 3.4), if the process is the shell's.
func Open(cfg Config) (*Host, error) {
	if cfg.KillTimeout <= 0 {
		cfg.KillTimeout = defaultKillTimeout
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Notice) {}
	}
	h := &Host{
		cfg: cfg, self: os.Getpid(), born: procfs.Now(), launching: make(chan struct{}, maxLaunching),
		running: make(map[int]*run), sweeping: make(chan struct{}, 1), woken: make(chan struct{}, 1),
	}
	// No two processes of the machine have the same id at the same time.
	h.prefix = cfg.Marker + "/" + strconv.FormatInt(int64(h.self), 36) + "." +
		strconv.FormatInt(int64(clock.SinceBoot()), 36) + "."
	h.guardian.Args, h.guardian.Spare, h.guardian.Table = h.guardianOrders, procfs.Spare, &h.table
	h.guardian.Unguarded = func() { cfg.Observe(Notice{Happening: Unguarded, Command: "what is under way"}) }
	if h.real, _ = cfg.Clock.(*clock.Clock); h.real == nil {
		h.real, h.ownClock = clock.New(), true
	}
	if cfg.Whole {
		return h, h.becomeSubreaper()
	}
	return h, nil
}

// becomeSubreaper makes this process the one that orphans among its descendants come to.
func (h *Host) becomeSubreaper() error {
	var before int32
	if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&before)), 0, 0, 0) == nil {
		h.wasSubreaper = before != 0
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
	h.guardian.Stop()
	if h.groups != nil {
		h.groups.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.adopting && !h.wasSubreaper {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
	h.adopting = false
}

// Rest is called before a long wait: if no command is under way, the guardian
// leaves, with its memory, and what has ended is reaped. The next command has a new one.
func (h *Host) Rest() {
	h.reapAll()
	h.guardian.Rest()
}

// Hold has the guardian hold a descriptor of ours, too, until release is called: see guardian.Guardian.
func (h *Host) Hold(fd int) (release func()) { return h.guardian.Hold(fd) }

// environment is a command's, with its marker in front: getenv finds the first,
// and whoever looks for it in /proc need not read far.
func (h *Host) environment(r *run) []string {
	env := make([]string, 1, 1+len(r.cmd.Told)+len(r.cmd.Env))
	env[0] = markerName + "=" + h.prefix + strconv.FormatUint(r.number, 36)
	env = append(env, r.cmd.Told...)
	for _, entry := range r.cmd.Env {
		if !strings.HasPrefix(entry, markerName+"=") {
			env = append(env, entry)
		}
	}
	return env
}

// Watch has the guardian start this program if the shell is killed, also while no command is
// under way, until the function returned is called: see [Serve].
func (h *Host) Watch() (leave func()) {
	if !h.cfg.Guardian || !h.cfg.Whole {
		return func() {}
	}
	h.opening.Do(func() { h.groups = cgroup.Open(h.prefix) }) // the guardian is told of it
	place, err := h.guardian.Enter(h.count.Add(1), 0, true)
	if err != nil {
		h.cfg.Observe(Notice{Happening: Unguarded, Command: "a job"})
		return func() {}
	}
	return func() { h.guardian.Leave(place) }
}
