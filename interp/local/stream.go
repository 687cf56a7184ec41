package local

import (
	"context"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/output"
	"ftsh/interp/world"
)

// What of [world.Streams] is not the Store's. A stream is a descriptor of this process.

// Open implements [world.Streams].
func (w *World) Open(ctx context.Context, dir files.Directory, name string, flags int) (int, error) {
	return files.Open(ctx, dir, name, flags)
}

// Named implements [world.Streams].
func (w *World) Named(dir files.Directory, name string) (number int, ok bool) {
	return files.Stream(dir, name)
}

// Replace implements [world.Streams].
func (w *World) Replace(dir files.Directory, name string) (world.Draft, error) {
	draft, err := files.NewAtomic(dir, name)
	if err != nil {
		return nil, err
	}
	return draft, nil
}

// Follow implements [world.Streams].
func (w *World) Follow(ctx context.Context, to int, keep func(line string) bool) (world.Followed, error) {
	return w.Store.Follow(ctx, w, to, keep)
}

// Followable implements [world.Streams].
func (w *World) Followable() error { return output.FilesMayGrow() }

// Write implements [world.Streams].
func (w *World) Write(ctx context.Context, stream int, text string) error {
	return files.WritePatiently(ctx, stream, []byte(text))
}

// ReadLine implements [world.Streams].
func (w *World) ReadLine(ctx context.Context, stream int) (string, error) {
	return files.ReadLine(ctx, stream)
}

// Read implements [world.Streams].
func (w *World) Read(ctx context.Context, stream int, most int64) (string, error) {
	return files.ReadAtMost(ctx, stream, most)
}

// Seek implements [world.Streams].
func (w *World) Seek(stream int, offset int64, whence int) (int64, error) {
	return unix.Seek(stream, offset, whence)
}
