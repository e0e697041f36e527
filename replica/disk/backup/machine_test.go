package backup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// machine is a cell of one replica on a disk that takes no time.
type machine struct {
	t       *testing.T
	st      *store.Store
	bulk    diskjobs.Bulk
	h       *driver.Driver
	now     time.Time
	wake    time.Time
	id      uint64
	seq     map[api.SessionID]api.Seq
	replies []api.Reply
}

// longest is the longest session lease of the cells here.
const longest = 20 * time.Second

func options() store.Options {
	salt := uint64(0)
	return store.Options{ChunkSize: 100, Salt: func() uint64 { salt++; return salt }}
}

func start(t *testing.T, mem *vfs.Mem, dir string, id paxos.NodeID) *machine {
	m := &machine{t: t, now: time.Unix(100, 0), seq: map[api.SessionID]api.Seq{}}
	st, rec, _, err := store.Open(mem, dir, options())
	require.NoError(t, err)
	m.st, m.bulk = st, diskjobs.Bulk{Snapshots: st.Snapshots()}
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members = id, []paxos.NodeID{id}
	cfg.Core.Sessions.LeaseMin, cfg.Core.Sessions.LeaseMax = longest/2, longest
	cfg.Core.Secret = [32]byte{7, byte(id)}
	m.h = driver.New(cfg)
	m.h.Start(m.now, rec.Recovered, rec.Rows, rec.LogFloor)
	m.act()
	return m
}

// act does what the driver wants until it wants nothing but time.
func (m *machine) act() {
	for {
		out := m.h.TakeOutput()
		require.NoError(m.t, out.Stop)
		for _, c := range out.Clients {
			p, err := api.DecodeReply(c.Wire)
			require.NoError(m.t, err)
			m.replies = append(m.replies, p)
		}
		m.wake = out.Wake
		if out.Log == nil && out.Bulk == nil {
			return
		}
		if out.Log != nil {
			require.NoError(m.t, diskjobs.Log(m.st, *out.Log))
			m.h.LogDone(m.now, nil)
		}
		if out.Bulk != nil {
			m.h.BulkDone(m.now, m.bulk.Do(out.Bulk))
		}
	}
}

func (m *machine) pass(d time.Duration) {
	for end := m.now.Add(d); ; {
		if m.wake.IsZero() || m.wake.After(end) {
			m.now = end
			return
		}
		if m.wake.After(m.now) {
			m.now = m.wake
		}
		m.h.Advance(m.now)
		m.act()
	}
}

// serve waits until the cell serves, and says for how long.
func (m *machine) serve() time.Duration {
	for from := m.now; ; {
		if m.h.Core().Serving() != nil {
			return m.now.Sub(from)
		}
		require.Less(m.t, m.now.Sub(from), time.Hour)
		m.pass(50 * time.Millisecond)
	}
}

func (m *machine) epoch() api.Epoch { return m.h.Core().Master().Epoch }

// ask sends one copy of a request and waits for its answer.
func (m *machine) ask(q api.Request) api.Reply {
	m.id++
	q.ID, m.replies = m.id, nil
	m.h.ClientMessage(m.now, 7, "ann", api.AppendRequest(nil, q))
	m.act()
	for i := 0; len(m.replies) == 0; i++ {
		require.Less(m.t, i, 1000)
		m.pass(10 * time.Millisecond)
	}
	return m.replies[0]
}

// call makes the next call of a session in the present epoch.
func (m *machine) call(s api.SessionID, op api.Op) api.Result {
	m.seq[s]++
	return m.ask(api.Request{Session: s, Seq: m.seq[s], AckedThrough: m.seq[s] - 1, Epoch: m.epoch(), Op: op}).Result
}

func (m *machine) must(s api.SessionID, op api.Op) api.Result {
	m.t.Helper()
	r := m.call(s, op)
	require.Equal(m.t, api.OK, r.Code)
	return r
}

func (m *machine) open(nonce uint64) api.SessionID {
	return m.ask(api.Request{Op: api.OpenSession{Nonce: api.Nonce{nonce}}}).Result.Session
}

// file opens a file of the root, and makes it if it must.
func (m *machine) file(s api.SessionID, name string) api.Token {
	r := m.must(s, api.Open{Path: name, Rights: api.RightRead | api.RightWrite, Create: api.CreateMay, Kind: api.File})
	return r.Detail.(api.Opened).Token
}

// take locks the file of a handle, and returns the generation and a sequencer.
func (m *machine) take(s api.SessionID, f api.Token) (api.LockGen, string) {
	gen := m.must(s, api.Acquire{Handle: f, Mode: api.Exclusive}).Detail.(api.Held).Gen
	return gen, m.must(s, api.GetSequencer{Handle: f}).Detail.(api.Sequenced).Sequencer.Encode()
}
