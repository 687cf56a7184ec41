//go:build !amd64

package rawfork

import "golang.org/x/sys/unix"

// Supported says whether this program can fork such a child.
const Supported = false

// Image is the program that the child would execute in the end.
type Image struct{}

// Layout fails with ENOSYS.
func Layout([]string, []string, int) (*Image, []byte, error) { return nil, nil, unix.ENOSYS }

// Fork fails with ENOSYS.
func (*Image) Fork(int, []int) (int, error) { return 0, unix.ENOSYS }

// Free does nothing.
func (*Image) Free() {}
