package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// paper is a file to download.
var paper = strings.Repeat("The Ethernet approach to grid computing.\n", 5000)

func TestExampleFetch(t *testing.T) {
	s := newScene(t, "curl")
	server := serve(t, map[string][]answer{
		"/gone/paper": {refuse(410)},
		"/busy/paper": {refuse(503, "Retry-After: 1"), reset, truncated(paper, 100_000), text(paper)},
	})
	s.run("fetch.ftsh", "paper", server.URL+"/gone/paper", server.URL+"/busy/paper").
		ends("0").says("paper is here, from " + server.URL + "/busy/paper\n")
	s.holds("paper", paper)
	s.leaves("paper")
	server.count(t, "/gone/paper", 1) // what it said is taken at its word
	server.count(t, "/busy/paper", 4)
	asked := server.requests("/busy/paper")
	if waited := asked[1].at.Sub(asked[0].at); waited < time.Second {
		t.Errorf("asked again after %v, though told to wait a second", waited)
	}
	if from := asked[3].header.Get("Range"); from != "bytes=100000-" {
		t.Errorf("asked for the range %q after 100000 bytes", from)
	}
}

func TestExampleFetchNobodyHasIt(t *testing.T) {
	s := newScene(t, "curl")
	server := serve(t, map[string][]answer{"/a": {refuse(404)}, "/b": {refuse(403)}})
	s.run("fetch.ftsh", "paper", server.URL+"/a", server.URL+"/b").ends("1").says("").complains("no mirror has paper")
	server.count(t, "/a", 1)
	server.count(t, "/b", 1)
	s.leaves()
}

func TestExampleFetchSilence(t *testing.T) {
	s := newScene(t, "curl")
	server := serve(t, map[string][]answer{"/silent": {silent}, "/paper": {text(paper)}})
	s.set("FETCH_EACH=5s")
	s.run("fetch.ftsh", "paper", server.URL+"/silent", server.URL+"/paper").ends("0")
	s.set("FETCH_LIMIT=500ms", "FETCH_EACH=1m")
	p := s.run("fetch.ftsh", "other", server.URL+"/silent").ends("1").complains("the limit of 500ms passed")
	if p.took > patience/3 {
		t.Errorf("it took %v", p.took)
	}
	s.leaves("paper")
}

func TestExampleFetchSum(t *testing.T) {
	s := newScene(t, "curl", "sha256sum")
	server := serve(t, map[string][]answer{"/old/paper": {text("an old version")},
		"/new/paper": {refuse(500), text(paper)}})
	s.set(fmt.Sprintf("FETCH_SHA256=%x", sha256.Sum256([]byte(paper))))
	s.file("paper.part", "left over from something else")
	s.run("fetch.ftsh", "paper", server.URL+"/old/paper", server.URL+"/new/paper").ends("0")
	s.holds("paper", paper)
	s.leaves("paper")
}

func TestExamplePoll(t *testing.T) {
	s := newScene(t, "curl", "jq")
	result := `{"status": "succeeded", "answer": 42}` + "\n"
	server := serve(t, map[string][]answer{"/job": {
		refuse(503), refuse(429, "Retry-After: 1"), text(`{"status": "running"}`),
		reset, truncated(result, 10), text(result),
	}})
	s.set("POLL_TOKEN=secret")
	s.run("poll.ftsh", server.URL+"/job").ends("0").says(result)
	server.count(t, "/job", 6)
	asked := server.requests("/job")
	if waited := asked[2].at.Sub(asked[1].at); waited < time.Second {
		t.Errorf("asked again after %v, though told to wait a second", waited)
	}
	if token := asked[0].header.Get("Authorization"); token != "Bearer secret" {
		t.Errorf("sent the token %q", token)
	}
	s.leaves()
}

func TestExamplePollKnowsWhenToStop(t *testing.T) {
	s := newScene(t, "curl", "jq")
	server := serve(t, map[string][]answer{
		"/slow": {text(`{"status": "running"}`)}, "/failed": {text(`{"status": "failed"}`)}, "/secret": {refuse(403)},
	})
	s.set("POLL_BUDGET=3")
	s.run("poll.ftsh", server.URL+"/slow").ends("1").says("").complains("running, not yet done")
	server.count(t, "/slow", 3)
	s.run("poll.ftsh", server.URL+"/failed").ends("1").says("").complains("the service has failed")
	server.count(t, "/failed", 1)
	s.run("poll.ftsh", server.URL+"/secret").ends("1").complains("HTTP 403")
	server.count(t, "/secret", 1)
}

func TestExampleWaitFor(t *testing.T) {
	s := newScene(t, "curl")
	var server *server
	up := func(w http.ResponseWriter, r *http.Request) {
		s.file("socket", "") // up only now, so that the order is certain
		text("ready")(w, r)
	}
	server = serve(t, map[string][]answer{"/ready": {refuse(503), reset, up}})
	p := s.run("wait_for.ftsh", server.URL+"/ready socket", "echo", "all", "is well").ends("0")
	if out := p.stdout.String(); !strings.HasSuffix(out, "all is well\n") || strings.Count(out, " is up\n") != 2 {
		t.Errorf("stdout %q", out)
	}
	server.count(t, "/ready", 3)
	port := strings.TrimPrefix(server.URL, "http://")
	s.run("wait_for.ftsh", port, "echo", "connected").ends("0").says(port + " is up\nconnected\n")
	s.set("WAIT_LIMIT=1s")
	s.run("wait_for.ftsh", "127.0.0.1:1", "echo", "never").ends("1").says("")
	s.file("here", "")
	s.run("wait_for.ftsh", "here nowhere", "echo",
		"never").ends("1").says("here is up\n").complains("nowhere does not exist yet")
	s.leaves("here", "socket")
}

// TestExampleAnyhost uses a stand-in for ssh, whose hosts hang and refuse on purpose. A test with
// the real programs follows.
func TestExampleAnyhost(t *testing.T) {
	s := newScene(t)
	s.standIn("ssh", `for host; do case $host in
		hangs) sleep 3600 & sleep 3600 ;;
		refuses) echo "ssh: connect to host refuses: refused" >&2; exit 255 ;;
		late) [ $n -ge 3 ] || exit 255; shift 5; exec "$@" ;;
		answers) shift 5; echo "from answers"; exec "$@" ;;
	esac; done`)
	s.set("ANYHOST_HEDGE=100ms")
	s.run("anyhost.ftsh", "hangs refuses answers", "printf", "%s|", "a b", "c").ends("0").says("from answers\na b|c|")
	s.must(os.Remove(s.away + "/calls/ssh"))
	s.run("anyhost.ftsh", "late", "echo", "here").ends("0").says("here\n")
	s.called("ssh", 3)
	s.must(os.Remove(s.away + "/calls/ssh"))
	s.run("anyhost.ftsh", "refuses answers", "false").ends("1").complains("false fails on answers")
	if len(s.calls("ssh")) > 2 {
		s.Error("the command's own failure was taken for one of ssh")
	}
	s.leaves()
}
