package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// WitnessFlag is the first argument with which the shell's own program is
// executed to be a witness; it has then to call [Witness].
const WitnessFlag = "--witness"

// Witness does a witness's work, until the shell ends: to tell of the signals
// that it gets, which are SIGINT and SIGQUIT.
func Witness(signals <-chan os.Signal) {
	syscall.Write(witnessLine, []byte{ready})
	gone := make(chan struct{})
	go func() {
		var b [1]byte
		for {
			if _, err := syscall.Read(witnessLine, b[:]); err != syscall.EINTR {
				close(gone)
				return
			}
		}
	}()
	for {
		select {
		case sig := <-signals:
			syscall.Write(witnessLine, []byte{byte(sig.(syscall.Signal))})
		case <-gone:
			return
		}
	}
}

// witnessLine is the descriptor over which a witness talks to the shell: it
// first says that it is ready, and then the number of each signal.
const (
	witnessLine = 0
	ready       = 0
)

// hire starts a witness: in the group, or if there is none any more in one of
// its own.
func (j *Job) hire() {
	h := j.host
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	h.mu.Lock()
	fork, group := h.forks.begin(), j.group
	h.mu.Unlock()
	done := h.unstick()
	pid, errno := startWitness(ends[1], group)
	if errno == syscall.EPERM && group != 0 {
		group = 0
		pid, errno = startWitness(ends[1], group)
	}
	syscall.Close(ends[1])
	if errno == 0 {
		awaitReady(ends[0])
	}
	done()
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ended := h.forks.early(pid, fork)
	h.forks.end()
	if errno != 0 || ended {
		syscall.Close(ends[0])
		return
	}
	if group == 0 {
		j.group = pid
	}
	if h.witnesses == nil {
		h.witnesses = make(map[int]*Job)
	}
	h.witnesses[pid] = j
	syscall.SetNonblock(ends[0], true) // for the netpoller
	j.witness, j.line = pid, os.NewFile(uintptr(ends[0]), "witness")
	line := j.line
	j.listeners.Go(func() { j.listen(line) })
}

// awaitReady waits until a witness is ready, so that no key is missed. That takes a
// millisecond or two, once for a statement.
func awaitReady(line int) {
	var b [1]byte
	for {
		if _, err := syscall.Read(line, b[:]); err != syscall.EINTR {
			return
		}
	}
}

// listen passes on what a witness tells, until it is gone.
func (j *Job) listen(line *os.File) {
	defer line.Close()
	var b [1]byte
	for {
		if n, err := line.Read(b[:]); n != 1 || err != nil {
			return
		}
		j.tell(syscall.Signal(b[0]))
	}
}

// nobody is the marker of what belongs to no command.
const nobody = "-"

// startWitness forks and executes a witness. Its marker is nobody's, so that it
// is not taken for a process that a command has left behind.
func startWitness(line, group int) (int, syscall.Errno) {
	none := ^uintptr(0)
	attr := syscall.ProcAttr{
		Env: []string{markerName + "=" + nobody}, Files: []uintptr{uintptr(line), none, none},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pgid: group},
	}
	return forkExec("/proc/self/exe", []string{os.Args[0], WitnessFlag}, &attr)
}

// bear takes in that a witness has died: of a key, if that came before it had
// its handlers. With the Host's lock held.
func (h *Host) bear(pid int, status Status) {
	j := h.witnesses[pid]
	if j == nil {
		return
	}
	delete(h.witnesses, pid)
	j.witness = 0
	if !j.closed && (status.Signal == syscall.SIGINT || status.Signal == syscall.SIGQUIT) {
		j.tell(status.Signal)
	}
}
