package parser

import (
	"strconv"
	"strings"
	"testing"

	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// unitText is a function with everything in it, as the project's benchmark of shells has it.
const unitText = `# Job NUMBER: fetch its input, run it, and report what came of it.
function job_NUMBER
    host="node NUMBER"
    file=$1
    count=0
    try for 30 minutes or 5 times every 10 seconds
        scp -q "$host:/data/$file" /scratch/NUMBER/input > fetch_NUMBER.log
        gzip -d -f /scratch/NUMBER/input.gz 2>&1
    catch
        echo "could not fetch $file from $host"
        failure
    end
    while $count .lt. 10 .and. .not. ( $count .eql. 7 )
        count=( $count .add. 1 ) .mul. 2 .sub. 1
        if .exists. "/scratch/NUMBER/output.$count"
            cut -f1 -d: /etc/passwd -> users
            sort -u -< users > sorted_NUMBER.txt
        else if $count .gt. 5
            rm -f '/scratch/NUMBER/core' /scratch/NUMBER/part.${count}
        else
            echo none >> /scratch/NUMBER/log
        end
    end
    for part in alpha beta gamma "delta NUMBER"
        /opt/run/simulate --seed NUMBER --part $part --output /scratch/NUMBER/$part ->> report
    end
    forany mirror in north south east west
        wget -q -O /scratch/NUMBER/reference http://$mirror.example.org/pub/reference.NUMBER
    end
    # Leave nothing behind but the report.
    if .isdir. /scratch/NUMBER .and. ( $count .le. 100 .or. $keep .ne. "yes" )
        forall part in alpha beta gamma
            tar -c -z -f "/archive/NUMBER-$part.tgz" /scratch/NUMBER/$part 2> /dev/null
        end
        rm -r -f /scratch/NUMBER
    end
    return $count
end
job_NUMBER input.NUMBER

`

// program is a script of so many bytes, or a little more.
func programText(size int) string {
	var b strings.Builder
	for n := 1000; b.Len() < size; n++ {
		b.WriteString(strings.ReplaceAll(unitText, "NUMBER", strconv.Itoa(n)))
	}
	return b.String()
}

func BenchmarkLex1MB(b *testing.B) {
	text := programText(1e6)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		lx := lexer.New(text, false)
		for lx.More() {
			for {
				if t, _ := lx.Next(); t.Type == plex.EOF {
					break
				}
			}
		}
	}
}

func BenchmarkParse1MB(b *testing.B) {
	for name, check := range map[string]bool{"tree": false, "check": true} {
		b.Run(name, func(b *testing.B) {
			text := programText(1e6)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(&ast.Source{Name: "x", Text: text}, Config{Check: check}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseSmallWarm(b *testing.B) {
	text := "echo hello $1\nfor x in a b c\n  echo $x > f\nend\n"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(&ast.Source{Name: "x", Text: text}, Config{}); err != nil {
			b.Fatal(err)
		}
	}
}
