package main

import (
	"strings"
	"testing"
)

// TestExampleOptions reads the options of a script in all forms that they may have.
func TestExampleOptions(t *testing.T) {
	const usage = "usage: ftsh options.ftsh [-n] [--name NAME] [--help] [--] FILE ...\n"
	for _, c := range []struct {
		args   string // divided by commas
		says   string
		status string
	}{
		{"a,b c,", "name: nobody, dry: false\nfile: a\nfile: b c\nfile: \n", "0"},
		{"-n,--name,ann,a", "name: ann, dry: true\nfile: a\n", "0"},
		{"--name=big bob,-n,a,-n", "name: big bob, dry: true\nfile: a\nfile: -n\n", "0"},
		{"--name,,--,-n,--name=x", "name: , dry: false\nfile: -n\nfile: --name=x\n", "0"},
		{"--name=,--name=-n,*", "name: -n, dry: false\nfile: *\n", "0"},
		{"--name=two\nlines,-", "name: two\nlines, dry: false\nfile: -\n", "0"},
		{"-n,--help,a", usage, "0"},
		{"--,--help", "name: nobody, dry: false\nfile: --help\n", "0"},
		{"-x,a", "", "2"},
		{"--names,a", "", "2"},
		{"--name", "", "2"},
		{"-n", "", "2"},
	} {
		t.Run(c.args, func(t *testing.T) {
			s := newScene(t)
			ended := s.run("options.ftsh", strings.Split(c.args, ",")...).ends(c.status).says(c.says)
			if c.status == "2" {
				ended.complains(usage[:len(usage)-1])
			}
			s.leaves()
		})
	}
}
