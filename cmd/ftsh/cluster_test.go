package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// cluster is a scene with a private cluster, of whatever batch system.
type cluster struct {
	*scene
	mu       sync.Mutex
	commands io.Writer
	answers  *bufio.Scanner
}

// serve starts the cluster of a program, and returns what it says of where that is.
func (s *cluster) serve(program string, settings []string) string {
	s.Helper()
	cmd := exec.Command(program, "--serve")
	cmd.Env = append(append(s.env, "PATH="+os.Getenv("PATH"), "CLUSTER_HOME="+os.TempDir()), settings...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	s.must(err)
	out, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	s.commands, s.answers = in, bufio.NewScanner(out)
	s.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return s.answer()
}

func (s *cluster) answer() string {
	s.Helper()
	if !s.answers.Scan() {
		s.Fatal("the cluster has ended")
	}
	return s.answers.Text()
}

// do has the cluster do something: freeze, thaw, stop, start, crash …
func (s *cluster) do(what string) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := fmt.Fprintln(s.commands, what)
	s.must(err)
	if answer := s.answer(); answer != "done" {
		s.Fatalf("%s: %s", what, answer)
	}
}

// ask runs a client of the cluster, and returns what it prints.
func (s *cluster) ask(name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	out, _ := cmd.Output()
	return string(out)
}
