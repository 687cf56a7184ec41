package world

import (
	"context"
	"errors"
	"io"

	"ftsh/interp/files"
	"ftsh/interp/value"
)

// Nothing is streams from which nothing comes and in which nothing stays: for worlds in which nothing begins.
type Nothing struct{}

// closed is a stream that is not open.
const closed = -1

func (Nothing) Open(context.Context, files.Directory, string, int) (int, error) { return closed, nil }
func (Nothing) Named(dir files.Directory, name string) (number int, ok bool) {
	return files.Stream(dir, name)
}
func (Nothing) Replace(files.Directory, string) (Draft, error)            { return nothing{}, nil }
func (Nothing) Pipe() (ends [2]int, err error)                            { return [2]int{closed, closed}, nil }
func (Nothing) Text(value.Value, string, bool) (int, error)               { return closed, nil }
func (Nothing) Capture(string, string) (Capture, error)                   { return nothing{}, nil }
func (Nothing) Apart(string, files.Directory, string, int) (Apart, error) { return nothing{}, nil }
func (Nothing) Follow(context.Context, int, func(string) bool) (Followed, error) {
	return nothing{}, nil
}
func (Nothing) Followable() error                                { return nil }
func (Nothing) Group(GroupConfig) (Grouped, error)               { return nil, nil }
func (Nothing) Branches() int64                                  { return 0 }
func (Nothing) Write(context.Context, int, string) error         { return nil }
func (Nothing) ReadLine(context.Context, int) (string, error)    { return "", io.EOF }
func (Nothing) Read(context.Context, int, int64) (string, error) { return "", nil }
func (Nothing) Seek(int, int64, int) (int64, error)              { return 0, errors.ErrUnsupported }
func (Nothing) Hold(_, text string) value.Value                  { return value.Captured(text) }
func (Nothing) Close([]int)                                      {}

// nothing is what they give for something that is held.
type nothing struct{}

func (nothing) Stream() int                   { return closed }
func (nothing) End(bool) error                { return nil }
func (nothing) Park() (files.Parked, error)   { return files.Parked{}, errors.ErrUnsupported }
func (nothing) Leave()                        {}
func (nothing) IsNamed() bool                 { return false }
func (nothing) Value() (value.Value, error)   { return value.Captured(""), nil }
func (nothing) Drop()                         {}
func (nothing) SoFar() (string, error)        { return "", nil }
func (nothing) Size() int64                   { return 0 }
func (nothing) CutTo(int64) error             { return nil }
func (nothing) Complete() error               { return nil }
func (nothing) Keep() error                   { return nil }
func (nothing) Stop() (end string, torn bool) { return "", false }
