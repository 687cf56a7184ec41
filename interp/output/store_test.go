package output

import (
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/value"
)

// TestSharedInput lets several readers share a short input that can be read again: each byte is for one of them.
func TestSharedInput(t *testing.T) {
	text := strings.Repeat("x", inPipe)
	for range 50 {
		fd, err := new(Store).Text(value.String(text), t.TempDir(), true)
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		var counts [4]int
		for i := range counts {
			own, err := unix.Dup(fd) // as each program has one
			if err != nil {
				t.Fatal(err)
			}
			readers.Go(func() {
				defer unix.Close(own)
				var next [1]byte
				for {
					n, err := unix.Read(own, next[:])
					if n <= 0 || err != nil {
						return
					}
					counts[i] += n
				}
			})
		}
		readers.Wait()
		_ = unix.Close(fd)
		if total := counts[0] + counts[1] + counts[2] + counts[3]; total != len(text) {
			t.Fatalf("%v bytes were read of %d", counts, len(text))
		}
	}
}
