package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkScripts runs what shells spend their time on. Its profile guides the
// build of this program (default.pgo, worth a fifth of a loop's time); renew it with
//
//	go test ./cmd/ftsh -run '^$' -bench Scripts -benchtime 5s -cpuprofile cmd/ftsh/default.pgo
func BenchmarkScripts(b *testing.B) {
	const loop = "x=0\nwhile $x .lt. 100000\n    x=$x .add. 1\nend\n"
	scripts := map[string]string{
		"loop": loop,
		"calls": "function note\n    y=$1\nend\n" +
			strings.Replace(loop, "end\n", strings.Repeat("    note $x\n", 10)+"end\n", 1),
		"capture": "for i in 1 .to. 100\n    /bin/echo hello -> x\nend\n",
		"words": "for i in 1 .to. 20000\n    text=\"item $i of\".${list:-none}\n    for w in $text a b \"c d\"\n" +
			"        v=$w\n    end\nend\n",
	}
	for name, text := range scripts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if status := runCommandLine([]string{"-l", "0", "-c", text}); status != statusSuccess {
					b.Fatalf("status %d", status)
				}
			}
		})
	}
	b.Run("check", func(b *testing.B) { checkExamples(b) })
}

// checkExamples parses all examples many times over, as one script.
func checkExamples(b *testing.B) {
	var all strings.Builder
	names, _ := filepath.Glob("../../examples/*.ftsh")
	for range 50 {
		for _, name := range names {
			example, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			// A function may be defined only once, and so may a resource.
			if text := "\n" + string(example); !strings.Contains(text, "\nfunction ") && !strings.Contains(text, "\nresource ") {
				all.Write(example)
			}
		}
	}
	script := filepath.Join(b.TempDir(), "all.ftsh")
	if err := os.WriteFile(script, []byte(all.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(all.Len()))
	for b.Loop() {
		if status := runCommandLine([]string{"-n", script}); status != statusSuccess {
			b.Fatalf("status %d", status)
		}
	}
}
