package main

import (
	"encoding/json"
	"fmt"
	"time"
)

// sayLost names, after a reboot, the commands that ended within 60 s before the last sign of life: Linux
// writes what a program wrote after 30 s, and looks every 5.
func (d *durableRun) sayLost() {
	if !d.goesOn() || !d.wasRebooted() {
		return
	}
	var list []string
	for at, text := range d.journal.Image().Recent() {
		list = append(list, fmt.Sprintf("    %s  %s", at.Local().Format(time.TimeOnly), text))
	}
	if len(list) == 0 {
		return
	}
	printWarning("the machine was started anew. "+
		"What these commands wrote and did not sync may be lost, as they ended shortly before:", list...)
}

// wasRebooted reports whether the machine was started anew since the journal was written.
func (d *durableRun) wasRebooted() bool {
	var boot string
	text, found := d.journal.Image().Get("", "boot")
	now := bootID()
	return found && json.Unmarshal(text, &boot) == nil && boot != "" && now != "" && boot != now
}
