package simulate

import (
	"fmt"
	"math"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/world"
)

// disturbance is a time in which a server of a world does less than it can.
type disturbance struct {
	server   int
	from, to time.Duration
	kind     string // outage, or brown-out
	how      string // its mode, or the share of the speed that is left
}

const outage = "outage"

func disturbances(w *world.World) (list []disturbance) {
	for n := range w.Servers {
		for _, o := range w.Servers[n].Spec.Outages {
			list = append(list, disturbance{n, o.From, o.To, outage, o.Mode.String()})
		}
		for _, b := range w.Servers[n].Spec.Brownouts {
			list = append(list, disturbance{n, b.From, b.To, "brown-out", fmt.Sprintf("%.3g %%", 100*b.Share)})
		}
	}
	return list
}

// trigger is when a world is out of order: from the first beginning to the last end.
type trigger struct{ from, to time.Duration }

// triggerOf is that of a world, as far as it begins before the end.
func triggerOf(w *world.World, until time.Duration) (t trigger) {
	for _, d := range disturbances(w) {
		if d.from >= until {
			continue
		}
		if d.kind == outage {
			d.to += w.Servers[d.server].Spec.Restart
		}
		if t.to == 0 {
			t.from = d.from
		}
		t.from, t.to = min(t.from, d.from), max(t.to, d.to)
	}
	return t
}

// verdict says whether a crowd and its servers came back to what they did before a trigger:
// outages or brown-outs. It is said of what was seen to the end of a run, and of nothing else.
type verdict uint8

// The verdicts. Well is when the useful answers per second are back at nine tenths of what they
// were, or when no more clients lack what they want than before: a twentieth of those that were
// there when the trigger ended do not count. It must be so over a window and over [measure.Stay].
const (
	noTrigger   verdict = iota // there was none, and nothing to say
	collapsed                  // there was none, and yet the servers work in vain while clients lack what they want
	cameBack                   // it is well again, and at the end, too
	servedRest                 // it is well again for those that were left; more than a twentieth gave up meanwhile
	fellBack                   // it was well again, and is not at the end
	neverBack                  // it was not well again
	neverWell                  // no work was done before the trigger either, over Stay, although clients lacked it
	nobodyLeft                 // nobody was there to be served when the trigger had ended
	doneBefore                 // all had what they wanted before the trigger ended
	notYetKnown                // the run ended within Stay of the trigger's end, with clients that lack something
	outlasts                   // the run ended before the trigger
)

// judge gives the verdict on all outages and brown-outs of the world, which are one trigger from the
// beginning of the first to the end of the last, and if it is well again, how many seconds after that. Where
// clients have come to their ends, those that gave up after the trigger's end lack something for ever. The time
// before a trigger counts without its first half; a trigger that begins at 0 has none, and only what clients lack
// counts.
func (t *Tally) judge() (v verdict, after float64) {
	from, to := t.trigger.from, t.trigger.to
	if to <= from || from >= t.Until {
		if t.inVain() {
			return collapsed, 0
		}
		return noTrigger, 0
	}
	before := t.stateBefore()
	// Somebody lacked something when the trigger ended, or asked for it afterwards.
	wanted := before.somebodyLacked() || t.Sent.Between(to, t.Until+1) > 0
	switch {
	case from-from/2 >= measure.Stay && before.done == 0 && before.lacked > before.slack:
		return neverWell, 0
	case to >= t.Until && !t.ended:
		return outlasts, 0
	case to >= t.Until && t.GivenUp == 0:
		return doneBefore, 0
	case to >= t.Until, !wanted:
		return nobodyLeft, 0
	}
	return before.judgeRecovery()
}

// inVain reports whether more than a twentieth of those that began lack something at the end while a server
// works in vain for more than half of its time: over the run, or over the last third of it.
func (t *Tally) inVain() bool {
	if max(t.lack, float64(t.GivenUp)) <= float64(t.Begun)/20 {
		return false
	}
	for n := range t.PerServer {
		one := &t.PerServer[n]
		from, to := t.Until*2/3, t.Until+1
		if one.InVainShare() > 0.5 || one.ForNone.Between(from, to) > one.Work.Between(from, to)/2 {
			return true
		}
	}
	return false
}

// before holds what there was before a trigger, per second, and who was there.
type before struct {
	*Tally
	done, lacked float64
	there        float64 // clients when the trigger ended
	met          float64 // clients that have met it
	slack        float64 // clients that may lack something more than before
}

func (t *Tally) stateBefore() before {
	b, from, to := before{Tally: t}, t.trigger.from, t.trigger.to
	if length := (from - from/2).Seconds(); length > 0 {
		b.done = t.Answered.Between(from/2, from) / length
		b.lacked = t.lacking.Between(from/2, from) / length
	}
	b.there = t.Started.Between(0, to) - t.Finished.Between(0, to) - t.Lost.Between(0, to)
	b.met = t.Started.Between(0, to) - t.Finished.Between(0, from) - t.Lost.Between(0, from)
	b.slack = max(1, b.there/20)
	return b
}

// somebodyLacked reports whether somebody lacked something when the trigger ended.
func (b before) somebodyLacked() bool {
	return b.lacking.Between(b.trigger.to, b.trigger.to+b.lacking.Every) > 0
}

// judgeRecovery looks for the first moment after the trigger at which all is well, and whether it is so at the end.
func (b before) judgeRecovery() (v verdict, after float64) {
	end := b.Until
	if b.ended {
		end += 2 * measure.Stay // nothing changes any more
	}
	for at := b.trigger.to; at+measure.Stay <= end; at += b.Answered.Every {
		if !b.isWell(at, measure.Window) || !b.isWell(at, measure.Stay) {
			continue
		}
		switch {
		case !b.isWell(end-measure.Stay, measure.Stay):
			return fellBack, 0
		case float64(b.gaveUpDuring) > b.met/20 && !b.asBefore(at, measure.Stay):
			return servedRest, (at - b.trigger.to).Seconds()
		}
		return cameBack, (at - b.trigger.to).Seconds()
	}
	if b.trigger.to+measure.Stay > end {
		return notYetKnown, 0
	}
	return neverBack, 0
}

// isWell reports whether all is well from then on, for that long.
func (b before) isWell(at, length time.Duration) bool {
	if b.asBefore(at, length) {
		return true
	}
	served := !b.somebodyLacked() || b.Answered.Between(b.trigger.to, at+length) > 0
	came := b.there + b.Started.Between(b.trigger.to, at+length)
	if lost := b.Lost.Between(b.trigger.to, at+length); lost > came/20 || !served {
		return false
	}
	return b.clientSecondsLacking(at, at+length)/length.Seconds() <= 1.1*b.lacked+b.slack
}

// asBefore reports whether as much is answered well as before the trigger.
func (b before) asBefore(at, length time.Duration) bool {
	return b.done > 0 && b.Answered.Between(at, at+length) >= 0.9*b.done*length.Seconds()
}

// clientSecondsLacking is client-seconds of lacking something; after the end it is as it was then.
func (b before) clientSecondsLacking(from, to time.Duration) float64 {
	sum := b.lacking.Between(from, min(to, b.Until))
	if to > b.Until {
		sum += b.lack * (to - max(from, b.Until)).Seconds()
	}
	return sum
}

// cameBack is 100 if the run came back, 0 if it did not, and NaN where there was nothing to see.
func (t *Tally) cameBack() float64 {
	switch v, _ := t.judge(); v {
	case noTrigger, notYetKnown, doneBefore, outlasts:
		return math.NaN()
	case cameBack:
		return 100
	}
	return 0
}
