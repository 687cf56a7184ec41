package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// TestUnit holds that the unit has its hardening as comments, each with a word when to use it, and that
// systemd understands it also without the comment signs.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile("ftsh@.service")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, setting := range []string{"NoNewPrivileges=yes", "PrivateTmp=yes", "ProtectSystem=full"} {
		found := false
		for i, line := range lines {
			if line != "#"+setting {
				continue
			}
			found = true
			begin := i
			for begin > 0 && strings.HasPrefix(lines[begin-1], "# ") {
				begin--
			}
			if !strings.HasPrefix(lines[begin], "# When ") {
				t.Errorf("%s: nothing before it says when to use it", setting)
			}
		}
		if !found {
			t.Errorf("no line #%s", setting)
		}
		text = []byte(strings.Replace(string(text), "#"+setting, setting, 1))
	}
	t.Run("systemd", func(t *testing.T) { verifyUnit(t, text) })
}

// verifyUnit has systemd look at a unit, where that is installed.
func verifyUnit(t *testing.T, text []byte) {
	skip.Without(t, "systemd-analyze")
	name := filepath.Join(t.TempDir(), "ftsh@try.service")
	text = []byte(strings.Replace(string(text), "/usr/bin/ftsh", "/bin/true", 1))
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", name).CombinedOutput(); err != nil ||
		len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
