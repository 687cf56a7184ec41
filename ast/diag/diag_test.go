package diag_test

import (
	"strings"
	"testing"

	"ftsh/ast/diag"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"äöü 日本":               "äöü 日本",
		"a\tb\nc":              "a b c",
		"\x1b[2J\x7f\r\u009b":  "·[2J···",
		"a\u202eb\u2066\u200f": "a·b··",
		"\u2028\ufeff":         "··",
		"\x9b":                 "\ufffd",
	} {
		if got := diag.Visible(text); got != want {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want)
		}
	}
}

// TestMisspelt takes one slip for a misspelt word, and no word that is only like another.
func TestMisspelt(t *testing.T) {
	known := strings.Fields("curl docker halt rustc bzcat telinit sftp mandoc patch script msgexec tload gzip rsync nice")
	for text, want := range map[string]string{
		"crul": "curl", "rsnyc": "rsync", "rsyncc": "rsync", "rsyn": "", "dokcer": "docker", "doker": "docker",
		"restic": "", "packer": "", "vault": "", "socat": "", "telnet": "", "msmtp": "", "pandoc": "", "batch": "",
		"Rscript": "", "mpiexec": "", "load": "", "pigz": "", "mice": "",
	} {
		if got := diag.Misspelt(text, known); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
