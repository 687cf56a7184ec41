package output

import (
	"bytes"
	"context"
	"ftsh/interp/world"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestGroupedOrder has branches write more than fits into memory, some of them all at once, with and without room on
// disk: all of it comes, in the order in which they were opened.
func TestGroupedOrder(t *testing.T) {
	for name, dir := range map[string]string{"on disk": t.TempDir(), "without a disk": "/does/not/exist"} {
		t.Run(name, func(t *testing.T) {
			read, write := pipe(t)
			g, err := new(Store).Group(world.GroupConfig{Temporary: dir, Stdout: int(write.Fd()), Stderr: closed,
				Context: t.Context(), Patience: func() time.Duration { return time.Second }})
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			var branches, whole sync.WaitGroup
			for i := range 8 {
				text := strings.Repeat(string(rune('a'+i)), 400_000*(i%3))
				want.WriteString(text)
				whole.Add(1)
				b, err := g.Open(context.Background(), func(err error) { t.Error(err) }, whole.Done)
				if err != nil {
					t.Fatal(err)
				}
				fd, _ := b.Descriptor(1)
				branches.Go(func() {
					for rest := []byte(text); len(rest) > 0; {
						n, err := unix.Write(fd, rest[:min(len(rest), 1+i*9000)])
						if err != nil {
							t.Error(err)
							break
						}
						rest = rest[n:]
					}
					b.Finish(false)
				})
			}
			go func() {
				branches.Wait()
				g.Finish()
				whole.Wait()
				_ = write.Close()
			}()
			got, err := io.ReadAll(read)
			if err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%d bytes came, %v; want %d", len(got), err, want.Len())
			}
		})
	}
}

// TestGroupedCut: what a reader does not take when the branches are cut off fails those whose it is, and is what they
// have waiting.
func TestGroupedCut(t *testing.T) {
	_, write := pipe(t)
	defer write.Close() // and not the collector
	ctx, cut := context.WithCancel(t.Context())
	g, err := new(Store).Group(world.GroupConfig{Temporary: t.TempDir(), Stdout: int(write.Fd()), Stderr: closed,
		Context: ctx, Patience: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 2)
	for i := range 2 {
		b, err := g.Open(ctx, func(err error) { failed <- err }, func() { t.Error("it was handed on whole") })
		if err != nil {
			t.Fatal(err)
		}
		fd, _ := b.Descriptor(1)
		if _, err := unix.Write(fd, bytes.Repeat([]byte("x"), 60_000)); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.Write(fd, bytes.Repeat([]byte("x"), 60_000)); err != nil {
			t.Fatal(err)
		}
		b.Finish(false)
		if texts, err := b.Waiting(); i == 1 && (err != nil || len(texts) != 1 || len(texts[0]) != 120_000) {
			t.Error(len(texts), err)
		}
	}
	cut()
	g.Finish()
	for range 2 {
		if err := <-failed; !strings.Contains(err.Error(), ErrCut.Error()) {
			t.Error(err)
		}
	}
}
