package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"ftsh/interp/jobs"
)

// listedJob is a job in a list for programs. Times are in seconds, sizes in bytes.
type listedJob struct {
	Ticket    string    `json:"ticket"`
	Cluster   string    `json:"cluster"`
	State     string    `json:"state"`
	Message   string    `json:"message,omitempty"`
	Job       string    `json:"job,omitempty"`
	Node      string    `json:"node,omitempty"`
	Submitted time.Time `json:"submitted"`
	Script    string    `json:"script,omitempty"`
	Line      int       `json:"line,omitempty"`
	Item      string    `json:"item,omitempty"`
	Targets   []string  `json:"targets,omitempty"`
	Words     []string  `json:"words"`
	Command   string    `json:"command"`
	Options   []string  `json:"options,omitempty"`
	Directory string    `json:"directory"`
	Folder    string    `json:"folder"`
	Journal   string    `json:"journal,omitempty"`
	Pilot     bool      `json:"pilot,omitempty"`
	By        string    `json:"by,omitempty"` // the pilot that runs it
	Elapsed   float64   `json:"elapsed,omitempty"`
	CPU       float64   `json:"cpu,omitempty"`
	Memory    int64     `json:"memory,omitempty"`
	Stderr    string    `json:"stderr,omitempty"` // its last line
}

func listed(l *jobs.Left) listedJob {
	return listedJob{
		Ticket: l.Ticket, Cluster: l.Cluster, State: l.Shown(), Message: l.Message, Job: l.Number, Node: l.Node,
		Submitted: l.Since,
		Script:    l.Origin.Script, Line: l.Origin.Line, Item: l.Origin.Item, Targets: l.Origin.Targets,
		Words: l.Words, Command: l.Command(), Options: l.Options, Directory: string(l.Dir), Folder: l.Path,
		Journal: l.Journal, Pilot: l.Pilot, By: l.By,
		Elapsed: l.Used.Elapsed.Seconds(), CPU: l.Used.CPU.Seconds(), Memory: l.Used.Memory,
		Stderr: lastWords(l),
	}
}

// jobAsJSON is a job as an object in a line.
func jobAsJSON(l *jobs.Left) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(listed(l)) // of strings and numbers that JSON has
	return text.String()
}

// jobsAsJSON is an array with an object in each line.
func jobsAsJSON(left []*jobs.Left) string {
	var lines []string
	for _, l := range left {
		lines = append(lines, strings.TrimSuffix(jobAsJSON(l), "\n"))
	}
	return "[" + strings.Join(lines, ",\n ") + "]\n"
}
