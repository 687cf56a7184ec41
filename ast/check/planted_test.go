package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// planted are scripts with a mistake that loses data, or hides that it was lost, each with the code that finds it.
var planted = []struct{ name, want, text string }{
	// words that are split on their way to a program that changes files
	{"arguments put together", "F215", "for f in \"$@\"\n    set -- \"$@\" $f\nend\nrm -f \"$@\""},
	{"a list that grows", "F215", "old=\nfor f in *.log\n    old=\"$old $f\"\nend\nrm $old"},
	{"a list that grows by arguments", "F215", "list=\nfor f in \"$@\"\n    list=\"$list $f\"\nend\ntar -cf " +
		"all.tar $list"},
	{"a copy of an item", "F215", "for f in *.jpg\n    x=$f\n    rm $x\nend"},
	{"a copy of a copy", "F215", "while try read line\n    x=$line\n    y=$x\n    mv $y done/\nend < list"},
	{"arguments without quotes", "F215", "for f in $@\n    rm \"$f\"\nend"},
	{"arguments joined", "F215", "for f in $*\n    mv \"$f\" old/\nend"},
	{"captured names", "F215", "ls photos -> names\nfor n in $names\n    rm \"photos/$n\"\nend"},
	{"names read from a file", "F215", "read names < list\nfor n in $names\n    gzip \"$n\"\nend"},
	{"a line for a function", "F215",
		"while try read line\n    drop $line\nend < list\nfunction drop\n    rm \"$1\"\nend"},
	{"an item for a function", "F215", "for f in .lines. $all\n    keep $f\nend\nls -> all\n" +
		"function keep\n    local name=$1\n    cp \"$name\" kept/\nend"},
	{"an argument of a function that hands it on", "F215",
		"function outer\n    inner \"$1\"\nend\nfunction inner\n    rm -f \"$1\"\nend\nx=\"a b\"\nouter $x"},
	{"captured names for rm", "F215", "find . -name core -> files\nrm -f $files"},
	{"arguments in a variable", "F215", "all=$*\nfor f in $all\n    rm \"$f\"\nend"},
	{"find", "F215", "dir=$1\nfind $dir -name core -delete"},
	{"git rm", "F215", "for f in \"$@\"\n    git rm $f\nend"},
	{"dd", "F215", "read disk < choice\ndd if=image of=$disk"},
	{"mkfs", "F215", "mkfs.ext4 $1"},
	{"rsync", "F215", "rsync -a $1 host:backup/"},
	{"a command's output in a variable", "F215", "x=${ cat name }\nrm $x"},
	{"a command's output in a local", "F215", "function f\n    local n=\"${ cat name }\"\n    rm $n\nend\nf"},
	{"a command's output in an exported variable", "F215", "export N=a.${ cat name }\nmv $N old/"},
	{"a list in a command's output", "F215", "names=${ ls }\nfor n in $names\n    rm \"$n\"\nend"},
	{"a command's output as a list", "F215", "for n in ${ ls }\n    rm \"$n\"\nend"},
	{"a command's output as one item", "F215", "for n in \"${ cat name }\"\n    rm $n\nend"},
	{"what a function returns", "F215", "function newest\n    return ${ ls -t | head -n 1 }\nend\nx=newest()\nrm $x"},
	{"a copy of a copy of an item", "F215",
		"ls -> names\nfor n in $names\n    x=$n\n    y=$x\n    rm \"$y\"\nend"},
	{"a line through three functions", "F215", "function a\n    b \"$1\"\nend\nfunction b\n    c \"$1\"\nend\n" +
		"function c\n    rm \"$1\"\nend\nwhile try read line\n    a $line\nend < list"},
	{"a name that is not called like options", "F215", "export TARGET=$1\nrm -r $TARGET"},
	{"arguments in one value", "F215", "dirs=\"$1 $2\"\nrm -rf $dirs"},
	{"asked for, then another", "F215", "read x < conf\nif $x .ne. a\n    exit 2\nend\nread x < other\nrm $x"},
	{"asked for in another branch", "F215", "if $1 .eq. a\n    echo a\nelse\n    touch $1\nend"},
	{"a when that leaves nothing known", "F215", "case $1\nwhen start\n    echo\nwhen *\n    echo\nend\ntouch $1"},
	{"a pattern that blanks match", "F215", "if $1 .matches. x\n    touch $1\nend"},
	{"an argument behind others", "F215", "put \"$@\" a\nfunction put\n    rm $1\nend"},
	{"an argument that one call of two gives", "F215", "put a\nput \"$1\"\nfunction put\n    rm $1\nend"},
	{"an argument of a function that shifts", "F215", "put a \"b c\"\nfunction put\n    shift\n    rm $1\nend"},
	{"times of a file", "F215", "stat -c %y f -> s\nmv f f.$s"},
	{"printed text", "F215", "printf '%s' \"$1\" -> s\nmv f f.$s"},
	{"the top of a repository", "F215", "git rev-parse --show-toplevel -> t\nmv $t/x /tmp"},
	{"the top of a repository in the word", "F215", "rm -rf ${ git rev-parse --show-toplevel }/x"},
	{"an argument that is called files", "F215", "files=$1\nrm -f $files"},
	{"an argument that is called a list", "F215", "function f\n    local list=${1:-x}\n    rm $list\nend\nf \"$1\""},
	{"an item that is called files", "F215", "for files in \"$@\"\n    rm $files\nend"},
	{"the script's folder", "F215", "cp ${script.dir}/a b"},

	// other shells
	{"a pipe in sh -c", "F226", "sh -c 'pg_dump db | gzip > db.gz'"},
	{"steps in sh -c", "F226", "bash -c 'make; make install'"},
	{"a folder that is not there", "F226", "sh -c \"cd $HOME/build; rm -rf out\""},
	{"a pipe on another host", "F226", "ssh -n host 'tar cf - data | gzip > data.tgz'"},
	{"a folder of a value on another host", "F226", "ssh -n host \"cd $HOME/x; rm -rf out\""},
	{"steps in a container", "F226", "docker exec app sh -c 'migrate up; reload'"},
	{"steps in a new container", "F226", "docker run --rm image sh -c 'migrate up; reload'"},
	{"steps in a pod", "F226", "kubectl exec app -- sh -c 'migrate up; reload'"},
	{"steps of xargs with a place for names", "F226", "xargs -I {} sh -c 'convert {} out.png; rm {}' < list"},
	{"values in a pipe of another shell", "F226", "sh -c 'dump \"${DB}\" $(date +%F) | gzip > x'"},
	{"steps of xargs", "F226", "xargs -n 1 sh -c 'convert \"$0\" out.png; rm \"$0\"' < list"},
	{"steps of find", "F226", "find . -name x -exec sh -c 'convert \"$0\"; rm \"$0\"' {} +"},
	{"steps of a job", "F226", "srun -n 1 bash -lc 'module load x; work'"},
	{"through sudo and timeout", "F226", "sudo timeout 60 bash -c 'fetch | load'"},
	{"a job in another shell", "F206", "try 3 times\n    sh -c 'sbatch job.sh'\nend"},
	{"a POST in a container", "F206",
		"try 3 times each 1 m\n    docker exec app curl --fail -d x https://example.org/\nend"},
	{"a mail on another host", "F206", "try for 1 hour\n    ssh -n host 'mail -s done ann < report'\nend"},

	// what a function runs
	{"a job through a function", "F206",
		"function retry\n    try 3 times\n        \"$@\"\n    end\nend\nretry sbatch job.sh"},
	{"a program that hangs through a function", "F233",
		"function retry\n    n=$1\n    shift\n    try $n times\n        env LANG=C \"$@\"\n    end\nend\n" +
			"retry 3 ssh -n host uptime"},
	{"a text of another shell through a function", "F226", "function run\n    \"$@\"\nend\nrun sh -c 'dump | load'"},

	// what a try repeats
	{"a folder made first", "F206", "try 3 times\n    mkdir work\n    make -C work\nend"},
	{"a page in a command's output", "F207", "try for 1 hour\n    page=${ curl -s https://example.org/ }\nend"},
	{"rows appended", "F229", "try 3 times\n    query orders >> orders.csv\nend"},
	{"rows appended in a loop", "F229",
		"for d in mon tue\n    try 5 times\n        query $d >> week.csv\n    end\nend"},
	{"rows appended by tee", "F229", "try 3 times\n    query | tee -a rows\nend"},
	{"rows appended in another shell", "F229", "try 3 times\n    sh -c 'query >> rows.csv'\nend"},
	{"rows appended to what was begun before the try", "F229",
		"echo h > o\ntry 3 times\n    query >> o\nend"},
	{"rows appended to what an outer attempt begins", "F229",
		"try 3 times\n    echo h > o\n    try 3 times\n        query >> o\n    end\nend"},
	{"rows appended to what is begun where it is not there", "F229",
		"try 3 times\n    if .not. .exists. o\n        echo h > o\n    end\n    query >> o\nend"},
	{"rows appended to what is copied before", "F229", "try 3 times\n    cp o o.bak\n    query >> o\nend"},
	{"rows of a loop appended", "F229", "try 3 times\n    for h in a b\n        query $h | sort\n    end >> out\nend"},
	{"rows of a function appended", "F229", "function q\n    query\nend\ntry 3 times\n    q >> out\nend"},
	{"rows appended around", "F229", "function retry\n    try 3 times\n        \"$@\"\n    end\nend\nretry query >> rows"},
	{"into a pipe around", "F229", "function get\n    try 3 times\n        query\n    end\nend\nget | sort > rows"},
	{"moved first", "F230", "try 3 times\n    mv queue/job running/job\n    work running/job\nend"},
	{"removed first", "F231", "try 5 times\n    rm -f site.tar\n    build-site > site.tar\nend"},
	{"removed before what replaces it as a whole", "F231", "try 5 times\n    rm -f rows\n    query => rows\nend"},
	{"removed before a download", "F231",
		"try 5 times each 1 m\n    rm -f x.iso\n    curl -fsSo x.iso https://example.org/x\nend"},
	{"removed in a function", "F231",
		"try 5 times\n    renew\nend\nfunction renew\n    rm -f x.tgz\n    tar -czf x.tgz data\nend"},
	{"moved in a function", "F230",
		"try 5 times\n    take\nend\nfunction take\n    mv in/a work/a\n    work work/a\nend"},
	{"moved in a function, before what may fail", "F230",
		"function rot\n    mv log log.1\nend\ntry 3 times each 1 min\n    rot\n    ./job\nend"},
	{"removed in a function, before it is made", "F231",
		"function clear\n    rm -rf release\nend\ntry 3 times\n    clear\n    cp -r new release\nend"},
	{"removed before it is made in a function", "F231",
		"function fill\n    cp -r new release\nend\ntry 3 times\n    rm -rf release\n    fill\nend"},
	{"removed before a dump", "F231", "try 3 times each 1 m\n    rm -f db.dump\n    pg_dump -f db.dump shop\nend"},
	{"removed before an archive is unpacked", "F231", "try 3 times\n    rm -rf app\n    tar xf n.tar -C app\nend"},
	{"an environment removed first", "F231", "try 3 times\n    rm -rf venv\n    python3 -m venv venv\nend"},
	{"a folder removed first", "F231", "try 5 times\n    rm -rf /srv/app\n    cp -r new /srv/app\nend"},
	{"a key for each attempt", "F234", "try 3 times key \"order-$USER-${try.attempt}\"\n    make\nend"},
	{"hangs", "F233", "try 5 times\n    git clone https://example.org/x\nend"},
	{"hangs after it has connected", "F233", "try 5 times\n    ssh -n -o ConnectTimeout=5 host uptime\nend"},
	{"a dump that hangs", "F233", "try 3 times\n    pg_dump -h db orders => orders.sql\nend"},
	{"copies from another host that hang", "F233", "try 3 times\n    rsync -a host:data/ data/\nend"},
	{"the list goes to srun", "F212", "while try read x\n    srun work \"$x\"\nend < list"},
	{"the list goes to a program on standard input", "F212", "while try read x\n    python3 - \"$x\"\nend < list"},
	{"the list goes to a phone", "F212", "while try read x\n    adb shell rm \"$x\"\nend < list"},

	{"the list goes to ssh in another shell", "F212", "while try read h\n    sh -c \"ssh $h uptime\"\nend < list"},
	{"the list goes to a shell", "F212", "while try read h\n    bash -s \"$h\"\nend < list"},
	{"the list goes to perl", "F212", "while try read h\n    perl - \"$h\"\nend < list"},
	{"the list goes to a database", "F212", "while try read h\n    psql shop\nend < list"},
	{"the same file of a command's output in branches", "F216",
		"forall h in a b\n    make $h > ${ echo out }\nend"},

	// what nobody learns of
	{"a catch that prints", "F232", "try 3 times\n    backup\ncatch\n    echo \"backup failed\"\nend\ntouch " +
		"/var/lib/backup.done"},
	{"a catch that prints to a file, too", "F232",
		"try 3 times\n    backup\ncatch\n    echo failed | tee -a log\nend\ntouch x.ok"},
	{"a catch that prints and succeeds", "F232",
		"try 3 times\n    backup\ncatch\n    echo failed\n    true\nend\ntrue > .done"},
	{"a catch before a function that marks", "F232", "function mark\n    touch $1.ok\nend\ntry 3 times\n    backup\n" +
		"catch\n    echo failed\nend\nmark x"},
	{"a catch before what was sent is put away", "F232", "for f in *.x\n    try 3 times\n        send \"$f\"\n" +
		"    catch\n        echo failed\n    end\n    mv \"$f\" sent/\nend"},
	{"a catch before a ping", "F232",
		"try 3 times\n    backup\ncatch\n    echo ${error.message}\nend\ncurl -fsS https://hc-ping.com/x"},

	{"a catch before an assignment", "F232",
		"try 3 times\n    backup\ncatch\n    echo failed\nend\nday=monday\ntouch $day.done"},
	{"a catch at the end of a function", "F232",
		"function save\n    try 3 times\n        backup\n    catch\n        echo failed\n    end\nend\nsave\ntouch done"},

	// values that may be empty
	{"a captured folder", "F235", "awk '{ print $2 }' config -> dir\nrm -rf \"$dir/cache\""},
	{"an argument", "F235", "rm -rf \"$1/\""},
	{"in the text of another shell", "F235", "read d < conf\nsh -c \"rm -rf $d/cache\""},
	{"on another host", "F235", "ssh -n host \"cd /srv && rm -rf $1/cache\""},
	{"read", "F235", "read dir < conf\nchown -R ann \"$dir/data\""},
	{"through a copy", "F235", "jq -r .dir conf -> d\ndir=$d\nrsync -a --delete new/ \"$dir/www\""},
	{"with an empty default", "F235", "rm -rf \"${1:-}/cache\""},
	{"unquoted, though it must not be empty", "F215", "read x < conf\nrm -rf ${x:?}/cache"},
	{"in find", "F235", "jq -r .dir conf -> d\nfind \"$d/logs\" -mtime +7 -delete"},
	{"a command's output as a folder", "F235", "d=${ jq -r .dir conf }\nrm -rf \"$d/cache\""},
	{"a command's output in the word", "F235", "rm -rf \"${ jq -r .dir conf }/cache\""},
	{"a folder within another", "F235", "read d < conf\nrm -rf \"/srv/$d/\""},
	{"a folder on another host", "F235", "read d < c\nrsync -a --delete ./ \"host:$d/\""},
	{"a folder of a person on another host", "F235", "read d < c\nrsync -a --delete ./ \"u@host:$d/x\""},
	{"a folder on a host of a value", "F235", "read h d < c\nrsync -a --delete ./ \"$h:$d/\""},
	{"a folder within a value's", "F235", "read d < c\nrm -rf \"$HOME/$d/\""},
	{"a folder between two", "F235", "read d < c\nrm -rf \"/var/$d/cache\""},
	{"a path that is assigned", "F235", "read a < c\np=\"$a/cache\"\nrm -rf \"$p/tmp\""},
	{"a path that is assigned and removed", "F235", "read a < c\nlocal_dir=\"$a/www\"\nd=$local_dir\nrm -rf \"$d\""},
	{"two values before the slash", "F235", "read a b < conf\nrm -rf \"$a$b/cache\""},
	{"a folder of a command's output to clear", "F235", "d=${ jq -r .dir conf }\ncd \"$d\"\nrm -rf ./*"},
	{"a folder of a command's output in the word to clear", "F235", "cd \"${ cat dir }\"\nrm -rf ./*"},
	{"a folder of the environment to clear", "F235", "cd $WORKDIR\nrm -rf *"},
	{"a folder to clear", "F235", "jq -r .dir conf -> d\ncd $d\nrm -rf ./*"},

	// other mistakes that a person from another shell makes
	{"a value as a status", "F224", "function check\n    return 1\nend\ncheck"},
	{"an argument that is returned", "F102", "function f\n    return $1\nend\nx=f()\necho $x"},
	{"a file by two names", "F107", "sort a > ./a"},
	{"a list in a variable", "F225", "all=\"$@\"\necho \"$all\""},
	{"items in a variable", "F225", "try\n    forall h in a b .keepgoing.\n        make $h\n    end\ncatch\n" +
		"    left=\"${error.items}\"\n    echo $left\nend"},
	{"a list as a file", "F225", "make > \"$@\""},
	{"a list as an argument of an expression", "F225", "function f\n    return $1\nend\nx=f(\"$@\")\necho $x"},
	{"nobody waits", "F227", "try for 1 hour\n    make\ncatch\n    retryafter 60\nend"},
	{"nobody waits without a try", "F227", "retryafter 60"},
	{"bash's echo", "F228", "echo -e \"a\\tb\""},
	{"bash's variables", "F101", "echo $RANDOM"},
	{"a small name of the environment", "F101", "echo $backup_dir"},
}

// TestPlanted finds each planted mistake by its code, and nothing else.
func TestPlanted(t *testing.T) {
	missed, besides := 0, 0
	for _, c := range planted {
		t.Run(c.name, func(t *testing.T) {
			hit := false
			for _, f := range findings(t, c.text) {
				if f.Rule.Code == c.want {
					hit = true
				} else {
					besides++
					t.Logf("besides: %s", f.Text())
				}
			}
			if !hit {
				missed++
				t.Errorf("%s was not found", c.want)
			}
		})
	}
	t.Logf("%d planted, %d missed, %d found besides", len(planted), missed, besides)
}

// right are scripts like the planted ones that hold nothing wrong.
var right = []string{
	"for f in \"$@\"\n    rm -f \"$f\"\nend\nset -- \"$@\" x\nrm \"$@\"",
	"set --\nfor f in *.log\n    set -- \"$@\" \"$f\"\nend\nrm -f \"$@\"",
	"list=\nfor n in 1 2 3\n    list=\"$list part.$n\"\nend\nrm -f $list",
	"for x in a b c\n    y=$x\n    rm $y\nend",
	"ls -> names\nfor n in .lines. $names\n    rm \"$n\"\nend",
	"ls -> names\nfor n in $names\n    echo $n\nend",
	"hosts=\"a b c\"\nfor h in $hosts\n    mkdir -p \"/srv/$h\"\nend",
	"while try read line\n    drop \"$line\"\nend < list\nfunction drop\n    rm \"$1\"\nend",
	"while try read line\n    show $line\nend < list\nfunction show\n    echo \"$1\" \"${2:-}\" \"${3:-}\"\nend",
	"options=\"-a --delete\"\nrsync $options data/ host:data/",
	"find . -name core -delete\nfind /tmp/x -type f",
	"mktemp -d -> dir\nrm -rf \"$dir/x\"",
	"dir=/srv/data\nrm -rf \"$dir/cache\"",
	"if $# .eql. 0\n    exit 2\nend\nif \"$1\" .eq. \"\"\n    exit 2\nend\nrm -rf \"$1/cache\"",
	"jq -r .dir conf -> d\nif .isdir. $d\n    find \"$d/logs\" -mtime +7 -delete\nend",
	"clear /srv/a\nfunction clear\n    rm -rf \"$1/cache\"\nend",
	"for d in a b\n    rm -rf \"$d/cache\"\nend",
	"jq -r .dir conf -> d\nrm -rf \"${d:?}/cache\" \"${d:?no folder}/x\"\ncd \"${d:?}\"\nrm -rf ./*",
	"jq -r .dir conf -> d\ncase $d\nwhen \"\"\n    exit 1\nend\nrm -rf \"$d/cache\"",
	"jq -r .dir conf -> d\ncd \"$d\"\nmake",
	"rm -rf \"$HOME/.cache/x\" \"$TMPDIR/y\"",
	"sh -c 'echo started; exec server'\nsh -c 'exit 3'\nbash -ec 'make; make install'",
	"bash -euo pipefail -c 'dump | gzip > x'\nsh -c 'make || echo failed; echo more'",
	"sh -c 'for f in *; do echo $f; done'\nsh -c 'if test -f x; then cat x; fi'",
	"ssh -n host 'cat /proc/loadavg'\nssh -n host uptime\ndocker exec app ls",
	"sh -c 'kill -9 $$; sleep 1'\nsh -c 'umask 077; make'\nsh -c 'A=1; make'",
	"sh -c 'printf \"a|b;c\"'\nsh -c \"echo 'a; b' | cat\"\nsh -c 'make 2>&1'",
	"try 3 times\n    sh -c 'sbatch --test-only job'\nend",
	"try 3 times\n    query => new.csv\nend\ncat new.csv >> all.csv",
	"try 3 times\n    echo \"attempt ${try.attempt}\" >> attempts\n    make\nend",
	"try 3 times\n    make >> build.log\nend",
	"try 3 times\n    sh -c 'make >> build.log; exit 1'\n    make | tee -a make.log\n    sh -c 'echo x >> tries'\nend",
	"function retry\n    try 3 times\n        \"$@\"\n    end\nend\nretry query => rows\nretry query -> x\nquery | " +
		"sort > $x",
	"try 3 times\n    make-part > x.part\n    mv x.part x\n    check x\nend",
	"try 3 times\n    work\n    mv a b\nend",
	"try 3 times\n    rm -rf tmp\n    mkdir -p tmp\n    cp a tmp\nend",
	"try 3 times\n    rm -f x.part\n    make-it -o x.part\n    mv x.part x\nend",
	"try 3 times\n    make\n    rm -f old\nend",
	"try 3 times each 1 minute\n    ssh -n host uptime\nend",
	"try for 1 hour\n    git pull\nend\ntry 3 times\n    git status\n    docker ps\nend",
	"try 3 times\n    timeout 60 ssh -n host uptime\n    curl --fail --max-time 10 https://example.org/\nend",
	"try for 10 minutes\n    try 3 times\n        ssh -n host uptime\n    end\nend",
	"try 3 times\n    rsync -a data/ copy/\nend",
	"try 3 times\n    psql --version\n    kubectl --request-timeout=10s get pods\nend",
	"try for 1 hour\n    get\nend\nfunction get\n    try 3 times\n        curl --fail https://example.org/\n    end\nend",
	"try 3 times key \"order-$USER\"\n    make\nend",
	"while try read x\n    srun work \"$x\" < /dev/null\n    python3 job.py \"$x\"\nend < list",
	"try 3 times\n    backup\ncatch\n    echo failed\n    exit 1\nend\ntouch done",
	"try 3 times\n    backup\n    touch done\ncatch\n    echo failed\nend\necho next",
	"try 3 times\n    backup\ncatch\n    echo failed\nend\nls done",
	"function next\n    make\n    touch x.ok\nend\ntry 3 times\n    backup\ncatch\n    echo failed\nend\nnext",
	"function save\n    try 3 times\n        backup\n    catch\n        echo failed\n    end\nend\nif try save\n" +
		"    touch done\nend\nsave\nls done",
	"function check\n    return true\nend\nif check()\n    echo ok\nend",
	"function check\n    if $1 .eq. x\n        return\n    end\n    make\nend\ncheck x",
	"function retry\n    try 3 times\n        timeout 60 \"$@\"\n    end\nend\nfunction run\n    \"$@\"\nend\n" +
		"retry ssh -n host uptime\nretry make\nrun sbatch job.sh\nrun rm -rf x",
	"function f\n    if $1 .eq. x\n        return 1\n    end\n    return $2\nend\nx=f(x)\necho $x",
	"try for 10 s\n    mkdir lock\nend",
	"read d < conf\nsh -c \"rm -rf ${d:?}/cache\"\nssh -n host \"rm -rf /srv/$d\" \"echo $d/x\"",
	"try 3 times\n    sh -c \"make >> $1.log\"\n    sh -c \"echo $1 >> tries\"\nend",
	"try for 1 hour\n    page=${ curl --silent https://example.org/ }\n    if .not. ($page .matches. ready)\n" +
		"        failure\n    end\n    if ${ curl --silent https://example.org/x } .ne. ok\n        failure\n    end\nend",
	"for x in \"$@\"\n    echo \"$x\"\nend\nset -- \"$@\" y\necho \"$@\"\nx=\"$*\"\necho $x",
	"try\n    forall h in a b .keepgoing.\n        make $h\n    end\ncatch\n    for h in \"${error.items}\"\n      " +
		"  echo $h\n    end\nend",
	"try 3 times\n    if ${try.attempt} .gt. 1\n        retryafter 5\n    end\n    make\nend",
	"try 5 times\n    f\nend\nfunction f\n    retryafter 60\n    failure\nend",
	"try 3 times\n    make\nverify\n    retryafter 60\n    absent\nend",
	"function later\n    retryafter 60\nend",
	"echo -n a\necho \"-e\"x\nprintf \"a\\tb\\n\"\necho - e",
	"hostname -> HOSTNAME\necho $HOSTNAME ${UID:-0}\nexport backup_dir\necho $backup_dir",
	"mkdir ${ date +%F }\nd=${ mktemp -d }\nrm -rf $d \"$d/x\" \"${ pwd }/x\"",
	"function f\n    echo \"$1\" \"$2\"\nend\nf ${ echo a b }",
	"forall i in a b\n    make $i > \"out-${ basename $i }\"\n    make $i > ${ mktemp }\nend",
	"for n in a b\n    try 3 times key \"${ echo job-$n }\"\n        make $n\n    end\nend",
	"sort \"${ echo a }.x\" > \"${ echo b }.x\"\nrm -rf \"/srv/$1\" \"/srv/$1.old/x\"",
	"for n in .lines. ${ ls }\n    rm \"$n\"\nend\nfor n in ${ seq 3 }\n    rm part.$n\nend",
	"hosts=$1\nfor h in $hosts\n    mkdir \"$h\"\nend\nfiles=\"a b\"\nif $# .eql. 1\n    files=$1\nend\nrm $files",
	"export BACKUP_DIRS\ntar cf x $BACKUP_DIRS\nrm -f $PIDFILES",
	"function keep\n    cp a a.bak\nend\nfunction last\n    mv a b\nend\ntry 3 times\n    keep\n    work\n    last\n" +
		"end\nfunction fresh\n    rm -rf x.part\nend\ntry 3 times\n    fresh\n    cp -r new x.part\nend",
	"rsync_opts=\"-a --delete\"\nSSHARGS=\"-a -b\"\nrsync $rsync_opts $SSHARGS data/ host:data/",
	"function at\n    return \"/srv/x\"\nend\nd=at()\nrm -rf $d \"$d/x\"",
	"if .defined. RANDOM\n    echo $RANDOM\nend",

	// values that are one word by what was asked before
	"case $1\nwhen start stop\n    touch $1.flag\n    verb=$1\nwhen *\n    exit 2\nend\ntouch $1.x $verb.y",
	"case $1\nwhen start stop\n    echo $1\nend\nrm $1.pid\nfunction f\nend\nf",
	"case $1\nwhen start\n    echo $1\nwhen stop\n    echo $1\nelse\n    failure\nend\nrm $1.pid",
	"if $1 .eq. a\n    touch $1\nelse\n    if $2 .eq. b .and. $# .eql. 2\n        touch $2\n    end\nend",
	"name=$1\nif $name .matches. \"[^a-z0-9]\"\n    exit 2\nend\nmkdir /srv/$name\nn=$2\nif $n .lt. 1 .or. $n .gt. 9\n" +
		"    failure\nend\nrm part.$n",
	"if .not. ($1 .matches. \"^[a-z]+$\")\n    exit 2\nend\nfor i in 1 2\n    rm $1.$i\nend",
	"stat -c %s f -> s\nmv f f.$s\nmv f f.${ uuidgen }\nsha256sum f | cut -c 1-8 -> h\nmv f f.$h",
	"printf '%03d' 7 -> i\nmv f f.$i\nmv f f.${ date -u +%F }\nmv f f.${ stat --format=%Y f }",
	"put /srv/a\nfor d in b c\n    put $d\nend\nfunction put\n    mkdir -p $1\n    again $1\nend\nfunction again\n" +
		"    rm -rf $1/x\nend",
	"read d < conf\nif not try test -n \"$d\"\n    exit 2\nend\nrm -rf \"$d/x\"",
	"read d < conf\ncd \"${d:?}\"\nrm -rf \"$d/x\"",
	"cd \"${WORKDIR:?}\"\ncd ${ mktemp -d }\ncd \"$HOME\"\nrm -rf ./*\n" +
		"if .isdir. $SCRATCH\n    cd $SCRATCH\n    rm -rf *\nend",
	"read a < conf\np=\"${a:?}/cache\"\nrm -rf \"$p/tmp\" \"/srv/x$p/y\"\nq=\"/srv/$b\"\n" +
		"rm -rf \"build/$a/x\" \"/home/$1/.cache\"\nread b < conf\nrm -rf \"$q\"",
	"read a < conf\np=\"$a/cache\"\nif .isdir. $p\n    rm -rf \"$p\"\nend\nfind \"$p/x\" -name y",

	// what leaves the list alone
	"while try read h\n    sh -c \"ssh -n $h uptime\"\n    sh -c \"ssh $h uptime </dev/null\"\n" +
		"    bash job.sh -s \"$h\"\n    bash -c \"echo $h | cat\"\n    perl -ne 1 \"$h\"\n" +
		"    psql -c \"select '$h'\" shop\n" +
		"    psql \"--file=$h\" shop\n    sh -c \"ssh $h uptime\" < /dev/null\n    python3 -m job \"$h\"\nend < list",
	"forall h in a b\n    make $h > ${ echo out ${ mktemp } }\n    make $h > ${ echo out.$h }\nend",

	// what stands in no file twice
	"try 3 times\n    for h in a b\n        mkdir -p $h\n        query $h | load $h => rows.$h\n" +
		"        x=${ query $h }\n        if try grep -q $x list\n            echo $x\n        end\n    end >> found\nend",

	// files that each attempt begins anew
	"try 3 times each 1 m\n    echo day,count > day.csv\n    psql -c \"select 1\" >> day.csv\nend",
	"try 3 times\n    rm -f part\n    query >> part\nend\ntry 3 times\n    true > o\n    query >> o\nend",
	"try 3 times\n    ./head > o\n    query >> ./o\nend\ntry 3 times\n    echo h => o\n    query | tee -a o\nend",
	"try 3 times\n    rm -f out\n    for h in a b\n        query $h\n    end >> out\nend",
	"try 3 times\n    cp head out\n    for h in a b\n        add $h >> out\n    end\nend\nfunction add\n" +
		"    query $1 >> out\nend",
	"try 3 times\n    mktemp -> t\n    query >> $t\n    d=${ mktemp -d }\n    query >> $d/x\n" +
		"    query >> rows.${try.attempt}\nend",
	"function fresh\n    rm -f o\nend\ntry 3 times\n    fresh\n    query >> o\nend",
	"try 3 times\n    if .exists. o\n        mv o o.old\n    end\n    fill\nend\nfunction fill\n    query >> o\nend",
}

// TestRight finds nothing in scripts that are right.
func TestRight(t *testing.T) {
	for _, text := range right {
		if found := findings(t, text); len(found) > 0 {
			t.Errorf("%s\n\nfound %s", strings.TrimSpace(text), texts(found))
		}
	}
}

// TestLinear checks nested tries, copies and appends in a time that grows with their number.
func TestLinear(t *testing.T) {
	const many = 2000
	chain := ""
	for i := range 200 {
		chain += fmt.Sprintf("function f%d\ntry 2 times\nf%d\nf%d\nend\nend\n", i, i+1, i+1)
	}
	for name, text := range map[string]string{
		"tries":   strings.Repeat("try for 1 hour or 2 times each 1 m\n", many) + "sleep 5\n" + strings.Repeat("end\n", many),
		"calls":   chain + "function f200\ntrue\nend\nf0\n",
		"appends": "x=$1\n" + strings.Repeat("x=\"$x $y\"\ny=$x\nrm $x\n", many),
	} {
		start := time.Now()
		findings(t, text)
		if took := time.Since(start); took > 20*time.Second { // 0.1 s where nothing else runs
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
