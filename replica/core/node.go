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
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Config is what a node is told at start.
type Config struct {
	Paxos      paxos.Config
	MaxPending int // requests waiting for their place in the log, at most; beyond: Busy
	Sessions   session.Config
	// MaxSessions bounds the sessions that are alive at one time, for ever: a
	// replicated constant. 0: to what the cell says, or else rows.MaxSessions.
	MaxSessions int
	NodeOps     nodeops.Config
	Secret      [32]byte      // see master.Config
	Founding    tree.Founding // see master.Config

	ChecksumEvery time.Duration // the master has the rows of all replicas compared that often
	ChecksumRows  int           // rows summed at a time
}

// DefaultConfig is a configuration for machines in one building. The caller sets
// Paxos.ID, Members and Seed. Clocks may err by a thousandth, several times what
// a quartz does and twice what a time daemon corrects by.
func DefaultConfig() Config {
	c := Config{Paxos: paxos.DefaultConfig(), MaxPending: 4096, ChecksumEvery: 10 * time.Minute, ChecksumRows: 4096}
	c.Paxos.Lease = paxos.Lease{Grant: time.Second, Rho: 1000}
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
	}
}

// Addr names a client connection; the driver gives it and gets it back.
type Addr = master.Addr

// Reply is an answer and where it goes.
type Reply = master.Reply

// Read is a call that was answered from the rows, without the log.
type Read = master.Read

// Applied is one slot that the rows took in, with what became of its commands.
type Applied struct {
	Slot     paxos.Slot
	Value    paxos.Value
	Sum      db.Sum // of all rows, after the slot
	Commands []command.Applied
}

// Serving says in which epoch this replica serves clients, and in which tenure,
// which is named by the ballot that began it: a boost changes the ballot and not
// the tenure. It is a new one in each tenure.
type Serving struct {
	Epoch  api.Epoch
	Ballot paxos.Ballot
}

// Output is all that a Node wants from the outside. Taking it empties the node.
type Output struct {
	Append    []paxos.Record
	First     paxos.LSN
	SyncTo    paxos.LSN
	Send      []paxos.Envelope
	Replies   []Reply
	Installed *Installed    // the rows were replaced, before Applied; for observers
	Applied   []Applied     // what was applied since the last TakeOutput, for observers
	Behind    *paxos.Behind // catch-up needs a snapshot
	Tenure    *paxos.Tenure // who leads has changed
	// Proposed are the commands that the log took since the last TakeOutput, for
	// observers: none of them may stand in the log more often than it was
	// proposed.
	Proposed [][]byte
	Reads    []Read     // answered without the log, for observers
	Begun    [][]byte   // see master.Output, for observers
	Sum      *SumReport // to be told to all other replicas; nil: nothing new
	Wake     time.Time
	Stop     error // this replica must not go on; of this Output, only Sum is to be told
}

// Node is one replica's process life. One caller at a time.
type Node struct {
	cfg     Config
	now     time.Time
	paxos   *paxos.Node
	db      *db.DB
	master  *master.Master
	serving *Serving
	rules   bool      // its epoch stands in the log, serving or not yet
	full    bool      // the log has refused something since the last Advance
	settled api.Epoch // the last one of its own in which settle was called
	audit   audit
	stop    error // final
	reads   ReadCounters
	out     Output
}

// New starts a life on what the disk gave back: all holds the rows as of
// rec.Snapshot, and is nil where there is none. What the log has above it is
// applied in the first Output.
func New(cfg Config, rec paxos.Recovered, all *db.DB, now time.Time) *Node {
	n := &Node{cfg: cfg, now: now, db: all, audit: newAudit(&cfg, now)}
	if all == nil {
		n.db = db.New()
	}
	if rec.Snapshot.Slot > 0 || all != nil {
		n.verifyHandle(rec.Snapshot, n.db)
	}
	n.paxos = paxos.New(cfg.Paxos, rec, now)
	n.master = master.New(cfg.master(), rows.GetEpoch(n.db).Number)
	n.compare()
	return n
}

// Step takes a message from another replica.
func (n *Node) Step(now time.Time, from paxos.NodeID, m paxos.Message) {
	n.now = now
	n.paxos.Step(now, from, m)
}

// Request takes one copy of a request of a client, whose principal the transport
// has authenticated. It is answered in this or a later Output, or never if the
// replica dies.
func (n *Node) Request(now time.Time, from Addr, who api.Principal, q api.Request) {
	n.now = now
	n.master.Request(n.at(), from, who, q)
	n.noteLogged(q)
	n.propose()
}

// Durable tells that every record up to upto is on disk.
func (n *Node) Durable(now time.Time, upto paxos.LSN) {
	n.now = now
	n.paxos.Durable(now, upto)
}

// Advance tells that time has passed.
func (n *Node) Advance(now time.Time) {
	n.now, n.full = now, false
	n.paxos.Advance(now)
	n.master.Advance(n.at())
	n.propose()
	n.tendAudit()
}

// Resign makes the replica give up being the leader, see paxos.Node.Resign.
func (n *Node) Resign(now time.Time) {
	n.now = now
	n.paxos.Resign(now)
}

// Campaign makes the replica try to lead now, see paxos.Node.Campaign.
func (n *Node) Campaign(now time.Time) {
	n.now = now
	n.paxos.Campaign(now)
}

// TakeOutput returns what the node wants done and forgets it.
func (n *Node) TakeOutput() Output {
	for more := true; more; more = n.propose() {
		n.merge(n.paxos.TakeOutput())
		n.noteServing()
	}
	n.out.Sum, n.audit.tell = n.audit.tell, nil
	n.out.Wake = instant.Earliest(n.out.Wake, n.auditWake(), n.master.Wake(n.at()))
	if n.full && n.paxos.CanPropose() {
		n.out.Wake = n.now // the next Advance proposes again what was refused
	}
	n.out.Stop = n.stop
	out := n.out
	n.out = Output{}
	return out
}

// merge takes in what the log has to say.
func (n *Node) merge(po paxos.Output) {
	if len(n.out.Append) == 0 {
		n.out.Append, n.out.First = po.Append, po.First
	} else {
		n.out.Append = append(n.out.Append, po.Append...)
	}
	n.out.SyncTo = max(n.out.SyncTo, po.SyncTo)
	if len(n.out.Send) == 0 {
		n.out.Send = po.Send
	} else {
		n.out.Send = append(n.out.Send, po.Send...)
	}
	n.out.Wake = po.Wake
	if po.Behind != nil {
		n.out.Behind = po.Behind
	}
	n.out.Applied = slices.Grow(n.out.Applied, len(po.Chosen))
	room := 0
	for _, e := range po.Chosen {
		room += e.Value.Len()
	}
	all := make([]command.Applied, 0, room) // one piece for all slots: after a restart there are very many
	for _, e := range po.Chosen {
		all = n.apply(e, all)
	}
	if t := po.Tenure; t != nil {
		n.out.Tenure = t
		n.master.Tenure(master.Tenure{
			Leader: uint32(t.Leader),
			Ballot: rows.Ballot{Round: t.Ballot.Round, Node: uint32(t.Ballot.Node)},
			Mine:   t.Mine,
		})
	}
}

// apply does what one slot says, as one transaction. What became of its commands is
// put behind that of all before.
func (n *Node) apply(e paxos.Entry, all []command.Applied) []command.Applied {
	tx, before := n.db.Begin(), len(all)
	for _, raw := range e.Value.Commands {
		all = append(all, command.Apply(tx, raw))
	}
	tx.Commit()
	a := Applied{Slot: e.Slot, Value: e.Value, Commands: all[before:len(all):len(all)]}
	for i := range a.Commands {
		if setsConstant(&a.Commands[i]) {
			n.compare()
		}
		n.master.Applied(n.at(), a.Commands[i])
		for _, effect := range a.Commands[i].Effects {
			if _, due := effect.(command.ChecksumDue); due {
				n.audit.begin(e.Slot, n.db.View(), n.now)
			}
		}
	}
	n.paxos.Applied(e.Slot)
	a.Sum = n.db.Checksum()
	n.out.Applied = append(n.out.Applied, a)
	return all
}

// propose hands the master's commands to the log and says whether there were
// any. It is called before anything else can happen to the log: a call waiting
// here over a lost and regained tenure would enter the log ahead of that
// tenure's epoch command, and its old guard would still hold (P5.01). What a refusal makes
// the master answer is taken by the next call: there is one more in each TakeOutput.
func (n *Node) propose() bool {
	mo := n.master.TakeOutput(n.now, n.paxos.Room())
	n.out.Replies = append(n.out.Replies, mo.Replies...)
	n.out.Reads, n.out.Begun = append(n.out.Reads, mo.Reads...), append(n.out.Begun, mo.Begun...)
	for _, p := range mo.Propose {
		if err := n.paxos.Propose(n.now, p.Command); err != nil {
			n.full = n.full || errors.Is(err, paxos.ErrBusy)
			n.master.Refused(n.at(), p, refusal(err))
		} else {
			n.out.Proposed = append(n.out.Proposed, p.Command)
		}
	}
	return len(mo.Propose) > 0
}

func refusal(err error) api.Code {
	switch {
	case errors.Is(err, paxos.ErrBusy):
		return api.Busy
	case errors.Is(err, paxos.ErrTooLarge):
		return api.TooLarge
	}
	return api.NotMaster
}

func (n *Node) noteServing() {
	state, _ := n.master.State()
	if n.rules = state.HasEpoch(); !n.rules {
		n.serving = nil // what has no epoch of its own serves in none
		return
	}
	s := n.master.Status()
	if n.settled < s.Epoch {
		n.settled = s.Epoch
		n.settle()
	}
	if s.State != master.Serving {
		n.serving = nil
		return
	}
	if n.serving == nil || n.serving.Epoch != s.Epoch {
		n.serving = &Serving{Epoch: s.Epoch, Ballot: ballot(s.Ballot)}
	}
}

// ballot is one of the rows as the log has it.
func ballot(b rows.Ballot) paxos.Ballot {
	return paxos.Ballot{Round: b.Round, Node: paxos.NodeID(b.Node)}
}

// Serving says in which epoch this replica serves, nil if it does not.
func (n *Node) Serving() *Serving { return n.serving }

// Leads says whether this replica leads the log, serving or not.
func (n *Node) Leads() bool { return n.paxos.Status().Role == paxos.Leader }

// Lease is the end of read authority as far as the log knows, see
// paxos.Node.Lease.
func (n *Node) Lease() time.Time { return n.paxos.Lease() }

// Granted says to whom this replica has given its word, see paxos.Node.Granted.
func (n *Node) Granted() (holder paxos.NodeID, until, silent time.Time) { return n.paxos.GrantState() }

// Counts is until when this replica counts on another, see paxos.Node.Counts.
func (n *Node) Counts(member paxos.NodeID) time.Time { return n.paxos.CountedUntil(member) }

// InFlight is how many slots this replica proposed in and does not know as
// chosen yet; 0 unless it leads.
func (n *Node) InFlight() int { return n.paxos.InFlight() }

// Status is a picture of the log's side, for traces and dumps.
func (n *Node) Status() paxos.Status { return n.paxos.Status() }

// Verify asserts all invariants of this replica's memory, those that walk whole
// structures as well, which otherwise run under invariant.Deep alone: a violation
// panics. For observers, between TakeOutput and the next input. Rows are not looked
// at: see command.Audit.
func (n *Node) Verify() {
	n.paxos.Verify()
	n.master.Verify(n.at())
}

// Master is a picture of the master's side.
func (n *Node) Master() master.Status { return n.master.Status() }

// Session is what this replica remembers of a session as its master, for observers;
// ok is false where it is none, or there is none.
func (n *Node) Session(id api.SessionID) (s session.Session, ok bool) { return n.master.Session(id) }

// NodeOps is a picture of what the master knows of nodes in use; zero where there is
// no master.
func (n *Node) NodeOps() nodeops.Status {
	s, _ := n.master.NodeOps()
	return s
}

// View is the rows as they are now; what happens later does not change it.
func (n *Node) View() db.View { return n.db.View() }

// Rows are the present rows, for observers that read them at once and on the
// goroutine of the node's owner: unlike a View they cost later writes no copies.
func (n *Node) Rows() rows.Reader { return n.db }
