package process

import (
	"ftsh/interp/files"
	"ftsh/interp/world"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// relayFlag is the argument with which the shell's own program is executed to be a
// job's relay.
const relayFlag = "--relay"

// runRelay does a relay's work, until the shell ends: to tell of the signals that it
// gets, which are SIGINT and SIGQUIT.
func runRelay(signals <-chan os.Signal) {
	unix.Write(relayLine, []byte{ready})
	gone := make(chan struct{})
	go func() {
		awaitByte(relayLine)
		close(gone)
	}()
	for {
		select {
		case sig := <-signals:
			unix.Write(relayLine, []byte{byte(sig.(unix.Signal))})
		case <-gone:
			return
		}
	}
}

// relayLine is the descriptor over which a relay talks to the shell: it
// first says that it is ready, and then the number of each signal.
const (
	relayLine = 0
	ready     = 0
)

// startRelay starts a relay: in the group, or if there is none any more in one of
// its own.
func (j *Job) startRelay() {
	h := j.host
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	h.mu.Lock()
	fork, group := h.forks.beginFork(), j.group
	h.mu.Unlock()
	done := h.watchStarting()
	pid, err := forkRelay(ends[1], group)
	if err == unix.EPERM && group != 0 {
		group = 0
		pid, err = forkRelay(ends[1], group)
	}
	unix.Close(ends[1])
	if err == nil {
		awaitByte(ends[0]) // or a key could be missed; it takes a millisecond or two, once for a statement
	}
	done()
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ended := h.forks.endFork(pid, fork)
	if err != nil || ended {
		unix.Close(ends[0])
		return
	}
	if group == 0 {
		j.group = pid
	}
	if h.relays == nil {
		h.relays = make(map[int]*Job)
	}
	h.relays[pid] = j
	unix.SetNonblock(ends[0], true) // for the netpoller
	j.relay, j.line = pid, os.NewFile(uintptr(ends[0]), "relay")
	line := j.line
	j.listeners.Go(func() { j.listenToRelay(line) })
}

// awaitByte waits for a byte, or the end, at a line.
func awaitByte(line int) {
	var b [1]byte
	for {
		if _, err := unix.Read(line, b[:]); err != unix.EINTR {
			return
		}
	}
}

// listenToRelay passes on what a relay tells, until it is gone.
func (j *Job) listenToRelay(line *os.File) {
	defer line.Close()
	var b [1]byte
	for {
		if n, err := line.Read(b[:]); n != 1 || err != nil {
			return
		}
		j.tellSignal(unix.Signal(b[0]))
	}
}

// nobody is the marker of what belongs to no command.
const nobody = "-"

// forkRelay forks and executes a relay. Its marker is nobody's, so that it
// is not taken for a process that a command has left behind.
func forkRelay(line, group int) (int, error) {
	none := ^uintptr(0)
	attr := syscall.ProcAttr{
		Env: []string{markerName + "=" + nobody}, Files: []uintptr{uintptr(line), none, none},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pgid: group},
	}
	return forkExec(files.Directory{}, "/proc/self/exe", []string{os.Args[0], relayFlag}, &attr)
}

// relayEnded takes in that a relay has died: of a key, if that came before it had
// its handlers. With the Host's lock held.
func (h *Host) relayEnded(pid int, status world.Status) {
	j := h.relays[pid]
	if j == nil {
		return
	}
	delete(h.relays, pid)
	j.relay = 0
	if !j.closed && (status.Signal == unix.SIGINT || status.Signal == unix.SIGQUIT) {
		j.tellSignal(status.Signal)
	}
}
