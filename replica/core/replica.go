package core

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Config configures a Replica.
type Config struct {
	Paxos      paxos.Config
	MaxPending int // calls that may wait for the log or in it; one more is refused with Later or Busy
	Sessions   session.Config
	// KeepGrant makes a replica that was part of a cell use the lease grant of that cell: the constant
	// in its rows, or else the grant of its earlier lives. Paxos.Lease.Grant then holds for new cells
	// only, so its default may change from one version to the next.
	KeepGrant bool
	// MaxSessions bounds the sessions that are alive at one time, until SetLimits changes the bound. It
	// is a replicated constant. 0: this replica proposes none and uses the bound of the rows
	// (rows.GetMaxSessions).
	MaxSessions int
	NodeOps     nodeops.Config
	Secret      [32]byte      // see master.Config
	Founding    tree.Founding // see master.Config

	// NewestVersion is the newest version of commands that the program of this replica knows. 0: command.NewestVersion.
	// Tests and simulations set it, for cells of several programs.
	NewestVersion byte `json:"-"`

	ChecksumEvery time.Duration // between two comparisons of the rows of all replicas
	ChecksumRows  int           // rows summed in one Advance

	Observer Observer `json:"-"` // nil: nothing is observed or collected
}

// DefaultConfig returns a configuration for machines in one building. The caller sets
// Paxos.ID, Members and Seed. It allows clocks a rate error of one thousandth: several times
// the error of a quartz, and twice the rate at which a time daemon corrects.
func DefaultConfig() Config {
	c := Config{Paxos: paxos.DefaultConfig(), MaxPending: 4096, ChecksumEvery: 10 * time.Minute, ChecksumRows: 4096}
	c.Paxos.Lease = paxos.Lease{Grant: 800 * time.Millisecond, Rho: 1000}
	c.Paxos.ElectionMax = c.Paxos.Lease.Grant // a member waits for the end of its grant anyway; a longer timeout is of no use
	c.Sessions, c.NodeOps, c.Founding = session.DefaultConfig(), nodeops.DefaultConfig(), tree.OpenFounding()
	return c
}

// Validate returns all faults at once, joined, or nil.
func (c *Config) Validate() error {
	var faults []error
	if c.ChecksumEvery <= 0 {
		faults = append(faults, fmt.Errorf("node config: ChecksumEvery is %v; above 0", c.ChecksumEvery))
	}
	if c.ChecksumRows <= 0 {
		faults = append(faults, fmt.Errorf("node config: ChecksumRows is %d; above 0", c.ChecksumRows))
	}
	if c.MaxSessions < 0 || c.MaxSessions > rows.MaxSessions {
		faults = append(faults, fmt.Errorf("node config: MaxSessions is %d; between 0 and %d", c.MaxSessions, rows.MaxSessions))
	}
	return errors.Join(append(faults, c.Paxos.Validate(), c.master().Validate())...)
}

func (c *Config) master() master.Config {
	return master.Config{
		ID: uint32(c.Paxos.ID), MaxPending: c.MaxPending,
		Share:    fairqueue.Limits{Commands: c.Paxos.MaxBatchCommands, Bytes: c.Paxos.MaxBatchBytes},
		Sessions: c.Sessions, NodeOps: c.NodeOps, Secret: c.Secret, Founding: c.Founding,
		Unobserved: c.Observer == nil,
	}
}

// Addr names a client connection. The driver chooses it; the Replica only returns it in a Reply.
type Addr = master.Addr

// Reply is an answer, and the connection to which it goes.
type Reply = master.Reply

// Read is a call that was answered from the rows, without the log.
type Read = master.Read

// AppliedSlot is a slot that was applied, with the checksum of all rows after it.
type AppliedSlot struct {
	Slot  paxos.Slot
	Sum   db.Sum
	Bytes int // of its value
}

// Serving names the epoch and the tenure in which this replica serves clients. Ballot is that
// with which the tenure began: a ballot boost changes neither the tenure nor this ballot.
type Serving struct {
	Epoch  api.Epoch
	Ballot paxos.Ballot
}

// Output is all that a Replica wants from the outside. Taking it empties the replica.
type Output struct {
	Append  []paxos.Record
	First   paxos.LSN
	SyncTo  paxos.LSN
	Send    []paxos.Envelope
	Replies []Reply
	Applied []AppliedSlot // since the last TakeOutput, in order
	Behind  *paxos.Behind // catch-up needs a snapshot
	Limits  []api.Code    // outcomes of the oldest calls of SetLimits; NotMaster: the outcome is unknown
	// Happened has, after Watch(true), the effects that operators are told of, in the order of the
	// log: epochs that began, sessions that expired, lock-delays that began.
	Happened []command.Effect
	Sum      *SumReport // to be sent to all other replicas; nil: nothing new
	Wake     time.Time  // call Advance no later than this; zero: no need
	Stop     error      // this replica must not go on; of this Output, only Sum may leave
}

// Replica is one process life of one replica. It is not safe for concurrent use. Each method takes
// the present instant of the replica's clock, read after its input came in. After an input, call
// TakeOutput.
type Replica struct {
	cfg            Config
	now            time.Time
	paxos          *paxos.Node
	db             *db.DB
	master         *master.Master
	setting        setting
	serving        *Serving
	hasEpoch       bool      // the master is in an epoch of its own, whether it serves yet or not
	logFull        bool      // the log has refused a proposal since the last Advance
	constantsEpoch api.Epoch // the last own epoch in which writeConstants was called
	audit          audit
	stop           error // why the replica must stop; never changes once it is set
	reads          ReadCounters
	scratch        []command.Applied // memory for the commands of a slot, without an observer
	out            Output

	watched  bool // Output.Happened is wanted
	versions versions
}

// New starts a life from what was read from the disk. all holds the rows of rec.Snapshot, and is
// nil if there is no snapshot; the Replica owns it from now on. The first TakeOutput applies the
// slots of the log above it that are known to be chosen. A bad Config panics: call Validate first.
func New(cfg Config, rec paxos.Recovered, all *db.DB, now time.Time) *Replica {
	n := &Replica{cfg: cfg, now: now, db: all, audit: newAudit(&cfg, now)}
	if all == nil {
		n.db = db.New()
	}
	if rec.Snapshot.Slot > 0 || all != nil {
		n.verifyHandle(rec.Snapshot, n.db)
	}
	if cfg.KeepGrant {
		cfg.Paxos.Lease.Grant = keptGrant(cfg.Paxos.Lease.Grant, rec, n.db)
		n.cfg = cfg
	}
	n.paxos = paxos.New(cfg.Paxos, rec, now)
	n.master = master.New(cfg.master(), rows.GetEpoch(n.db).Number)
	n.checkConstants()
	return n
}

// Step takes a message from another replica.
func (r *Replica) Step(now time.Time, from paxos.NodeID, m paxos.Message) {
	r.now = now
	r.paxos.Step(now, from, m)
}

// Request takes one copy of a request of a client. The transport has authenticated its principal,
// who. The next Output or a later one has the answer; if the replica stops first, there is none.
func (r *Replica) Request(now time.Time, from Addr, who api.Principal, q api.Request) {
	r.now = now
	r.master.Request(r.at(), from, who, q)
	r.countLoggedRead(q)
	r.propose()
}

// Durable tells the replica that every record up to upto is on disk.
func (r *Replica) Durable(now time.Time, upto paxos.LSN) {
	r.now = now
	r.paxos.Durable(now, upto)
}

// Advance tells the replica that time has passed. Call it no later than Output.Wake.
func (r *Replica) Advance(now time.Time) {
	r.now, r.logFull = now, false
	r.paxos.Advance(now)
	r.master.Advance(r.at())
	r.propose()
	r.advanceAudit()
}

// Resign makes the replica stop leading or campaigning, see paxos.Node.Resign.
func (r *Replica) Resign(now time.Time) {
	r.now = now
	r.paxos.Resign(now)
}

// Campaign makes the replica try to lead now, see paxos.Node.Campaign.
func (r *Replica) Campaign(now time.Time) {
	r.now = now
	r.paxos.Campaign(now)
}

// TakeOutput returns what the replica wants done, and forgets it. Call it after each input, or
// after several.
func (r *Replica) TakeOutput() Output {
	for more := true; more; more = r.propose() {
		r.takeLogOutput(r.paxos.TakeOutput())
		r.updateServing()
		r.endSetting()
	}
	r.out.Sum, r.audit.unsent = r.audit.unsent, nil
	r.out.Wake = instant.Earliest(r.out.Wake, r.auditWake(), r.master.Wake(r.at()))
	if r.logFull && r.paxos.CanPropose() {
		r.out.Wake = r.now // the next Advance proposes again what was refused
	}
	r.out.Stop = r.stop
	out := r.out
	r.out = Output{}
	return out
}

// takeLogOutput merges the output of the log into r.out, applies the slots in it, and tells the
// master of a new tenure.
func (r *Replica) takeLogOutput(po paxos.Output) {
	if len(r.out.Append) == 0 {
		r.out.Append, r.out.First = po.Append, po.First
	} else {
		r.out.Append = append(r.out.Append, po.Append...)
	}
	r.out.SyncTo = max(r.out.SyncTo, po.SyncTo)
	if len(r.out.Send) == 0 {
		r.out.Send = po.Send
	} else {
		r.out.Send = append(r.out.Send, po.Send...)
	}
	r.out.Wake = po.Wake
	if po.Behind != nil {
		r.out.Behind = po.Behind
	}
	r.out.Applied = slices.Grow(r.out.Applied, len(po.Chosen))
	for _, e := range po.Chosen {
		if !r.checkKnown(e) {
			return
		}
		r.apply(e)
	}
	if t := po.Tenure; t != nil {
		if r.cfg.Observer != nil {
			r.cfg.Observer.OnTenure(*t)
		}
		r.master.Tenure(master.Tenure{
			Leader: uint32(t.Leader),
			Ballot: rows.Ballot{Round: t.Ballot.Round, Node: uint32(t.Ballot.Node)},
			Mine:   t.Mine,
		})
	}
}

// checkKnown stops the replica if the slot has a command that this program does not know, and
// reports whether it goes on.
func (r *Replica) checkKnown(e paxos.Entry) bool {
	for _, raw := range e.Value.Commands {
		if err := command.CheckKnown(raw); err != nil {
			if r.stop != nil {
				return false
			}
			r.stop = fmt.Errorf("replica %d stops before slot %d: %w: %w. Its files are in order: start it with the program of the replica that was master (chubby version)",
				r.cfg.Paxos.ID, e.Slot, ErrOtherVersion, err)
			return false
		}
		r.verifyInUse("applies", raw)
	}
	return true
}

// apply executes the commands of one slot, in one transaction, and tells the master the outcome of
// each.
func (r *Replica) apply(e paxos.Entry) {
	all := r.scratch[:0]
	if r.cfg.Observer != nil {
		all = make([]command.Applied, 0, e.Value.Len()) // the observer keeps it
	}
	tx := r.db.Begin()
	for _, raw := range e.Value.Commands {
		all = append(all, command.Apply(tx, raw))
	}
	tx.Commit()
	for i := range all {
		if isConstant(&all[i]) {
			r.checkConstants()
		}
		r.onLimits(&all[i])
		r.master.Applied(r.at(), all[i])
		for _, effect := range all[i].Effects {
			if _, due := effect.(command.ChecksumDue); due {
				r.audit.begin(e.Slot, r.db.View(), r.now)
			}
			if r.watched {
				r.noteHappened(effect)
			}
		}
	}
	r.paxos.Applied(e.Slot)
	sum := r.db.Checksum()
	r.out.Applied = append(r.out.Applied, AppliedSlot{Slot: e.Slot, Sum: sum, Bytes: len(e.Value)})
	if r.cfg.Observer != nil {
		r.cfg.Observer.OnApplied(Applied{Slot: e.Slot, Value: e.Value, Sum: sum, Commands: all})
		return
	}
	clear(all)
	r.scratch = all[:0]
}

// Watch says whether Output.Happened is to be filled from now on.
func (r *Replica) Watch(is bool) { r.watched = is }

func (r *Replica) noteHappened(effect command.Effect) {
	switch x := effect.(type) {
	case command.EpochBegan:
	case command.SessionEnded:
		if !x.Expired {
			return
		}
	case command.LockChanged:
		if _, delays := x.Effect.(lock.DelayBegan); !delays {
			return
		}
	default:
		return
	}
	r.out.Happened = append(r.out.Happened, effect)
}

// propose hands the master's commands to the log and reports whether there were any. It runs before
// anything else can happen to the log: if a call waited here while the tenure was lost and regained,
// it would enter the log ahead of the epoch command of the new tenure, and its old guard would still
// hold (P5.01). Answers of the master to commands that the log refuses are taken by the next call of
// propose; TakeOutput makes one more.
func (r *Replica) propose() bool {
	mo := r.master.TakeOutput(r.now, r.paxos.Room())
	r.out.Replies = append(r.out.Replies, mo.Replies...)
	r.verifyProposals(mo.Propose)
	r.observe(&mo)
	for _, p := range mo.Propose {
		if err := r.paxos.Propose(r.now, p.Command); err != nil {
			r.logFull = r.logFull || errors.Is(err, paxos.ErrBusy)
			r.master.Refused(r.at(), p, codeOf(err))
			r.observeRefused(p.Command)
		} else {
			r.observeProposed(p.Command)
		}
	}
	return len(mo.Propose) > 0
}

func codeOf(err error) api.Code {
	switch {
	case errors.Is(err, paxos.ErrBusy):
		return api.Busy
	case errors.Is(err, paxos.ErrTooLarge):
		return api.TooLarge
	}
	return api.NotMaster
}

func (r *Replica) updateServing() {
	state, _ := r.master.State()
	if r.hasEpoch = state.HasEpoch(); !r.hasEpoch {
		r.serving = nil // a replica without an epoch of its own serves in none
		return
	}
	s := r.master.Status()
	if r.constantsEpoch < s.Epoch {
		r.constantsEpoch = s.Epoch
		r.writeConstants()
	}
	r.raiseVersion(s.Epoch)
	if s.State != master.Serving {
		r.serving = nil
		return
	}
	if r.serving == nil || r.serving.Epoch != s.Epoch {
		r.serving = &Serving{Epoch: s.Epoch, Ballot: ballot(s.Ballot)}
	}
}

// ballot converts a ballot of the rows to one of the log.
func ballot(b rows.Ballot) paxos.Ballot {
	return paxos.Ballot{Round: b.Round, Node: paxos.NodeID(b.Node)}
}

// Serving returns the epoch in which this replica serves, nil if it does not.
func (r *Replica) Serving() *Serving { return r.serving }

// IsLeader reports whether this replica leads the log, whether it serves or not.
func (r *Replica) IsLeader() bool { return r.paxos.Status().Role == paxos.Leader }

// Lease returns the end of read authority by the log, see paxos.Node.Lease.
func (r *Replica) Lease() time.Time { return r.paxos.Lease() }

// LeaseGranted returns the present grant of this replica and the end of its restart hold-off, see
// paxos.Node.GrantState.
func (r *Replica) LeaseGranted() (holder paxos.NodeID, until, silent time.Time) {
	return r.paxos.GrantState()
}

// SupportUntil returns until when this leader counts the grant of a member, see
// paxos.Node.CountedUntil.
func (r *Replica) SupportUntil(member paxos.NodeID) time.Time { return r.paxos.CountedUntil(member) }

// InFlight returns the number of slots from the first open one to the last one in which this
// replica proposed, see paxos.Node.InFlight; 0 unless it leads.
func (r *Replica) InFlight() int { return r.paxos.InFlight() }

// Status describes the log, for traces and dumps.
func (r *Replica) Status() paxos.Status { return r.paxos.Status() }

// Verify checks all invariants of this replica's memory and panics if one is broken. It includes the
// checks that walk whole structures, which otherwise run only under invariant.Deep. An observer may
// call it between TakeOutput and the next input. It does not check the rows: command.Audit does.
func (r *Replica) Verify() {
	r.paxos.Verify()
	r.master.Verify(r.at())
}

// Master describes the state of the master.
func (r *Replica) Master() master.Status { return r.master.Status() }

// Session returns what this replica, as the master, remembers of a session, for observers; ok is
// false if it is not the master or there is no such session.
func (r *Replica) Session(id api.SessionID) (s session.Session, ok bool) { return r.master.Session(id) }

// NodeOps describes what the master knows of nodes in use; zero unless this replica is the master.
func (r *Replica) NodeOps() nodeops.Status {
	s, _ := r.master.NodeOps()
	return s
}

// Caches describes what the master knows of the caches of its clients, in constant time; zero unless
// this replica is the master.
func (r *Replica) Caches() nodeops.CacheStatus { return r.master.Caches() }

// View returns the rows as they are now. Later commands do not change it.
func (r *Replica) View() db.View { return r.db.View() }

// RowBytes returns the size of the present rows, keys and values together.
func (r *Replica) RowBytes() int64 { return r.db.Bytes() }

// Rows returns the live rows, for observers that read them before the next input, on the goroutine
// of the Replica's owner. Unlike a View, they cost later writes no copies.
func (r *Replica) Rows() rows.Reader { return r.db }
