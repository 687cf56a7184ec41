# What the disasters use. Each runs in a copy of its row's folder; $tool is the name of the tool, and of its script.
set -u
trap 'exit 99' ERR # a disaster that does not go as planned has no verdict
set -E

# fact NAME VALUE tells what happened:
#   status   how the tool ended
#   whole    yes or no: what the script is for is there, and nothing else in its place
#   lost     how many things are missing that ought to be there
#   twice    how many things were done more than once
#   late     yes: a limit was not kept
#   told     yes: a secret was told
#   took     milliseconds of the tool, summed up
fact() { echo "$1 $2" >>"$FACTS"; }

now() { date +%s%3N; }

# begin starts the tool's script; its process is $pid.
begin() {
    begun=$(now)
    "./$tool" "$@" >>said 2>>complaints </dev/null &
    pid=$!
}

# finish waits for it.
finish() {
    status=0
    wait "$pid" || status=$?
    fact took $(($(now) - begun))
    fact status "$status"
}

# run does both.
run() {
    begin "$@"
    finish
}

# again starts a script once more; where the tool refuses, as its manual says.
again() {
    run
    if [ "$status" != 0 ] && [ -e "$tool.again" ]; then
        status=0
        "./$tool.again" >>said 2>>complaints </dev/null || status=$?
        fact status "$status"
    fi
}

# kill9 kills the tool where it is, and only it.
kill9() {
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
}

# await COMMAND waits until it succeeds; the harness ends what never comes.
await() { until "$@" 2>/dev/null; do sleep 0.02; done; }

# count PATTERN FILE is how many lines match.
count() { grep -c -e "$1" "$2" 2>/dev/null || true; }

# alive FILE: the process whose number stands there has not ended.
alive() { grep -q '^State:.[^ZX]' "/proc/$(cat "$1")/status" 2>/dev/null; }

# same FILE TEXT: yes if that is what the file holds, else no.
same() { if [ "$(cat "$1" 2>/dev/null)" = "$2" ]; then echo yes; else echo no; fi; }

# end_all kills whatever the tool has left, as when the power fails: orphans come to the harness, our parent.
end_all() {
    local left
    while left=$(pgrep --runstates D,R,S,T -P "$PPID" | grep -vx "$$"); do
        kill -9 $left 2>/dev/null || true
        sleep 0.02
    done
}
