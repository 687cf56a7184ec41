package simulate

// Verdict and its values are for the tests outside of the package.
type Verdict = verdict

const (
	NoTrigger   = noTrigger
	Collapsed   = collapsed
	CameBack    = cameBack
	ServedRest  = servedRest
	FellBack    = fellBack
	NeverBack   = neverBack
	NeverWell   = neverWell
	NobodyLeft  = nobodyLeft
	DoneBefore  = doneBefore
	NotYetKnown = notYetKnown
	Outlasts    = outlasts
)

// Judge gives the verdict on a run.
func (t *Tally) Judge() (v Verdict, after float64) { return t.judge() }
