package local

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRandomKey holds that a key has all its random bits, in however many pieces
// the kernel gives them, or is not made.
func TestRandomKey(t *testing.T) {
	pieces := func(buffer []byte, _ int) (int, error) {
		buffer[0] = 0xff
		return 1, nil
	}
	interrupted := 0
	for _, c := range []struct {
		name      string
		getrandom func([]byte, int) (int, error)
		key, err  string
	}{
		{name: "in pieces", getrandom: pieces, key: "ftsh-3w5e11264sgsf3w5e11264sgsf"},
		{name: "after a signal", getrandom: func(buffer []byte, flags int) (int, error) {
			if interrupted++; interrupted == 1 {
				return -1, unix.EINTR
			}
			return pieces(buffer, flags)
		}, key: "ftsh-3w5e11264sgsf3w5e11264sgsf"},
		{name: "none", getrandom: func([]byte, int) (int, error) { return -1, unix.ENOSYS },
			err: "the kernel gives no random numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, err := (&World{getrandom: c.getrandom}).Key(nil)
			if key != c.key {
				t.Errorf("key %q, wanted %q", key, c.key)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, wanted %q", err, c.err)
			}
		})
	}
}
