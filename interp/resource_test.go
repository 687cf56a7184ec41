package interp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/backoff/shared"
	"ftsh/interp"
	"ftsh/interp/world"
)

// porter is a gate that lets everything through, and notes by which rules, and how it ended.
type porter struct {
	rules  []string
	ending []shared.Ending
}

func (*porter) Close() {}

func (p *porter) Enter(_ context.Context, q shared.Visit) (world.Pass, error) {
	r := q.Rules
	p.rules = append(p.rules, fmt.Sprintf("slots %d budget %v %v%% %v a minute breaker %d in %v probe %v",
		r.Slots, r.Budgeted, r.Percent, r.PerMinute, r.Failures, r.Within, r.Probe))
	return p, nil
}

func (p *porter) Leave(how shared.Ending, _ time.Duration) (change shared.Change) {
	p.ending = append(p.ending, how)
	return change
}

// TestResourceSettings holds what the settings of a resource come to as values of variables, or why they are refused.
func TestResourceSettings(t *testing.T) {
	const (
		plain     = "slots 0 budget false 0% 0 a minute breaker 0 in 0s probe 0s"
		ofSlots   = "wanted a number from 1 to 1000"
		ofPercent = "wanted a number from 0 to 100"
		ofTimes   = "a breaker with a time of nothing; wanted a time such as 1 minute"
	)
	rules := func(from, to string) string { return strings.Replace(plain, from, to, 1) }
	for _, c := range []struct{ setting, n, want string }{
		{"", "", plain},
		{"slots $n", "1", rules("slots 0", "slots 1")},
		{"slots $n", "1000", rules("slots 0", "slots 1000")},
		{"slots $n", "0", "slots 0: " + ofSlots},
		{"slots $n", "1001", "slots 1001: " + ofSlots},
		{"slots $n", "x", `"x" is not an integer`},
		{"budget $n percent", "0", rules("false 0%", "true 0%")},
		{"budget $n percent", "100", rules("false 0%", "true 100%")},
		{"budget $n percent", "101", "budget 101: " + ofPercent},
		{"budget $n percent", "-1", "budget -1: " + ofPercent},
		{"budget $n percent", "x", `"x" is not a decimal number such as 2 or 1.5`},
		{"budget 10 percent at least $n per minute", "7", rules("false 0% 0", "true 10% 7")},
		{"budget 10 percent at least $n per minute", "0", rules("false 0% 0", "true 10% -1")},
		{"budget 10 percent at least $n per minute", "-1", "at least -1 per minute: wanted a number from 0 on"},
		{"breaker $n failures in 1 minute", "1", rules("0 in 0s probe 0s", "1 in 1m0s probe 30s")},
		{"breaker $n failures in 1 minute", "400", rules("0 in 0s probe 0s", "400 in 1m0s probe 30s")},
		{"breaker $n failures in 1 minute", "0", "failures 0: wanted a number from 1 to 400"},
		{"breaker $n failures in 1 minute", "401", "failures 401: wanted a number from 1 to 400"},
		{"breaker 5 failures in $n seconds", "9", rules("0 in 0s probe 0s", "5 in 9s probe 30s")},
		{"breaker 5 failures in $n seconds", "0", ofTimes},
		{"breaker 5 failures in $n seconds", "x", `"x" is not a number of seconds`},
		{"breaker 5 failures in 1 minute probe every $n seconds", "9", rules("0 in 0s probe 0s", "5 in 1m0s probe 9s")},
		{"breaker 5 failures in 1 minute probe every $n seconds", "0", ofTimes},
	} {
		t.Run(c.setting+" "+c.n, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, gate := &bubble{start: time.Now()}, &porter{}
				config := b.config()
				config.World = gated{config.World, gate}
				err := interp.New(config).Run(t.Context(),
					parse(t, "n="+c.n+"\nresource r\n"+c.setting+"\nend\ntry for 1 minute via r\nsuccess\nend"))
				got := strings.Join(gate.rules, "; ")
				if failure, failed := err.(*interp.Failure); failed {
					got += failure.Message
				}
				if got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// TestResourceIsTold holds what a resource is told of the attempts that went by it.
func TestResourceIsTold(t *testing.T) {
	names := map[shared.Ending]string{
		shared.Succeeded: "well", shared.Failed: "failed", shared.Undecided: "undecided", shared.Deferred: "deferred"}
	for _, c := range []struct{ group, want string }{
		{"success", "well"},
		{"if ${try.attempt} .eql. 1; failure; end", "failed well"},
		{"failure", "failed failed"},
		{"exit 0", "well"},
		{"exit 3", "undecided"},
		{"break", "well"},
		{"giveup", "undecided"},
		{"missing", "undecided"},
		{"work 3h", "failed"},
		{"work 30m; failure", "failed failed"},
		{"lost; verify; absent", "failed well failed well"},
		{"lost; verify; failure", "failed failed failed"},
		{"lost; verify; success", "failed well"},
		{"work 90m; verify; success", "well"},
	} {
		t.Run(c.group, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, gate := &bubble{start: time.Now()}, &porter{}
				config := b.config()
				config.World = gated{config.World, gate}
				script := "resource r; end; for x in 1; try for 2 hours or 2 times every 1 h via r; " + c.group +
					"; catch; end; end"
				_ = interp.New(config).Run(t.Context(), parse(t, strings.ReplaceAll(script, "; ", "\n")))
				var got []string
				for _, how := range gate.ending {
					got = append(got, names[how])
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("told %q, want %s", got, c.want)
				}
			})
		})
	}
}
