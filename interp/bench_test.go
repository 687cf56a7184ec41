package interp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"ftsh/interp"
)

// bench runs a script that does something b.N times.
func bench(b *testing.B, format string) {
	s := newStage(b)
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	file := parse(b, fmt.Sprintf(format, b.N))
	config := s.config(int(null.Fd()))
	b.ReportAllocs()
	b.ResetTimer()
	if err := interp.New(config).Run(context.Background(), file); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkTurn(b *testing.B) { bench(b, "x=0\nwhile $x .lt. %d\nx=$x .add. 1\nend") }

func BenchmarkItem(b *testing.B) { bench(b, "for x in 1 .to. %d\ny=$x\nend") }

func BenchmarkCall(b *testing.B) {
	bench(b, "function f\ny=$1\nend\nfor x in 1 .to. %d\nf $x\nend")
}

func BenchmarkCallForValue(b *testing.B) {
	bench(b, "function f\nreturn $1 .add. 1\nend\nfor x in 1 .to. %d\ny=f($x)\nend")
}

func BenchmarkBuiltin(b *testing.B) { bench(b, "for x in 1 .to. %d\ntrue\nend") }

func BenchmarkEcho(b *testing.B) { bench(b, "for x in 1 .to. %d\necho $x\nend") }

func BenchmarkTry(b *testing.B) { bench(b, "for x in 1 .to. %d\ntry 2 times\ntrue\nend\nend") }

func BenchmarkProgram(b *testing.B) { bench(b, "for x in 1 .to. %d\n/bin/true\nend") }

func BenchmarkCapture(b *testing.B) { bench(b, "for x in 1 .to. %d\n/bin/echo hello -> y\nend") }

func BenchmarkCaptureBuiltin(b *testing.B) { bench(b, "for x in 1 .to. %d\necho hello -> y\nend") }

func BenchmarkPipeline(b *testing.B) { bench(b, "for x in 1 .to. %d\n/bin/echo hello | cat\nend") }

func BenchmarkBranches(b *testing.B) { bench(b, "forall x in 1 .to. %d .limit. 4\ntrue\nend") }
