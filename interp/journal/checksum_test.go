package journal

import (
	"hash/crc32"
	"testing"
)

func FuzzChecksum(f *testing.F) {
	for _, text := range []string{"", "0", "123456789", "{\"n\":1,\"synced\":0}"} {
		f.Add([]byte(text), 0)
		f.Add([]byte(text), len(text)/2)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = min(max(at, 0), len(text))
		if got, want := checksum(checksum(0, text[:at]), text[at:]), crc32.Checksum(text, table); got != want {
			t.Errorf("the checksum of %q, in two parts at %d, is %08x, not %08x", text, at, got, want)
		}
	})
}
