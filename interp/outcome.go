package interp

import (
	"errors"
	"fmt"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/value"
)

// How a statement, a group or a branch ends is an error: nil is success, a *[Failure] is what scripts react to, and all
// others leave: an *[Exit] the script, a *returned its function, errBreak and errContinue their loop, an *absence its
// verify group. Which of two ends holds is decided by afterFinally, where one came behind the other, and by
// firstGivenUp, where they came beside each other.

// Exit is the error by which the builtin exit ends a script. 0 is success.
type Exit struct {
	Status int

	pos      ast.Pos
	replaced bool     // by exec: there is nobody left to run finally groups
	failure  *Failure // how the program of exec failed; nil: it did not, or it was exit
	caught   *Failure // what the innermost catch group around the exit reacted to; nil: there was none
}

// Error names the status.
func (e *Exit) Error() string { return "exit " + strconv.Itoa(e.Status) }

// returned is the error by which `return` leaves a function.
type returned struct {
	value   value.Value
	given   bool
	refused bool // there is one, and the function was called as a command
}

func (*returned) Error() string { return "return outside a function" }

// The errors by which break and continue leave groups up to the innermost loop. What
// they leave on the way has succeeded.
var (
	errBreak    = errors.New("break outside a loop")
	errContinue = errors.New("continue outside a loop")
)

// leavesTurn reports whether an error is one of them.
func leavesTurn(err error) bool { return err == errBreak || err == errContinue }

// leavesScript reports whether an error is one by which exit, return, break or continue leave.
func leavesScript(err error) bool {
	switch err.(type) {
	case *Exit, *returned:
		return true
	}
	return leavesTurn(err)
}

// absence is the error by which the builtin absent leaves a verify group.
type absence struct{}

func (*absence) Error() string { return "absent outside a verify group" }

// asFailure returns the failure in an error, nil if it is something else: an exit, a return, an absent.
func asFailure(err error) *Failure {
	failure, _ := err.(*Failure)
	return failure
}

// firstGivenUp returns the first error of several branches or stages, which ends the try around them, too,
// if a later one gave up.
func firstGivenUp(first error, later *Failure) error {
	if failure := asFailure(first); failure != nil && failure.cut == nil && later != nil && later.giveup {
		return failure.givenUp()
	}
	return first
}

// branchEnd is the error of a branch or stage that has ended: an exit ends only that.
func branchEnd(err error) error {
	exit, ok := err.(*Exit)
	switch {
	case !ok:
		return err
	case exit.Status == 0:
		return nil
	case exit.failure != nil:
		return exit.failure
	}
	return &Failure{Kind: KindExit, Status: exit.Status, Pos: exit.pos,
		Message: fmt.Sprintf("ended with exit %d", exit.Status), story: story{cause: exit.caught}}
}

// summary is the failure that a script has failed of which ended by this exit; nil: it has not failed, or said all.
func (e *Exit) summary() *Failure {
	if e.caught == nil || e.Status == 0 {
		return nil
	}
	told := *e.caught
	told.Message = fmt.Sprintf("%s; its catch ended the script with exit %d", told.withStatus(told.Message), e.Status)
	return &told
}

// takeReturn takes a return out of an error.
func takeReturn(err error) (returned, error) {
	if result, ok := err.(*returned); ok {
		return *result, nil
	}
	return returned{}, err
}

// succeeded reports whether a statement that ended with an error has done what it
// should: a return and an exit with status 0 are no failures.
func succeeded(err error) bool {
	switch err := err.(type) {
	case nil:
		return true
	case *returned:
		return !err.refused
	case *Exit:
		return err.Status == 0
	}
	return leavesTurn(err)
}

// statusOf gives the status that something ended with. Leaving a function or a loop is a success.
func statusOf(err error) int {
	switch err := err.(type) {
	case *Exit:
		return err.Status
	case *Failure:
		return err.Status
	}
	return 0
}

// afterFinally returns how a try ends that would have ended with before, now that its finally group has
// ended with err. passed is the failure of what cut the try off while the group was left alone; nil: nothing did.
//
//	before \ finally          success  failure            giveup              exit
//	success                   passed   the failure        the giveup          the exit
//	return, break, absent …   passed   the failure        the giveup          the exit
//	exit 0                    before   the failure        the giveup          the exit
//	exit with another status  before   before             before              the exit
//	failure                   before ¹ before ¹           before, given up    the exit
//
// Where passed is nil, before stays. ¹ It counts as cut off then: the try was still under way.
func afterFinally(before, err error, passed *Failure) error {
	if _, leaves := err.(*Exit); leaves {
		return err
	}
	exit, leaving := before.(*Exit)
	failure, ended := asFailure(before), asFailure(err)
	switch {
	case failure != nil && failure.cut == nil && ended != nil && ended.giveup:
		return failure.givenUp()
	case failure != nil && failure.cut == nil && passed != nil:
		return failure.cutBy(passed.cut)
	case failure != nil, leaving && exit.Status != 0:
		return before
	case err != nil:
		return err
	case passed != nil && !leaving:
		return passed
	}
	return before
}
