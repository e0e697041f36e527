package api_test

import (
	"fmt"
	"os"
	"strings"
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

// docs/protocol.md has the numbers of the constants, for clients in other languages.
func TestTheDocumentHasTheNumbersOfTheConstants(t *testing.T) {
	text, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	row := func(field string) (numbers []string) {
		_, rest, found := strings.Cut(string(text), "| "+field+" | ")
		require.True(t, found, field)
		cells, _, _ := strings.Cut(rest, " |")
		cells, _, _ = strings.Cut(cells, ";")
		return strings.Split(cells, ", ")
	}
	list := func(valid func(i int) bool, name func(i int) string) (all []string) {
		for i := 1; valid(i); i++ {
			all = append(all, fmt.Sprintf("%d %s", i, name(i)))
		}
		return all
	}
	require.Equal(t, list(func(i int) bool { return api.Code(i).Valid() }, func(i int) string { return api.Code(i).String() }), row("code"))
	require.Equal(t, list(func(i int) bool { return api.EventKind(i).Valid() }, func(i int) string { return api.EventKind(i).String() }), row("event"))
	require.Equal(t, list(func(i int) bool { return api.Mode(i).Valid() }, func(i int) string { return api.Mode(i).String() }), row("mode"))
	require.Equal(t, []string{fmt.Sprintf("%d directory", api.Directory), fmt.Sprintf("%d file", uint8(api.File))}, row("kind"))
	require.Equal(t, []string{
		fmt.Sprintf("%d read", api.RightRead), fmt.Sprintf("%d write", uint8(api.RightWrite)), fmt.Sprintf("%d change-acl", uint8(api.RightChangeACL)), "added up",
	}, row("rights"))
	require.Equal(t, []string{fmt.Sprintf("%d never", api.CreateNever), fmt.Sprintf("%d may", api.CreateMay), fmt.Sprintf("%d must", api.CreateMust)}, row("create"))
	require.Equal(t, []string{
		fmt.Sprintf("%d contents", api.WantContents), fmt.Sprintf("%d children", api.WantChildren), fmt.Sprintf("%d invalid", api.WantInvalid),
		fmt.Sprintf("%d lock-acquired", api.WantLockAcquired), fmt.Sprintf("%d lock-wanted", api.WantLockWanted), fmt.Sprintf("%d fail-over", api.WantFailover), "added up",
	}, row("events of an Open"))
}
