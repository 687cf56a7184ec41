package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"sync"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// TestExampleAnyhostWithSSH asks two hosts with the real client: one whose connection stands but
// says nothing, and the real server.
func TestExampleAnyhostWithSSH(t *testing.T) {
	const sshd = "/usr/sbin/sshd" // it wants to be called by its full path
	s := newScene(t, "ssh", "ssh-keygen", sshd)
	config := s.farSide(sshd)
	ctx, cancel := context.WithTimeout(context.Background(), patience/3)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "ssh", "-F", config, "real", "true").CombinedOutput(); err != nil {
		skip.Test(t, "this user cannot log in over ssh here: %v %s", err, out)
	}
	s.set("ANYHOST_HEDGE=200ms", "ANYHOST_SSH=ssh -F "+config)
	s.run("anyhost.ftsh", "silent real", "echo", "from the far side").ends("0").says("from the far side\n")
	s.run("anyhost.ftsh", "real", "exit 7").ends("1").complains("fails on real: ended with status 7")
	s.set("ANYHOST_LIMIT=500ms")
	s.run("anyhost.ftsh", "silent", "true").ends("1").complains("the limit of 500ms passed")
}

// farSide makes two hosts on loopback, and returns the configuration of ssh that knows them.
func (s *scene) farSide(sshd string) string {
	s.Helper()
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.away+"/"+
			key).CombinedOutput(); err != nil {
			s.Fatalf("ssh-keygen: %v %s", err, out)
		}
	}
	daemon := s.file(s.away+"/sshd_config", fmt.Sprintf(
		"HostKey %[1]s/host\nAuthorizedKeysFile %[1]s/mine.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"+
			"LogLevel ERROR\n", s.away))
	if out, err := exec.Command(sshd, "-t", "-f", daemon).CombinedOutput(); err != nil {
		skip.Test(s.T, "sshd cannot be started here: %s", out)
	}
	real := s.listen(func(c *os.File) {
		cmd := exec.Command(sshd, "-i", "-f", daemon) // as inetd would
		cmd.Stdin, cmd.Stdout = c, c
		_ = cmd.Run()
	})
	silent := s.listen(func(c *os.File) { _, _ = io.Copy(io.Discard, c) })
	me, err := user.Current()
	s.must(err)
	return s.file(s.away+"/ssh_config",
		fmt.Sprintf("Host real\nPort %d\nHost silent\nPort %d\nHost *\nHostName 127.0.0.1\nUser %s\n"+
			"IdentityFile %s/mine\nIdentitiesOnly yes\nKexAlgorithms curve25519-sha256\nBatchMode yes\n"+
			"StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
			real, silent, me.Username, s.away))
}

// listen serves connections on a port of loopback. When the test ends, the clients must have
// closed all of them.
func (s *scene) listen(serve func(c *os.File)) (port int) {
	s.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	var served sync.WaitGroup
	served.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			file, err := connection.(*net.TCPConn).File()
			_ = connection.Close()
			if err != nil {
				return
			}
			served.Go(func() {
				serve(file)
				_ = file.Close()
			})
		}
	})
	s.Cleanup(func() {
		_ = listener.Close()
		done := make(chan struct{})
		go func() { served.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(patience):
			s.Error("a connection is still open")
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}
