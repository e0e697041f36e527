package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/wal/vfs"
)

// witness remembers what a replica did and what it could tell others.
type witness struct {
	tried, acked paxos.Recovered // Records: what a restart would give
	boot         paxos.Boot
	ballot       paxos.Ballot
}

// life is a process life: boot, three tenures, votes in groups.
func (w *witness) life(g *rig, seed int) error {
	w.boot = g.rec.Boot + 1
	if err := w.write(g, paxos.Booted{Boot: w.boot}); err != nil {
		return err
	}
	for tenure := range 3 {
		w.ballot = paxos.Ballot{Round: g.rec.Promise.Round + uint64(tenure) + 1, Node: 1}
		rs := []paxos.Record{paxos.Promised{Ballot: w.ballot}}
		for i := range 1 + (seed+tenure)%4 {
			slot := paxos.Slot(tenure*2 + i + 1)
			rs = append(rs, paxos.Voted{Slot: slot, Ballot: w.ballot, Value: value(slot, w.ballot, 20*i)})
		}
		if err := w.write(g, rs...); err != nil {
			return err
		}
		if err := g.s.Idle(); err != nil {
			return err
		}
	}
	return nil
}

// write appends and syncs, and keeps what that means.
func (w *witness) write(g *rig, rs ...paxos.Record) error {
	add(&w.tried, rs)
	if err := g.append(rs...); err != nil {
		return err
	}
	w.acked.Boot, w.acked.Promise = w.tried.Boot, w.tried.Promise
	if err := g.s.Sync(); err != nil {
		return err
	}
	w.acked = w.tried
	return nil
}

func add(rec *paxos.Recovered, rs []paxos.Record) {
	for _, r := range rs {
		switch r := r.(type) {
		case paxos.Booted:
			rec.Boot = r.Boot
		case paxos.Promised:
			rec.Promise = r.Ballot
		default:
			rec.Records = append(rec.Records[:len(rec.Records):len(rec.Records)], r)
		}
	}
}

// check compares what a restart gave with what may and must be there; from then
// on it is what is there.
func (w *witness) check(t *testing.T, rec paxos.Recovered) {
	t.Helper()
	require.True(t, w.acked.Boot <= rec.Boot && rec.Boot <= w.tried.Boot)
	require.False(t, rec.Promise.Less(w.acked.Promise) || w.tried.Promise.Less(rec.Promise))
	n := len(rec.Records)
	require.True(t, len(w.acked.Records) <= n && n <= len(w.tried.Records))
	for i, r := range rec.Records {
		require.Equal(t, w.tried.Records[i], r)
		require.False(t, rec.Promise.Less(r.(paxos.Voted).Ballot), "a vote above the promise")
	}
	w.tried.Boot, w.tried.Promise, w.tried.Records = rec.Boot, rec.Promise, w.tried.Records[:n]
	w.acked = w.tried
}

// crashes are the ways in which a life ends.
var crashes = map[string]func(*vfs.Mem, uint64){
	"power cut": func(m *vfs.Mem, seed uint64) { m.Crash(vfs.Seeded(seed)) },
	"nothing":   func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepNothing) },
	"all":       func(m *vfs.Mem, _ uint64) { m.Crash(vfs.KeepAll) },
	"killed":    func(m *vfs.Mem, _ uint64) { m.Kill() },
}

// A life ends at each of its calls, and the opening after it at one of its own:
// boot and promise never fall, and no vote that was told is missing.
func TestDeathAtEveryCallAndAgainWhileOpening(t *testing.T) {
	for name, crash := range crashes {
		for _, segment := range []int64{1, 300, 1 << 16} {
			t.Run(fmt.Sprintf("%s/segment %d", name, segment), func(t *testing.T) {
				for n := 1; n <= 130; n++ {
					dieAndDieAgain(t, segment, n, crash)
				}
			})
		}
	}
}

func dieAndDieAgain(t *testing.T, segment int64, n int, crash func(*vfs.Mem, uint64)) {
	g, w, seed := &rig{m: vfs.NewMem()}, &witness{}, uint64(n)
	g.o = store.Options{SegmentSize: segment, Salt: salts(seed)}
	for again := range uint64(3) {
		at := n
		if again > 0 {
			at = 1 + (n*7+int(again)*13)%45
		}
		g.m.SetFault(func(vfs.Call) vfs.Fault {
			if at--; at == 0 {
				crash(g.m, seed*3+again)
			}
			return vfs.Fault{}
		})
		err := g.tryOpen()
		if err == nil {
			w.check(t, g.rec.Recovered)
			err = w.life(g, n)
		}
		require.True(t, err == nil || errors.Is(err, vfs.ErrCrashed), "%v", err)
		if err == nil {
			crash(g.m, seed*5+again)
		}
	}
	g.m.SetFault(nil)
	g.m.Crash(vfs.Seeded(seed))
	g.open(t)
	w.check(t, g.rec.Recovered)
}
