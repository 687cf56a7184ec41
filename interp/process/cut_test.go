package process

import (
	"errors"
	"testing"
)

// TestCutWhileStopped has a program of a job that is stopped be cut off before the job goes on: it was never under way.
func TestCutWhileStopped(t *testing.T) {
	h := openInside(t, Config{Whole: true, Under: func(_ uint64, begins bool) {
		t.Error("it is told of as under way: ", begins)
	}})
	j := h.NewJob(-1)
	defer j.Close()
	j.stopped, j.resumed = true, make(chan struct{})
	over := errors.New("over")
	status, err := h.Run(newAsksOnce(t, over), &Command{Path: "/bin/true", Args: []string{"true"}, Job: j})
	if err != over || j.programs != 0 {
		t.Errorf("%+v, %v, %d programs", status, err, j.programs)
	}
}
