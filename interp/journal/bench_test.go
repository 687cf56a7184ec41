package journal_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"ftsh/interp/journal"
)

// begin is a record as an interpreter may write one.
func begin(n int) journal.Record {
	return journal.Record{
		Kind: "begin", Note: map[string]any{"line": n % 100, "text": "rsync -a $source/ $target/", "attempt": 2},
		Changes: []journal.Change{
			{Path: fmt.Sprintf("main/%d/try", n%100), Key: "attempts", Value: journal.Quote("2")},
			{Path: "main/variables", Key: "source", Value: journal.Quote("/srv/data")},
		},
	}
}

// BenchmarkWrite is the CPU of a record, written to a file but not synced.
func BenchmarkWrite(b *testing.B) {
	j := mustOpen(b, b.TempDir()+"/journal", journal.Config{AfterFunc: memoryConfig(nil).AfterFunc})
	for n := range b.N {
		j.Write(begin(n))
	}
	b.StopTimer()
	_ = j.Close()
}

// BenchmarkSync is a record on disk, for so many callers at once.
func BenchmarkSync(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			j := mustOpen(b, b.TempDir()+"/journal", journal.Config{})
			var all sync.WaitGroup
			for caller := range callers {
				all.Go(func() {
					for n := caller; n < b.N; n += callers {
						if err := j.Sync(context.Background(), j.Write(begin(n))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			_ = j.Close()
		})
	}
}

// BenchmarkOpen continues from 100,000 records.
func BenchmarkOpen(b *testing.B) {
	path := b.TempDir() + "/journal"
	c := journal.Config{}.WithLimits(1<<40, 64<<10)
	j := mustOpen(b, path, c)
	for n := range 100_000 {
		j.Write(begin(n))
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := mustOpen(b, path, c).Close(); err != nil {
			b.Fatal(err)
		}
	}
}
