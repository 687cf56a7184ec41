package everywhere

import (
	"os"
	"os/exec"
	"testing"
)

// An example is one of examples/ with what it is given. The stand-ins lie in its folder, which comes first in PATH.
type example struct {
	args    string
	environ []string
	files   map[string]string
}

// mirror stands in for curl: of the names in a URL, bad fails, and all else is there.
const mirror = `#!/bin/sh
url= out=/dev/stdout head=/dev/null
while [ $# -gt 0 ]; do
    case $1 in
    --output) out=$2; shift ;;
    --dump-header) head=$2; shift ;;
    -*) ;;
    *) url=$1 ;;
    esac
    shift
done
case $url in
*bad*) echo 'HTTP/1.1 404 Not Found' > $head; exit 22 ;;
esac
echo 'HTTP/1.1 200 OK' > $head
echo '{"status": "succeeded"}' > $out
`

var examples = map[string]example{
	"anyhost": {args: "'one two' uptime", files: map[string]string{
		"ssh": "#!/bin/sh\ntest $5 = two || exit 255\necho $5 is up\n",
	}},
	"api": {args: "http://good/answer", files: map[string]string{"curl": mirror}},
	"array": {args: `list results sh -c 'echo "$0" done; test "$0" != bad'`,
		files: map[string]string{"list": "a\nbad\nc\n"}},
	"cron":  {args: "1h sh -c 'echo broken; exit 3'", environ: []string{"CRON_WAIT=1ms"}},
	"fetch": {args: "page http://bad/page http://good/page", files: map[string]string{"curl": mirror}},
	"inbox": {args: "in grep -c x", environ: []string{"INBOX_POLL=once"},
		files: map[string]string{"in/a": "x\n", "in/b": "y\n"}},
	"lock": {args: "held echo inside"},
	"migrate": {args: "steps state", files: map[string]string{
		"steps/001-create": "#!/bin/sh\necho created\n", "steps/010-fill": "#!/bin/sh\nseq 3\n",
	}},
	"rollout":  {args: "http://HOST/ready 'one two' echo changed", files: map[string]string{"curl": "#!/bin/sh\n"}},
	"options":  {args: "-n --name=x -- 'a b' c"},
	"poll":     {args: "http://good/job", files: map[string]string{"curl": mirror}},
	"scratch":  {args: "disk 1 result seq 3", files: map[string]string{"disk/other": ""}},
	"stage":    {args: "file one two", files: map[string]string{"file": "text\n", "one/other": "", "two/other": ""}},
	"wait_for": {args: "here echo all up", files: map[string]string{"here": ""}},
}

// examplesNotHere names the other examples, with the reason.
var examplesNotHere = map[string]string{
	"align":      "it needs a cluster",
	"backup":     "it names what it writes after the time",
	"compress":   "it may be without xz, and takes a second with it",
	"dump":       "what gzip writes depends on the time",
	"once":       "it becomes another shell, which holds a lock of this user",
	"queue":      "what it has taken when it is killed is for a person to look at",
	"quickstart": "it takes seconds, and works in a folder with a random name",
}

// readExamples returns the examples, whose waits between attempts are short.
func readExamples(t testing.TB) (scripts []*script) {
	t.Helper()
	for _, path := range glob(t, "../../examples/*.ftsh") {
		name := nameOf(path, ".ftsh")
		e, known := examples[name]
		if !known {
			if examplesNotHere[name] == "" {
				t.Errorf("nobody says what the example %s is given here, or why it is not", name)
			}
			continue
		}
		if _, err := exec.LookPath("jq"); err != nil && name == "poll" {
			continue
		}
		text, err := os.ReadFile(path)
		must(t, err)
		files := e.files
		if files == nil {
			files = map[string]string{}
		}
		scripts = append(scripts, &script{name: "example_" + name, text: string(text), args: e.args,
			environ: append(e.environ, "FTSH_EXPMIN=0.001"), files: files, tags: map[string]bool{}})
	}
	return scripts
}
