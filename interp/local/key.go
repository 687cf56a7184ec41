package local

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Key implements [world.World]. It makes the key of a try: 128 random bits, as a word that can be the name of a job.
// They come from the kernel (getrandom(2)) and not from the script's dice, since two scripts
// with the same seed must not have the same keys. Without them there is no key: one that
// others have too would make their work look like that of this try.
func (w *World) Key(func() uint64) (string, error) {
	var random [16]byte
	for n := 0; n < len(random); {
		got, err := w.getrandom(random[n:], 0)
		if err != nil && err != unix.EINTR {
			return "", fmt.Errorf("cannot make a key for the try, the kernel gives no random numbers: %w; "+
				"name a key with the clause key", err)
		}
		n += max(0, got)
	}
	half := func(b []byte) string { return strconv.FormatUint(binary.LittleEndian.Uint64(b), 36) }
	return "ftsh-" + half(random[:8]) + half(random[8:]), nil
}
