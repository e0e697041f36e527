package model

import (
	"fmt"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// LockOp is an operation of the lock model.
type LockOp uint8

const (
	// LockAcquire waits until Handle holds the lock: it cannot take effect while the lock cannot be granted. Output: Gen,
	// Acquisition; LockOther, LockGone.
	LockAcquire LockOp = iota + 1
	// LockTry is LockAcquire without waiting. Output also: LockHeld, LockDelayed.
	LockTry
	// LockRelease releases the hold of Handle, if it has the number Acquisition or Acquisition is 0. No output;
	// LockNotHeld.
	LockRelease
	// LockClose releases whatever Handle holds, at once. No output.
	LockClose
	// LockFail records that the holder failed: the lock is free, and the holder's Delay, if
	// any, begins to run under the name Began. Output: Delay; LockNotHeld.
	LockFail
	// LockDelayOver records that the delay Began is over. No output; LockStale if it does not
	// run.
	LockDelayOver
	// LockGetSequencer reads what Handle holds. Output: Shared, Gen; LockNotHeld.
	LockGetSequencer
	// LockCheckSequencer asks whether the lock is held in mode Shared at generation Gen. No
	// output; LockStale if it is not.
	LockCheckSequencer
	// LockForget records that the node was deleted: its lock is gone, with holders and delays.
	// No output.
	LockForget
)

// LockInput is a call of the lock model.
type LockInput struct {
	Op       LockOp
	Path     string // the lock: a node's path and instance
	Instance uint64
	Handle   string // of all operations except LockDelayOver, LockCheckSequencer and LockForget
	Shared   bool   // LockAcquire, LockTry, LockCheckSequencer: the mode is shared, not exclusive
	Gen      uint64 // LockCheckSequencer
	// Acquisition is, for LockRelease, the number of the hold to release; 0: any.
	Acquisition uint64
	// Delay is, for LockAcquire and LockTry, the lock-delay: for how many nanoseconds no other handle may hold the lock
	// after this holder failed.
	Delay int64
	Began uint64 // LockFail, LockDelayOver: names a delay; unique for each lock
}

// LockCode is how a call ended.
type LockCode uint8

// The codes.
const (
	LockOK      LockCode = iota
	LockHeld             // another handle holds it in a mode that excludes the requested one
	LockDelayed          // the delay of a failed holder is running
	LockOther            // the handle holds it in the other mode
	LockNotHeld          // the handle does not hold it, or its hold has another acquisition
	LockStale            // the sequencer or the delay has ended
	LockGone             // the node was deleted
)

// LockOutput is a result of the lock model. Which fields count depends on the
// operation, see LockOp; the others are ignored.
type LockOutput struct {
	Code        LockCode
	Shared      bool
	Gen         uint64 // 0: unknown
	Acquisition uint64 // 0: unknown
	Delay       int64  // of LockFail: how long the delay runs, in nanoseconds; negative: unknown
}

// Lock is the model of locks, one for each path and instance, held exclusively by one handle or
// shared by any number. A lock is free at the start.
//
// A lock has a generation, assigned by the system, which grows when a free lock is granted, and
// at no other time. A hold has an acquisition, a number by which a release names it. The model
// takes both as the history reports them.
//
// If a handle that holds the lock acquires it again, the lock is granted with the same numbers; in the other mode it is
// refused. While the delay of a failed holder runs, the lock is not granted, not even to further shared holders. The
// model has no time: failures of holders, ends of delays and deletions of nodes are calls of a separate client, in the
// order of the system's log. A cancelled call that released the lock is a LockRelease. A call that was refused for
// reasons outside of the model has no effect and must have OutcomeFailed.
func Lock() *Model[LockState, LockInput, LockOutput] {
	m := &Model[LockState, LockInput, LockOutput]{
		Name:           "lock",
		Init:           func() LockState { return LockState{} },
		Result:         lockResult,
		ReadOnly:       func(in LockInput) bool { return in.Op == LockGetSequencer || in.Op == LockCheckSequencer },
		Partition:      func(in LockInput) string { return in.name().String() },
		Equal:          LockState.equal,
		Hash:           LockState.hash,
		Size:           LockState.size,
		Validate:       lockValidate,
		DescribeInput:  describeLockInput,
		DescribeOutput: describeLockOutput,
		DescribeState:  LockState.String,
		Codec:          lockCodec(),
	}
	step := stepper[LockState, LockInput, LockOutput](LockState.step)
	step.setModel(m)
	m.Replayer = func() Replayer[LockInput, LockOutput] {
		return newStateReplayer(step, LockState{}, (*LockInput).name)
	}
	return m
}

// LockName names a lock.
type LockName struct {
	Path     string
	Instance uint64 // 0: unknown
}

func (in *LockInput) name() LockName { return LockName{Path: in.Path, Instance: in.Instance} }

// String returns path#instance, or path if the instance is unknown.
func (n LockName) String() string {
	if n.Instance == 0 {
		return n.Path
	}
	return fmt.Sprintf("%s#%d", n.Path, n.Instance)
}

// ofHandle reports whether o is an operation of a handle.
func (o LockOp) ofHandle() bool {
	return o != LockDelayOver && o != LockCheckSequencer && o != LockForget
}

func lockValidate(in LockInput) error {
	switch {
	case in.Op < LockAcquire || in.Op > LockForget:
		return strictjson.Errorf("op", "no such operation %d", in.Op)
	case in.Op.ofHandle() == (in.Handle == ""):
		return strictjson.Errorf("handle", "%q: a handle's operations have one, others have none", in.Handle)
	case in.Delay < 0:
		return strictjson.Errorf("delay_ns", "%d is negative", in.Delay)
	case in.Op == LockCheckSequencer && in.Gen == 0:
		return strictjson.Errorf("gen", "0 is none")
	}
	return nil
}
