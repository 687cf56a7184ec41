package interp

import (
	"strings"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/output"
)

// A statement `secret NAME…` holds for the whole script, from its beginning: so the line of the log that tells of an
// assignment before it is masked, too, and a durable script that goes on behind it has its secrets again.

// declareSecrets makes the variables of these names secret, with what they hold now.
func (f *frame) declareSecrets(names []string) {
	for _, name := range names {
		if f.run.secretNames == nil {
			f.run.secretNames = map[string]bool{}
		}
		f.run.secretNames[name] = true
		if number, known := f.run.names.Lookup(name); known {
			variable := &f.vars[number]
			variable.secret = true
			f.keepSecret(variable)
		}
	}
}

// keepSecret has the value of a secret variable masked from now on.
func (f *frame) keepSecret(v *variable) {
	if !v.set {
		return
	}
	if text, err := v.value.Exact(); err == nil {
		f.run.Secrets.Add(strings.TrimRight(text, "\n"))
	}
}

// toldValue is a value of the failure that ${error.…} tells of. What the shell says of it shows no secrets; what
// the failed command wrote, and what a branch was given, is as it was; of a continued script the latter may not be
// known.
func (f *frame) toldValue(d ast.Dotted) (text string, known bool) {
	switch d {
	case ast.ErrorCommand, ast.ErrorMessage, ast.ErrorSummary:
		return f.failed.maskedBy(f.run.Secrets).value(d), true
	case ast.ErrorItem:
		known = f.failed == nil || !f.failed.item.IsLost()
		return f.failed.value(d), known
	}
	return f.failed.value(d), true
}

// maskedBy is the same failure as the shell tells of it.
func (f *Failure) maskedBy(m *event.Mask) *Failure {
	if f == nil || !m.Any() {
		return f
	}
	shown := *f
	shown.Command, shown.Message = m.Text(f.Command), m.Text(f.Message)
	shown.Stderr = output.StderrText(m.Text(f.Stderr.LastLine()), false)
	return &shown
}

// isSecret reports whether the variables of a name are secret.
func (r *Runner) isSecret(name string) bool { return r.secretNames[name] }

// localVariable makes the variable of a `local`.
func (f *frame) localVariable(name string, value expand.Value, set bool) variable {
	v := variable{value: value, set: set, declared: true, secret: f.run.isSecret(name)}
	if v.secret {
		f.keepSecret(&v)
	}
	return v
}
