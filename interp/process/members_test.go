package process

import "testing"

// TestMissedForOnce has a process that was asked to end be in no list of one sweep, as its parent dies meanwhile: it is
// not counted as left, and known again when it is seen again, so that it is not asked a second time.
func TestMissedForOnce(t *testing.T) {
	of := &target{run: &run{ended: true}}
	asked := &member{target: of, start: 100, sweep: 1, asked: true}
	u := &ending{targets: map[uint64]*target{1: of}, members: map[int]*member{7: asked}, sweeps: 1}
	if u.countMembers(); of.left != 1 || u.left != 1 {
		t.Errorf("%d of it and %d of all are left, want 1 and 1", of.left, u.left)
	}
	u.sweeps++
	if u.countMembers(); of.left != 0 || u.left != 0 {
		t.Errorf("missed: %d of it and %d of all are left, want none", of.left, u.left)
	}
	u.sweeps++
	if got := u.noteSeen(found{pid: 7, target: of}, 100); got != asked {
		t.Errorf("seen again it is %+v, want the one that was asked", got)
	}
	if other := u.noteSeen(found{pid: 7, target: of}, 101); other == asked {
		t.Error("another process with its number is taken for it")
	}
	u.sweeps += remembered + 1
	if u.countMembers(); len(u.members) != 0 {
		t.Errorf("%d are remembered for ever", len(u.members))
	}
}

// TestReapedDuringASweep has a process be seen alive by a sweep, fork another, end and be reaped before that sweep is
// over: it does not prove that nothing is left, but the next does.
func TestReapedDuringASweep(t *testing.T) {
	of := &target{run: &run{pid: 7, ended: true}}
	h := &Host{ending: ending{
		targets: map[uint64]*target{1: of}, members: map[int]*member{7: {target: of, start: 100, sweep: 3}}, sweeps: 3,
	}}
	h.forgetMember(7)
	h.ending.countMembers()
	if h.isTargetEmpty(of) {
		t.Error("nothing is left, says the sweep that saw the process alive")
	}
	h.ending.sweeps++
	h.ending.countMembers()
	if !h.isTargetEmpty(of) {
		t.Error("something is left, says the next sweep")
	}
}
