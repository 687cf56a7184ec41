package world

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

func parse(text string) (*World, error) {
	return Parse(&ast.Source{Name: "my.spec", Text: text})
}

// everyLine is a SPEC that has each kind of line.
const everyLine = `# a comment
arrivals 5 per second
arrivals 300 per minute from 10 minutes
arrivals 0 per 30 s from 1 hour
server *.example.org db   # another
    slots 20
    queue 100
    takes lognormal 100 ms 2 s
    slowdown above 30 by 5 percent per 15
    failure 2.5%
    error status 22 says "no such page"
    refused status 7 says "connection \"refused\"\n"
    refusal 2 ms
    trip 1ms
    restart 1m30s
    backlog 64
    retryafter 30 seconds
    outage from 10 minutes to 15m
    outage from 1 hour for 90 s freeze
    limit 100 per minute
    limited status 28 says "slow down"
    hangup removes
    waits at most 2 minutes
    brownout from 20 minutes to 30 minutes at 25 percent
    brownout from 30 minutes for 1 minute at 0.5%
    calls back
        attempts 3
        each 500 ms
        backoff full from 100 ms to 10 s
    end
    calls back
    end
    calls deeper
        backoff fixed from 0 s
    end
    output "job {number}\n"
    command squeue sinfo
        takes uniform 10 ms 20 ms
        output none
    end
    command sacct
    end
end

server
    takes exponential 1 s
    queue unlimited
end
server back
    slots unknown at least 3
    calls deeper
    end
end
server deep*
    error status 3
end
command tar gzip
    takes normal 2 s 100 ms
    failure 1 percent
    error status 2
    output "done"
end
`

// TestParse reads every line there is.
func TestParse(t *testing.T) {
	w, err := parse(everyLine)
	if err != nil {
		t.Fatal(err)
	}
	lognormal, _ := spread.Parse([]string{"lognormal", "100ms", "2s"})
	uniform, _ := spread.Parse([]string{"uniform", "10ms", "20ms"})
	normal, _ := spread.Parse([]string{"normal", "2s", "100ms"})
	want := &World{
		Source: w.Source,
		Servers: []Server{{
			Names: []string{"*.example.org", "db"},
			Spec: server.Spec{
				Slots: 20, Queue: 100, Response: lognormal,
				Slowdown: server.Slowdown{Limit: 30, Factor: 1.05, Per: 15, Every: 50 * time.Millisecond},
				Failure:  0.025, Refusal: 2 * time.Millisecond, Trip: time.Millisecond, Restart: 90 * time.Second, Backlog: 64,
				After:         30 * time.Second,
				Limit:         server.Rate{Requests: 100, Per: time.Minute},
				HangupRemoves: true, Waiting: 2 * time.Minute,
				Brownouts: []server.Brownout{{From: 20 * time.Minute, To: 30 * time.Minute, Share: 0.25},
					{From: 30 * time.Minute, To: 31 * time.Minute, Share: 0.005}},
				Calls: []server.Call{
					{To: 2, Attempts: 3, Each: 500 * time.Millisecond,
						Backoff: backoff.Backoff{Policy: backoff.Full, Initial: 100 * time.Millisecond, Max: 10 * time.Second}},
					{To: 2}, {To: 3, Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: -1}},
				},
				Outages: []server.Outage{{From: 10 * time.Minute, To: 15 * time.Minute},
					{From: time.Hour, To: time.Hour + 90*time.Second, Mode: server.Freeze}},
				Programs: []server.Program{
					{Name: "squeue", Response: uniform, Failure: 0.025,
						Output: "none"},
					{Name: "sinfo", Response: uniform, Failure: 0.025,
						Output: "none"},
					{Name: "sacct", Response: lognormal, Failure: 0.025},
				},
			},
			Error: Ending{22, "no such page\n"}, Refused: Ending{7, "connection \"refused\"\n"},
			Limited: Ending{28, "slow down\n"}, Output: "job {number}\n",
		}, {
			Spec: server.Spec{Queue: server.Unlimited, Response: spread.Exponential(time.Second)}, Error: Ending{Status: 1},
			Refused: Ending{Status: 1}, Limited: Ending{Status: 1},
		}, {
			Names: []string{"back"}, Spec: server.Spec{Queue: server.Unlimited, Seen: 3, Calls: []server.Call{{To: 3}}},
			Error: Ending{Status: 1}, Refused: Ending{Status: 1}, Limited: Ending{Status: 1},
		}, {
			Names: []string{"deep*"}, Spec: server.Spec{Queue: server.Unlimited}, Error: Ending{Status: 3},
			Refused: Ending{Status: 1}, Limited: Ending{Status: 3},
		}},
		Arrivals: []Arrivals{{0, server.Rate{Requests: 5, Per: time.Second}},
			{10 * time.Minute, server.Rate{Requests: 300, Per: time.Minute}}, {time.Hour, server.Rate{Per: 30 * time.Second}}},
		Commands: []Command{{Names: []string{"tar", "gzip"}, Takes: normal,
			Failure: 0.01, Error: Ending{Status: 2}, Output: "done"}},
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("got\n%+v\nwant\n%+v", w, want)
	}
}

// TestSeen holds that what was counted is read as it is written.
func TestSeen(t *testing.T) {
	for _, want := range []*Seen{
		{Clients: 40, Start: 2 * time.Second, Period: time.Minute, Finished: 39, Median: 1500 * time.Millisecond,
			P95: 4 * time.Second, Requests: 77, Good: 70},
		{Clients: 1, Period: time.Hour, Finished: Unsaid, Requests: 5},
	} {
		w, err := Parse(&ast.Source{Name: "my.spec", Text: want.String() + "server\nend\n"})
		if err != nil || !reflect.DeepEqual(w.Seen, want) {
			t.Errorf("%v is read as %+v, %v", want, w.Seen, err)
		}
	}
}

var errorsCases = map[string]string{
	"": "my.spec:1:1: there is no server here; the least is `server`, `takes 100 ms` " +
		"and `end`, each on a line",
	"seen\nclients 3\nend": "my.spec:1:1: this `seen` wants `clients N` and `period T`",
	"seen\nclients 3\nwaste 2\nend": "my.spec:3:1: found \"waste\", wanted one of clients, start, period, finished, " +
		"median, p95, requests, good, or `end`",
	"slots 3": "my.spec:1:1: found \"slots\", wanted `server`, `command` or `seen` to begin a " +
		"block, or `arrivals`",
	"server\nslots 3":               "my.spec:1:1: this `server` has no `end`",
	"server\nslots\nend":            "my.spec:2:6: wanted a whole number from 1 to 1000000000 after `slots`",
	"server\n  slots 0\nend":        "my.spec:2:9: found \"0\", wanted a whole number from 1 to 1000000000",
	"server\nslots 3 4\nend":        "my.spec:2:9: found \"4\", wanted the end of the line",
	"server\nslots 3\nslots 4\nend": "my.spec:3:1: slots stands here for the second time; it was in line 2",
	"server\nslot 3\nend": "my.spec:2:1: found \"slot\", wanted one of slots, queue, takes, slowdown, " +
		"failure, error, refused, refusal, trip, restart, backlog, retryafter, limit, limited, outage, " +
		"brownout, hangup, waits, calls, output, command, or `end`",
	"server\nqueue -1\nend": "my.spec:2:7: found \"-1\", wanted a whole number from 0 to 1000000000",
	"server\ntakes 5\nend": "my.spec:2:7: found \"5\", wanted a time such as 100 ms, 2s or 5 " +
		"minutes",
	"server\ntakes -5 s\nend": "my.spec:2:7: found \"-5\", " +
		"wanted a time such as 100 ms, 2s or 5 minutes",
	"server\ntakes 5 s 6 s\nend": "my.spec:2:7: found \"5\", " +
		"wanted a time such as 100 ms, or a distribution: uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, " +
		"lognormal MEDIAN P99, measured LEAST … MOST, the smaller time first",
	"server\ntakes uniform 2 s 1 s\nend": "my.spec:2:7: found \"uniform\", " +
		"wanted a time such as 100 ms, or a distribution: uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, " +
		"lognormal MEDIAN P99, measured LEAST … MOST, the smaller time first",
	"server\nfailure 200 percent\nend": "my.spec:2:9: found \"200\", " +
		"wanted a share from 0 to 100 percent, such as 5 percent",
	"server\nfailure 0.5\nend": "my.spec:2:9: found \"0.5\", " +
		"wanted a share from 0 to 100 percent, such as 5 percent",
	"server\nfailure NaN%\nend": "my.spec:2:9: found \"NaN%\", " +
		"wanted a share from 0 to 100 percent, such as 5 percent",
	"server\nerror status 0\nend": "my.spec:2:14: found \"0\", " +
		"wanted a whole number from 1 to 255",
	"server\nerror\nend": "my.spec:2:6: wanted `status` and a number, or `says` and a text after `error`",
	"server\noutage from 5 s to 5 s\nend": "my.spec:2:1: this outage ends " +
		"at 5s, and begins at 5s",
	"server\noutage from 5 s\nend": "my.spec:2:16: wanted `to` and a time, or `for` and a time after `s`",
	"server\noutage at 5 s\nend":   "my.spec:2:8: found \"at\", wanted `from` and a time",
	"server\noutage from 5 s to 9 s gently\nend": "my.spec:2:24: found \"gently\", " +
		"wanted refuse, hang, fail or freeze",
	"server\noutage from 5 s to 9 s\noutage from 8 s to 10 s\nend": "my.spec:3:1: this outage begins " +
		"at 8s, before the one in an earlier line ends at 9s; outages stand in order and do not overlap",
	"server\nslowdown 5 percent\nend": "my.spec:2:10: found \"5\", wanted `above N by X percent`, and perhaps `per N`",
	"server\noutput \"x\nend": "my.spec:2:8: this text in " +
		"quotes has no end, or an unknown escape; known are \\n \\t \\\" \\\\",
	"server\nend\nserver\nend": "my.spec:3:1: this is the second " +
		"server without a name; only one can take all that no other does",
	"server\ncommand\nend\nend": "my.spec:2:8: wanted the name of a command after `command`",
	"command\nend\nserver\nend": "my.spec:1:8: wanted the name of a command after `command`",
	"arrivals 5\nserver\nend":   "my.spec:1:11: wanted `per` and a time, such as per minute or per 30 s after `5`",
	"arrivals 5 per 0 s\nserver\nend": "my.spec:1:16: found " +
		"\"0\", wanted a time of more than 0",
	"arrivals 5 per s x\nserver\nend": "my.spec:1:16: found " +
		"\"s\", wanted a time such as 100 ms, 2s or 5 minutes",
	"arrivals 5 per day\narrivals 6 per day\nserver\nend": "my.spec:2:1: these " +
		"arrivals begin at 0s, and those of an earlier line at 0s; they stand in order",
	"server\nbrownout from 5 s to 9 s\nend": "my.spec:2:25: wanted `at` and the share of its speed that is left, " +
		"such as at 25 percent after `s`",
	"server\nbrownout from 5 s to 9 s at 0%\nend": "my.spec:2:29: found " +
		"\"0%\", wanted more than 0 percent; a server that does nothing has an outage",
	"server\nbrownout from 5 s to 9 s at 5%\nbrownout from 1 s for 1 s at 5%\nend": "my.spec:3:1: this brownout " +
		"begins at 1s, before the one in an earlier line ends at 9s; brownouts stand in order and do not overlap",
	"server\ncalls\nend\nend":   "my.spec:2:6: wanted the name of one server after `calls`",
	"server\ncalls b\nend\nend": "my.spec:2:7: no server has the name \"b\"",
	"server a\ncalls b\nend\nend\nserver b\ncalls c\nend\nend\nserver c\ncalls a\nend\nend": "my.spec:10:7: this " +
		"server would call itself by way of \"a\"",
	"server a\ncalls a\nend\nend": "my.spec:2:7: this server would call itself by way " +
		"of \"a\"",
	"server a\ncalls b\nbackoff quick\nend\nend\nserver b\nend": "my.spec:3:9: found \"quick\", wanted a policy: one " +
		"of ethernet, thain, full, equal, decorrelated, additive, normal, exact, fixed",
	"server\nslots unknown\nend": "my.spec:2:14: wanted `at least` and how many there are for sure, such " +
		"as slots unknown at least 3 after `unknown`",
	"server\nslots unknown at least 0\nend": "my.spec:2:24: found \"0\", wanted a whole number from 1 to 1000000000",
	"server\ntakes gamma 5 s\nend": "my.spec:2:7: found \"gamma\", wanted a time such as 100 ms, or a distribution: " +
		"uniform FROM TO, exponential MEAN, normal MEAN DEVIATION, lognormal MEDIAN P99, measured LEAST … MOST, " +
		"the smaller time first",
	"server\nhangup stays\nend": "my.spec:2:8: found \"stays\", wanted serves (a client that hangs up is " +
		"served all the same) or removes (it loses its place in the line, or its slot)",
	"server\nwaits 2 s\nend": "my.spec:2:7: found \"2\", wanted `at most` and how long a request waits for a slot, " +
		"such as waits at most 2 minutes",
	"server\nwaits at most 0 s\nend": "my.spec:2:15: found \"0\", wanted a time of more than 0; for a server " +
		"without a line write queue 0",
	"server a x\nend\nserver b x\nend": "my.spec:3:10: there is a server x already, and it takes all calls of " +
		"that name; write another name, or put the lines of both into one",
	"arrivals 0 per second\nserver\nend": "my.spec:1:1: at this rate nobody ever comes; write a rate of more than " +
		"0, such as arrivals 5 per second, or leave the line out: then clients begin within --start",
	"server\ntakes exponential 0 ms\nend": "my.spec:2:7: found \"exponential\", wanted exponential with a mean of " +
		"more than 0; a server that takes no time has no `takes`",
	"server\ntakes normal 1 s 100 s\nend": "my.spec:2:7: found \"normal\", wanted a deviation of at most half the " +
		"mean, since no time is below 0; for times that scatter more write lognormal MEDIAN P99, such as lognormal 1s 3m21s",
	"server\nend x": "my.spec:2:5: found \"x\", wanted the end of the line",
}

// TestErrors holds where errors point to, and what they say.
func TestErrors(t *testing.T) {
	for text, want := range errorsCases {
		_, err := parse(text)
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := list[0].Error(); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
		if shown := list[0].Text(); text != "" && !strings.HasSuffix(shown, "^") {
			t.Errorf("%q: no caret:\n%s", text, shown)
		}
	}
}

// TestSeveralErrors reports each once.
func TestSeveralErrors(t *testing.T) {
	_, err := parse("server\nslots no\nqueue no\nend\nserver\nfailure no\n" + strings.Repeat("what\n", 20))
	var list diag.List
	if !errors.As(err, &list) || len(list) != maxErrors || list[1].Pos.Line != 3 || list[2].Pos.Line != 5 {
		t.Errorf("%v", err)
	}
}

// TestRoute tells whom commands concern.
func TestRoute(t *testing.T) {
	w, err := parse("server a b*\ncommand probe*\nend\nend\nserver *.org\nend\nserver submit\nend\nserver\nend\n" +
		"command tar /bin/*\nend\ncommand test\nend")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"get a":                         "a b*",
		"get -x beta":                   "a b*",
		"get c":                         "server",
		"probe3 b":                      "a b* probe*",
		"probe3 c":                      "server",
		"curl https://x.org/y":          "*.org",
		"curl https://me@x.org:80/y":    "*.org",
		"curl http://beta":              "a b*",
		"scp me@x.org:file .":           "*.org",
		"scp ./x.org:file .":            "server",
		"submit job":                    "submit",
		"/usr/bin/submit job":           "submit",
		"tar -x":                        "tar /bin/*",
		"/opt/tar a":                    "tar /bin/*",
		"test a":                        "test",
		"b":                             "a b*",
		"rsync --rsh=ssh z.org::module": "*.org",
	} {
		r := w.Route(strings.Fields(text))
		got := ""
		switch {
		case r.Command != nil:
			got = strings.Join(r.Command.Names, " ")
		case r.Server != nil:
			got = r.Server.Name()
		}
		if r.Program != nil {
			got += " " + r.Program.Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	w.Servers = w.Servers[:3]
	if r := w.Route([]string{"other"}); r != (Route{}) {
		t.Errorf("without a server for the rest: %+v", r)
	}
}

// FuzzParse wants worlds that are possible, or errors that have places.
func FuzzParse(f *testing.F) {
	f.Add("server a\nslots 3\ntakes lognormal 1 ms 2s\noutage from 1 s for 1 m hang\noutput \"x\"\nend\ncommand b\n" +
		"failure 3%\nend")
	f.Add("server\nslowdown above 3 by 4 percent per 5\nend # x")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := parse(text)
		var list diag.List
		if err != nil {
			if !errors.As(err, &list) || len(list) == 0 || len(list) > maxErrors {
				t.Fatal(err)
			}
			for _, e := range list {
				_ = e.Text()
			}
			return
		}
		for _, s := range w.Servers {
			last := time.Duration(0)
			for _, o := range s.Spec.Outages {
				if o.From < last || o.To <= o.From {
					t.Fatalf("outage from %v to %v, after %v", o.From, o.To, last)
				}
				last = o.To
			}
			if s.Spec.Failure < 0 || s.Spec.Failure > 1 || s.Spec.Slots < 0 || s.Error.Status < 1 {
				t.Fatalf("%+v", s)
			}
		}
	})
}
