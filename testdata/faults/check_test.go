package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outcome says how a process ended.
func outcome(w syscall.WaitStatus) string {
	if w.Signaled() {
		return unix.SignalName(w.Signal())
	}
	return "status " + strconv.Itoa(w.ExitStatus())
}

// nothingLeft holds what must hold when a shell has ended: no process, no
// temporary file, nobody's race, no panic.
func (s *stage) nothingLeft() {
	s.Helper()
	for pid, line := range s.alive() {
		stat, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
		s.Errorf("survived: %d %q %s", pid, line, stat)
	}
	s.tidy()
}

// goneSoon is the same for a shell that was killed: the guardian has until the kill
// timeout to end what was under way. One look is not enough: a process that is just
// executing another program, as the guardian does then, has no environment to be
// known by for a moment.
func (s *stage) goneSoon() {
	s.Helper()
	end := time.Now().Add(patience / 2)
	for unseen := 0; unseen < 5 && time.Now().Before(end); unseen++ {
		time.Sleep(time.Millisecond)
		if len(s.alive()) > 0 {
			unseen = -1
		}
	}
	s.nothingLeft()
}

// tidy holds that no temporary file is left.
func (s *stage) tidy() {
	s.Helper()
	left, _ := filepath.Glob(s.temp + "/*")
	hidden, _ := filepath.Glob(s.temp + "/.*")
	beside, _ := filepath.Glob(s.dir + "/.*.ftsh-*")
	if left = append(append(left, hidden...), beside...); len(left) > 0 {
		s.Errorf("left behind: %q", left)
	}
	if races, _ := filepath.Glob(s.dir + "/race.*"); len(races) > 0 {
		text, _ := os.ReadFile(races[0])
		s.Errorf("a race: %s", text)
	}
}

// orderly holds that the shell did not crash.
func (s *stage) orderly() {
	s.Helper()
	if said := s.get("err"); strings.Contains(said, "goroutine") || strings.Contains(said, "panic") ||
		strings.Contains(said, "fatal error") {
		s.Errorf("it crashed: %.3000s", said)
	}
}

// pages holds that a file that page writes to atomically is whole: one of these texts.
func (s *stage) pages(name string, texts ...string) {
	s.Helper()
	got := s.get(name)
	for _, text := range texts {
		if got == page(text) {
			return
		}
	}
	s.Errorf("%s is torn: %d bytes, %.80q … %q", name, len(got), got, got[max(0, len(got)-80):])
}

// page returns the output of the program of that name.
func page(text string) string {
	return strings.Repeat(text+" of a text that must not be torn\n", 500) + "end of " + text + "\n"
}

// line is a line of a log.
type line struct {
	Event   string
	ID      int
	PID     int
	Shell   int
	Status  int
	Signal  string
	Failure string
	Message string
	Count   int
	Command []string
}

// lines reads the log, which must be whole lines.
func (s *stage) lines() (list []line) {
	s.Helper()
	text, _ := os.ReadFile(s.log)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		s.Errorf("the log ends within a line: %q", text[max(0, len(text)-100):])
	}
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		var l line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			s.Errorf("torn line %q: %v", scan.Text(), err)
		}
		list = append(list, l)
	}
	return list
}

// truth holds that the log tells what happened: how the shell ended, that what it
// started has ended, and which steps were done.
func (s *stage) truth(ended syscall.WaitStatus) {
	s.Helper()
	log := s.lines()
	open, running := map[int]string{}, map[int]bool{}
	told := ""
	for _, l := range log {
		switch l.Event {
		case "command.start":
			open[l.ID] = strings.Join(l.Command, " ")
		case "command.end", "command.failed":
			s.confirm(l, open[l.ID])
			delete(open, l.ID)
		case "process.start":
			running[l.PID] = true
		case "process.end":
			delete(running, l.PID)
		case "shell.end":
			told = "status " + strconv.Itoa(l.Status)
			if l.Signal != "" {
				told = l.Signal
			}
		}
	}
	s.steps(log)
	if told == "" {
		if ended.Exited() && ended.ExitStatus() == 0 {
			s.Errorf("it succeeded, and the log does not tell")
		}
		return
	}
	if len(open) > 0 || len(running) > 0 {
		s.Errorf("it has ended, and the log tells of commands %v and processes %v under way", open, running)
	}
	if told != outcome(ended) {
		s.Errorf("the log tells of %s, and it was %s", told, outcome(ended))
	}
}

// confirm holds that a command ended as the log tells.
func (s *stage) confirm(l line, command string) {
	s.Helper()
	switch {
	case command == "":
		s.Errorf("command %d ended and had not begun", l.ID)
	case command == "./leave" && (l.Event == "command.end" || l.Failure == "exit" && l.Status != 3):
		s.Errorf("%s was told to end with %d (%s)", command, l.Status, l.Event)
	case strings.HasPrefix(command, "./hold") && l.Event == "command.end":
		s.Errorf("%s was told to succeed", command)
	}
}

// steps holds that the steps that the log tells of are those that were done.
func (s *stage) steps(log []line) {
	s.Helper()
	done, begun := map[string]int{}, map[string]int{}
	for _, step := range strings.Fields(s.get("truth")) {
		done[step]++
	}
	for _, l := range log {
		if len(l.Command) != 2 || l.Command[0] != "./step" {
			continue
		}
		step := l.Command[1]
		switch l.Event {
		case "command.start":
			begun[step]++
		case "command.end":
			if done[step] == 0 {
				s.Errorf("step %s was told to have succeeded, and was not done", step)
			}
		}
	}
	for step, n := range done {
		if step != "holding" && n > begun[step] {
			s.Errorf("step %s was done %d times, and the log tells of %d", step, n, begun[step])
		}
	}
}
