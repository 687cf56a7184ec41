package process

import (
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
)

// Serve does the work for which a shell starts its own program again, if the
// arguments (without the program's name) ask for that: of a guardian whose shell
// has died, or of a job's relay. It returns the exit status for this process.
// Programs whose Config has a Guardian, or that use jobs, call it first of all;
// notify is signal.Notify. When a guardian has ended what it could, died is called with
// the marker of the shell's Host, for what the shell leaves besides processes; nil: nobody is.
func Serve(args []string, notify func(chan<- os.Signal, ...os.Signal), died func(marker string)) (
	status int, served bool) {
	var orders []string
	switch {
	case len(args) > 0 && args[0] == guardian.Flag:
		orders = args[1:]
		status = runGuardian(orders)
	case len(args) > 1 && args[0] == guardian.AwaitFlag:
		orders = args[2:]
		status = awaitDeath(args[1], orders)
	case len(args) == 1 && args[0] == relayFlag:
		signals := make(chan os.Signal, 16)
		notify(signals, unix.SIGINT, unix.SIGQUIT)
		runRelay(signals)
	default:
		return 0, false
	}
	if len(orders) > 0 && died != nil {
		died(orders[0])
	}
	return status, true
}

// awaitDeath runs a guardian that holds so many descriptors once its shell has died.
func awaitDeath(held string, orders []string) int {
	setTitle()
	rows, err := guardian.Await(held)
	if err != nil {
		return 1
	}
	return runGuardian(append(orders, rows))
}

// guardianOrders returns the arguments of the guardian's program, but for the commands.
func (h *Host) guardianOrders() []string {
	return []string{h.prefix, strconv.FormatInt(int64(h.cfg.KillTimeout), 10), strconv.FormatBool(h.cfg.Weak),
		strconv.FormatBool(h.cfg.Sessions), strconv.FormatUint(uint64(h.born), 10), h.groups.Home()}
}

// setTitle names this process in lists of processes, which show the name of its first thread: without /proc only the
// calling one, which may be another, can be named.
func setTitle() {
	title := append([]byte(guardian.Title), 0)
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&title[0])), 0, 0, 0)
	// Not by an os.File: that would open descriptors for good, among those that the guardian holds.
	if fd, err := unix.Open("/proc/self/comm", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
		_, _ = unix.Write(fd, []byte(guardian.Title))
		_ = unix.Close(fd)
	}
}

// runGuardian ends the commands that were under way when the shell died, within the
// shell's kill timeout. It is told the orders, and the commands.
func runGuardian(args []string) int {
	const wanted = 7
	if len(args) != wanted {
		return 2
	}
	timeout, err := strconv.ParseInt(args[1], 10, 64)
	born, err2 := strconv.ParseUint(args[4], 10, 64)
	if err != nil || err2 != nil || born == 0 || !strings.Contains(args[0], "/") {
		return 2
	}
	setTitle()
	commands := guardian.Commands(args[6])
	if len(commands) == 0 {
		return 0
	}
	c := clock.New()
	defer c.Close()
	cfg := Config{Clock: c, KillTimeout: time.Duration(timeout), Weak: args[2] == "true", Sessions: args[3] == "true"}
	if endLeft(cfg, args[0], procfs.Ticks(born), args[5], commands) != nil {
		return 1
	}
	return 0
}

// endLeft ends commands of a shell that is dead. home has the groups of its commands.
func endLeft(cfg Config, prefix string, born procfs.Ticks, home string, commands []guardian.Command) error {
	h, err := Open(cfg)
	if err != nil {
		return err
	}
	h.prefix, h.born = prefix, born
	h.groups = cgroup.OpenLeft(home, prefix)
	defer h.groups.RemoveAll()
	h.endCommands(commands)
	return nil
}

// What a shell was just starting when it died is not to be found before it
// executes its program, which takes a moment: so the guardian searches again, and as long as it sees such a process.
const (
	searches       = 5
	searchInterval = 50 * time.Millisecond
)

// maxMargin limits the time before the end of the kill timeout at which the guardian sends SIGKILL.
const maxMargin = 2 * time.Second

// endCommands ends what was under way. SIGKILL comes early enough that all is over when
// the kill timeout is; and late enough for a nested shell, which was told five seconds less,
// or half if that is more.
func (h *Host) endCommands(commands []guardian.Command) {
	killAt := h.cfg.Clock.Now() + h.cfg.KillTimeout - min(h.cfg.KillTimeout/8, maxMargin)
	now := procfs.Now()
	for n := 0; n < searches || h.seesOneStarting() && h.cfg.Clock.Now() < killAt; n++ {
		var targets []*target
		h.mu.Lock()
		for _, c := range commands {
			r := &run{cmd: &Command{}, number: c.Number, pid: c.PID, born: h.born, died: now, ended: true}
			targets = append(targets, h.addTarget(r, killAt-h.cfg.Clock.Now()))
		}
		h.mu.Unlock()
		for _, t := range targets {
			h.endTarget(t)
		}
		clock.Nap(searchInterval)
	}
}

// seesOneStarting reports whether there is a process that the dead shell may have forked, and that has not executed its
// program yet: it is like the shell but for its threads, of which it has one. On a busy machine it may take a second.
func (h *Host) seesOneStarting() bool {
	found, _ := procfs.Any(func(pid int, p procfs.Process) bool {
		var s procfs.Stat
		known := p.Stat(&s) == nil && !s.Ended() && s.Threads == 1 && s.Start >= h.born
		return known && pid != h.self && p.RunsOurProgram() && p.Name() != guardian.Title
	})
	return found
}
