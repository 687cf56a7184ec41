package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
)

// assumption is the value of --assume-slots: how many slots a server has of which SPEC does not know it.
type assumption struct {
	slots int // 0: any number
	said  bool
}

// Type implements [parameter.Value].
func (*assumption) Type() string { return "N" }

// String implements [parameter.Value].
func (a *assumption) String() string {
	switch {
	case !a.said:
		return ""
	case a.slots == 0:
		return "none"
	}
	return strconv.Itoa(a.slots)
}

// Set implements [parameter.Value].
func (a *assumption) Set(text string) error {
	n, err := strconv.Atoi(text)
	if text != "none" && (err != nil || n < 1) {
		return fmt.Errorf("wanted a whole number from 1 on, or none for no limit, not %q", text)
	}
	a.slots, a.said = n, true
	return nil
}

// putInto puts it into a world. The error says that there is nothing to assume there.
func (a *assumption) putInto(w *world.World) (*world.World, error) {
	if !a.said {
		return w, nil
	}
	if !slices.ContainsFunc(w.Servers, func(s world.Server) bool { return s.Spec.Seen > 0 }) {
		return nil, errors.New("--assume-slots is for a SPEC that says `slots unknown at least N`, and this one does not")
	}
	return simulate.AssumeSlots(w, a.slots), nil
}
