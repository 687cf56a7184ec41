package check_test

import (
	"strings"
	"testing"

	"ftsh/ast/check"
)

// cases are what the table's own scripts do not show: what a rule finds, too, and
// what looks like a fault and is none. want is the codes found, in the order of their places.
var cases = []struct{ name, want, text string }{
	{"captured, looped over, declared", "", "ls -> files\nfor f in .lines. $files\n    echo $f\nend\nexport lang=C\necho $lang ${home:-x}"},
	{"asked for", "", "if .defined. proxy\n    echo $proxy\nend"},
	{"of the environment", "", "echo $HOME $MY_OWN_1 $http_proxy"},
	{"silent by option", "", "#!/usr/bin/ftsh --undefined=empty\necho $nothing"},
	{"read from a variable", "F101", "cat -< lsit"},
	{"a library", "", "function show\n    echo $dir\nend"},
	{"the shell's own without braces", "F101", "try 2 times\n    echo $try.attempt\nend"},
	{"in a default", "F101", "x=1\necho ${y:-$z} $x\ny="},

	{"as many as may be", "", "function f\n    echo \"$@\"\nend\nf 1 2 3"},
	{"shifted", "", "function f\n    shift 2\n    echo $1\nend\nf 1 2 3"},
	{"too few", "F102", "function f\n    echo $1 $2\nend\nf 1"},
	{"in an expression", "F102", "function f\n    return $1\nend\nx=f(1, 2)\necho $x"},
	{"perhaps enough", "", "function f\n    echo $1 $2\nend\nx=\"a b\"\nf $x"},
	{"only sometimes read", "", "function f\n    if $1 .eq. x\n        echo $2\n    end\nend\nf y"},
	{"read after it may have left", "", "function f\n    if $1 .eq. x\n        return\n    end\n    echo $2\nend\nf x"},
	{"with a default", "", "function f\n    echo ${1:-none}\nend\nf"},

	{"around a function's call", "", "try for 1 minute\n    f\nend\nfunction f\n    try for 1 hour\n        make\n    end\nend"},
	{"catch is not under the limit", "", "try for 1 minute\n    make\ncatch\n    try for 1 hour\n        make\n    end\nend"},
	{"each of the outer", "F103", "try for 1 day each 10m\n    try for 1 hour\n        make\n    end\nend"},
	{"not written out", "", "limit=1m\ntry for $limit each 1 hour\n    make\nend"},
	{"summed up", "F103", "try for 1 hour 30 minutes each 5401 s\n    make\nend"},

	{"ranges", "F104", "for i in 1 .to. ten\n    echo $i\nend"},
	{"a status", "F104", "exit failed"},
	{"blanks around", "", "x=\" 7 \"\ny=$x .add. 1\necho $y"},
	{"perhaps a number", "", "x=none\nwc -l < list -> x\nif $x .gt. 3\n    echo $x\nend"},

	{"definitions after the end", "", "main\nexit 0\nfunction main\n    echo x\nend"},
	{"after all branches left", "F105", "if $# .eq. 0\n    exit 1\nelse\n    exit 2\nend\necho never"},
	{"after a loop for ever", "F105", "while true\n    sleep 1\nend\necho never"},
	{"after break", "F105", "while true\n    break\n    echo never\nend\necho reached"},
	{"a break of another loop", "F105", "while true\n    for i in 1 2\n        break\n    end\nend\necho never"},
	{"after a loop that break ends", "", "while true\n    if .exists. x\n        break\n    end\n    sleep 1\nend\necho reached"},
	{"after continue", "F105", "for i in 1 2\n    continue\n    echo never\nend"},
	{"a function named so", "", "function failure\n    echo $1\nend\nfailure x\necho y"},
	{"behind another branch", "", "if $# .eq. 0\n    exit 1\nend\necho more"},

	{"absent in a function that verify calls", "", "try 2 times\n    make\nverify\n    look\nend\nfunction look\n    absent\nend"},
	{"absent in a function that others call", "F106", "look\nfunction look\n    absent\nend"},
	{"absent in a function for others", "", "function look\n    absent\nend"},

	{"in and out", "F107", "tr a b < \"$HOME/x\" > $HOME/x"},
	{"a pipeline", "F107", "cat names | sort > names"},
	{"the same text to a device", "", "cat /dev/null > /dev/null"},
	{"a pattern of that name", "", "grep errors messages > errors\nawk x y > x"},
	{"a file after the pattern", "F107", "grep -v x list > list"},
	{"sets of characters", "", "tr a b > b"},
	{"only written", "", "echo names > names"},
	{"a block", "F107", "for i in 1 2\n    cat\nend < list > list"},

	{"statuses that cannot be", "F109 F109 F109", "try 2 times only on 300 1 -1\n    make\nverify\n    look\nend\ntry 2 times unknown on 256 .to. 300 timeout\n    make\nverify\n    look\nend"},
	{"statuses that may be", "", "none=0\ntry 2 times only on 0 .to. 5 $none 255 .to. 1000 lost\n    make\nend"},
	{"patterns that are none", "F109 F109", "if $HOME .matches. \"a(b\"\n    make\nend\ntry 2 times except on matching \"*\"\n    make\nend"},
	{"patterns of variables", "", "p=\"(\"\nif $HOME .matches. \"^$p)\" .or. $HOME .matches. (\"^a\")\n    make\nend"},

	{"a missing program", "F202", "crul x\ncrul y"},
	{"a program that is installed first", "", "apt-get install -y crul\ncrul x"},
	{"a program with an alternative", "", "try\n    crul x\ncatch\n    curl --fail x\nend"},
	{"two that use each other", "F108 F108", "resource a\n    sense\n        f\n    end\nend\nresource b\n    sense\n        try for 1s via a\n            true\n        end\n    end\nend\nfunction f\n    try for 1s via b\n        true\n    end\nend"},

	{"an ignore without a reason", "F201 F203", "# check: ignore F203\ntry\n    make\nend"},
	{"such a text that is no comment", "", "echo '# check: ignore'"},

	{"a try that is asked for its key", "", "try\n    echo ${try.key}\nend"},
	{"a try with a redirection", "", "try\n    make\nend > out"},
	{"a forany's alternatives share a key", "", "forany h in a b\n    try 3 times key order\n        make $h\n    end\nend"},
	{"a key made in the loop", "", "for n in a b\n    k=order-$n\n    try 3 times key $k\n        make $n\n    end\nend"},
	{"a key in a while loop", "F205", "while true\n    try 3 times key order\n        make\n    end\nend"},

	{"one attempt", "", "try for 1 hour or 1 time\n    sbatch job.sh\nend"},
	{"a mail in catch", "", "try 3 times\n    make\ncatch\n    mail -s failed ann\nend"},
	{"a mail in a catch that is repeated", "F206", "try 3 times\n    try\n        make\n    catch\n        mail -s failed ann\n    end\nend"},
	{"a key of the other side", "", "try 3 times\n    curl -f -H \"Idempotency-Key: ${try.key}\" -d x https://example.org/\nend"},
	{"a POST", "F206", "try 3 times\n    curl -fsSX POST https://example.org/\nend"},
	{"a PUT", "", "try 3 times\n    curl -f -X PUT -d x https://example.org/\nend"},
	{"an insert", "F206", "try 3 times\n    mysql -e \"INSERT INTO runs VALUES (1)\"\nend"},
	{"a select", "", "try 3 times\n    psql -c 'select * from runs'\nend"},
	{"named failures only", "", "try 3 times only on 75\n    sbatch job.sh\nend"},
	{"named failures that leave it open", "F206", "try 3 times only on 75 timeout\n    sbatch job.sh\nend"},

	{"curl in clusters", "", "try 3 times\n    curl -sSfLo page https://example.org/\nend"},
	{"curl with options of the script", "", "try 3 times\n    curl $CURL_OPTIONS https://example.org/\nend"},
	{"curl that looks itself", "", "try 3 times\n    curl -s -w '%{http_code}' https://example.org/ -> code\nend"},
	{"curl by ftp", "", "try 3 times\n    curl -s ftp://example.org/x\nend"},
	{"curl whose answer is looked at", "", "try 3 times\n    curl -s https://example.org/ -> state\n    if $state .ne. ready\n        failure\n    end\nend"},
	{"curl in a pipeline", "", "try 3 times\n    curl -s https://example.org/ | grep -q ready\nend"},
	{"a log of all output", "", "try 3 times\n    make > make.log\nend"},
	{"curl outside", "", "curl -s https://example.org/"},
	{"curl with no retries", "", "try 3 times\n    curl -f --retry 0 https://example.org/\nend"},

	{"a log", "", "try 3 times\n    make 2> errors\nend"},
	{"on the try", "", "try 3 times\n    make\nend > out"},
	{"a builtin's", "", "try 3 times\n    echo started > state\n    make\nend"},
	{"used again", "", "try 3 times\n    make > part\n    grep -q done part\nend"},

	{"branches with files of their own", "", "forall h in a b\n    ssh $h uptime >> $h.log\nend"},
	{"lines of a builtin", "", "forall h in a b\n    echo $h >> done\nend"},

	{"names in a message", "", "for f in *.c\n    echo $f\nend"},
	{"words that are no names", "", "for h in a b\n    ssh $h uptime\nend"},
	{"reads another descriptor", "", "while try read h <&3\n    ssh $h uptime\nend 3< hosts"},
	{"has another input", "", "while try read h\n    echo x | ssh $h cat\n    ssh -n $h uptime\nend < hosts"},
	{"eats through a block", "F212", "while try read h\n    try 3 times\n        ssh $h uptime\n    end\nend < hosts"},
	{"a variable that read sets", "", "while try read -s : user rest\n    echo $user $rest\nend < /etc/passwd"},
	{"a key from read", "", "while try read n\n    try 3 times key order-$n\n        make\n    end\nend < list"},
	{"arguments that set makes", "", "function f\n    set -- a b\n    echo $2\nend\nf"},
	{"a redirection", "F211", "for f in *.c\n    wc -l < $f\nend"},

	{"builtins in a loop of jobs", "F213", "on slurm\n    for i in 1 2\n        echo $i\n        sleep 1\n    end\nend"},
	{"a builtin and a program", "", "on slurm\n    echo begun\n    make\nend"},
	{"a function that may run programs", "", "on slurm\n    f\nend\nfunction f\n    make\nend"},
	{"a builtin that stays here", "", "on here\n    sleep 1\nend"},
	{"dots missing", "F214 F214 F214", "forall h in a b .keepgoing pilots. 3 .to\n    ssh $h uptime\nend"},
	{"meant as an item", "", "for h in \".limit\" limit .profile a.to\n    make $h\nend"},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := findings(t, c.text)
			var codes []string
			for _, f := range found {
				codes = append(codes, f.Rule.Code)
			}
			if got := strings.Join(codes, " "); got != c.want {
				t.Errorf("%s\nfound %q, want %q:\n%s", c.text, got, c.want, texts(found))
			}
		})
	}
}

// TestSourced holds that what stands in a sourced file is found there, once, and
// counts for the script.
func TestSourced(t *testing.T) {
	files := map[string]string{
		"a.ftsh": "source b.ftsh\nname=a\nfunction f\n    echo $1 $nmae\nend\n",
		"b.ftsh": "other=b\n",
	}
	found := check.Script(parse(t, "source a.ftsh\nsource b.ftsh\nf $name$other\n", files), config())
	if len(found) != 1 || found[0].Pos.String() != "a.ftsh:4:13" {
		t.Errorf("found %s", texts(found))
	}
}
