package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// unsynced is how long before the last sign of life what a program wrote may not have reached the
// disk: Linux writes it after 30 s, and looks every 5.
const unsynced = 60 * time.Second

// journalLine is what is wanted of a line of a journal.
type journalLine struct {
	At      time.Time
	Changes []struct {
		Path, Key string
		Value     json.RawMessage
	}
}

// sayLost names, after a reboot, the commands whose last writes may be lost.
func (d *durable) sayLost() {
	if !d.goesOn() || !d.rebooted() {
		return
	}
	lost := lately(d.path)
	if len(lost) == 0 {
		return
	}
	warn("the machine was started anew. " +
		"What these commands wrote and did not sync may be lost, as they ended shortly before:\n    " +
		strings.Join(lost, "\n    "))
}

// rebooted reports whether the machine was started anew since the journal was written.
func (d *durable) rebooted() bool {
	var boot string
	text, found := d.journal.Image().Get("", "boot")
	return found && json.Unmarshal(text, &boot) == nil && boot != bootID()
}

// lately lists the commands that ended shortly before the last line of a journal was written.
func lately(path string) (list []string) {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	type ending struct {
		at   time.Time
		what string
	}
	begun := map[string]string{}
	var ended []ending
	var last time.Time
	for lines := bufio.NewReader(file); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var line journalLine
		if json.Unmarshal(text, &line) != nil {
			continue
		}
		last = line.At
		for _, c := range line.Changes {
			switch c.Key {
			case "begin":
				begun[c.Path] = beginning(c.Value)
			case "end":
				if what := begun[c.Path]; what != "" {
					ended = append(ended, ending{line.At, what})
				}
			}
		}
	}
	for _, e := range ended {
		if last.Sub(e.at) <= unsynced {
			list = append(list, fmt.Sprintf("%s  %s", e.at.Local().Format(time.TimeOnly), e.what))
		}
	}
	return list
}

// beginning names the command that began.
func beginning(value []byte) string {
	var begun struct {
		File, Text string
		Line       int
	}
	if json.Unmarshal(value, &begun) != nil || begun.Text == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: %s", begun.File, begun.Line, begun.Text)
}
