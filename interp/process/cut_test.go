package process

import (
	"errors"
	"ftsh/interp/world"
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
	status, err := h.Run(newAsksOnce(t, over), &world.Command{Path: "/bin/true", Args: []string{"true"}, Job: j})
	if err != over || j.programs != 0 {
		t.Errorf("%+v, %v, %d programs", status, err, j.programs)
	}
}

// TestJobCounts has a job count the programs that are under way, also if one could not be started.
func TestJobCounts(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	for path, starts := range map[string]bool{"/bin/true": true, "/no/such": false} {
		during := 1
		c := &world.Command{Path: path, Args: []string{"x"}, Job: j, Started: func() { during = j.programs }}
		_, err := h.Run(t.Context(), c)
		if (err == nil) != starts || during != 1 || j.programs != 0 {
			t.Errorf("%s: %v; %d programs while it ran, %d after it", path, err, during, j.programs)
		}
	}
}
