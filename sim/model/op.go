package model

import "github.com/chubbycell/chubby/replica/api"

// NeedsFence reports whether an operation by a handle that is tied to a sequencer requires
// that this sequencer is valid. All do, except those that only give something up.
func NeedsFence(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Poison, api.Release, api.CancelAcquire:
		return false
	}
	return true
}

// IsUndone reports whether an answer says that this copy of a call was not executed, for a
// reason that does not depend on the operation. Any operation may be answered so.
func IsUndone(c api.Code) bool {
	switch c {
	case api.NotMaster, api.Aborted, api.Busy, api.NoSession, api.Stale, api.OldEpoch, api.Recovering, api.Parked, api.Crowded, api.Later, api.NoHandle:
		return true
	}
	return false
}
