package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Table is what the present master remembers of sessions, in one epoch. It is made when the epoch begins
// and thrown away when it ends. Instants are by the master's clock. One goroutine owns it.
type Table struct {
	cfg      Config
	epoch    api.Epoch
	length   lengths
	sessions map[api.SessionID]*entry
	owners   map[api.Principal]int // how many sessions each has
	timers   timers
	unacked  int
	aside    []api.SessionID // sessions put aside since the last Retry; some may be due again
}

// entry is one session.
type entry struct {
	id        api.SessionID
	principal api.Principal

	lease    time.Time // the session is not ended before this; zero: it has no lease
	comes    time.Time // nor before this: until then its client may send its next KeepAlive
	late     time.Time // when its oldest unacknowledged drop was queued; zero: there is none
	lateTold bool      // the client was told of that drop
	before   bool      // the session is older than the epoch
	told     bool      // its client has been told of a lease in this epoch
	acked    bool      // its client has acknowledged this epoch
	expiring bool      // its end is proposed
	quiet    bool      // when its end was last proposed, it was idle, too late or dismissed
	aside    bool      // the log did not take its end: see Refused
	leaves   bool      // it is dismissed: its lease is extended no more

	parked   KeepAlive
	waits    bool      // parked waits for its answer
	answerAt time.Time // when parked is due
	withheld bool      // parked is not answered, since the session is idle, too late or dismissed

	used time.Time // when the last call arrived or was answered, or the session was found in use

	due   time.Time // when Next has a task for it
	place int       // in the timers
}

// KeepAlive is where the answer to a KeepAlive goes, and when the KeepAlive came.
type KeepAlive struct {
	From    uint64 // the client connection, see calls.Addr
	ID      uint64 // api.Request.ID: later requests have greater ones
	Receipt time.Time
	Now     bool // it is due at once: its client wants that, or there is something to tell it
}

// Session describes one session, for callers.
type Session struct {
	Principal api.Principal
	Lease     time.Time // its end; zero: the session has none
	HasAcked  bool      // its client has acknowledged the epoch
	Expiring  bool      // its end is proposed
	Dismissed bool      // nothing extends its lease any more
	// Late is when its oldest unacknowledged drop was queued; zero: there is none. The lease is not
	// extended beyond one length after that.
	Late time.Time
}

// New returns the table of an epoch, without sessions. longest is the longest lease that the rows
// allow.
func New(cfg Config, epoch api.Epoch, longest time.Duration) *Table {
	return &Table{
		cfg: cfg, epoch: epoch, length: lengths{cfg: cfg, row: longest},
		sessions: map[api.SessionID]*entry{}, owners: map[api.Principal]int{},
	}
}

// Recover takes in a session that was alive when the epoch began. It gets the longest lease that a
// predecessor can have granted (C12.06), and has yet to acknowledge the epoch. Without leases it counts
// as having acknowledged it.
func (t *Table) Recover(now time.Time, id api.SessionID, who api.Principal) {
	e := &entry{id: id, principal: who, before: true, acked: !t.cfg.hasLeases()}
	if !e.acked {
		t.unacked++
	}
	t.add(now, e, max(t.length.row, t.cfg.LeaseMin))
}

// Open takes in a session that was opened in this epoch (C11.01).
func (t *Table) Open(now time.Time, id api.SessionID, who api.Principal) {
	t.add(now, &entry{id: id, principal: who, acked: true}, t.length.grant(now, len(t.sessions)+1))
}

func (t *Table) add(now time.Time, e *entry, lease time.Duration) {
	if t.sessions[e.id] != nil {
		invariant.Failf("I-M1", "session %d is opened twice", e.id)
	}
	t.sessions[e.id] = e
	t.owners[e.principal]++
	e.used, e.place = now, nowhere
	if t.cfg.hasLeases() {
		t.extend(e, now.Add(lease))
	}
	t.arm(e)
}

// End forgets a session, which must be in the table (I-M1), and returns its KeepAlive if one waits.
func (t *Table) End(id api.SessionID) (k KeepAlive, waits bool) {
	e := t.sessions[id]
	if e == nil {
		invariant.Failf("I-M1", "session %d ends and is not there", id)
	}
	if !e.acked {
		t.unacked--
	}
	e.due = time.Time{}
	t.timers.set(e)
	delete(t.sessions, id)
	if t.owners[e.principal]--; t.owners[e.principal] == 0 {
		delete(t.owners, e.principal)
	}
	return e.parked, e.waits
}

// extend moves the end of a lease, later and never earlier (C11.05).
func (t *Table) extend(e *entry, to time.Time) {
	if to.After(e.lease) {
		e.lease = to
	}
}

// ends returns when the session may end if its client sends nothing more.
func (e *entry) ends() time.Time {
	if e.comes.After(e.lease) {
		return e.comes
	}
	return e.lease
}

// arm computes when Next has a task for e, and sets its timer.
func (t *Table) arm(e *entry) {
	e.due = e.ends()
	if e.waits && !e.withheld {
		e.due = e.answerAt
	}
	if e.expiring || e.aside {
		e.due = time.Time{}
	}
	t.timers.set(e)
}

// Get returns a session; ok is false if there is none.
func (t *Table) Get(id api.SessionID) (s Session, ok bool) {
	e, ok := t.sessions[id]
	if !ok {
		return Session{}, false
	}
	return Session{Principal: e.principal, Lease: e.lease, HasAcked: e.acked, Expiring: e.expiring, Dismissed: e.leaves, Late: e.late}, true
}

// Len counts the sessions.
func (t *Table) Len() int { return len(t.sessions) }

// Principals counts the principals that have sessions.
func (t *Table) Principals() int { return len(t.owners) }

// Unacked counts the sessions that have not acknowledged the epoch (C12.09).
func (t *Table) Unacked() int { return t.unacked }

// HasLeases reports whether sessions have leases at all.
func (t *Table) HasLeases() bool { return t.cfg.hasLeases() }

// Parked lists all KeepAlives that wait, by session.
func (t *Table) Parked() (all []Answer) {
	for _, e := range slices.SortedFunc(maps.Values(t.sessions), func(a, b *entry) int { return cmp.Compare(a.id, b.id) }) {
		if e.waits {
			all = append(all, Answer{Session: e.id, To: e.parked})
		}
	}
	return all
}
