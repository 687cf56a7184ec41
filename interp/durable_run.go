package interp

import (
	"ftsh/ast"
	"ftsh/interp/durable"
)

// runRecorded runs a script with its journal.
func (r *Runner) runRecorded(f *frame, file *ast.File, run func() error) error {
	d := r.durable
	files := f.files[:]
	if r.Streams != nil {
		files = nil
	}
	top, leave, err := d.Begin(f, func() { f.beginKept("", false) }, files, r.pid, r.Args)
	defer leave()
	f.place = top
	if err == nil && !d.IsDry() && d.Continued() {
		err = f.startAgain(d.Context(), &file.Body, top)
	} else if err != nil {
		return err
	}
	if err == nil {
		err = run()
	}
	return d.End(top, f, file, func() any { return r.saveEnding(err) }, err)
}

// Finished gives what a finished journal says of how the script ended; false: it has not.
// The error is nil, a *[Failure] or an *[Exit].
func Finished(image *durable.Image) (err error, finished bool) {
	var e savedEnding
	finished = durable.Result(image, &e)
	return e.restoreError(nil), finished
}
