package everywhere

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// A situation says where and how a script runs. The zero situation is the plain one.
type situation struct {
	name    string
	needs   func() string        // says why it cannot be here; nil: it can be everywhere
	wrap    func(*script) string // changes the text of the script
	options []string             // of the shell
	environ []string
	log     func(*place) []string // options of the log, instead of the usual ones; then there are no kinds to compare
	before  string                // what sh does first
	under   string                // a program that starts the shell
	// redirect is written behind the command; stdin is "file" or "pipe" where it is not what the script needs.
	redirect, stdin string
	asText, asInput bool // the script is given by -c, or on standard input
	onSlurm         bool // it needs a cluster
	prepare         func(*place)
	run             func(*place, *situation) string // returns the status; nil: from the beginning to the end
	not             []exception                     // scripts that cannot be there
}

// An exception says which scripts cannot be in a situation, and why.
type exception struct {
	tags []string
	why  string
}

var (
	topLevel = exception{[]string{"top", "syntax"},
		"`source` and `on start` stand at the top level only [10, 14]; what does not parse cannot be put into anything"}
	unparsed = exception{[]string{"syntax"}, "a script with a syntax error cannot be printed"}
	reading  = exception{[]string{"reads"}, "it reads standard input"}
	dying    = exception{[]string{"signals"},
		"it dies of a signal, which is not told as such by what stands between, or not at once in a `finally` [7]"}
	leaving = exception{[]string{"exit", "gives up"}, "written in a `finally` they are a syntax error [7]"}
	noJob   = exception{[]string{"mixed", "shares"},
		"a pipeline with a builtin or function in it, and a descriptor of the block around, cannot be a job's [16]"}
	notItsShell = exception{[]string{"signals"}, "the parent of a job's program is not the shell"}
	beside      = exception{[]string{"top"}, "what it sources lies beside its file"}
)

// situations are all of them.
func situations() []*situation {
	all := []*situation{{name: "plain again"}}
	for _, group := range [][]*situation{wrapped(), told(), streams(), limited(), elsewhere(), durable(), disturbed()} {
		all = append(all, group...)
	}
	return all
}

// wrapped are the situations within another statement.
func wrapped() []*situation {
	slurm, jobs := []string{"SLURM_CONF=" + os.Getenv("SLURM_CONF")}, []exception{noJob, notItsShell}
	all := []*situation{
		{name: "function", wrap: inFunction},
		{name: "first stage", wrap: firstStage},
		{name: "last stage", wrap: lastStage},
		{name: "to a file", wrap: toFile},
		{name: "captured", wrap: captured},
		{name: "forall of one", wrap: inForall},
		{name: "forany of one", wrap: inForany},
		{name: "for of one", wrap: inFor},
		{name: "hedge", wrap: inHedge},
		{name: "try", wrap: inTry},
		{name: "try with limits", wrap: inLimits},
		{name: "catch", wrap: inCatch},
		{name: "finally", wrap: inFinally, not: []exception{leaving, dying}},
		{name: "on here", wrap: inOn},
		{name: "on slurm", wrap: inSlurm, onSlurm: true, environ: slurm, not: jobs},
		{name: "on slurm, array", wrap: inArray, onSlurm: true, environ: slurm, not: jobs},
		{name: "on slurm, pilots", wrap: inPilots, onSlurm: true, environ: slurm, not: jobs},
		{name: "on start", wrap: inStart},
		{name: "slots 1", wrap: inSlot},
		{name: "else", wrap: inAlternated},
	}
	for _, sit := range all {
		sit.not = append(sit.not, topLevel)
	}
	return append(all, &situation{name: "sourced", prepare: func(p *place) {
		must(p, os.Rename(p.code("script.ftsh"), p.code("inner.ftsh")))
		p.put(p.code("script.ftsh"), "source inner.ftsh\n")
	}})
}

// told are the ways of giving the script, and of logging.
func told() []*situation {
	return []*situation{
		{name: "printed", prepare: rewrite("-p"), not: []exception{unparsed}},
		{name: "formatted", prepare: rewrite("--fmt"), not: []exception{unparsed}},
		{name: "-c", asText: true, not: []exception{beside}},
		{name: "standard input", asInput: true, not: []exception{beside, reading}},
		{name: "-l 40", log: func(*place) []string { return []string{"-l", "40"} }},
		{name: "-l 40 to a file", log: func(p *place) []string { return []string{"-l", "40", "-f", p.side("log")} }},
		{name: "-l 40 in JSON", log: func(p *place) []string {
			return []string{"-l", "40", "-f", p.side("log"), "--log-format", "json"}
		}},
		{name: "-l 0", log: func(*place) []string { return []string{"-l", "0"} }},
		{name: "--trace", options: []string{"--trace", "../side/trace"}},
		{name: "--seed", options: []string{"--seed", "7"}},
	}
}

// rewrite returns the preparation that replaces the script with what the shell makes of it.
func rewrite(option string) func(*place) {
	return func(p *place) {
		p.Helper()
		out, err := exec.Command(shelltest.Shell(p), option, p.code("script.ftsh")).Output()
		must(p, err)
		p.put(p.code("script.ftsh"), string(out))
	}
}

// streams are the situations in which standard streams are something else.
func streams() []*situation {
	return []*situation{
		{name: "stdin a file", stdin: "file"},
		{name: "stdin a pipe", stdin: "pipe"},
		{name: "stdin closed", redirect: "<&-", not: []exception{reading}},
		{name: "stdout closed", redirect: ">&-"},
		{name: "stdout full", redirect: ">/dev/full"},
		{name: "stdout closed, to a file", wrap: toFile, redirect: ">&-", not: []exception{topLevel}},
		{name: "stdout full, to a file", wrap: toFile, redirect: ">/dev/full", not: []exception{topLevel}},
		{name: "stderr closed", redirect: "2>&-"},
		{name: "stderr full", redirect: "2>/dev/full"},
		{name: "all closed", wrap: toFile, redirect: "<&- >&- 2>&-", not: []exception{topLevel, reading}},
	}
}

// limited are the situations in which something is scarce.
func limited() []*situation {
	return []*situation{
		{name: "ulimit -f", before: "ulimit -f 2000;"}, // a megabyte, for the log, too
		{name: "ulimit -n", before: "ulimit -n 64;"},
		{name: "ulimit -v", before: "ulimit -v 4000000;", needs: noRace},
		{name: "ulimit -c and -s", before: "ulimit -c 0; ulimit -s 1024;"},
		{name: "full TMPDIR", needs: namespaces,
			before: `mount -t tmpfs -o size=64k tmpfs "$TMPDIR"; head -c 200000 /dev/zero > "$TMPDIR/full" 2>/dev/null;`,
			under:  "", run: inMounts},
		{name: "TMPDIR missing", before: `TMPDIR=/nowhere;`},
		{name: "read-only TMPDIR", needs: namespaces, before: `mount -t tmpfs -o ro tmpfs "$TMPDIR";`, run: inMounts},
		{name: "little environment", before: "unset HOME TMPDIR LC_ALL TZ;"},
		{name: "signals ignored", before: "trap '' HUP INT;"},
		{name: "nice", under: "nice -n 5"},
	}
}

// elsewhere are the situations in other namespaces, and in another shell.
func elsewhere() []*situation {
	const clocks = "unshare --time --boottime 1000000 --monotonic 1000000 --fork"
	first := exception{[]string{"signals"}, "the first process of a PID namespace cannot die of a signal"}
	return []*situation{
		{name: "PID namespace", needs: namespaces, under: "unshare --pid --fork --mount-proc", not: []exception{first}},
		{name: "PID namespace, /proc of the outer one", needs: namespaces, under: "unshare --pid --fork",
			not: []exception{first}},
		{name: "time namespace", needs: namespaces, under: clocks},
		{name: "in ftsh", environ: []string{"FTSH_LOG_LEVEL=0"}, under: `"$FTSH" -c 'try for 1 hour; exec "$@"; end' ftsh`},
		{name: "background", run: inBackground, not: []exception{dying}},
	}
}

// namespaces says why there are no other namespaces here.
func namespaces() string {
	if os.Geteuid() != 0 {
		return "only root may make namespaces"
	}
	if out, err := exec.Command("unshare", "--pid", "--mount", "--time", "--fork", "true").CombinedOutput(); err != nil {
		return "there are no namespaces: " + strings.TrimSpace(string(out))
	}
	return ""
}

// noSlurm says why there is no cluster here. Starting one for each script takes longer than the script, so
// that all share one: FTSH_SLURM=required ../slurm/cluster go test -run TestOnSlurm.
func noSlurm() string {
	switch {
	case os.Getenv("FTSH_SLURM") != "required" || os.Getenv("SLURM_CONF") == "":
		return "it needs FTSH_SLURM=required and the cluster that testdata/slurm/cluster makes"
	case skip.UnderRace:
		return "jobs are slow with the race detector, and it finds nothing in them"
	}
	return ""
}

// noRace says why a shell with the race detector cannot be here.
func noRace() string {
	if skip.UnderRace {
		return "the race detector takes memory without end"
	}
	return ""
}

// start lays the script down as the situation wants it.
func (p *place) start(sit *situation) {
	p.Helper()
	text := p.script.text
	if sit.wrap != nil {
		text = sit.wrap(p.script)
	}
	p.put(p.code("script.ftsh"), text)
	if sit.prepare != nil {
		sit.prepare(p)
	}
}

// runIn runs the script in a situation and tells what it did.
func (p *place) runIn(sit *situation) outcome {
	p.Helper()
	p.start(sit)
	run := sit.run
	if run == nil {
		run = (*place).runThrough
	}
	status := run(p, sit)
	defer p.checkTidy()
	return p.observe(sit, status)
}

// runThrough runs the shell from its beginning to its end.
func (p *place) runThrough(sit *situation) string {
	p.Helper()
	c := p.command(sit)
	must(p, c.Start())
	return p.end(c)
}

// inMounts runs it with mounts of its own.
func inMounts(p *place, sit *situation) string {
	p.Helper()
	c := p.command(sit)
	c.Args = append([]string{"unshare", "--mount"}, c.Args...)
	path, err := exec.LookPath("unshare")
	must(p, err)
	c.Path = path
	must(p, c.Start())
	return p.end(c)
}

// inBackground runs it as sh runs programs in the background: without SIGINT, and without a terminal.
func inBackground(p *place, sit *situation) string {
	p.Helper()
	c := p.command(sit)
	c.Args = append([]string{"sh", "-c", `"$@" < ` + filepath.Clean(c.Stdin.(*os.File).Name()) + ` & wait $!`, "sh"},
		c.Args...)
	must(p, c.Start())
	return p.end(c)
}
