package jobs

import (
	"path/filepath"
	"strconv"
)

// Origin says where in a script a job comes from, for people. Item can be shown as it is.
type Origin struct {
	Script  string   `json:"script,omitempty"`
	Line    int      `json:"line,omitempty"`
	Item    string   `json:"item,omitempty"`    // of the innermost loop around the command
	Number  int      `json:"number,omitempty"`  // of the item in its list, from 1; 0: there is no loop
	Targets []string `json:"targets,omitempty"` // the files that it replaces once it has succeeded
}

// Place is "align.ftsh:12"; "": that is not known.
func (o Origin) Place() string {
	switch {
	case o.Script == "":
		return ""
	case o.Line == 0:
		return filepath.Base(o.Script)
	}
	return filepath.Base(o.Script) + ":" + strconv.Itoa(o.Line)
}

// String is "align.ftsh:12 s17".
func (o Origin) String() string {
	if o.Item == "" {
		return o.Place()
	}
	return o.Place() + " " + o.Item
}

// mostComment limits what the batch system is given of an origin, in bytes: Slurm refuses more than 1,024.
const mostComment = 200

// origin returns the place that the jobs of a bundle come from, as far as that is the same of all, and their
// directory. Without one of all it is /, which every node has.
func (b *bundle) origin() (comment, dir string) {
	origin, dir := b.jobs[0].job.Origin, string(b.jobs[0].job.Dir)
	for _, r := range b.jobs[1:] {
		origin.Item = ""
		if r.job.Origin.Line != origin.Line || r.job.Origin.Script != origin.Script {
			origin.Line = 0
		}
		if string(r.job.Dir) != dir {
			dir = "/"
		}
	}
	comment = origin.String()
	return comment[:min(len(comment), mostComment)], dir
}
