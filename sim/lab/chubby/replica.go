package chubby

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// replicas are those of the cell, the machines 1 to 3.
const replicas = 3

const dir = "cell" // on each disk

// replica is one life of a replica: it hands inputs to the driver that ships, and does what the
// driver wants done.
type replica struct {
	env    *sim.Env
	driver *driver.Driver
	store  *store.Store
	bulk   diskjobs.Bulk
}

// newReplica configures replica id with sessions of this lease.
func newReplica(w *sim.World, id paxos.NodeID, lease time.Duration) *replica {
	cfg := driver.DefaultConfig()
	cfg.Core.Paxos.ID = id
	cfg.Core.Paxos.Seed = w.Draw("lab.replica", uint64(id)).Uint64()
	for i := range replicas {
		cfg.Core.Paxos.Members = append(cfg.Core.Paxos.Members, paxos.NodeID(i+1))
	}
	cfg.Core.Sessions.LeaseMin = lease
	secret := w.Draw("lab.secret", uint64(id))
	for i := 0; i < len(cfg.Core.Secret); i += 8 {
		binary.BigEndian.PutUint64(cfg.Core.Secret[i:], secret.Uint64())
	}
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	return &replica{driver: driver.New(cfg)}
}

// Start opens the store; the driver starts with what it held.
func (r *replica) Start(env *sim.Env) {
	r.env = env
	env.Go("recover", func() {
		st, rec, _, err := store.Open(env.FS(), dir, store.Options{SegmentSize: 64 << 10, Salt: env.Draw("wal.salt").Uint64})
		if err != nil {
			panic(fmt.Sprintf("a power cut alone, and the store does not open: %v", err))
		}
		r.store, r.bulk = st, diskjobs.Bulk{Snapshots: st.Snapshots()}
		r.does(func(now time.Time) { r.driver.Start(now, rec.Recovered, rec.Rows, rec.LogFloor) })
	})
}

// Receive hands a message over, of a peer or of a client.
func (r *replica) Receive(now time.Time, from sim.Addr, data []byte) {
	switch {
	case r.store == nil: // it recovers
		return
	case from <= replicas:
		r.driver.PeerMessage(now, paxos.NodeID(from), string(data))
	default:
		r.driver.ClientMessage(now, core.Addr(from), api.Principal("lab"), data)
	}
	r.act()
}

// Wake hands the time over.
func (r *replica) Wake(now time.Time) {
	r.driver.Advance(now)
	r.act()
}

// does hands over an input from a coroutine.
func (r *replica) does(f func(now time.Time)) {
	r.env.Post(func(now time.Time) {
		f(now)
		r.act()
	})
}

// act does what the driver wants done.
func (r *replica) act() {
	out := r.driver.TakeOutput()
	for _, m := range out.Peers {
		r.env.Send(sim.Addr(m.To), []byte(m.Wire))
	}
	if out.Stop != nil {
		r.env.Fail(out.Stop)
		return
	}
	for _, m := range out.Clients {
		r.env.Send(sim.Addr(m.To), m.Wire)
	}
	if j := out.Log; j != nil {
		r.env.Go("log", func() {
			err := diskjobs.Log(r.store, *j)
			r.does(func(now time.Time) { r.driver.LogDone(now, err) })
		})
	}
	if j := out.Bulk; j != nil {
		r.env.Go("bulk", func() {
			result := r.bulk.Do(j)
			r.does(func(now time.Time) { r.driver.BulkDone(now, result) })
		})
	}
	r.env.WakeAt(out.Wake)
}
