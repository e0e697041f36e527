package cellkit

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

const (
	dir         = "cell"   // on each disk
	segmentSize = 64 << 10 // of the log: a simulated disk is memory
)

// replica is one life of a replica: it gives inputs to the shipped driver, and does what the driver
// wants done.
type replica struct {
	cell   *Cell
	id     paxos.NodeID
	env    *sim.Env
	driver *driver.Driver
	store  *store.Store // nil while it recovers
	bulk   diskjobs.Bulk
}

// Start opens the store; the driver starts with what the disk held. If the disk fails, the life ends.
func (r *replica) Start(env *sim.Env) {
	r.env, r.driver = env, driver.New(r.cell.driver(r.id, env.Self()))
	env.Go("recover", func() {
		st, rec, _, err := store.Open(env.FS(), dir, store.Options{SegmentSize: segmentSize, Salt: env.Draw("wal.salt").Uint64})
		if err != nil {
			env.Fail(err)
			return
		}
		r.store, r.bulk = st, diskjobs.Bulk{Snapshots: st.Snapshots()}
		r.post(func(now time.Time) { r.driver.Start(now, rec.Recovered, rec.Rows, rec.LogFloor) })
	})
}

// Receive gives a message to the driver. Machines that are no replicas of this cell are clients, with
// the principal of their address: programs, servers, replicas of other cells.
func (r *replica) Receive(now time.Time, from sim.Addr, msg []byte) {
	if r.store == nil {
		return // the sender repeats it
	}
	if peer, ok := r.cell.ids[from]; ok {
		r.driver.PeerMessage(now, peer, string(msg))
	} else {
		r.driver.ClientMessage(now, core.Addr(from), api.Principal(from.String()), msg)
	}
	r.act()
}

// Wake advances the driver's time.
func (r *replica) Wake(now time.Time) {
	r.driver.Advance(now)
	r.act()
}

// post gives the driver an input from a coroutine.
func (r *replica) post(f func(now time.Time)) {
	r.env.Post(func(now time.Time) {
		f(now)
		r.act()
	})
}

// act does what the driver wants done.
func (r *replica) act() {
	out := r.driver.TakeOutput()
	for _, m := range out.Peers {
		r.env.Send(r.cell.at(m.To), []byte(m.Wire))
	}
	if out.Stop != nil {
		r.env.Fail(out.Stop)
		return
	}
	for _, m := range out.Clients {
		r.env.Send(sim.Addr(m.To), m.Wire)
	}
	if j := out.Log; j != nil {
		r.env.Go("log", func() { r.writeLog(j) })
	}
	if j := out.Bulk; j != nil {
		r.env.Go("bulk", func() {
			result := r.bulk.Do(j)
			r.post(func(now time.Time) { r.driver.BulkDone(now, result) })
		})
	}
	r.env.WakeAt(out.Wake)
}

// writeLog runs a log job: plain calls of the store, each an event.
func (r *replica) writeLog(j *driver.LogJob) {
	err := diskjobs.Log(r.store, *j)
	if err == nil && r.store.WantsAhead() {
		r.env.Go("segment", func() { _ = r.store.MakeAhead() }) // on an error, the store makes it when it needs it
	}
	r.post(func(now time.Time) { r.driver.LogDone(now, err) })
}

// leads reports whether this replica leads the log with a master lease, which has not ended now.
func (r *replica) leads(now time.Time) bool {
	if r.store == nil || r.driver.Core() == nil {
		return false
	}
	return r.driver.Core().IsLeader() && r.driver.Core().Lease().After(now)
}
