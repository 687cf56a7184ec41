package process

import (
	"errors"
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
	"ftsh/interp/world"
)

// Serve does the work for which a shell starts its own program again, if the
// arguments (without the program's name) ask for that: of a guardian whose shell
// has died, or of a job's relay. It returns the exit status for this process.
// Programs whose Config has a Guardian, or that use jobs, call it first of all;
// notify is signal.Notify. When a guardian has ended what it could, died is called with
// the marker of the shell's Host, for what the shell leaves besides processes; nil: nobody is.
func Serve(args []string, notify func(chan<- os.Signal, ...os.Signal), died func(marker string)) (
	status int, served bool) {
	switch {
	case len(args) > 0 && args[0] == guardian.Flag:
		status = runGuardian(args[1:])
		if len(args) > 1 && died != nil {
			died(args[1])
		}
	case len(args) == 1 && args[0] == relayFlag:
		signals := make(chan os.Signal, 16)
		notify(signals, unix.SIGINT, unix.SIGQUIT)
		runRelay(signals)
	default:
		return 0, false
	}
	return status, true
}

// guardianOrders returns the arguments of the guardian's program.
func (h *Host) guardianOrders() []string {
	return []string{h.prefix, strconv.FormatInt(int64(h.cfg.KillTimeout), 10), strconv.FormatBool(h.cfg.Weak),
		strconv.FormatBool(h.cfg.Sessions), strconv.FormatUint(uint64(h.born), 10), h.groups.Home(),
		strconv.Itoa(h.self)}
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

// runGuardian is the life of a guardian. When the shell has died it ends the commands that were under way, within
// the shell's kill timeout.
func runGuardian(orders []string) int {
	const wanted = 8
	if len(orders) != wanted {
		return 2
	}
	timeout, err := strconv.ParseInt(orders[1], 10, 64)
	born, err2 := strconv.ParseUint(orders[4], 10, 64)
	shell, err3 := strconv.Atoi(orders[6])
	files, err4 := strconv.Atoi(orders[7])
	if errors.Join(err, err2, err3, err4) != nil || born == 0 || !strings.Contains(orders[0], "/") {
		return 2
	}
	closeRange(files, lastDescriptor)
	setTitle()
	c := clock.New()
	defer c.Close()
	l := &leftovers{shell: shell, prefix: orders[0], born: procfs.Ticks(born), home: orders[5], cfg: Config{
		Clock: c, KillTimeout: time.Duration(timeout), Weak: orders[2] == "true", Sessions: orders[3] == "true"}}
	commands, err := guardian.Watch(l.isOverdue, l.endOverdue)
	if err != nil || len(commands) > 0 && l.endCommands(commands) != nil {
		return 1
	}
	return 0
}

// leftovers are commands of a shell that cannot end them itself.
type leftovers struct {
	cfg    Config
	prefix string       // of their markers
	born   procfs.Ticks // none is older
	home   string       // the control group of their groups
	shell  int          // the process id of one that lives

	host *Host           // nil until something is to be ended
	runs map[uint64]*run // those that are being ended, or were
}

// open makes the Host that ends them.
func (l *leftovers) open() (err error) {
	if l.host != nil {
		return nil
	}
	if l.host, err = Open(l.cfg); err == nil {
		l.host.prefix, l.host.born, l.host.left = l.prefix, l.born, true
		l.host.groups = cgroup.OpenLeft(l.home, l.prefix)
		l.runs = make(map[uint64]*run)
	}
	return err
}

// addTarget enters a command among those to be ended, which it may be by now.
func (l *leftovers) addTarget(c guardian.Command, group *cgroup.Group, patience time.Duration) *target {
	l.host.mu.Lock()
	defer l.host.mu.Unlock()
	r := l.runs[c.Number]
	if r == nil || r.target.done {
		r = &run{cmd: &world.Command{}, number: c.Number, pid: c.PID, born: l.born, died: procfs.Now(), ended: true,
			group: group}
		l.runs[c.Number] = r
	}
	return l.host.addTarget(r, patience)
}

// isOverdue reports whether the shell is stopped and that process of a command runs.
func (l *leftovers) isOverdue(c guardian.Command) bool {
	var shell, own procfs.Stat
	if !readStat(l.shell, &shell) || shell.State != 'T' {
		return false
	}
	if c.PID == 0 { // the shell was stopped before it could tell
		own, _ := procfs.Any(func(_ int, p procfs.Process) bool {
			var s procfs.Stat
			marker, _, _ := p.Marker(markerName, nil)
			return string(marker) == l.prefix+strconv.FormatUint(c.Number, 36) && p.Stat(&s) == nil &&
				s.Parent == l.shell && !s.Ended()
		})
		return own
	}
	if readStat(c.PID, &own) {
		return own.Parent == l.shell && !own.Ended()
	}
	handle, err := unix.PidfdOpen(c.PID, 0) // it may be one that cannot be seen
	if err != nil {
		return false
	}
	defer unix.Close(handle)
	session, err := unix.Getsid(c.PID)
	return err == nil && session == c.PID && !hasEnded(handle)
}

func readStat(pid int, s *procfs.Stat) bool {
	p, err := procfs.Open(pid)
	if err != nil {
		return false
	}
	defer p.Close()
	return p.Stat(s) == nil
}

// endOverdue begins to end a command of a shell that is stopped.
func (l *leftovers) endOverdue(c guardian.Command) {
	if l.open() != nil {
		return
	}
	var group *cgroup.Group
	if p, err := procfs.Open(c.PID); err == nil {
		group = l.host.groups.Of(p)
		p.Close()
	}
	t := l.addTarget(c, group, l.host.cfg.KillTimeout)
	go l.host.endTarget(t)
}

// What a shell was just starting when it died is not to be found before it
// executes its program, which takes a moment: so the guardian searches again, and as long as it sees such a process.
const (
	searches       = 5
	searchInterval = 50 * time.Millisecond
)

// maxMargin limits the time before the end of the kill timeout at which the guardian sends SIGKILL.
const maxMargin = 2 * time.Second

// endCommands ends what was under way when the shell died. SIGKILL comes early enough that all is over when
// the kill timeout is; and late enough for a nested shell, which was told five seconds less,
// or half if that is more.
func (l *leftovers) endCommands(commands []guardian.Command) error {
	if err := l.open(); err != nil {
		return err
	}
	h := l.host
	defer h.groups.RemoveAll()
	killAt := h.cfg.Clock.Now() + h.cfg.KillTimeout - min(h.cfg.KillTimeout/8, maxMargin)
	for n := 0; n < searches || h.seesOneStarting() && h.cfg.Clock.Now() < killAt; n++ {
		var targets []*target
		for _, c := range commands {
			targets = append(targets, l.addTarget(c, nil, killAt-h.cfg.Clock.Now()))
		}
		for _, t := range targets {
			h.endTarget(t)
		}
		clock.Nap(searchInterval)
	}
	return nil
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
