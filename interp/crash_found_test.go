package interp_test

import (
	"fmt"
	"ftsh/testdata/skip"
	"testing"
	"testing/synctest"
)

// foundByCrashes are scripts like those in which random histories found a fault.
var foundByCrashes = map[string]string{
	"a limit that passes in a finally within it": `
try
    try 2 times each 900 ms every 2 seconds
        try
            act a1 0 m
        finally
            act a2 0 m
            act a3 0 m
            act a4 0 m
        end
    end
catch
    act c5 0 m ${error.kind}
end
act a6 0 m
`,
	"another limit that passes while a finally has its share": `
try
    try for 2010 ms
        try 1 time each 900 ms
            try
                act a1 0 m
            finally
                act a2 0 m
                act a3 0 m
                act a4 0 m
                act a5 0 m
                act a6 0 m
            end
        end
    end
catch
    act c7 0 m ${error.kind}
end
act a8 0 m
`,
	"what verify writes, and a finally after it": `
v=old
try
    try 1 time
        act a1 0 m
    verify
        say m seen
        absent
    finally
        act a2 0 m
    end -> v
catch
    act c3 0 m ${error.kind}
end
act a4 0 m "$v"
`,
}

// TestCrashFound has shells die once and twice at each point of these scripts: at every other one with each of two
// seeds, unless tests may take long.
func TestCrashFound(t *testing.T) {
	t.Parallel()
	apart := skip.Times(1, 2)
	for name, text := range foundByCrashes {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(skip.Times(8, 2)) {
				synctest.Test(t, func(t *testing.T) {
					h := &histories{script: parse(t, text), seed: seed + 1, known: map[string]*machine{}}
					if err := h.run(1+int(seed)%apart, apart, 400); err != nil {
						t.Error(fmt.Errorf("seed %d: %w", seed+1, err))
					}
				})
			}
		})
	}
}
