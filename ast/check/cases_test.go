package check_test

import (
	"fmt"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/parser"
)

// cases show what the table's own scripts do not: what a rule finds, too, and
// what looks like a fault and is none. want is the codes found, in the order of their places.
var cases = []struct{ name, want, text string }{
	{"captured, looped over, declared", "",
		"ls -> files\nfor f in .lines. $files\n    echo $f\nend\nexport lang=C\necho $lang ${home:-x}"},
	{"asked for", "", "if .defined. proxy\n    echo $proxy\nend"},
	{"of the environment", "", "echo $HOME $MY_OWN_1 $http_proxy"},
	{"silent by option", "", "#!/usr/bin/ftsh --undefined=empty\necho $nothing"},
	{"read from a variable", "F101", "cat -< lsit"},
	{"a command that is none", "F101", "x=$(date)\necho $x"},
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

	{"around a function's call", "F103",
		"try for 1 minute\n    f\nend\nfunction f\n    try for 1 hour\n        make\n    end\nend"},
	{"catch is not under the limit", "",
		"try for 1 minute\n    make\ncatch\n    try for 1 hour\n        make\n    end\nend"},
	{"each of the outer", "F103", "try for 1 day each 10m\n    try for 1 hour\n        make\n    end\nend"},
	{"not written out", "", "limit=1m\ntry for $limit each 1 hour\n    make\nend"},
	{"summed up", "F103", "try for 1 hour 30 minutes each 5401 s\n    make\nend"},

	{"the same server, once", "F236", "forall n in 1 2\n    try 3 times each 1m\n        curl -f https://a.org/$n -O\n" +
		"        wget https://a.org/$n\n    end\nend"},
	{"in a function that a branch calls", "F236", "function f\n    try 3 times each 1m\n        wget https://a.org/$1\n" +
		"    end\nend\nforall n in 1 2\n    f $n\nend"},
	{"each branch another server", "", "forall h in a b\n    try for 1 hour\n        wget https://$h/x\n    end\nend"},
	{"one branch", "", "forall n in 1\n    try for 1 hour\n        wget https://a.org/x\n    end\nend"},
	{"a resource around", "", "resource net\n    slots 1\nend\ntry for 1 hour via net\n    forall n in 1 2\n" +
		"        try for 1 minute\n            wget https://a.org/$n\n        end\n    end\nend"},

	{"ranges", "F104", "for i in 1 .to. ten\n    echo $i\nend"},
	{"a status", "F104", "exit failed"},
	{"blanks around", "", "x=\" 7 \"\ny=$x .add. 1\necho $y"},
	{"perhaps a number", "", "x=none\nwc -l < list -> x\nif $x .gt. 3\n    echo $x\nend"},

	{"definitions after the end", "", "main\nexit 0\nfunction main\n    echo x\nend"},
	{"after all branches left", "F105", "if $# .eq. 0\n    exit 1\nelse\n    exit 2\nend\necho never"},
	{"after a loop for ever", "F105", "while true\n    sleep 1\nend\necho never"},
	{"after break", "F105", "while true\n    break\n    echo never\nend\necho reached"},
	{"a break of another loop", "F105", "while true\n    for i in 1 2\n        break\n    end\nend\necho never"},
	{"after a loop that break ends", "",
		"while true\n    if .exists. x\n        break\n    end\n    sleep 1\nend\necho reached"},
	{"after continue", "F105", "for i in 1 2\n    continue\n    echo never\nend"},
	{"a function named so", "", "function failure\n    echo $1\nend\nfailure x\necho y"},
	{"behind another branch", "", "if $# .eq. 0\n    exit 1\nend\necho more"},

	{"absent in a function that verify calls", "",
		"try 2 times\n    make\nverify\n    look\nend\nfunction look\n    absent\nend"},
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

	{"statuses that cannot be", "F109 F109 F109",
		"try 2 times only on 300 1 -1\n    make\nverify\n    look\nend\ntry 2 times unknown on 256 .to. 300 timeout\n" +
			"    make\nverify\n    look\nend"},
	{"statuses that may be", "", "none=0\ntry 2 times only on 0 .to. 5 $none 255 .to. 1000 lost\n    make\nend"},
	{"patterns that are none", "F109 F109",
		"if $HOME .matches. \"a(b\"\n    make\nend\ntry 2 times except on matching \"*\"\n    make\nend"},
	{"patterns of variables", "", "p=\"(\"\nif $HOME .matches. \"^$p)\" .or. $HOME .matches. (\"^a\")\n    make\nend"},

	{"a missing program", "F202", "crul x\ncrul y"},
	{"a program that is installed first", "", "apt-get install -y crul\ncrul x"},
	{"a program with an alternative", "", "try\n    crul x\ncatch\n    curl --fail x\nend"},
	{"two that use each other", "F108 F108",
		"resource a\n    sense\n        f\n    end\nend\nresource b\n    sense\n        try for 1s via a\n" +
			"            true\n        end\n    end\nend\nfunction f\n    try for 1s via b\n        true\n    end\nend"},

	{"an ignore without a reason", "F201 F203", "# check: ignore F203\ntry\n    make\nend"},
	{"such a text that is no comment", "", "echo '# check: ignore'"},

	{"a try that is asked for its key", "", "try\n    echo ${try.key}\nend"},
	{"a try with a redirection", "", "try\n    make\nend > out"},
	{"a forany's alternatives share a key", "",
		"forany h in a b\n    try 3 times key order\n        make $h\n    end\nend"},
	{"a key made in the loop", "", "for n in a b\n    k=order-$n\n    try 3 times key $k\n        make $n\n    end\nend"},
	{"a key in a while loop", "F205", "while true\n    try 3 times key order\n        make\n    end\nend"},

	{"one attempt", "", "try for 1 hour or 1 time\n    sbatch job.sh\nend"},
	{"a mail in catch", "", "try 3 times\n    make\ncatch\n    mail -s failed ann\nend"},
	{"a mail in a catch that is repeated", "F206",
		"try 3 times\n    try\n        make\n    catch\n        mail -s failed ann\n    end\nend"},
	{"a key of the other side", "",
		"try 3 times each 1 m\n    curl -f -H \"Idempotency-Key: ${try.key}\" -d x https://example.org/\nend"},
	{"a POST", "F206", "try 3 times each 1 m\n    curl -fsSX POST https://example.org/\nend"},
	{"a PUT", "", "try 3 times each 1 m\n    curl -f -X PUT -d x https://example.org/\nend"},
	{"an insert", "F206", "try 3 times each 1 m\n    mysql -e \"INSERT INTO runs VALUES (1)\"\nend"},
	{"a select", "", "try 3 times each 1 m\n    psql -c 'select * from runs'\nend"},
	{"named failures only", "", "try 3 times only on 75\n    sbatch job.sh\nend"},
	{"named failures that leave it open", "F206", "try 3 times only on 75 timeout\n    sbatch job.sh\nend"},

	{"curl in clusters", "", "try 3 times each 1 m\n    curl -sSfLo page https://example.org/\nend"},
	{"curl with options of the script", "", "try 3 times each 1 m\n    curl $CURL_OPTIONS https://example.org/\nend"},
	{"curl that looks itself", "", "try 3 times each 1 m\n    curl -s -w '%{http_code}' https://example.org/ -> " +
		"code\nend"},
	{"curl by ftp", "", "try 3 times each 1 m\n    curl -s ftp://example.org/x\nend"},
	{"curl whose answer is looked at", "",
		"try 3 times each 1 m\n    curl -s https://example.org/ -> state\n    if $state .ne. ready\n        failure\n " +
			"   end\nend"},
	{"curl in a pipeline", "", "try 3 times each 1 m\n    curl -s https://example.org/ | grep -q ready\nend"},
	{"a log of all output", "", "try 3 times\n    make > make.log\nend"},
	{"curl outside", "", "curl -s https://example.org/"},
	{"curl with no retries", "", "try 3 times each 1 m\n    curl -f --retry 0 https://example.org/\nend"},

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
	{"eats through a block", "F212", "while try read h\n    try 3 times each 1 m\n        ssh $h uptime\n    end\n" +
		"end < hosts"},
	{"a variable that read sets", "", "while try read -s : user rest\n    echo $user $rest\nend < /etc/passwd"},
	{"a key from read", "", "while try read n\n    try 3 times key order-$n\n        make\n    end\nend < list"},
	{"arguments that set makes", "", "function f\n    set -- a b\n    echo $2\nend\nf"},
	{"a redirection", "F211", "for f in *.c\n    wc -l < $f\nend"},

	{"builtins in a loop of jobs", "F213", "on slurm\n    for i in 1 2\n        echo $i\n        sleep 1\n    end\nend"},
	{"a builtin and a program", "", "on slurm\n    echo begun\n    make\nend"},
	{"a function that may run programs", "", "on slurm\n    f\nend\nfunction f\n    make\nend"},
	{"a builtin that stays here", "", "on here\n    sleep 1\nend"},
	{"silenced on its line", "F206",
		"try 3 times\n    sbatch a # check: ignore F206 because it is idle\n    sbatch b\nend"},
	{"silenced on the next line", "", "try 3 times\n    # check: ignore F206 because it is idle\n    sbatch a\nend"},
	{"silences what is not there", "F201", "make # check: ignore F206 because it is idle"},
	{"not on this machine", "", "make # check: ignore F202 because it is installed there"},

	{"arguments, items, what was read", "F215 F215 F235 F215 F215 F215 F215",
		"rm $1\nf=$2\nrm -rf $f/x\nfor g in \"$@\"\n    rm $g\nend\nfor g in .lines. $v\n    rm $g\nend\n" +
			"ls -> v\ncp $v x\nwhile try read a b\n    touch $a\n    touch $b\nend < l"},
	{"the environment", "F215", "rm -rf $DATA_ROOT/x $HOME/y $TMPDIR/z"},
	{"one word for sure", "", "hostname -> h\nn=3\nm=$n .add. 1\nfor i in 1 .to. 3\n    mkdir d.$i.$h.$m x$#\nend\n" +
		"for w in $list\n    rm $w\nend\nlist=\"a b\"\nfor w in a b\n    rm $w\nend"},
	{"lists that are meant", "", "options=\"-a -b\"\nfiles=\"a b\"\nrsync $options $files host:\nrm ${extra:-}\nextra=x"},
	{"programs that change nothing", "", "echo $1\nls $1\ngrep x $1"},
	{"through wrappers", "F215 F215", "sudo -u ann rm $1\nenv LANG=C timeout 5 /bin/rm $1"},
	{"in quotes, counted", "", "rm \"$1\" '$1' ${#PATH}\nsed s/a/b/ $1\nrm \"a $1\""},
	{"sed in place", "F215", "sed -i s/a/b/ $1"},

	{"the same file in branches", "F216 F216 F216",
		"forall h in a b\n    ssh -n $h x => r\n    ssh -n $h x > r\n    f $h\nend\nfunction f\n    ssh -n $1 y >& s\nend"},
	{"files of their own", "", "forall h in a b\n    ssh -n $h x => r.$h\n    k=$h\n    ssh -n $h x > r.$k\n    f $h\n" +
		"end\nfunction f\n    local o=out.$1\n    ssh -n $1 y > $o\n    make > /dev/null\nend"},
	{"the same name in folders of their own", "", "forall h in a b\n    cd $h\n    make > out\nend"},
	{"captured in a branch", "F217", "forall h in a b\n    ssh -n $h x -> out\nend\necho $out"},
	{"captured and used there", "", "forall h in a b\n    ssh -n $h x -> out\n    echo $out\nend\nmake -> out\necho $out"},
	{"read in a stage", "F217", "ls | read total\necho $total"},
	{"a function that is a stage", "F217", "function f\n    local x=1\n    total=$x\nend\nls | f\necho $total"},
	{"a stage that captures", "", "ls | wc -l -> total\necho $total"},
	{"set again", "", "forall h in a b\n    x=$h\n    echo $x\nend\nx=1\necho $x"},

	{"within a function that a try calls", "F206 F207 F208 F209",
		"try for 1 hour\n    f\nend\nfunction f\n    sbatch job\n    curl https://example.org/\n" +
			"    curl --fail --retry 3 https://example.org/\n    make > out\nend"},
	{"within a function that nobody repeats", "",
		"f\nfunction f\n    sbatch job\n    curl --retry 3 https://example.org/\n    make > out\nend"},
	{"within a function, verified", "", "try for 1 hour\n    f\nverify\n    look\nend\nfunction f\n    sbatch job\nend"},
	{"through wrappers, twice", "F206 F207 F208",
		"try 3 times each 1 m\n    env LANG=C nice -n 5 sbatch job\n    sudo /usr/bin/curl https://example.org/\n" +
			"    timeout -k 5 20 curl --fail --retry 3 https://example.org/\nend"},
	{"what is known of programs", "F206 F206 F206 F206 F206",
		"try 3 times each 1 m\n    git push\n    kubectl create -f x\n    aws sqs send-message --queue-url x\n    " +
			"useradd ann\n" +
			"    mkdir x\nend"},
	{"what does no harm", "", "try 3 times each 1 m\n    mkdir -p x\n" +
		"    psql -c 'insert into a values (1) on conflict do nothing'\n    curl --fail -G -d a=b https://example.org/\n" +
		"    git pull\nend"},
	{"branches through a function", "F210", "forall h in a b\n    f $h\nend\nfunction f\n    ssh -n $1 x >> report\nend"},
	{"a read loop through a function", "F212",
		"while try read h\n    f $h\nend < hosts\nfunction f\n    nice ssh $1 uptime\nend"},
	{"a function with an input of its own", "",
		"while try read h\n    f $h < /dev/null\nend < hosts\nfunction f\n    ssh $1 uptime\nend"},
	{"retries that fit into each", "",
		"try for 1 hour each 2 minutes\n    curl --fail --retry 3 --max-time 10 https://example.org/\nend"},
	{"retries that do not", "F208", "try for 1 hour each 20 s\n    curl --fail --retry 3 -m 10 https://example.org/\nend"},
	{"a file for each attempt", "", "try 3 times\n    make > out.${try.attempt}\nend"},
	{"asked whether it is there", "", "if try which crul > /dev/null\n    crul x\nend"},

	{"a limit that forbids", "F110 F110 F110 F110 F110",
		"try for 1 hour every 2 hours\n    make\nend\ntry for 10 s backoff fixed from 1 minute\n    make\nend\n" +
			"try for 1 hour backoff full from 10 minutes to 1 minute\n    make\nend\ntry 0 times\n    make\nend\n" +
			"try for 10 s\n    sleep 60\nend"},
	{"an every that allows one attempt", "F110", "try for 10 s every 10 s\n    make\nend"},
	{"limits that leave room", "", "try for 1 hour every 10 minutes\n    sleep 60\nend\ntry 5 times every 2 hours\n" +
		"    make\nend\ntry for 1 hour backoff full from 1 s to 1 minute\n    make\nend"},

	{"never defined", "F218 F218 F218",
		"echo ${try.attempt}\ntry 3 times\n    echo ${try.remaining}\nend\ntry\n    echo ${last.kind}\ncatch\n    make\nend"},
	{"behind a test, with a default, in a function", "",
		"try 3 times\n    if ${try.attempt} .gt. 1\n        echo ${last.kind}\n    end\n    echo ${last.kind:-none}\n" +
			"    f\nend\n" +
			"function f\n    echo ${try.attempt} ${last.kind}\nend\ntry for 1 hour\n    try 3 times\n        g\n    end\n" +
			"end\nfunction g\n    echo ${try.elapsed}\nend"},

	{"the wrong way round", "F219", "make 2>&1 >> log"},
	{"standard error alone into a pipe", "", "make 2>&1 > /dev/null | sort"},
	{"nothing into no pipe", "F219", "ls | sort 2>&1 > list"},
	{"names in single quotes", "F220", "name=x\nprintf '%s $name\\n' y"},
	{"dollars that are meant", "", "name=x\nawk '{print $name}' f\necho 'costs $5' '$unknown' \"\\$name\"\nmake $name"},
	{"a negated comparison", "F111 F111",
		"if .not. $a .eq. b\n    make\nend\na=1\nif .not. $a .matches. x\n    make\nend"},
	{"a negated test", "", "a=true\nif .not. $a .and. .not. .exists. x .or. .not. ($a .eq. b)\n    make\nend"},
	{"an empty catch with a comment", "F204", "try\n    make\ncatch\n    # never mind\nend"},

	{"a value that a local hides", "F101", "function f\n    local dir=/x\n    echo $dir\nend\nf\nrm \"$dir\""},
	{"a local and a variable of all", "", "dir=/y\nfunction f\n    local dir=/x\n    echo $dir\nend\nf\nrm \"$dir\""},
	{"after a function that never returns", "F105",
		"function die\n    echo $1\n    exit 1\nend\nif $# .eql. 0\n    die usage\n    echo more\nend"},
	{"after one that may return", "",
		"function die\n    if $1 .eq. x\n        return\n    end\n    exit 1\nend\ndie x\necho more"},
	{"text where a function counts", "F104 F224 F104", "function f\n    return $1 .add. 1\nend\nx=f(ten)\nf " +
		"eleven\necho $x"},
	{"text where it does not", "", "function f\n    shift\n    return $1 .add. 1\nend\nx=f(ten, 1)\ng ten 2\n" +
		"function g\n    x=$2 .add. 1\n    echo $1\nend\necho $x"},
	{"which attempt it is was asked before", "",
		"try 3 times\n    if ${try.attempt} .eql. 1\n        failure\n    end\n    echo ${last.kind}\nend"},

	{"a whole forall, by every way", "F222 F222 F222 F222",
		"forall h in a b\n    make $h\nend -> v\nforall h in a b\n    make $h\nend ->>& w\n" +
			"forall h in a b\n    make $h\nend => file\nfunction f\n    forall h in a b\n        make $h\n    end\nend\n" +
			"f | sort\necho $v$w"},
	{"grouped, one branch, elsewhere, the last stage", "",
		"forall h in a b .grouped.\n    make $h\nend -> v\nforall h in a\n    make $h\nend -> w\n" +
			"forall h in a b\n    make $h\nend > file\nfunction f\n    forall h in a b\n        make $h\n    end > other\n" +
			"end\nf | sort\n" +
			"function g\n    forall h in a b\n        make $h\n    end\nend\necho $v$w | g\nforall h in a b\n    make $h\n" +
			"end 2-> v\necho $v"},

	{"secrets by where they stand", "F221 F221 F221 F221 F221 F221 F221",
		"read a b c d e f g h i\ncurl --fail -u $a --proxy-user=x:$b -H \"X-Api-Key: $c\" https://example.org/\n" +
			"mysqldump --password=$d db\npsql \"host=x password=$e\"\nenv PGPASSWORD=$f psql\n" +
			"some-tool --token $g --user $h $i\necho \"Authorization: $a\""},
	{"secret, made of one, a name before its password, none", "",
		"cat file -> a\nsecret a\nb=\"Bearer $a\"\nuser=ann\n" +
			"curl --fail --user $user:$a -H \"Authorization: $b\" -H \"Authorization: $1\" https://example.org/\n" +
			"ssh --user $user host\ncurl --fail \"https://example.org/?token=x&page=$user\" --data token=x\nsort --key $user"},
	{"a library with a token", "", "function f\n    curl --fail --oauth2-bearer $token https://example.org/\nend"},

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

// TestTimed holds that a repeated download is a matter of many where cron or systemd starts the script.
func TestTimed(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		want      int
	}{
		{"", "nightly.ftsh", 0}, {"", "/etc/cron.daily/nightly", 1}, {"", "/etc/systemd/system/nightly.ftsh", 1},
		{"", "/home/ann/bin/nightly", 0}, {"/etc/cron.daily", "nightly", 1}, {"/etc", "cron.daily/nightly", 1},
		{"/etc/cron.daily", "/home/ann/bin/nightly", 0}, {"/etc/cron.daily", "../nightly", 0},
	} {
		text := "try for 1 hour\n    ssh host uptime\nend\n"
		file, err := parser.Parse(&ast.Source{Name: c.name, Text: text}, parser.Config{})
		if err != nil {
			t.Fatal(err)
		}
		known := config()
		known.Dir = c.dir
		found := check.Script(file, known)
		if len(found) != c.want || c.want > 0 && (found[0].Rule.Code != "F236" || found[0].Level != check.Note) {
			t.Errorf("%s in %q: found %s", c.name, c.dir, texts(found))
		}
	}
}

// TestTable holds, for each rule, in how many of the scripts above and of testdata it finds what it should,
// and in how many others it finds something. It prints the table: recall and precision over these scripts.
func TestTable(t *testing.T) {
	wanted, found, wrong := map[string]int{}, map[string]int{}, map[string]int{}
	judge := func(rule check.Rule, want []string, text string) {
		got := map[string]int{}
		for _, f := range findingsOf(t, rule, text) {
			got[f.Rule.Code]++
		}
		for _, code := range want {
			wanted[code]++
			if got[code] > 0 {
				found[code]++
				got[code]--
			}
		}
		for code, n := range got {
			wrong[code] += n
		}
	}
	for _, c := range cases {
		judge(check.Rule{}, strings.Fields(c.want), c.text)
	}
	scripts := examples(t)
	for _, r := range check.Rules() {
		judge(r, []string{r.Code}, scripts[r.Code].finds)
		judge(r, nil, scripts[r.Code].passes)
	}
	var table strings.Builder
	for _, r := range check.Rules() {
		fmt.Fprintf(&table, "%s wanted %d found %d besides %d\n", r.Code, wanted[r.Code], found[r.Code], wrong[r.Code])
		if wanted[r.Code] != found[r.Code] || wrong[r.Code] > 0 {
			t.Errorf("%s misses something, or finds what is right", r.Code)
		}
	}
	t.Log("\n" + table.String())
}
