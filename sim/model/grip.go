package model

import "github.com/chubbycell/chubby/replica/api"

// Grip is a handle as it was given out.
type Grip struct {
	ID       api.HandleID
	Session  api.SessionID
	Node     api.Ref
	Rights   api.Rights
	Closed   map[api.Epoch]uint64 // when it was confirmed, by epoch: masters remember it so long (C12.12)
	Poisoned map[api.Epoch]uint64
	Tied     []api.Sequencer // to which it is or was, the last in the end
	Allowed  api.Epoch       // the last epoch at some place of which its session had the rights
	Untested bool            // it was given to a copy of an Open that was executed in an earlier epoch
	Ended    bool            // its session has asked for it to be closed, or poisoned
}

// Shut says that a master of this epoch has confirmed that the handle is closed or
// poisoned.
func (g *Grip) Shut(e api.Epoch) bool { return g.Closed[e] != 0 || g.Poisoned[e] != 0 }

// TokenIn is the token that an op comes with; ok is false where it needs none. An op
// that needs one and has lost it is told from one that needs none, which
// api.HandleOf does not; and what is checked is not asked.
func TokenIn(op api.Op) (t api.Token, ok bool) {
	switch op := op.(type) {
	case api.Open:
		return op.Dir, op.Dir != ""
	case api.CloseHandle:
		return op.Handle, true
	case api.Poison:
		return op.Handle, true
	case api.GetContents:
		return op.Handle, true
	case api.GetStat:
		return op.Handle, true
	case api.ReadDir:
		return op.Handle, true
	case api.SetContents:
		return op.Handle, true
	case api.SetACL:
		return op.Handle, true
	case api.DeleteNode:
		return op.Handle, true
	case api.Acquire:
		return op.Handle, true
	case api.Release:
		return op.Handle, true
	case api.CancelAcquire:
		return op.Handle, true
	case api.GetSequencer:
		return op.Handle, true
	case api.SetSequencer:
		return op.Handle, true
	case api.CheckSequencer:
		return op.Handle, true
	}
	return "", false
}

// RightFor is the right that an op needs (CHU §2.4, §2.6): locks need the one to
// write, in either mode.
func RightFor(op api.Op) api.Rights {
	switch op.(type) {
	case api.GetContents, api.GetStat, api.ReadDir, api.CheckSequencer:
		return api.RightRead
	case api.SetContents, api.DeleteNode, api.Acquire, api.GetSequencer:
		return api.RightWrite
	case api.SetACL:
		return api.RightChangeACL
	}
	return 0
}
