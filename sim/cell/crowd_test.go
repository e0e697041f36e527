package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/crowd"
)

func newCrowd(t *testing.T, sessions int, lease time.Duration) *Crowd {
	x := NewCrowd(crowd.Options{Seed: 1, Replicas: 3, Sessions: sessions, Lease: lease})
	t.Cleanup(x.Close)
	require.NoError(t, x.Gather())
	require.Zero(t, x.Counts().KeepAlives)
	return x
}

// Each session sends a KeepAlive as soon as the last one is answered, when seven twelfths of a
// lease are over. No session is lost, and no client is ever in jeopardy.
func TestACrowdKeepsItsSessions(t *testing.T) {
	for _, lease := range []time.Duration{12 * time.Second, 30 * time.Second, time.Minute} {
		const sessions, d = 500, 5 * time.Minute
		x := newCrowd(t, sessions, lease)
		require.NoError(t, x.RunFor(d))
		c := x.Counts()
		require.Equal(t, d, c.Simulated)
		require.Zero(t, c.Jeopardy, "%v: %+v", lease, c)
		require.Zero(t, c.Lost)
		require.Zero(t, c.Failovers)
		each := d.Seconds() / (lease.Seconds() * 7 / 12)
		require.InDelta(t, each, float64(c.KeepAlives)/sessions, 1, "%v: one begins within the time, or ends", lease)
		require.InDelta(t, float64(c.KeepAlives), float64(c.Answers), sessions)
		require.LessOrEqual(t, int(c.Requests-c.Kept), 3*sessions, "to begin: who is the master, a session, a handle; %+v", c)
		rows, master := x.Memory()
		require.Positive(t, rows)
		require.Greater(t, master, rows)
	}
}

// A crowd is alone in its cell, whatever the seed. Of other cells, one in three has a hostile
// client.
func TestACrowdIsAloneInItsCell(t *testing.T) {
	for seed := range uint64(9) {
		x := NewCrowd(crowd.Options{Seed: seed, Replicas: 3, Sessions: 10, Lease: 12 * time.Second})
		require.Len(t, x.cell.world.Clients(), 1, "seed %d", seed)
		x.Close()
	}
}

func TestACrowdIsOneHistory(t *testing.T) {
	var hashes []uint64
	for range 2 {
		x := newCrowd(t, 50, 12*time.Second)
		require.NoError(t, x.RunFor(time.Minute))
		hashes = append(hashes, x.Hash())
	}
	require.Equal(t, hashes[0], hashes[1])
}

// A crowd counts the sessions that it loses: here its clients are cut off for longer than their
// leases.
func TestACrowdThatIsCutOffIsLost(t *testing.T) {
	const sessions = 100
	x := newCrowd(t, sessions, 2*time.Second)
	x.cell.world.Net().Isolate(x.crowd.Addr)
	require.NoError(t, x.RunFor(10*time.Second))
	c := x.Counts()
	require.EqualValues(t, sessions, c.Jeopardy)
	require.EqualValues(t, sessions, c.Lost)
}

// A crowd keeps its sessions when the master fails.
func TestACrowdOutlivesItsMaster(t *testing.T) {
	const sessions = 200
	x := newCrowd(t, sessions, 12*time.Second)
	x.cell.retire(running(x.cell.serving()))
	x.cell.serving().Kill()
	require.NoError(t, x.RunFor(2*time.Minute))
	c := x.Counts()
	require.Equal(t, 1, c.Failovers)
	require.Zero(t, c.Lost)
	require.Greater(t, c.Answers, uint64(sessions*2*7))
}
