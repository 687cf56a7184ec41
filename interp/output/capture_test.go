package output

import (
	"strings"
	"testing"

	"ftsh/interp/files"
)

// TestSoFar looks at what was captured while a program writes on.
func TestSoFar(t *testing.T) {
	for name, length := range map[string]int{"in memory": 10, "in a file": inMemory + 10} {
		t.Run(name, func(t *testing.T) {
			first := strings.Repeat("a", length)
			c, err := new(Store).Capture(t.TempDir(), first)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Drop()
			before, err := c.SoFar()
			if err != nil {
				t.Fatal(err)
			}
			if err := files.WriteAll(c.Stream(), []byte("later")); err != nil {
				t.Fatal(err)
			}
			after, err := c.SoFar()
			if err != nil {
				t.Fatal(err)
			}
			if before != first || after != first+"later" {
				t.Errorf("%d bytes, then %d; want %d, then %d", len(before), len(after), length, length+len("later"))
			}
		})
	}
}
