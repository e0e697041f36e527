package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func TestWhatEachCodeTells(t *testing.T) {
	rows := []struct {
		code      api.Code
		text      string
		execution api.Execution
		definite  bool
	}{
		{0, "code(0)", api.Unknown, false},
		{api.OK, "ok", api.Executed, true},
		{api.NotMaster, "not-master", api.Unknown, false},
		{api.Aborted, "aborted", api.NotThisCopy, false},
		{api.Busy, "busy", api.NotThisCopy, false},
		{api.NoSession, "no-session", api.NotThisCopy, false},
		{api.Conflict, "conflict", api.Executed, true},
		{api.NotFound, "not-found", api.Executed, true},
		{api.Invalid, "invalid", api.Never, true},
		{api.TooLarge, "too-large", api.Never, true},
		{api.Stale, "stale", api.NotThisCopy, false},
		{api.Exists, "exists", api.Executed, true},
		{api.NotDirectory, "not-directory", api.Executed, true},
		{api.IsDirectory, "is-directory", api.Executed, true},
		{api.NotEmpty, "not-empty", api.Executed, true},
		{api.Gone, "gone", api.Executed, true},
		{api.Quota, "quota", api.Executed, true},
		{api.Permission, "permission", api.Executed, true},
		{api.LockHeld, "lock-held", api.Executed, true},
		{api.LockDelayed, "lock-delayed", api.Executed, true},
		{api.LockOther, "lock-other", api.Executed, true},
		{api.NotHeld, "not-held", api.Executed, true},
		{api.OldEpoch, "old-epoch", api.NotThisCopy, false},
		{api.Recovering, "recovering", api.NotThisCopy, false},
		{api.Parked, "parked", api.NotThisCopy, false},
		{api.BadHandle, "bad-handle", api.Never, true},
		{api.HandleClosed, "handle-closed", api.Executed, true},
		{api.HandlePoisoned, "handle-poisoned", api.Executed, true},
		{api.NoRight, "no-right", api.Executed, true},
		{api.StaleSequencer, "stale-sequencer", api.Executed, true},
		{api.Cancelled, "cancelled", api.Executed, true},
		{api.Crowded, "crowded", api.Executed, true},
		{api.Later, "later", api.NotThisCopy, false},
		{api.NoHandle, "no-handle", api.NotThisCopy, false},
		{34, "code(34)", api.Unknown, false},
	}
	for i, r := range rows {
		require.Equal(t, api.Code(i), r.code, "the numbers are part of the format")
		require.Equal(t, r.text, r.code.String())
		require.Equal(t, r.execution, r.code.Execution(), r.text)
		require.Equal(t, r.definite, r.code.IsDefinite(), r.text)
		require.Equal(t, 1 <= i && i <= 33, r.code.Valid(), r.text)
	}
}
