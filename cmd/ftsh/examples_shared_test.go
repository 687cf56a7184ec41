package main

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// TestExampleAPI has eight ask at once, two at a time, a service that first tells one of
// them to come back in a second: nobody does earlier.
func TestExampleAPI(t *testing.T) {
	s := newScene(t, "curl")
	var inside, most atomic.Int64
	busy := func(w http.ResponseWriter, _ *http.Request) {
		most.Store(max(most.Load(), inside.Add(1)))
		time.Sleep(20 * time.Millisecond)
		inside.Add(-1)
		_, _ = w.Write([]byte("an answer\n"))
	}
	server := serve(t, map[string][]answer{"/page": {refuse(429, "Retry-After: 1"), busy}})
	s.set("API_SLOTS=2")
	plays := []*play{s.begin("api.ftsh", server.URL+"/page")}
	for end := time.Now().Add(patience); len(server.requests("/page")) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // until it has told the others
	for range 7 {
		plays = append(plays, s.begin("api.ftsh", server.URL+"/page"))
	}
	for _, p := range plays {
		p.end().ends("0").says("an answer\n")
	}
	server.count(t, "/page", 9)
	asked := server.requests("/page")
	if waited := asked[1].at.Sub(asked[0].at); waited < time.Second {
		t.Errorf("asked again after %v, though told to wait a second", waited)
	}
	if most.Load() > 2 {
		t.Errorf("%d at once", most.Load())
	}
	s.leaves()
}

// TestExampleAPIBreaker has a service that is ill: it is left alone but for probes, also by
// those who come later, until one succeeds. What is only not there holds up nobody.
func TestExampleAPIBreaker(t *testing.T) {
	s := newScene(t, "curl")
	server := serve(t, map[string][]answer{
		"/gone": {refuse(404)}, "/page": {refuse(503), refuse(503), refuse(503), refuse(503), refuse(503),
			text("well again\n")},
	})
	for range 6 {
		s.run("api.ftsh", server.URL+"/gone").ends("1").says("").complains("status 404")
	}
	s.set("API_LIMIT=4s")
	s.run("api.ftsh", server.URL+"/page").ends("1").says("").complains("the breaker of api opens after 5 failures")
	server.count(t, "/page", 5)
	s.set("API_LIMIT=1s")
	s.run("api.ftsh", server.URL+"/page").ends("1").complains("(breaker)")
	server.count(t, "/page", 5)
	s.set("API_LIMIT=1m")
	s.run("api.ftsh", server.URL+"/page").ends("0").says("well again\n")
	s.run("api.ftsh", server.URL+"/page").ends("0").says("well again\n")
	s.leaves()
}
