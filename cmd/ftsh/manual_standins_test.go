package main

// standIns are programs of the manual's examples that a test machine does not
// have, or that would use the network. Each is a script for sh.
var standIns = map[string]string{
	// Only the host beta answers.
	"curl": `
for word; do url=$word; done
case $url in
*//beta.*) ;;
*) sleep 0.01; exit 7 ;;
esac
while [ $# -gt 1 ]; do
    case $1 in -o) exec > "$2" ;; esac
    shift
done
echo "content of $url"
`,
	// A host answers with its name; only beta is ready.
	"ssh": `
host=$1
shift
case $1 in
test) [ "$host" = beta ] ;;
*) echo "$host: $*" ;;
esac
`,
	"pg_dump": `
echo "dump of all tables"
`,
	"hostname": `
echo alpha
`,
	"mail": `
cat > mail
`,
}
