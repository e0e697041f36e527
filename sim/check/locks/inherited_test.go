package locks

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/model"
)

// When an epoch begins, the delays that began and did not end run, including all of one lock.
func TestTheLockDelaysThatANewMasterOwes(t *testing.T) {
	s := newLockStory(t)
	fails := func(session api.SessionID, freed api.Number) {
		s.tells(&command.Applied{Number: freed, Command: command.Expire{Session: session}, Verdict: command.Executed,
			Result: api.Result{Code: api.OK}, Effects: []command.Effect{delay(time.Second)}})
	}
	begins := func(e api.Epoch) []model.DelayID {
		began := command.EpochBegan{Epoch: rows.Epoch{Number: e}}
		s.applied(command.ConfirmLeadership{}, api.Result{Code: api.OK}, began)
		return slices.SortedFunc(maps.Keys(s.b.Owed.At[e]), func(a, b model.DelayID) int { return cmp.Compare(a.Freed, b.Freed) })
	}
	s.acquire(1, 1, api.Shared, 5, 5)
	s.acquire(2, 2, api.Shared, 5, 6)
	require.Empty(t, begins(2))
	fails(1, 9)
	fails(2, 10)
	require.Equal(t, []model.DelayID{{Lock: theLock, Freed: 9}, {Lock: theLock, Freed: 10}}, begins(3))
	s.applied(command.DelayOver{Node: theLock, Freed: 9}, api.Result{Code: api.OK})
	require.Equal(t, []model.DelayID{{Lock: theLock, Freed: 10}}, begins(4))
	s.act(3, command.DeleteNode{Node: theLock}, nil)
	require.Empty(t, begins(5))
	s.Good()
}
