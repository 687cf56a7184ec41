package process_test

import (
	"context"
	"ftsh/interp/world"
	"sync"
	"syscall"
	"testing"
)

// A signal reaches the own process of each command under way, and not what that has started.
func TestSignal(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, cfg), newStage(t)
			h.Signal(syscall.SIGUSR1) // nobody is there
			const three = 3
			var all sync.WaitGroup
			for range three {
				all.Go(func() {
					got, err := h.Run(context.Background(), s.sh(`trap 'kill $!; wait $!; exit $(($? - 143))' USR1
						SLEEP & echo >&3; while :; do wait $!; done`))
					if got != (world.Status{}) || err != nil {
						t.Errorf("got %+v, %v", got, err)
					}
				})
			}
			for range three {
				s.wait()
			}
			h.Signal(syscall.SIGUSR1)
			all.Wait()
			s.none()
		})
	}
}
