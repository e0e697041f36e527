package model

import "github.com/chubbycell/chubby/replica/api"

// NeedsFence says that an op is for handles whose sequencer is valid, if they are tied to
// one: all are that do not only give something up.
func NeedsFence(op api.Op) bool {
	switch op.(type) {
	case api.CloseHandle, api.Poison, api.Release, api.CancelAcquire:
		return false
	}
	return true
}

// IsUndone are the answers that say of a copy that it was not executed, for reasons
// that have nothing to do with what was asked; anything may be answered with them.
func IsUndone(c api.Code) bool {
	switch c {
	case api.NotMaster, api.Aborted, api.Busy, api.NoSession, api.Stale, api.OldEpoch, api.Recovering, api.Parked, api.Crowded, api.Later, api.NoHandle:
		return true
	}
	return false
}
