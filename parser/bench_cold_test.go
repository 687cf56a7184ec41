package parser

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
)

// smallText is like many scripts: a try around a command or two.
const smallText = `#!/usr/bin/ftsh
# Fetch a file, whatever it takes.
url=$1
try for 1 hour or 10 times every 30 seconds
	wget -q -O "$2" "$url"
catch
	echo "could not fetch $url"
	failure
end
for f in *.gz
	gunzip $f
end
`

// TestMain lets BenchmarkParseCold run the first parse of a program.
func TestMain(m *testing.M) {
	if os.Getenv("FTSH_PARSE_COLD") != "" {
		start := time.Now()
		_, err := Parse(&ast.Source{Name: "s", Text: smallText}, Config{})
		fmt.Println(time.Since(start).Nanoseconds(), err)
		return
	}
	os.Exit(m.Run())
}

// BenchmarkParseCold is a small script parsed first thing, with the grammars still
// to be built. Its time per operation is that of starting a program, too; the
// metric is parsing alone.
func BenchmarkParseCold(b *testing.B) {
	var all []float64
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FTSH_PARSE_COLD=1")
		out, err := cmd.Output()
		ns, problem := strconv.ParseFloat(strings.Fields(string(out))[0], 64)
		if err != nil || problem != nil || !strings.Contains(string(out), "<nil>") {
			b.Fatalf("%s %v", out, err)
		}
		all = append(all, ns)
	}
	least := all[0]
	for _, ns := range all {
		least = min(least, ns)
	}
	b.ReportMetric(least, "ns/parse")
}
