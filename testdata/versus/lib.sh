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

# begin starts the tool's script; its process is $pid. With $limit it has so many seconds.
begin() {
    begun=$(now)
    ${limit:+timeout -k 5 "$limit"} "./$tool" "$@" >>said 2>>complaints </dev/null 7<&- 8>&- &
    pid=$!
}

# finish waits for it.
finish() {
    status=0
    wait "$pid" || status=$?
    fact took $(($(now) - begun))
    fact status "$status"
    if [ -n "${limit-}" ] && [[ $status = 124 || $status = 137 ]]; then # nothing follows
        fact late yes
        exit
    fi
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
        begun=$(now)
        ${limit:+timeout -k 5 "$limit"} "./$tool.again" >>said 2>>complaints </dev/null 7<&- 8>&- &
        pid=$!
        finish
    fi
}

# kill9 kills the tool where it is, and only it.
kill9() {
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
}

# await COMMAND waits until it succeeds; if the tool ends before, all fails.
await() {
    until "$@" 2>/dev/null; do
        grep -q '^State:.[^ZX]' "/proc/$pid/status"
        sleep 0.02
    done
}

# count PATTERN FILE is how many lines match.
count() { if [ -e "$2" ]; then grep -c -e "$1" "$2" || true; else echo 0; fi; }

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

# settle waits until all that the tool has left has ended by itself.
settle() {
    while pgrep --runstates D,R,S,T -P "$PPID" | grep -vxq "$$"; do sleep 0.05; done
}

# private begins anew where mounts are ours alone.
private() {
    [ -n "${PRIVATE-}" ] || PRIVATE=1 exec unshare -m bash -c '. "$0"; tool=$1; . ./disaster' "$0" "$tool"
}

# disk FOLDER makes it a disk of 1 MB.
disk() {
    mkdir "$1"
    mount -t tmpfs -o size=1m,mode=700 none "$1"
}

# fill FOLDER takes what room its disk has.
fill() { head -c 2000000 /dev/zero >"$1/fill" 2>/dev/null || true; }

# once N…: each of these stands once as `ended N` in the ledger.
once() {
    touch ledger
    fact lost "$(comm -23 <(printf 'ended %s\n' "$@" | sort) <(sort -u ledger) | wc -l)"
    fact twice "$(comm -12 <(printf 'ended %s\n' "$@" | sort) <(sort ledger | uniq -d) | wc -l)"
}

# serve KIND starts the server of that kind on loopback: its address is $url, its process $server.
serve() {
    mkfifo port
    python3 "${0%/*}/server.py" "$1" >port 2>>complaints &
    server=$!
    read -r port <port
    export url=http://127.0.0.1:$port
}

# cluster [S] starts a private Slurm cluster, whose programs wait S seconds (10, as usual) for an answer; it ends with
# the disaster. control METHOD does something to it (see there).
cluster() {
    coproc CLUSTER { CLUSTER_TIMEOUT=${1:-10} exec "${0%/*}/../slurm/cluster" --serve 2>>complaints; }
    keeper=$CLUSTER_PID
    exec 7<&"${CLUSTER[0]}"- 8>&"${CLUSTER[1]}"-
    trap 'exec 8>&-; wait $keeper 2>/dev/null || true' EXIT
    read -r SLURM_CONF <&7
    export SLURM_CONF FTSH_JOBS=$PWD/jobs
    mkdir -m 700 jobs
}
control() {
    echo "$1" >&8
    read -r _ <&7
}

# over waits until no job is in the queue any more.
over() { while [ -n "$(squeue -h)" ]; do sleep 0.5; done; }

# ran N…: each of these stands once as `begun N` in the ledger. If all do, the work is done, and not to say so is an
# alarm.
ran() {
    if [ -e ledger ]; then sed -i 's/^begun/ended/' ledger; fi
    once "$@"
    if [ "$(sort -u ledger 2>/dev/null | wc -l)" = $# ]; then fact whole yes; fi
}
