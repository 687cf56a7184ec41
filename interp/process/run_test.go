package process_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"ftsh/interp/process"
)

func open(t testing.TB, cfg process.Config) *process.Host {
	t.Helper()
	clock := process.NewClock()
	cfg.Clock = clock
	h, err := process.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		clock.Close()
	})
	return h
}

func sh(script string) *process.Command {
	return &process.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Files: []int{0, 1, 2}}
}

func TestStatus(t *testing.T) {
	h := open(t, process.Config{Whole: true, Sessions: true})
	for _, tt := range []struct {
		script string
		want   process.Status
	}{
		{"exit 0", process.Status{}},
		{"exit 3", process.Status{Code: 3}},
		{"kill -9 $$", process.Status{Signal: 9}},
	} {
		got, err := h.Run(context.Background(), sh(tt.script))
		if got != tt.want || err != nil {
			t.Errorf("%s: %v, %v; want %v", tt.script, got, err, tt.want)
		}
	}
}

func TestMany(t *testing.T) {
	h := open(t, process.Config{Whole: true, Sessions: true})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if s, err := h.Run(context.Background(), sh("(sleep 0.2 &) ; exit 4")); s.Code != 4 || err != nil {
				t.Error(s, err)
			}
		})
	}
	all.Wait()
}

func TestCancel(t *testing.T) {
	h := open(t, process.Config{Whole: true, Sessions: true})
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("why")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	s, err := h.Run(ctx, sh("setsid sleep 1000 & (sleep 1000 &) ; (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000"))
	if err != why {
		t.Error(s, err)
	}
}
