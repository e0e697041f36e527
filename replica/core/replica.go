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

// Config is what a node is told at start.
type Config struct {
	Paxos      paxos.Config
	MaxPending int // requests waiting for their place in the log, at most; beyond: Busy
	Sessions   session.Config
	// KeepGrant has a replica that was part of a cell before use the lease grant of that cell: the constant in its
	// rows, or else what its earlier lives were configured with. Paxos.Lease.Grant is then for new cells, and its
	// default may change from one version to the next.
	KeepGrant bool
	// MaxSessions bounds the sessions that are alive at one time, for ever: a
	// replicated constant. 0: to what the cell says, or else rows.MaxSessions.
	MaxSessions int
	NodeOps     nodeops.Config
	Secret      [32]byte      // see master.Config
	Founding    tree.Founding // see master.Config

	ChecksumEvery time.Duration // the master has the rows of all replicas compared that often
	ChecksumRows  int           // rows summed at a time

	Observer Observer `json:"-"` // nil: nothing is observed, which costs nothing
}

// DefaultConfig is a configuration for machines in one building. The caller sets
// Paxos.ID, Members and Seed. Clocks may err by a thousandth, several times what
// a quartz does and twice what a time daemon corrects by.
func DefaultConfig() Config {
	c := Config{Paxos: paxos.DefaultConfig(), MaxPending: 4096, ChecksumEvery: 10 * time.Minute, ChecksumRows: 4096}
	c.Paxos.Lease = paxos.Lease{Grant: 800 * time.Millisecond, Rho: 1000}
	c.Paxos.ElectionMax = c.Paxos.Lease.Grant // a member that has granted waits for the end of that; longer is of no use
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

// Addr names a client connection; the driver gives it and gets it back.
type Addr = master.Addr

// Reply is an answer and where it goes.
type Reply = master.Reply

// Read is a call that was answered from the rows, without the log.
type Read = master.Read

// AppliedSlot is a slot that the rows took in, and the checksum of all rows after it.
type AppliedSlot struct {
	Slot  paxos.Slot
	Sum   db.Sum
	Bytes int // of its value
}

// Serving says in which epoch this replica serves clients, and in which tenure,
// which is named by the ballot that began it: a boost changes the ballot and not
// the tenure. It is a new one in each tenure.
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
	Limits  []api.Code    // what came of the oldest calls of SetLimits; NotMaster: whether they are set is unknown
	// Happened are, while it is wanted (Watch), the effects that operators hear of: epochs that began,
	// sessions that expired, lock-delays that began, in the order of the log.
	Happened []command.Effect
	Sum      *SumReport // to be told to all other replicas; nil: nothing new
	Wake     time.Time
	Stop     error // this replica must not go on; of this Output, only Sum is to be told
}

// Replica is one process life of one replica. One caller at a time.
type Replica struct {
	cfg            Config
	now            time.Time
	paxos          *paxos.Node
	db             *db.DB
	master         *master.Master
	setting        setting
	serving        *Serving
	hasEpoch       bool      // its epoch stands in the log, serving or not yet
	logFull        bool      // the log has refused something since the last Advance
	constantsEpoch api.Epoch // the last one of its own in which settle was called
	audit          audit
	stop           error // final
	reads          ReadCounters
	scratch        []command.Applied // of the slot that is being applied, where nothing observes it
	out            Output

	watched bool // Output.Happened is wanted
}

// New starts a life on what the disk gave back: all holds the rows as of
// rec.Snapshot, and is nil where there is none. What the log has above it is
// applied in the first Output.
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

// Request takes one copy of a request of a client, whose principal the transport
// has authenticated. It is answered in this or a later Output, or never if the
// replica dies.
func (r *Replica) Request(now time.Time, from Addr, who api.Principal, q api.Request) {
	r.now = now
	r.master.Request(r.at(), from, who, q)
	r.countLoggedRead(q)
	r.propose()
}

// Durable tells that every record up to upto is on disk.
func (r *Replica) Durable(now time.Time, upto paxos.LSN) {
	r.now = now
	r.paxos.Durable(now, upto)
}

// Advance tells that time has passed.
func (r *Replica) Advance(now time.Time) {
	r.now, r.logFull = now, false
	r.paxos.Advance(now)
	r.master.Advance(r.at())
	r.propose()
	r.advanceAudit()
}

// Resign makes the replica give up being the leader, see paxos.Node.Resign.
func (r *Replica) Resign(now time.Time) {
	r.now = now
	r.paxos.Resign(now)
}

// Campaign makes the replica try to lead now, see paxos.Node.Campaign.
func (r *Replica) Campaign(now time.Time) {
	r.now = now
	r.paxos.Campaign(now)
}

// TakeOutput returns what the node wants done and forgets it.
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

// merge takes in what the log has to say.
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

// checkKnown stops the replica before a slot that it cannot apply as others do, and reports whether
// it goes on.
func (r *Replica) checkKnown(e paxos.Entry) bool {
	for _, raw := range e.Value.Commands {
		if err := command.CheckKnown(raw); err != nil {
			r.stop = fmt.Errorf("replica %d stops before slot %d: %w: %w. Its files are in order: start it with the program of the replica that was master (chubby version)",
				r.cfg.Paxos.ID, e.Slot, ErrOtherVersion, err)
			return false
		}
	}
	return true
}

// apply does what one slot says, as one transaction, and tells the master what became
// of each command.
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

// Watch says whether Output.Happened is wanted from now on.
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

// propose hands the master's commands to the log and says whether there were
// any. It is called before anything else can happen to the log: a call waiting
// here over a lost and regained tenure would enter the log ahead of that
// tenure's epoch command, and its old guard would still hold (P5.01). What a refusal makes
// the master answer is taken by the next call: there is one more in each TakeOutput.
func (r *Replica) propose() bool {
	mo := r.master.TakeOutput(r.now, r.paxos.Room())
	r.out.Replies = append(r.out.Replies, mo.Replies...)
	r.observe(&mo)
	for _, p := range mo.Propose {
		if err := r.paxos.Propose(r.now, p.Command); err != nil {
			r.logFull = r.logFull || errors.Is(err, paxos.ErrBusy)
			r.master.Refused(r.at(), p, codeOf(err))
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
		r.serving = nil // what has no epoch of its own serves in none
		return
	}
	s := r.master.Status()
	if r.constantsEpoch < s.Epoch {
		r.constantsEpoch = s.Epoch
		r.writeConstants()
	}
	if s.State != master.Serving {
		r.serving = nil
		return
	}
	if r.serving == nil || r.serving.Epoch != s.Epoch {
		r.serving = &Serving{Epoch: s.Epoch, Ballot: ballot(s.Ballot)}
	}
}

// ballot is one of the rows as the log has it.
func ballot(b rows.Ballot) paxos.Ballot {
	return paxos.Ballot{Round: b.Round, Node: paxos.NodeID(b.Node)}
}

// Serving says in which epoch this replica serves, nil if it does not.
func (r *Replica) Serving() *Serving { return r.serving }

// Leads says whether this replica leads the log, serving or not.
func (r *Replica) IsLeader() bool { return r.paxos.Status().Role == paxos.Leader }

// Lease is the end of read authority as far as the log knows, see
// paxos.Node.Lease.
func (r *Replica) Lease() time.Time { return r.paxos.Lease() }

// Granted says to whom this replica has given its word, see paxos.Node.Granted.
func (r *Replica) LeaseGranted() (holder paxos.NodeID, until, silent time.Time) {
	return r.paxos.GrantState()
}

// Counts is until when this replica counts on another, see paxos.Node.Counts.
func (r *Replica) SupportUntil(member paxos.NodeID) time.Time { return r.paxos.CountedUntil(member) }

// InFlight is how many slots this replica proposed in and does not know as
// chosen yet; 0 unless it leads.
func (r *Replica) InFlight() int { return r.paxos.InFlight() }

// Status is a picture of the log's side, for traces and dumps.
func (r *Replica) Status() paxos.Status { return r.paxos.Status() }

// Verify asserts all invariants of this replica's memory, those that walk whole
// structures as well, which otherwise run under invariant.Deep alone: a violation
// panics. For observers, between TakeOutput and the next input. Rows are not looked
// at: see command.Audit.
func (r *Replica) Verify() {
	r.paxos.Verify()
	r.master.Verify(r.at())
}

// Master is a picture of the master's side.
func (r *Replica) Master() master.Status { return r.master.Status() }

// Session is what this replica remembers of a session as its master, for observers;
// ok is false where it is none, or there is none.
func (r *Replica) Session(id api.SessionID) (s session.Session, ok bool) { return r.master.Session(id) }

// NodeOps is a picture of what the master knows of nodes in use; zero where there is
// no master.
func (r *Replica) NodeOps() nodeops.Status {
	s, _ := r.master.NodeOps()
	return s
}

// Caches is what the master knows of the caches of its clients, in constant time; zero where this
// replica is none.
func (r *Replica) Caches() nodeops.CacheStatus { return r.master.Caches() }

// View is the rows as they are now; what happens later does not change it.
func (r *Replica) View() db.View { return r.db.View() }

// RowBytes is the size of the present rows, keys and values together.
func (r *Replica) RowBytes() int64 { return r.db.Bytes() }

// Rows are the present rows, for observers that read them at once and on the
// goroutine of the node's owner: unlike a View they cost later writes no copies.
func (r *Replica) Rows() rows.Reader { return r.db }
