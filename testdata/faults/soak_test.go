package faults

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// soak is a script that goes on and on. It writes a line to the file progress
// after each twentieth.
type soak struct {
	name        string
	each        int // commands, or retries, in a turn
	short, long int // turns
	script      string
}

var soaks = []soak{
	{"commands", 100, 20, 10_000, `
turns=TURNS
turn=0
x=""
while $turn .lt. $turns
    for i in 1 .to. 46
        ./yes
        try
            ./no
        catch
            x="$x$i"
        end
    end
    x=""
    ./yes | ./yes
    ./say -> said
    ./yes => page
    forall branch in 1 2 3 4
        ./yes
    end
    turn=$turn .add. 1
    if $turn .mod. PART .eq. 0
        echo $turn >> progress
    end
end
`},
	{"retries", 1, 400, 100_000, `
try TURNS times every 1 ms
    if ${try.attempt} .mod. PART .eq. 0
        echo ${try.attempt} >> progress
    end
    ./no
catch
    true
end
`},
}

// The shell takes no more after a million commands than after some thousands.
func TestSoak(t *testing.T) {
	for _, k := range soaks {
		n, slack := k.short, 8<<10 // the collector has not been there yet
		if *soaking {
			n, slack = k.long, 1<<10
		}
		if skip.UnderRace {
			slack = 64 << 10
		}
		t.Run(k.name, func(t *testing.T) {
			few := newStage(t).soak(k.script, k.short, 0)
			early, late := newStage(t).soakTwice(k.script, n)
			if late.memory > early.memory*5/4+slack || late.files > few.files+1 || late.threads > few.threads+4 ||
				late.goroutines > few.goroutines+2 {
				t.Errorf("it has grown: %+v after %d, %+v and %+v of %d", few, k.short, early, late, n)
			}
			t.Logf("short %+v, early %+v, late %+v", few, early, late)
			tally.soak = append(tally.soak, fmt.Sprintf("| %s | %d | %d, %d | %d, %d | %d, %d | %d, %d |", k.name, n*k.each,
				early.memory, late.memory, few.files, late.files, early.threads, late.threads, few.goroutines, late.goroutines))
		})
	}
}

// holdings counts what a shell has.
type holdings struct{ memory, files, threads, goroutines int }

// soakTwice runs a script and returns what the shell had after a tenth, and at the end.
func (s *stage) soakTwice(script string, n int) (early, late holdings) {
	late = s.soak(script, n, 2)
	return s.early, late
}

// soak runs a script, and returns what the shell has at its end. If a twentieth is
// given, s.early has what it had then.
func (s *stage) soak(script string, n, twentieth int) holdings {
	s.Helper()
	s.put("yes", exits(0), 0o755)
	s.put("no", exits(1), 0o755)
	s.put("say", "#!/bin/sh\necho said\n", 0o755)
	script = strings.NewReplacer("TURNS", strconv.Itoa(n), "PART", strconv.Itoa(n/20)).Replace(script) + "./hold\n"
	c := s.shell(script)
	c.Args = append([]string{c.Path, "-t", "0.2", "-l", "0"}, c.Args[len(c.Args)-2:]...)
	s.start(c)
	pid := c.Process.Pid
	for s.get("progress") == "" || strings.Count(s.get("progress"), "\n") < 20 ||
		!strings.Contains(s.get("truth"), "holding") {
		if over("/proc/" + itoa(pid)) {
			s.Fatalf("it has ended: %s", s.get("err"))
		}
		if s.early == (holdings{}) && twentieth > 0 && strings.Count(s.get("progress"), "\n") >= twentieth {
			s.early = has(pid)
		}
		time.Sleep(20 * time.Millisecond)
	}
	late := has(pid)
	s.must(c.Process.Signal(unix.SIGABRT)) // the runtime tells of all goroutines
	s.wait(c)
	late.goroutines = strings.Count("\n"+s.get("err"), "\ngoroutine ")
	s.goneSoon()
	return late
}

// has counts what a process has: memory of its own in kB, descriptors, threads.
func has(pid int) holdings {
	proc := "/proc/" + itoa(pid)
	files, _ := os.ReadDir(proc + "/fd")
	return holdings{
		memory: field(proc+"/smaps_rollup", "Anonymous:"), files: len(files), threads: field(proc+"/status", "Threads:"),
	}
}

// exits is the smallest program that ends with a status: a million of them are
// started in minutes.
func exits(status byte) string {
	if runtime.GOARCH != "amd64" {
		return fmt.Sprintf("#!/bin/sh\nexit %d\n", status)
	}
	return "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00" + // 64 bits, little endian
		"\x02\x00\x3e\x00\x01\x00\x00\x00\x78\x00\x40\x00\x00\x00\x00\x00" + // executable, x86-64, entry 0x400078
		"\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x40\x00\x38\x00\x01\x00\x00\x00\x00\x00\x00\x00" + // one program header
		"\x01\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + // load, read and execute
		"\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00" +
		"\x84\x00\x00\x00\x00\x00\x00\x00\x84\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00" +
		"\xbf" + string([]byte{status}) + "\x00\x00\x00\xb8\x3c\x00\x00\x00\x0f\x05" // mov edi, status; mov eax, 60; syscall
}
