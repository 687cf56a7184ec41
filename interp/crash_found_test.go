package interp_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"ftsh/interp/journal"
	"ftsh/testdata/skip"
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
	"calls in the list of a forall, and in its limit": `
function upto
    act a1 0 m
    return 2
end
function most
    act a2 0 m
    act a3 0 m
    return 1
end
forall b in 1 .to. upto() .limit. most()
    act a4 0 m.$b
end
act a5 0 m
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

// TestForgets holds that turns and attempts leave nothing in the journal: a script that has run for a year must not
// have a journal of a year.
func TestForgets(t *testing.T) {
	text := "n=0\np=m\nfor i in 1 .to. 100\nact a 0 \"\"\nwhile $n .lt. $i\nn=$n .add. 1\nact b 0 \"\"\nend\n" +
		"if $n .eq. 100\ntry 50 times every 1 s\nact c 1 \"\"\nend\nend\nend\n"
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(parse(t, text), 1)
		if _, err := m.live(0); err == nil || m.err != nil {
			t.Fatal(err, m.err)
		}
		j, err := journal.Open("/j", journal.Config{FS: m.fs, Machine: "m", Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if size := sizeBelow(j.Image(), ""); size > 4000 {
			t.Errorf("after 100 items and turns and 50 attempts it has %d bytes", size)
		}
	})
}

// sizeBelow counts the bytes of what a node has, and those below it.
func sizeBelow(image *journal.Image, path string) (size int) {
	for _, key := range image.Keys(path) {
		value, _ := image.Get(path, key)
		size += len(value)
	}
	for _, child := range image.Children(path) {
		size += sizeBelow(image, strings.TrimPrefix(path+"/"+child, "/"))
	}
	return size
}
