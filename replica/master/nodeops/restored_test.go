package nodeops_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// A holder of the cell before may count on its lock for the longest lease, like one that does not come
// back after a fail-over. Its lock-delay protects the lock after that, and not meanwhile (C7.05, C14.04).
func TestLockDelaysOfARestoredCellBeginBehindTheLeasesOfTheCellBefore(t *testing.T) {
	s := newScript(t)
	s.do("ann open f /f rw may delay 5s; apply; ann acquire f exclusive; apply")
	command.Restore(s.db, command.Restoration{
		Master: 1, Ballot: rows.Ballot{Round: 100, Node: 1}, Secret: [32]byte{8}, Nonce: api.Nonce{99}, Lease: 20 * time.Second,
	})
	s.ops = nil
	s.epoch()
	s.begin()
	require.Equal(t, s.now.Add(25*time.Second), s.ops.Wake())

	s.failover() // before that: the next master waits for the old leases anew
	require.Equal(t, s.now.Add(25*time.Second), s.ops.Wake())

	for _, id := range rows.SessionIDs(s.db) { // the one that stands for the old leases
		s.upkeep(command.Expire{Guard: s.guard(), Session: id})
	}
	s.failover()
	require.Equal(t, s.now.Add(5*time.Second), s.ops.Wake())
}
