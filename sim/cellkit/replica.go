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
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
)

// segmentSize is that of the log: a simulated disk is memory.
const segmentSize = 64 << 10

// replica is one life of a replica: it gives inputs to the shipped driver, and does what the driver
// wants done.
type replica struct {
	cell   *Cell
	id     paxos.NodeID
	env    *sim.Env
	driver *driver.Driver
	store  *store.Store // nil while it recovers
	bulk   diskjobs.Bulk
	now    time.Time // as the process last read its clock

	watch    *watch
	observed model.Observed
}

// Start opens the store; the driver starts with what the disk held. If the disk fails, the life ends.
func (r *replica) Start(env *sim.Env) {
	r.env = env
	r.watch = watched(r)
	cfg := r.cell.driver(r.id, env.Self())
	if r.watch != nil {
		cfg.Core.Observer = &r.observed
	}
	r.driver = driver.New(cfg)
	env.Go("recover", func() {
		st, rec, report, err := store.Open(r.watch.onOpening(env.FS()), damage.DataDir, store.Options{SegmentSize: segmentSize, Salt: env.Draw("wal.salt").Uint64})
		r.watch.onOpened(rec, report, err)
		if err != nil {
			env.Fail(err)
			return
		}
		r.store, r.bulk = st, r.watch.bulk(st.Snapshots())
		r.post(func(now time.Time) {
			r.driver.Start(now, rec.Recovered, rec.Rows, rec.LogFloor)
			r.watch.onStarted(&rec.Recovered)
		})
	})
}

// Receive gives a message to the driver. Machines that are no replicas of this cell are clients, with
// the principal of their address: programs, servers, replicas of other cells.
func (r *replica) Receive(now time.Time, from sim.Addr, msg []byte) {
	if r.store == nil {
		return // the sender repeats it
	}
	r.now = now
	if peer, ok := r.cell.ids[from]; ok {
		r.driver.PeerMessage(now, peer, string(msg))
	} else {
		r.watch.onRequest(msg)
		r.driver.ClientMessage(now, core.Addr(from), api.Principal(from.String()), msg)
	}
	r.act()
}

// Wake advances the driver's time.
func (r *replica) Wake(now time.Time) {
	r.now = now
	r.driver.Advance(now)
	r.act()
}

// post gives the driver an input from a coroutine.
func (r *replica) post(f func(now time.Time)) {
	r.env.Post(func(now time.Time) {
		r.now = now
		f(now)
		r.act()
	})
}

// act does what the driver wants done.
func (r *replica) act() {
	out := r.observed.Take(r.driver)
	if out.Stop == nil {
		r.watch.onActed(&out)
	}
	for _, m := range out.Peers {
		r.watch.onMessage(m)
		r.env.Send(r.cell.at(m.To), []byte(m.Wire))
	}
	if out.Stop != nil {
		r.watch.onStopped(out.Stop)
		r.env.Fail(out.Stop)
		return
	}
	for _, m := range out.Clients {
		r.watch.onReply(m, &out)
		r.env.Send(sim.Addr(m.To), m.Wire)
	}
	if j := out.Log; j != nil {
		r.env.Go("log", func() { r.writeLog(j) })
	}
	if j := out.Bulk; j != nil {
		r.env.Go("bulk", func() {
			r.watch.onBulkBegun(j)
			result := r.bulk.Do(j)
			r.watch.onBulkEnded()
			r.post(func(now time.Time) {
				r.watch.onBulkDone(result)
				r.driver.BulkDone(now, result)
			})
		})
	}
	r.env.WakeAt(out.Wake)
}

// writeLog runs a log job: plain calls of the store, each an event.
func (r *replica) writeLog(j *driver.LogJob) {
	r.watch.onLogBegun(j)
	err := diskjobs.Log(r.store, *j)
	if err == nil {
		r.watch.onLogWritten(j)
	}
	if err == nil && r.store.WantsAhead() {
		r.env.Go("segment", func() { _ = r.store.MakeAhead() }) // on an error, the store makes it when it needs it
	}
	r.post(func(now time.Time) { r.driver.LogDone(now, err) })
}

// leads reports whether this replica leads the log with a master lease, which has not ended now.
func (r *replica) leads(now time.Time) bool {
	return r.driver.Core().IsLeader() && r.driver.Core().Lease().After(now)
}
