package cluster

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Replica is one life of a replica: the shipped driver and store, driven
// by the simulated machine instead of by package replica's goroutines.
type Replica struct {
	Env     *sim.Env
	Id      paxos.NodeID
	Host    *driver.Driver
	Now     time.Time // as the process last read its clock
	Store   *store.Store
	Stopped error     // why the host ended this life
	Due     time.Time // it has asked for; zero: none

	plan     *plan.Plan
	loop     loop
	Observer Observer
	observed model.Observed
	bulk     diskjobs.Bulk
	job      *driver.LogJob // what the log lane writes
}

// Observer is told of all that a life of a replica does, in its order, and changes nothing
// of it.
type Observer interface {
	// OnOpening is told that the store is about to be opened; it is opened on what is returned.
	OnOpening(fs vfs.FS) vfs.FS
	OnRefused(err error)
	OnOpened(rec store.Recovered, report store.Report)
	// OnStarted is told that the host has started, and has not acted yet.
	OnStarted(now time.Time, rec store.Recovered)
	// OnFailed is told that the life has ended because the machine failed, or the host stopped.
	OnFailed()

	// Delays says that a message from a client has not arrived yet: the network holds it back.
	Delays(from sim.Addr, msg []byte) bool
	// OnInput is told of an input before its kind, unless it comes behind another one in a burst.
	OnInput(now time.Time)
	// OnClientMessage is told of a message from a client; taken says that it is not the host's.
	OnClientMessage(now time.Time, from sim.Addr, msg []byte) (taken bool)
	OnPeerMessage(now time.Time, from paxos.NodeID, wire string)
	// OnNoRoom is told of the answer to a message from a client, which found no room.
	OnNoRoom(m driver.ClientMessage)
	// OnWoken is told that the host was told the time, and has acted.
	OnWoken(now time.Time)

	// OnOutput is told what the host wants done.
	OnOutput(out *model.Outcome)
	OnStopped(why error)
	// OnActed is told of the same when it is not to stop, before anything is sent.
	OnActed(out *model.Outcome)
	// OnMessage is told of each message to a peer before it is sent; first says that it is the
	// first of one act.
	OnMessage(first bool, m driver.PeerMessage)
	// OnAnswering is told that all messages to peers are sent, and returns the answers to send.
	OnAnswering(out *model.Outcome) []driver.ClientMessage
	OnReply(m driver.ClientMessage, reads []core.Read)
	// OnSent is told that all is sent, and no job has begun.
	OnSent(out *model.Outcome)

	OnLogBegun(j *driver.LogJob)
	// OnLogWritten is told at the very instant at which a job of the log lane is done, whether
	// or not the process lives to hear of it.
	OnLogWritten(j *driver.LogJob, err error)
	OnLogDone(now time.Time, j *driver.LogJob)
	// OnBulkAsked is told that the host wants a bulk job, OnBulkBegun that it begins, OnBulkEnded
	// that it has ended, and OnBulkDone that the process hears of it.
	OnBulkAsked(j driver.BulkJob)
	OnBulkBegun(j driver.BulkJob)
	OnBulkEnded()
	OnBulkDone(now time.Time, result driver.BulkResult)
	OnPublished(id driver.SnapshotID)
	OnUnreadable(id driver.SnapshotID, err error)
	OnBackup(j driver.BackupJob, made store.WriteResult, err error)
}

// New is a life of replica id of a plan, which has not begun. watch makes its observer.
func New(p *plan.Plan, id paxos.NodeID, cfg driver.Config, watch func(*Replica) Observer) *Replica {
	r := &Replica{Id: id, plan: p, loop: loop{box: driver.NewInbox[message](cfg.Inbox)}}
	cfg.Core.Observer = &r.observed
	r.Host = driver.New(cfg)
	r.Observer = watch(r)
	return r
}

// Start opens the store on a coroutine: every call of it is an event.
func (r *Replica) Start(env *sim.Env) {
	r.Env = env
	env.Go("recover", func() {
		options := r.plan.Store
		options.Salt = env.Draw("wal.salt").Uint64
		st, rec, report, err := store.Open(r.Observer.OnOpening(env.FS()), damage.DataDir, options)
		if err != nil {
			r.Observer.OnRefused(err)
			r.fail(err)
			return
		}
		r.Store = st
		r.bulk = diskjobs.Bulk{Snapshots: st.Snapshots(), OnPublished: r.Observer.OnPublished, OnUnreadable: r.Observer.OnUnreadable}
		r.Observer.OnOpened(rec, report)
		r.posts(func(now time.Time) {
			r.Host.Start(now, rec.Recovered, rec.Rows, rec.LogFloor)
			r.Observer.OnStarted(now, rec)
			r.Act()
		})
	})
}

// fail ends this life because the machine failed.
func (r *Replica) fail(err error) {
	r.Env.Fail(err)
	r.Observer.OnFailed()
}

// reads takes the reading of the monotonic clock that comes with an input: all that the
// replica is told of time. An input that reads another clock is planted bug L04.
func (r *Replica) reads(now time.Time) time.Time {
	r.Now = now
	return now
}

// wakes sets the timer of the process to when the host wants to be woken.
func (r *Replica) wakes(at time.Time) {
	r.Due = at
	r.Env.WakeAt(r.plan.Grained(at))
}

// Wake hands time to the host.
func (r *Replica) Wake(now time.Time) {
	r.does(now, func(now time.Time) {
		r.Host.Advance(now)
		r.Act()
		r.Observer.OnWoken(now)
	})
}

// Tell hands an input to the host, as if an operator had asked, once the process has had its
// first input: it may be paused before that.
func (r *Replica) Tell(f func(now time.Time)) {
	if r.Env == nil {
		return
	}
	r.posts(func(now time.Time) {
		f(now)
		r.Act()
	})
}

// Act does what the host wants done.
func (r *Replica) Act() {
	out := r.observed.Take(r.Host)
	r.Observer.OnOutput(&out)
	if out.Stop != nil {
		r.Send(out.Peers)
		r.Stopped = out.Stop
		r.Observer.OnStopped(out.Stop)
		r.fail(out.Stop)
		return
	}
	r.Observer.OnActed(&out)
	r.Send(out.Peers)
	for _, m := range r.Observer.OnAnswering(&out) {
		r.Observer.OnReply(m, out.Reads)
		r.Env.Send(sim.Addr(m.To), m.Wire)
	}
	r.Observer.OnSent(&out)
	if out.Log != nil {
		r.job = out.Log
		r.Env.Go("log", r.runJob)
	}
	if j := out.Bulk; j != nil {
		r.Observer.OnBulkAsked(j)
		r.Env.Go("bulk", func() { r.runBulk(j) })
	}
	if j := out.Backup; j != nil {
		r.Env.Go("backup", func() { r.runBackup(*j) })
	}
	r.wakes(out.Wake)
}

// Send sends messages to peers, each of which the observer is told of.
func (r *Replica) Send(all []driver.PeerMessage) {
	for i, m := range all {
		r.Observer.OnMessage(i == 0, m)
		r.Env.Send(sim.Addr(m.To), m.Wire)
	}
}

// TakeOutcome is what the host wants done, outside of an act.
func (r *Replica) TakeOutcome() model.Outcome { return r.observed.Take(r.Host) }
