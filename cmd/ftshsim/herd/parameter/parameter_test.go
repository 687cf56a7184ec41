package parameter

import (
	"strings"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

type inner struct {
	Limit time.Duration `default:"90s" range:"1s 1h" help:"of a run"`
}

type config struct {
	inner
	Clients  []int            `short:"c" default:"10,20" range:"1 1000" help:"how many"`
	Share    float64          `default:"0.5" range:"0 1" help:"of them"`
	Policies []backoff.Policy `help:"all of them"`
	Mode     server.Mode      `default:"hang" help:"of an outage"`
	Times    spread.Time      `default:"uniform 1s 2s" help:"a distribution"`
	Word     string           `choice:"a b" default:"b" help:"one of two"`
	Yes      bool             `help:"or no"`
	Unnamed  int
}

// TestOf holds that a struct's fields become parameters with their defaults, and that
// what is set arrives in them, or is refused with what is allowed.
func TestOf(t *testing.T) {
	c := config{Share: 0.25}
	list := Of(&c)
	var defaults []string
	for _, p := range list {
		defaults = append(defaults, p.Name+" "+p.Value.Type()+" "+p.Value.String())
	}
	want := "limit time 1m30s; clients n,… 10,20; share x 0.25; policies policy,… " +
		strings.Join(backoff.Policies(), ",") +
		"; mode word hang; times times uniform 1s 2s; word word b; yes bool false"
	if got := strings.Join(defaults, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for n, text := range []string{"2m", "3, 4", "1", "full,fixed", "fail", "5s", "a", "true"} {
		if err := list[n].Value.Set(text); err != nil {
			t.Errorf("%s %s: %v", list[n].Name, text, err)
		}
	}
	if c.Limit != 2*time.Minute || len(c.Clients) != 2 || c.Clients[1] != 4 || c.Share != 1 ||
		c.Policies[0] != backoff.Full ||
		c.Mode != server.Fail || c.Times != spread.Always(5*time.Second) || c.Word != "a" || !c.Yes {
		t.Errorf("set: %+v", c)
	}
	for n, text := range map[int]string{
		0: "2h: wanted a time from 1s to 1h, such as 90s or 5m", 1: "3,0: wanted a whole number from 1 to 1000, not \"0\"",
		2: "NaN: wanted a number from 0 to 1", 4: "off: wanted one of refuse, hang, fail, freeze", 6: "c: wanted one of a, b",
	} {
		bad, message, _ := strings.Cut(text, ": ")
		if err := list[n].Value.Set(bad); err == nil || err.Error() != message {
			t.Errorf("%s %s: %v, want %s", list[n].Name, bad, err, message)
		}
	}
}

// TestNames holds that a field gives its parameter the name, unless the tag long does, and that a field _ goes on with
// the help of the one before it.
func TestNames(t *testing.T) {
	list := Of(&struct {
		First uint64   `long:"seed" range:"0 9" help:"the first of them;"`
		_     struct{} `help:"the others follow"`
		Quiet bool     `short:"q" help:"no tables"`
	}{})
	if len(list) != 2 || list[0].Name != "seed" || list[0].Usage != "the first of them; the others follow" ||
		list[1].Name != "quiet" || list[1].Short != "q" {
		t.Errorf("%+v", list)
	}
}
