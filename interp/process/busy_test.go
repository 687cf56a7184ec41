package process_test

import (
	"bufio"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/world"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

// A program that is just being written is tried again: here whoever writes it is done once the second try begins.
func TestBusyForAMoment(t *testing.T) {
	h := open(t, whole)
	program := filepath.Join(t.TempDir(), "busy")
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	write.Program(t, program, text)
	writer := exec.Command("/proc/self/exe")
	writer.Env = append(os.Environ(), "PROCESS_TEST_PLAY=writer", "PROCESS_TEST_PROGRAM="+program,
		"GORACE=atexit_sleep_ms=0")
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	said, _ := bufio.NewReader(out).ReadString('\n')
	if said == "ready\n" {
		status, err := h.Run(t.Context(), &world.Command{Path: program, Args: []string{"busy"}})
		if !status.Success() || err != nil {
			t.Errorf("%+v, %v", status, err)
		}
	}
	writer.Process.Kill()
	writer.Wait()
	if said != "ready\n" {
		skip.Test(t, "no process can see that another is about to execute a program: %s", said)
	}
}

// playWriter has a program open for writing until it is executed for the second time.
func playWriter() {
	program := os.Getenv("PROCESS_TEST_PROGRAM")
	watch, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT|unix.FAN_CLOEXEC, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	if err := unix.FanotifyMark(watch, unix.FAN_MARK_ADD, unix.FAN_OPEN_EXEC_PERM, unix.AT_FDCWD, program); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	file, err := os.OpenFile(program, os.O_WRONLY, 0)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	os.Stdout.WriteString("ready\n")
	const fdAt, size = 16, 24 // of the descriptor in an event, and of that
	for try := 1; ; try++ {
		var event [size]byte
		if n, err := unix.Read(watch, event[:]); n != size || err != nil {
			return
		}
		if try == 2 {
			file.Close()
		}
		fd := binary.NativeEndian.Uint32(event[fdAt:])
		unix.Write(watch, binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, fd), unix.FAN_ALLOW))
		unix.Close(int(fd))
	}
}
