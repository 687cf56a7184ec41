package interp

import (
	"sync"

	"ftsh/interp/durable"
	"ftsh/interp/jobs"
)

// failedJobs has the jobs that failed in a structure that tries again: a try, or a forany with its alternatives. Once
// it has succeeded nobody has to look at those of the attempts before. Safe for concurrent use; nil has none.
type failedJobs struct {
	outer *failedJobs // of the structure around

	mu      sync.Mutex
	attempt int // that is made
	list    []failedJob
}

// failedJob is a job whose folder is kept for people to look at.
type failedJob struct {
	attempt int
	folder  string // of a durable script's: a later shell may find it made good; else ""
	discard func()
}

// savedJob is such a job in the journal.
type savedJob struct {
	Attempt int          `json:"attempt"`
	Folder  durable.Text `json:"folder"`
}

// add notes a job that failed, in all structures around it.
func (j *failedJobs) add(folder string, discard func()) {
	for ; j != nil; j = j.outer {
		j.mu.Lock()
		j.list = append(j.list, failedJob{j.attempt, folder, discard})
		j.mu.Unlock()
	}
}

// begin notes that an attempt begins.
func (j *failedJobs) begin(attempt int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.attempt = attempt
}

// madeGood removes the folders of the jobs that failed before the attempt under way, which has succeeded. What failed
// in that attempt was caught there, and stays.
func (j *failedJobs) madeGood() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, job := range j.list {
		if job.attempt < j.attempt {
			job.discard()
		}
	}
}

// save gives what a later shell needs, if it is not too much: each attempt writes it anew.
func (j *failedJobs) save() (saved []savedJob) {
	const most = 100
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, job := range j.list {
		if job.folder != "" && len(saved) < most {
			saved = append(saved, savedJob{job.attempt, durable.Text(job.folder)})
		}
	}
	return saved
}

// restore takes what an earlier shell has saved.
func (j *failedJobs) restore(saved []savedJob) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, job := range saved {
		folder := string(job.Folder)
		j.list = append(j.list, failedJob{job.Attempt, folder, func() { jobs.Discard(folder) }})
	}
}
