package main

import (
	"fmt"
	"time"

	"ftsh/interp/process"
)

// lockWait is a wait for a lock that the guardian of a dead shell may hold.
type lockWait struct {
	path string // the file that is locked
	what string // what that locks, for people

	told  bool
	stuck int // looks in a row that found a guardian stopped, though it had been woken
}

const (
	lockLooks  = time.Second // how often
	stuckLooks = 5           // that is given up after
)

// wakeGuardians wakes guardians that are stopped and says once whom the wait is for. It gives one that stays stopped.
func (w *lockWait) wakeGuardians() (stuck int, is bool) {
	for _, h := range process.WakeHolders(w.path) {
		if !h.Stopped {
			continue
		}
		if !w.told {
			w.told = true
			printWarning(fmt.Sprintf("waiting: process %d, a guardian of ftsh, has locked %s and is stopped. "+
				"It is woken; if that does not help: kill -CONT %d", h.PID, w.what, h.PID))
		}
		w.stuck++
		return h.PID, w.stuck > stuckLooks
	}
	w.stuck = 0
	return 0, false
}

// awaitSlot looks after a wait for a slot of a resource, until stop is called.
func awaitSlot(name, path string) (stop func()) {
	const rarest = 30 * time.Second
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w := lockWait{path: path, what: "a slot of " + name}
		for pause := lockLooks; ; pause = min(2*pause, rarest) {
			select {
			case <-over:
				return
			case <-time.After(pause):
				w.wakeGuardians()
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
