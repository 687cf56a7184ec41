package measure

import "time"

// Verdict says whether a crowd and its servers came back to what they did before a trigger:
// outages or brown-outs.
type Verdict uint8

// The verdicts. Well is when the work done per second is back at nine tenths of what it was,
// or when no more clients lack what they want than before: a twentieth of those that were
// there when the trigger ended do not count. It must be so over a window and over Stay.
const (
	NoTrigger   Verdict = iota // there was none
	CameBack                   // it is well again, and at the end, too
	FellBack                   // it was well again, and is not at the end
	NeverBack                  // it was not well again
	NeverWell                  // no work was done before the trigger either, over Stay, although clients lacked it
	NotYetKnown                // the run ended within Stay of the trigger's end, with clients that lack something
)

// String is the verdict in words.
func (v Verdict) String() string {
	return [...]string{"no trigger", "came back", "came back, and did not stay", "did not come back",
		"did no work even before", "cut off too early to say"}[v]
}

// Judge gives the verdict on a trigger from the beginning of its first part to the end of its
// last, and if it came back, how many seconds after that. Where clients have come to their
// ends, those that gave up after the trigger's end lack something for ever, and nobody else
// does. The time before a trigger counts without its first half; a trigger that begins at 0
// has none, and only what clients lack counts. Only cmd/ftshsim/simulate counts that, so Judge is
// for its tallies.
func (t *Tally) Judge(from, to time.Duration) (v Verdict, after float64) {
	if to <= from || from >= t.Until && t.Ended {
		return NoTrigger, 0
	}
	end := t.Until
	if t.Ended {
		end = max(end, to) + 2*Stay // nothing changes any more
	}
	before := t.before(from, to)
	if from-from/2 >= Stay && before.done == 0 && before.lacking > before.slack {
		return NeverWell, 0
	}
	for at := to; at+Stay <= end; at += t.Answered.Every {
		if before.well(at, window) && before.well(at, Stay) {
			if !before.well(end-Stay, Stay) {
				return FellBack, 0
			}
			return CameBack, (at - to).Seconds()
		}
	}
	if to+Stay > end {
		return NotYetKnown, 0
	}
	return NeverBack, 0
}

// before is what there was before a trigger, per second.
type before struct {
	*Tally
	done, lacking float64
	slack         float64 // clients that may lack something more than before
}

func (t *Tally) before(from, to time.Duration) before {
	b := before{Tally: t}
	if length := (from - from/2).Seconds(); length > 0 {
		b.done = t.Answered.Between(from/2, from) / length
		b.lacking = t.Lacking.Between(from/2, from) / length
	}
	there := t.Started.Between(0, to) - t.Finished.Between(0, to) - t.Lost.Between(0, to)
	b.slack = max(1, there/20)
	return b
}

// well reports whether all is well from then on, for that long.
func (b before) well(at, length time.Duration) bool {
	seconds := length.Seconds()
	if b.done > 0 && b.Answered.Between(at, at+length) >= 0.9*b.done*seconds {
		return true
	}
	return b.lack(at, at+length)/seconds <= 1.1*b.lacking+b.slack
}

// lack is client-seconds of lacking something; after the end it is as it was then.
func (b before) lack(from, to time.Duration) float64 {
	sum := b.Lacking.Between(from, min(to, b.Until))
	if to > b.Until {
		sum += b.Lack * (to - max(from, b.Until)).Seconds()
	}
	return sum
}
