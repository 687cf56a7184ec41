package interp

import (
	"testing"
	"unsafe"
)

// TestRunnerSize holds what each of a million simulated clients takes for its Runner.
func TestRunnerSize(t *testing.T) {
	const class, header = 896, 8 // the next larger object of the allocator has 1024 bytes; it adds a word to large ones
	if size := unsafe.Sizeof(Runner{}); size > class-header {
		t.Errorf("a Runner has %d bytes; wanted at most %d", size, class-header)
	}
}
