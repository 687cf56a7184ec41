package versus

import (
	"flag"
	"testing"

	"ftsh/testdata/shelltest"
)

var (
	update = flag.Bool("update", false, "write what is seen into results.txt, the manual and README.md")
	times  = flag.Int("times", 1, "how often each cell is looked at, and always has to be the same")
)

func TestMain(m *testing.M) {
	shelltest.Main(m, map[string]func(){"versus-cell": playCell})
}
