package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// condor puts stand-ins for HTCondor on the PATH, which is not in the distribution that the tests
// run on: they do what its manual says. Clusters are lines of a file: number, JobStatus,
// HoldReasonCode, NumJobStarts, key.
func (s *scene) condor() {
	s.standIn("condor_submit", `echo "condor_submit: this is a stand-in, not HTCondor" >&2
		[ $n -gt ${AWAY:-0} ] || { echo "ERROR: Can't find address of local schedd" >&2; exit 1; }
		key=$(expr "$*" : '.*+FtshKey = "\([^"]*\)"')
		case "$*" in *"-append hold = true"*) echo "$n 5 15 0 $key" ;; *) echo "$n 1 undefined 0 $key" ;; esac >> $CALLS/queue
		[ $n != "${LOSE:-}" ] || { echo "ERROR: Failed to commit job submission into the queue." >&2; exit 1; }
		echo "$n.0 - $n.4"`)
	s.standIn("condor_q", `[ $n -gt ${AWAY:-0} ] || { echo "Error: Can't find address for schedd" >&2; exit 1; }
		key=$(expr "$*" : '.*FtshKey == "\([^"]*\)"')
		[ ! -e $CALLS/queue ] || grep " $key\$" $CALLS/queue`+" | cut -d ' ' -f 1-4")
	s.standIn("condor_history", `key=$(expr "$*" : '.*FtshKey == "\([^"]*\)"')
		[ ! -e $CALLS/ended ] || grep " $key\$" $CALLS/ended`+" | cut -d ' ' -f 1-4")
	s.standIn("condor_release", `sed -i "s/^$1 5 15/$1 1 undefined/" $CALLS/queue`)
	s.standIn("condor_rm", `for id; do sed -i "/^$id /d" $CALLS/queue; done`)
	s.set("FTSH_STATE_DIR=" + s.away + "/state")
}

// TestExampleCondor uses stand-ins, not HTCondor. The queue manager is away at first, then takes the
// job but loses the answer.
func TestExampleCondor(t *testing.T) {
	s := newScene(t)
	s.condor()
	s.set("AWAY=1", "LOSE=2")
	s.run("condor/submit.ftsh", "one", "x.sub").ends("0").says("2\n").complains("Failed to commit")
	s.run("condor/submit.ftsh", "one", "x.sub").ends("0").says("2\n")
	s.called("condor_submit", 2)
	s.run("condor/submit.ftsh", "two", "x.sub", "-name", "elsewhere").ends("0").says("3\n")
	if got := s.calls("queue"); !slices.Equal(got, []string{"2 1 undefined 0 one", "3 1 undefined 0 two"}) {
		t.Errorf("the queue is %q", got)
	}
	s.leaves()
}

// TestExampleCondorTwins: of several on hold the lowest is released, the others are removed; a job
// that has run is found in the history; a mistake in the file ends it at once.
func TestExampleCondorTwins(t *testing.T) {
	s := newScene(t)
	s.condor()
	s.file(s.away+"/calls/queue", "9 5 15 0 one\n7 5 15 0 one\n8 5 15 0 one\n3 5 15 0 other\n")
	s.file(s.away+"/calls/ended", "4 3 15 0 gone\n5 4 undefined 1 done\n")
	s.run("condor/submit.ftsh", "one", "x.sub").ends("0").says("7\n")
	s.run("condor/submit.ftsh", "done", "x.sub").ends("0").says("5\n")
	s.called("condor_submit", 0)
	if got := s.calls("queue"); !slices.Equal(got, []string{"7 1 undefined 0 one", "3 5 15 0 other"}) {
		t.Errorf("the queue is %q", got)
	}
	s.run("condor/submit.ftsh", "gone", "x.sub").ends("0").says("1\n") // that was removed before it ran
	s.standIn("condor_submit", `echo "ERROR: \"$4\" doesn't contain any \"queue\" commands -- no jobs queued" >&2; exit 1`)
	s.run("condor/submit.ftsh", "bad", "empty.sub").ends("1").says("").complains("no jobs queued")
	s.run("condor/submit.ftsh", "b a d", "empty.sub").ends("1").says("").complains("cannot be a key")
	s.called("condor_submit", 2)
	s.set("CONDOR_FILES=0", "CONDOR_LIMIT=1s") // every machine is too busy
	s.run("condor/submit.ftsh", "two", "x.sub").ends("1").complains("percent of the open files are in use")
	s.called("condor_submit", 2)
}

func TestExampleArray(t *testing.T) {
	s := newScene(t)
	s.standIn("work", `last=; for last; do :; done
		tries=$(grep -cx "with care $last" $CALLS/work)
		case $last in
			shaky) echo half; [ $tries -ge 3 ] || exit 75 ;;
			broken) echo half; exit 1 ;;
			stuck) [ $tries -ge 2 ] || sleep 3600 & wait; [ $tries -ge 2 ] || sleep 3600 ;;
		esac
		echo "$last is done"`)
	s.file("list", "easy\nshaky\nbroken\nstuck\ntwo words\n")
	s.set("ARRAY_EACH=2s", "ARRAY_PARALLEL=4")
	s.run("array.ftsh", "list", "results", "work", "with", "care").ends("1").says("broken\n")
	s.called("work", 1+3+3+2+1)
	s.holds("results/shaky", "half\nshaky is done\n")
	s.holds("results/stuck", "stuck is done\n")
	s.leaves("list", "results/easy", "results/shaky", "results/stuck", "results/two words")
	s.file("list", "easy\nbroken\nnew\n")
	s.run("array.ftsh", "list", "results", "work", "with", "care").ends("1").says("broken\n")
	s.called("work", 10+3+1)
}

// TestExampleStage has disks to which cp is cut short, in silence or with an error, one that
// appears late, and one that never does.
func TestExampleStage(t *testing.T) {
	s := newScene(t, "sha256sum")
	s.file("data", strings.Repeat("0123456789abcdef", 10_000))
	var want []string
	for _, dir := range []string{"a", "b", "c", "d", "e", "f"} {
		s.must(os.Mkdir(s.dir+"/"+dir, 0o755))
		want = append(want, dir+"/data")
	}
	s.must(os.Mkdir(s.away+"/calls/under way", 0o755))
	s.standIn("cp", `mkdir "$CALLS/under way/$$"
		case $3 in late/*) mkdir -p late; esac
		if mkdir "$CALLS/$(dirname $3)" 2> /dev/null
		then head -c 1000 $2 > $3; [ ${3%/*} != c ]
		else $real "$@"
		fi
		status=$?
		ls "$CALLS/under way" | wc -l >> $CALLS/most
		rmdir "$CALLS/under way/$$"
		exit $status`)
	s.set("STAGE_LIMIT=15s", "STAGE_PARALLEL=3")
	p := s.run("stage.ftsh", "data", "a", "b", "c", "nowhere", "d", "e", "f", "late").ends("1").says("nowhere\n")
	p.complains("could not stage data to nowhere")
	for _, path := range append(want, "late/data") {
		s.holds(path, s.read("data"))
	}
	s.leaves(append(want, "late/data", "data")...)
	for _, most := range s.calls("most") {
		if strings.TrimSpace(most) > "3" {
			t.Errorf("%s copies were under way at the same time", most)
		}
	}
}
