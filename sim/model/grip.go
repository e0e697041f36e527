package model

import "github.com/chubbycell/chubby/replica/api"

// Grip is a handle as a master gave it out.
type Grip struct {
	ID       api.HandleID
	Session  api.SessionID
	Node     api.Ref
	Rights   api.Rights
	Closed   map[api.Epoch]uint64 // by epoch, when its master confirmed the close; masters remember it that long (C12.12)
	Poisoned map[api.Epoch]uint64
	Tied     []api.Sequencer // sequencers that it is or was tied to, the present one last
	Allowed  api.Epoch       // the last epoch during which its session had the rights at some time
	Untested bool            // it answers a copy of an Open that was executed in an earlier epoch
	Ended    bool            // its session has asked to close or poison it
}

// Shut reports whether a master of this epoch has confirmed that the handle is closed or
// poisoned.
func (g *Grip) Shut(e api.Epoch) bool { return g.Closed[e] != 0 || g.Poisoned[e] != 0 }

// TokenIn returns the handle's token that an operation carries; ok is false if the operation
// needs no handle. Unlike api.HandleOf it tells a missing token from one that is not needed.
// It also keeps the checkers independent of the code that they check.
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

// RightFor returns the right that an operation needs (CHU §2.4, §2.6). A lock needs the right
// to write, in either mode.
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
