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
func (Nothing) Replace(files.Directory, string) (Draft, error)            { return Nothing{}, nil }
func (Nothing) Pipe() (ends [2]int, err error)                            { return [2]int{closed, closed}, nil }
func (Nothing) Text(value.Value, string, bool) (int, error)               { return closed, nil }
func (Nothing) Capture(string, string) (Capture, error)                   { return Nothing{}, nil }
func (Nothing) Apart(string, files.Directory, string, int) (Apart, error) { return Nothing{}, nil }
func (Nothing) Follow(context.Context, int, func(string) bool) (Followed, error) {
	return Nothing{}, nil
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

// What is held is nothing, too.

func (Nothing) Stream() int                   { return closed }
func (Nothing) End(bool) error                { return nil }
func (Nothing) Park() (files.Parked, error)   { return files.Parked{}, errors.ErrUnsupported }
func (Nothing) Leave()                        {}
func (Nothing) IsNamed() bool                 { return false }
func (Nothing) Value() (value.Value, error)   { return value.Captured(""), nil }
func (Nothing) Drop()                         {}
func (Nothing) SoFar() (string, error)        { return "", nil }
func (Nothing) Size() int64                   { return 0 }
func (Nothing) CutTo(int64) error             { return nil }
func (Nothing) Complete() error               { return nil }
func (Nothing) Keep() error                   { return nil }
func (Nothing) Stop() (end string, torn bool) { return "", false }
