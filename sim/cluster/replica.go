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
	Due     time.Time // the wake that the host has asked for; zero: none

	plan     *plan.Plan
	loop     loop
	Observer Observer
	observed model.Observed
	bulk     diskjobs.Bulk
	job      *driver.LogJob // the log job under way
}

// Observer is told of everything that a life of a replica does, in order. It must not change what
// the life does, except where a method says so.
type Observer interface {
	// OnOpening is called before the store is opened. The store is opened on the file system that
	// it returns.
	OnOpening(fs vfs.FS) vfs.FS
	// OnRefused is called when the store could not be opened.
	OnRefused(err error)
	// OnOpened is called when the store is open, before the host starts.
	OnOpened(rec store.Recovered, report store.Report)
	// OnStarted is called when the host has started, before it acts.
	OnStarted(now time.Time, rec store.Recovered)
	// OnFailed is called when the life has ended because the machine failed, or because the host
	// stopped.
	OnFailed()

	// Delays reports whether the network holds a message from a client back: the life then ignores
	// it, as if it had not arrived yet.
	Delays(from sim.Addr, msg []byte) bool
	// OnInput is called before the method for the kind of the input, but in a burst only for the
	// first input.
	OnInput(now time.Time)
	// OnClientMessage is called for each message from a client. If it returns true, the host does
	// not get the message.
	OnClientMessage(now time.Time, from sim.Addr, msg []byte) (taken bool)
	// OnPeerMessage is called for each message from a peer, before the host gets it.
	OnPeerMessage(now time.Time, from paxos.NodeID, wire string)
	// OnNoRoom is called with the answer to a message from a client that found no room.
	OnNoRoom(m driver.ClientMessage)
	// OnWoken is called when the host has handled a wake-up, and has acted.
	OnWoken(now time.Time)

	// OnOutput is called with everything that the host wants done, before it is done.
	OnOutput(out *model.Outcome)
	// OnStopped is called if the host stops, after OnOutput and the last messages to peers.
	// OnActed, OnAnswering, OnReply and OnSent are then not called.
	OnStopped(why error)
	// OnActed is called after OnOutput if the host does not stop, before anything is sent.
	OnActed(out *model.Outcome)
	// OnMessage is called for each message to a peer before it is sent. first reports whether it is
	// the first one of an act.
	OnMessage(first bool, m driver.PeerMessage)
	// OnAnswering is called when all messages to peers have been sent. It returns the replies to
	// clients that are to be sent.
	OnAnswering(out *model.Outcome) []driver.ClientMessage
	// OnReply is called for each of these replies before it is sent, with all reads of the act that
	// the host has answered alone.
	OnReply(m driver.ClientMessage, reads []core.Read)
	// OnSent is called when everything has been sent, before jobs begin.
	OnSent(out *model.Outcome)

	// OnLogBegun is called when a log job begins.
	OnLogBegun(j *driver.LogJob)
	// OnLogWritten is called at the instant at which a log job ends, whether or not the process
	// lives to handle its end.
	OnLogWritten(j *driver.LogJob, err error)
	// OnLogDone is called when the process handles the end of a log job, whether or not the job
	// failed.
	OnLogDone(now time.Time, j *driver.LogJob)
	// OnBulkAsked is called when the host wants a bulk job, OnBulkBegun when the job begins,
	// OnBulkEnded when it has ended, and OnBulkDone when the process handles its end.
	OnBulkAsked(j driver.BulkJob)
	OnBulkBegun(j driver.BulkJob)
	OnBulkEnded()
	OnBulkDone(now time.Time, result driver.BulkResult)
	// OnPublished is called when a snapshot has become durable, OnUnreadable when a snapshot of this
	// replica could not be read (diskjobs.Bulk).
	OnPublished(id driver.SnapshotID)
	OnUnreadable(id driver.SnapshotID, err error)
	// Backups returns the observer of backup jobs.
	Backups() BackupObserver
}

// BackupObserver is told of the backup jobs of replicas: when one begins, and when it has ended.
type BackupObserver interface {
	OnBackupBegun(id paxos.NodeID, j driver.BackupJob)
	OnBackup(id paxos.NodeID, j driver.BackupJob, made store.WriteResult, err error)
}

// New returns a life of replica id, which has not begun. watch makes its observer.
func New(p *plan.Plan, id paxos.NodeID, cfg driver.Config, watch func(*Replica) Observer) *Replica {
	r := &Replica{Id: id, plan: p, loop: loop{box: driver.NewInbox[message](cfg.Inbox)}}
	cfg.Core.Observer = &r.observed
	r.Host = driver.New(cfg)
	r.Observer = watch(r)
	return r
}

// Start opens the store on a coroutine: each of its disk calls is an event.
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
		r.post(func(now time.Time) {
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

// readClock takes the reading of the monotonic clock that comes with an input. It is the only time
// that the replica gets. Planted bug L04 takes the reading of another clock.
func (r *Replica) readClock(now time.Time) time.Time {
	r.Now = now
	return now
}

// wakeAt sets the timer of the process to the instant at which the host wants to be woken.
func (r *Replica) wakeAt(at time.Time) {
	r.Due = at
	r.Env.WakeAt(r.plan.Grained(at))
}

// Wake advances the host's time.
func (r *Replica) Wake(now time.Time) {
	r.do(now, func(now time.Time) {
		r.Host.Advance(now)
		r.Act()
		r.Observer.OnWoken(now)
	})
}

// Tell gives an input to the host, as a request of an operator would. It does nothing before Start:
// the machine may be paused before the first input of the process.
func (r *Replica) Tell(f func(now time.Time)) {
	if r.Env == nil {
		return
	}
	r.post(func(now time.Time) {
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
	r.wakeAt(out.Wake)
}

// Send sends messages to peers, and tells the observer of each.
func (r *Replica) Send(all []driver.PeerMessage) {
	for i, m := range all {
		r.Observer.OnMessage(i == 0, m)
		r.Env.Send(sim.Addr(m.To), m.Wire)
	}
}

// TakeOutcome returns what the host wants done, without doing it, and empties it.
func (r *Replica) TakeOutcome() model.Outcome { return r.observed.Take(r.Host) }
