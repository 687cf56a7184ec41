package interp

import (
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// savedVariable is a variable as JSON.
type savedVariable struct {
	durable.Value
	Unset    bool `json:"unset,omitempty"`
	Exported bool `json:"exported,omitempty"`
	Declared bool `json:"declared,omitempty"`
	// Inherited tells of a secret that the environment has it.
	Inherited bool `json:"inherited,omitempty"`
}

// plainValue gives a value for the journal, as it is.
func plainValue(v value.Value) durable.Value {
	if n, number := v.Int(); number {
		return durable.Value{Int: &n}
	}
	text, err := v.Exact()
	if err != nil { // of a file that cannot be read: what expands it says so
		return durable.Value{}
	}
	saved := durable.TextValue(text)
	saved.Captured = v.IsCaptured()
	return saved
}

// largeValue is from how many bytes on a dry run does without a value.
const largeValue = 64 << 10

// restoreValue gives the value back, for a frame or, with nil, for nobody. Large output lies in a file again.
func restoreValue(s durable.Value, f *frame) value.Value {
	switch text := s.Text(); {
	case s.Secret:
		return value.Lost(errLostSecret)
	case s.Int != nil:
		return value.Int(*s.Int)
	case !s.Captured:
		return value.String(text)
	case f != nil && f.run.leftOut != nil && len(text) > largeValue:
		return value.Lost(f.run.leftOut)
	case f != nil:
		return f.run.World.Hold(f.temporaryDir(), text)
	default:
		return value.Captured(text)
	}
}

// saveValue gives a value for the journal; of one that holds a secret, that it did.
func (r *Runner) saveValue(v value.Value) durable.Value {
	if v.IsLost() {
		return durable.Value{Secret: true}
	}
	if r.Secrets.Any() {
		if text, err := v.Exact(); err == nil && r.Secrets.Hides(text) {
			return durable.Value{Secret: true}
		}
	}
	return plainValue(v)
}

// saveVariable gives a variable for the journal. A secret that is as the environment had it is so in a later run, too.
func (r *Runner) saveVariable(name string, v variable) savedVariable {
	saved := savedVariable{Unset: !v.set, Exported: v.exported, Declared: v.declared}
	if !v.set {
		return saved
	}
	saved.Value = r.saveValue(v.value)
	if v.secret || (name == pwd || name == oldpwd) && r.secret.hides(saved.Value.Text()) {
		saved.Value = durable.Value{Secret: true}
	}
	if saved.Secret && !v.declared {
		text, err := v.value.Exact()
		inherited, given := r.inherited(name)
		saved.Inherited = err == nil && given && text == inherited
	}
	return saved
}

// restoreVariable gives the variable back.
func (f *frame) restoreVariable(name string, s savedVariable) variable {
	v := variable{set: !s.Unset, exported: s.Exported, declared: s.Declared, secret: f.run.isSecret(name)}
	if !v.set {
		return v
	}
	if v.value = restoreValue(s.Value, f); s.Inherited {
		if text, given := f.run.inherited(name); given {
			v.value = value.String(text)
			f.run.addSecret(text)
		}
	}
	if v.secret {
		f.keepSecret(&v)
	}
	return v
}

// savedParameters is $1 … as JSON: words, or what a call in an expression gave.
type savedParameters struct {
	Words  []durable.Value `json:"words"`
	Values []durable.Value `json:"values,omitempty"`
}

func (s savedParameters) parameters(f *frame) (p parameters) {
	for _, word := range s.Words {
		text := word.Text()
		if word.Secret {
			text, p.lost = lostName, true
		}
		p.words = append(p.words, text)
	}
	for _, value := range s.Values {
		p.values = append(p.values, restoreValue(value, f))
	}
	return p
}

// saveArguments gives $1 … for the journal. Those that the script was given are there already.
func (r *Runner) saveArguments(p parameters) savedParameters {
	saved := savedParameters{Words: make([]durable.Value, 0, len(p.words))}
	for _, word := range p.words {
		kept := plainValue(value.String(word))
		if p.lost && word == lostName {
			kept = durable.Value{Secret: true}
		} else if !slices.Contains(r.Script.Args, word) {
			kept = r.saveValue(value.String(word))
		}
		saved.Words = append(saved.Words, kept)
	}
	for _, value := range p.values {
		saved.Values = append(saved.Values, r.saveValue(value))
	}
	return saved
}

// saveItems gives the list of a loop for the journal.
func (r *Runner) saveItems(name string, items *value.Sequence) *durable.Items {
	if from, step, ok := items.Progression(); ok {
		return &durable.Items{Name: name, From: from, Step: step, Count: items.Len()}
	}
	saved := &durable.Items{Name: name, Values: make([]durable.Value, 0, items.Len())}
	for i := range items.Len() {
		saved.Values = append(saved.Values, r.saveValue(items.At(i)))
	}
	return saved
}

// restoreItems gives the list back, for a frame or, with nil, for nobody.
func restoreItems(saved durable.Items, f *frame) *value.Sequence {
	if saved.Count > 0 {
		return value.Numbers(saved.From, saved.Step, saved.Count)
	}
	values := make([]value.Value, 0, len(saved.Values))
	for _, value := range saved.Values {
		values = append(values, restoreValue(value, f))
	}
	return value.Items(values...)
}

// saveLeft gives what a loop has left to do for the journal; nil: nothing.
func (r *Runner) saveLeft(left *value.Sequence) *durable.Items {
	if left.Len() == 0 {
		return nil
	}
	saved := r.saveItems("", left)
	for i, value := range saved.Values {
		if r.secret.hides(value.Text()) {
			saved.Values[i] = durable.Value{Secret: true}
		}
	}
	return saved
}

// saveName gives the name of a file for the journal.
func (r *Runner) saveName(name string) durable.Text {
	if r.secret.hides(name) {
		return lostName
	}
	return durable.Text(name)
}

// savedFailure is a failure as JSON.
type savedFailure struct {
	Kind    Kind           `json:"kind"`
	Status  int            `json:"status"`
	Command durable.Text   `json:"command,omitempty"`
	File    string         `json:"file,omitempty"`
	Line    int32          `json:"line,omitempty"`
	Column  int32          `json:"column,omitempty"`
	Offset  int32          `json:"offset,omitempty"`
	Message durable.Text   `json:"message,omitempty"`
	Stderr  durable.Text   `json:"stderr,omitempty"` // the end of it
	Torn    bool           `json:"torn,omitempty"`   // there was more of it
	Reason  backoff.Reason `json:"reason,omitempty"`
	Giveup  bool           `json:"giveup,omitempty"`
	Early   bool           `json:"early,omitempty"` // of a stage before the last of a pipeline
	Item    durable.Text   `json:"item,omitempty"`
	NoItem  bool           `json:"item_secret,omitempty"` // it was left out
	Name    string         `json:"loop,omitempty"`        // the variable of the innermost loop, and what it had
	Value   durable.Text   `json:"value,omitempty"`
	Tried   int            `json:"tried,omitempty"`
	Spent   time.Duration  `json:"spent,omitempty"`
	Cause   *savedFailure  `json:"cause,omitempty"`
	Left    *durable.Items `json:"left,omitempty"` // items of the loop that have not succeeded
}

func saveFailure(f *Failure) *savedFailure {
	if f == nil {
		return nil
	}
	item, _ := f.item.Text()
	saved := &savedFailure{
		Kind: f.Kind, Status: f.Status, Command: durable.Text(f.Command), Message: durable.Text(f.Message),
		Reason: f.Reason, Line: f.Pos.Line, Column: f.Pos.Column, Offset: f.Pos.Offset,
		Stderr: durable.Text(f.Stderr.String()), Torn: f.Stderr.IsLong(),
		Giveup: f.giveup, Early: f.early, Item: durable.Text(item),
		Name: f.story.name, Value: durable.Text(f.story.item), Tried: f.story.tried, Spent: f.story.spent,
		Cause: saveFailure(f.story.cause),
	}
	if f.Pos.Source != nil {
		saved.File = f.Pos.Source.Name
	}
	return saved
}

// saveFailure is that without what only a group on start may know, and without the words of commands, unless
// the script itself reads them and has nothing to hide.
func (r *Runner) saveFailure(f *Failure) *savedFailure {
	saved := saveFailure(f)
	if saved == nil {
		return nil
	}
	saved.Left = r.saveLeft(f.left)
	words := r.words && !r.secret.Any()
	for s := saved; s != nil; s, f = s.Cause, f.story.cause {
		if text := f.Pos.RestOfLine(); text != "" && s.Command != "" && !words {
			s.Command = durable.Text(text)
		}
		if s.NoItem = f.item.IsLost() || r.secret.hides(string(s.Item)); s.NoItem {
			s.Item = ""
		}
		for _, text := range []*durable.Text{&s.Command, &s.Message, &s.Stderr, &s.Value} {
			*text = durable.Text(r.secret.Hide(string(*text)))
		}
		s.File = r.secret.Hide(s.File)
	}
	return saved
}

// saveEnding gives an ending for the journal, likewise.
func (r *Runner) saveEnding(err error) savedEnding {
	e := saveEnding(err)
	switch err := err.(type) {
	case *Failure:
		e.Failure = r.saveFailure(err)
	case *Exit:
		e.Failure, e.Caught = r.saveFailure(err.failure), r.saveFailure(err.caught)
	case *returned:
		if err.given {
			value := r.saveValue(err.value)
			e.Value = &value
		}
	}
	return e
}

// restoreFailure gives the failure back.
func (s *savedFailure) restoreFailure(r *Runner) *Failure {
	if s == nil {
		return nil
	}
	f := &Failure{
		Kind: s.Kind, Status: s.Status, Command: string(s.Command), Message: string(s.Message),
		Stderr: output.StderrText(string(s.Stderr), s.Torn), Reason: s.Reason,
		Pos:  ast.Pos{Offset: s.Offset, Line: s.Line, Column: s.Column},
		item: value.String(string(s.Item)), placed: true, giveup: s.Giveup, early: s.Early,
	}
	if s.NoItem {
		f.item = value.Lost(errLostSecret)
	}
	if s.Left != nil {
		f.left = restoreItems(*s.Left, nil)
	}
	f.story = story{name: s.Name, item: string(s.Value), tried: s.Tried, spent: s.Spent, cause: s.Cause.restoreFailure(r)}
	if f.Pos.Source = (&ast.Source{Name: s.File}); r != nil && r.source != nil && r.source.Name == s.File {
		f.Pos.Source = r.source
	}
	return f
}

// A savedEnding records how a unit, a branch or the script ended.
type savedEnding struct {
	Failure *savedFailure  `json:"failure,omitempty"`
	Exit    *int           `json:"exit,omitempty"`
	Leave   string         `json:"leave,omitempty"` // break, continue, return or absent
	Value   *durable.Value `json:"value,omitempty"` // of a return
	Replace bool           `json:"replaced,omitempty"`
	Caught  *savedFailure  `json:"caught,omitempty"` // what the catch group with an exit reacted to
}

func saveEnding(err error) savedEnding {
	switch err := err.(type) {
	case nil:
		return savedEnding{}
	case *Failure:
		return savedEnding{Failure: saveFailure(err)}
	case *Exit:
		return savedEnding{Exit: &err.Status, Failure: saveFailure(err.failure), Caught: saveFailure(err.caught),
			Replace: err.replaced}
	case *returned:
		return savedEnding{Leave: "return"}
	case *absence:
		return savedEnding{Leave: "absent"}
	}
	if err == errBreak {
		return savedEnding{Leave: "break"}
	}
	return savedEnding{Leave: "continue"}
}

// restoreError gives the end back, for a frame or, with nil, for nobody.
func (e savedEnding) restoreError(f *frame) error {
	var run *Runner
	if f != nil {
		run = f.run
	}
	switch {
	case e.Exit != nil:
		return &Exit{Status: *e.Exit, failure: e.Failure.restoreFailure(run), caught: e.Caught.restoreFailure(run),
			replaced: e.Replace}
	case e.Failure != nil:
		return e.Failure.restoreFailure(run)
	}
	switch e.Leave {
	case "break":
		return errBreak
	case "continue":
		return errContinue
	case "absent":
		return &absence{}
	case "return":
		if e.Value != nil && f != nil {
			return f.returns(restoreValue(*e.Value, f), true)
		}
		return &returned{}
	}
	return nil
}

// A toldFailure holds what the structures around a failure add to it.
type toldFailure struct {
	name, item string
	tried      int
	spent      time.Duration
	cause      *Failure
	left       *value.Sequence
	reason     backoff.Reason
	early      bool
}

func (f *Failure) toldOf() toldFailure {
	if f == nil {
		return toldFailure{}
	}
	return toldFailure{f.story.name, f.story.item, f.story.tried, f.story.spent, f.story.cause, f.left, f.Reason,
		f.early}
}
