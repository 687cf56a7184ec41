// Package world describes what scripts meet in a simulation: servers, and commands that
// only take time, as a small file describes them.
//
//	server *.example.org              # commands that name such a host call it
//	    slots 20                      # requests served at the same time
//	    queue 100                     # that may wait; more are refused
//	    takes lognormal 100 ms 2 s    # median and 99th percentile
//	    failure 1 percent
//	    outage from 10 minutes to 15 minutes
//	end
//	command tar gzip                  # they call nobody
//	    takes 2 s
//	end
//
// The manual page `simulator` has all lines. [Parse] reads such a file; its
// errors point to what is wrong. [World.Route] tells whom a command concerns.
package world

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// World describes the servers, commands and arrivals of a simulation.
type World struct {
	Servers  []Server    // see [World.Route]
	Arrivals []Arrivals  // in order; none: clients come all at once, as the simulation is told
	Commands []Command   // that call no server
	Seen     *Seen       // what was counted of the real thing; nil: nothing
	Source   *ast.Source // the text that was parsed; nil: there was none
}

// Changed returns the world with all its servers changed, which share nothing that change may write to with those here.
func (w *World) Changed(change func(s *server.Spec)) *World {
	changed := *w
	changed.Servers = slices.Clone(w.Servers)
	for i := range changed.Servers {
		spec := &changed.Servers[i].Spec
		spec.Programs = slices.Clone(spec.Programs)
		change(spec)
	}
	return &changed
}

// Arrivals is the rate at which clients come from a time on, each at a random moment.
type Arrivals struct {
	From time.Duration
	Rate server.Rate // up to the From of the next, or without an end
}

// Next returns when the next client comes after a time; steady counts the mean gaps between,
// at the rate of each time. [backoff.Never]: no more come.
func (w *World) Next(after time.Duration, steady float64) time.Duration {
	at := after
	for i, a := range w.Arrivals {
		end := backoff.Never
		if i+1 < len(w.Arrivals) {
			end = w.Arrivals[i+1].From
		}
		if end <= at {
			continue
		}
		at = max(at, a.From)
		gap := float64(a.Rate.Per) / float64(a.Rate.Requests) // +Inf: none come
		if steady*gap < float64(end-at) {
			return at + time.Duration(steady*gap)
		}
		steady -= float64(end-at) / gap
		at = end
	}
	return backoff.Never
}

// Arrived is when about the last of so many clients comes; the last that does, if no more come.
func (w *World) Arrived(clients int) (last time.Duration) {
	for range clients {
		next := w.Next(last, 1)
		if next == backoff.Never {
			break
		}
		last = next
	}
	return last
}

// Server is a simulated server, and whose calls go to it.
type Server struct {
	Names   []string // words of the commands that call it, * and ? being patterns; none: all that no other takes
	Spec    server.Spec
	Error   Ending // of a command that the server answered with an error
	Refused Ending // of a command that the server turned away
	Limited Ending // of one that its limit turned away
	Output  string // of a command that succeeds
}

// Command is a program that takes time, and nothing else.
type Command struct {
	Names   []string // patterns of what it is called
	Takes   spread.Time
	Failure float64 // the share of runs that fail, 0 to 1
	Error   Ending  // of those
	Output  string  // of the others, on standard output
}

// Ending says how a command fails.
type Ending struct {
	Status int    // 1 to 255
	Says   string // on standard error
}

// Reaches reports whether requests to a server come to another, or are for it.
func (w *World) Reaches(from, to int) bool {
	return from == to || slices.ContainsFunc(w.Servers[from].Spec.Calls, func(c server.Call) bool {
		return c.To != unknown && w.Reaches(c.To, to)
	})
}

// Name returns the name of a server in reports.
func (s *Server) Name() string {
	if len(s.Names) == 0 {
		return "server"
	}
	return strings.Join(s.Names, " ")
}

// Route says where a command goes. At most one of both is set; none of them is
// set for a command that costs nothing and succeeds.
type Route struct {
	Server  *Server
	Number  int             // of the server in the World
	Program *server.Program // an exception of that server; nil: it is served like others
	Command *Command        // nil: it is none that SPEC describes
}

// Route tells where a command goes, by its words: to the first `command` of its
// name, else to the first server that one of its words means, else to the server
// without a name.
func (w *World) Route(args []string) Route {
	name := path.Base(args[0])
	for i := range w.Commands {
		if slices.ContainsFunc(w.Commands[i].Names, func(pattern string) bool { return fitsPattern(pattern, name) }) {
			return Route{Command: &w.Commands[i]}
		}
	}
	for pass := range 2 {
		for i := range w.Servers {
			s := &w.Servers[i]
			if pass == 0 && s.takesArguments(args) || pass == 1 && len(s.Names) == 0 {
				return Route{Server: s, Number: i, Program: s.programNamed(name)}
			}
		}
	}
	return Route{}
}

// takesArguments reports whether one of the words means the server.
func (s *Server) takesArguments(args []string) bool {
	for n, arg := range args {
		for _, pattern := range s.Names {
			if fitsPattern(pattern, arg) || fitsPattern(pattern, Host(arg)) || n == 0 && fitsPattern(pattern, path.Base(arg)) {
				return true
			}
		}
	}
	return false
}

func (s *Server) programNamed(name string) *server.Program {
	for i := range s.Spec.Programs {
		if fitsPattern(s.Spec.Programs[i].Name, name) {
			return &s.Spec.Programs[i]
		}
	}
	return nil
}

// fitsPattern reports whether a word fits a pattern of * and ?.
func fitsPattern(pattern, word string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return pattern == word
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(word, "/", "\x00"))
	return ok && err == nil
}

// Host is the machine that a word names: of https://user@host:port/path and of
// user@host:path; "" if it names none.
func Host(word string) string {
	_, rest, url := strings.Cut(word, "://")
	if !url {
		var remote bool
		if rest, _, remote = strings.Cut(word, ":"); !remote || strings.Contains(rest, "/") {
			return ""
		}
	}
	rest, _, _ = strings.Cut(rest, "/")
	if _, after, found := strings.Cut(rest, "@"); found {
		rest = after
	}
	rest, _, _ = strings.Cut(rest, ":")
	return rest
}

// Seen holds what was really counted in a period, to stand beside what is predicted for it.
type Seen struct {
	Clients  int
	Start    time.Duration // within which they began
	Period   time.Duration // from the first beginning to the last end
	Finished int           // clients that succeeded; Unsaid: nobody knows
	Median   time.Duration // within which half of the clients had finished; 0: not reached, or nobody knows
	P95      time.Duration // and 95 % of them
	Requests int
	Good     int // requests that were answered well
}

// Unsaid is a number that was not counted.
const Unsaid = -1

// String is the block of it in a SPEC.
func (s *Seen) String() string {
	text := "seen\n"
	for _, line := range []struct {
		word  string
		value any
		said  bool
	}{
		{"clients", s.Clients, true}, {"start", s.Start, true}, {"period", s.Period, true},
		{"finished", s.Finished, s.Finished != Unsaid}, {"median", s.Median, s.Median > 0}, {"p95", s.P95, s.P95 > 0},
		{"requests", s.Requests, true}, {"good", s.Good, true},
	} {
		if line.said {
			text += fmt.Sprintf("    %-9s %v\n", line.word, line.value)
		}
	}
	return text + "end\n"
}
