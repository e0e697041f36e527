package replica_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// silence is a transport that counts what is sent to peers, who hear nothing.
type silence struct{ sent atomic.Int64 }

func (s *silence) ToPeer(paxos.NodeID, []byte) { s.sent.Add(1) }
func (*silence) ToClient(core.Addr, []byte)    {}

// The timers of the system stand still while a machine is suspended, and Config.Now does not: a replica does what fell
// due meanwhile within a second of the resume, and wakes until then without doing anything.
func TestWhatFallsDueInASuspensionIsDoneWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var suspended atomic.Int64
		transport := &silence{}
		cfg := driver.DefaultConfig()
		cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = 1, []paxos.NodeID{1, 2, 3}
		cfg.Core.Paxos.ElectionMin, cfg.Core.Paxos.ElectionMax = time.Hour, 2*time.Hour
		r, err := replica.Start(replica.Config{
			Driver: cfg, FS: vfs.NewMem(), Dir: "data", Transport: transport,
			Now: func() time.Time { return time.Now().Add(time.Duration(suspended.Load())) },
		})
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		before := transport.sent.Load()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		require.Equal(t, before, transport.sent.Load(), "it waits to hear of a leader")
		suspended.Store(int64(2 * time.Hour))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Greater(t, transport.sent.Load(), before, "it campaigns")
		require.NoError(t, r.Stop())
	})
}
