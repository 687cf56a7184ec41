package simulate

import "iter"

// helper is a coroutine that does one piece of work after the other, for one task after the other: so there are as many
// stacks as tasks are in the middle of something, and not one for each client.
type helper struct {
	work   func()
	resume func() (waits, more bool) // waits is false when the work is done
	next   func(waits bool) bool
	yield  func() // to be called by the work to wait
	stop   func()
}

// begin gives the helper something to do, once it goes on.
func (h *helper) begin(work func()) { h.work = work }

// goOn lets the helper work. It reports whether the work waits; else it is done.
func (h *helper) goOn() bool {
	waits, _ := h.resume()
	return waits
}

// helpers are those that have nothing to do.
type helpers []*helper

// borrow returns a helper that nobody has.
func (h *helpers) borrow() *helper {
	if n := len(*h); n > 0 {
		lent := (*h)[n-1]
		*h = (*h)[:n-1]
		return lent
	}
	lent := &helper{}
	lent.yield = func() { lent.next(true) }
	lent.resume, lent.stop = iter.Pull(func(yield func(bool) bool) {
		lent.next = yield
		for yield(false) {
			lent.work()
			lent.work = nil
		}
	})
	lent.resume()
	return lent
}

// giveBack takes a helper back that has done its work.
func (h *helpers) giveBack(lent *helper) { *h = append(*h, lent) }

// dismiss ends the helpers.
func (h *helpers) dismiss() {
	for _, one := range *h {
		one.stop()
	}
}
