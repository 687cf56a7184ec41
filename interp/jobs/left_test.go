package jobs

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnsettled: only what may still matter to a journal is listed, and of jobs that have failed nothing is read,
// though there may be thousands: to read a FIFO would not return.
func TestUnsettled(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	path := t.TempDir()
	must(os.Chmod(path, 0o700))
	for name, files := range map[string]map[string]string{
		"waits":   {"job": `{"journal":"mine"}`},
		"runs":    {"job": `{"journal":"mine"}`, "claim-1": `{"number":"7"}`},
		"ends":    {"job": `{"journal":"mine"}`, resultName: `{"kind":"cancelled"}`, stopName: ""},
		"other":   {"job": `{"journal":"another"}`},
		"none":    {"job": `{}`},
		"failed":  {resultName: `{"kind":"exit"}`},
		".hidden": {"job": `{"journal":"mine"}`},
	} {
		dir := folder(path + "/cluster/" + name)
		must(os.MkdirAll(string(dir), 0o700))
		for file, text := range files {
			must(dir.put(file, []byte(text), true))
		}
		if name == "failed" {
			must(unix.Mkfifo(dir.join("job"), 0o600))
		}
	}
	list, err := Folders(path).Unsettled("mine")
	must(err)
	var names []string
	for _, l := range list {
		names = append(names, l.Ticket)
	}
	if want := []string{"ends", "runs", "waits"}; !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
}
