package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// lab is three replicas on one log that the test decides, and two clients, in a true
// time that only the test knows. The rate of every machine's clock is wrong by up to
// labRho. While the leader has read authority, the log takes commands from no other
// replica, as the log's lease promises. Messages are lost, repeated and reordered.
//
// In true time this must hold: no master expires a session while its client counts on
// the lease, not even if an operator has it end the session; a client does not count on
// more than the present master has promised; the lease of a session never moves
// earlier, neither within an epoch nor as its client sees it, and of a session that
// is dismissed it does not move.
type lab struct {
	t        *rapid.T
	now      time.Duration
	log      []string
	truth    *db.DB // the rows after all of the log
	limbo    []string
	leader   int
	round    uint64
	until    time.Duration // the end of the leader's read authority, in true time
	replicas []*labReplica
	clients  []*labClient
	net      []func()
	nonce    uint64
	seen     labCounts
}

type labCounts struct{ granted, confirmed, failovers, expired, lengths, dismissed int }

// labRho bounds the error of a clock's rate, in parts per million: 10 %.
const labRho = 100_000

type labClock struct {
	ppm    int64
	offset time.Duration
}

func newLabClock(t *rapid.T, who string) labClock {
	return labClock{
		ppm:    rapid.SampledFrom([]int64{-labRho, labRho, 0, 50_000}).Draw(t, who),
		offset: time.Duration(rapid.IntRange(0, 3600).Draw(t, "offset")) * time.Second,
	}
}

func (c labClock) at(true time.Duration) time.Time {
	return time.Unix(0, 0).Add(c.offset + true + time.Duration(int64(true)/1_000_000*c.ppm))
}

type labReplica struct {
	id      int
	clock   labClock
	m       *master.Master
	db      *db.DB
	applied int
	leads   bool // as far as the replica was told
	leases  map[api.SessionID]session.Session
	epoch   api.Epoch // of leases
}

type labClient struct {
	clock   labClock
	session api.SessionID
	epoch   api.Epoch
	flushed api.Epoch
	lastID  uint64
	sent    map[uint64]time.Time
	bound   time.Time
}

func newLab(t *rapid.T) *lab {
	l := &lab{t: t, truth: db.New(), leader: -1, until: -1}
	cfg := plain()
	cfg.Sessions = session.Config{
		LeaseMin: time.Second, LeaseMax: 4 * time.Second, KeepAliveRate: 1,
		IdleAfter: time.Duration(rapid.SampledFrom([]int{0, 3}).Draw(t, "idle")) * time.Second,
	}
	for i := range 3 {
		cfg.ID = uint32(i + 1)
		l.replicas = append(l.replicas, &labReplica{id: i, clock: newLabClock(t, "replica clock"), m: master.New(cfg, 0), db: db.New()})
	}
	l.decide(string(command.Append(nil, command.Epoch{Master: 9})))
	l.decide(string(command.Append(nil, command.LongestLease{Guard: 1, Lease: time.Second})))
	for range 2 {
		id := l.open()
		l.clients = append(l.clients, &labClient{clock: newLabClock(t, "client clock"), session: id, epoch: 1, sent: map[uint64]time.Time{}})
	}
	return l
}

// open opens a session of ann by the log.
func (l *lab) open() api.SessionID {
	l.nonce++
	guard := rows.GetEpoch(l.truth).Number
	l.decide(string(command.Append(nil, command.Call{Guard: guard, Op: api.OpenSession{Nonce: api.Nonce{l.nonce}}, Principal: "ann"})))
	id, _ := rows.SessionByNonce(l.truth, api.Nonce{l.nonce}, "ann")
	return id
}

// decide puts a command into the log, where it takes effect.
func (l *lab) decide(raw string) {
	l.log = append(l.log, raw)
	tx := l.truth.Begin()
	a := command.Apply(tx, raw)
	tx.Commit()
	for _, e := range a.Effects {
		e, ended := e.(command.SessionEnded)
		for _, c := range l.clients {
			if ended && e.Expired && c.session == e.Session {
				l.seen.expired++
				l.seen.dismissed += l.isDismissed(e.Session)
				require.False(l.t, c.clock.at(l.now).Before(c.bound), "session %d expires %v before its client's bound", c.session, c.bound.Sub(c.clock.at(l.now)))
			}
		}
	}
}

// isDismissed is 1 if a replica has dismissed a session, else 0.
func (l *lab) isDismissed(id api.SessionID) int {
	for _, r := range l.replicas {
		if s, ok := r.m.Session(id); ok && s.Dismissed {
			return 1
		}
	}
	return 0
}

func (l *lab) at(r *labReplica) master.At {
	at := master.At{Now: r.clock.at(l.now), Rows: r.db}
	if r.id == l.leader && r.leads && l.now < l.until {
		at.Lease = r.clock.at(l.until)
	}
	return at
}

// flush carries out the output of a replica, and checks the leases that it remembers.
func (l *lab) flush(r *labReplica) {
	out := r.m.TakeOutput(time.Time{}, plenty)
	for _, p := range out.Propose {
		switch {
		case rapid.IntRange(0, 19).Draw(l.t, "full") == 0:
			r.m.Refused(l.at(r), p, api.Busy)
		case r.id == l.leader:
			l.decide(string(p.Command))
		default:
			l.limbo = append(l.limbo, string(p.Command))
		}
	}
	for _, p := range append(out.Replies, r.m.TakeOutput(time.Time{}, plenty).Replies...) {
		l.send(func() { l.hear(r, p) })
	}
	l.compare(r)
}

// compare checks that no lease of a replica has moved earlier (C11.05).
func (l *lab) compare(r *labReplica) {
	s := r.m.Status()
	if !s.State.HasEpoch() || r.epoch != s.Epoch {
		r.leases, r.epoch = map[api.SessionID]session.Session{}, s.Epoch
	}
	for _, c := range l.clients {
		now, ok := r.m.Session(c.session)
		if before, had := r.leases[c.session]; ok && had {
			require.False(l.t, now.Lease.Before(before.Lease), "the lease of session %d moves from %v to %v", c.session, before.Lease, now.Lease)
			require.False(l.t, before.Dismissed && !now.Lease.Equal(before.Lease), "session %d is dismissed, and its lease moves from %v to %v", c.session, before.Lease, now.Lease)
			require.False(l.t, before.Dismissed && !now.Dismissed, "session %d is dismissed no more", c.session)
		}
		if ok {
			r.leases[c.session] = now
		}
	}
}

func (l *lab) send(deliver func()) { l.net = append(l.net, deliver) }

// hear delivers an answer to a KeepAlive to its client.
func (l *lab) hear(r *labReplica, p master.Reply) {
	c := l.clients[p.To]
	if p.Session != c.session || p.Epoch < c.epoch {
		return
	}
	c.epoch = p.Epoch
	leased, ok := p.Detail.(api.Leased)
	if p.Code != api.OK || !ok {
		return
	}
	l.seen.granted++
	if leased.Failover {
		l.seen.failovers++
		c.flushed = p.Epoch
	}
	d := int64(leased.Lease)
	bound := c.sent[p.ID].Add(time.Duration(d / (1_000_000 + labRho) * (1_000_000 - labRho)))
	if bound.After(c.bound) {
		c.bound = bound
	}
	l.judge(c)
}

// judge compares a client's bound with the promise of the present master, both in true time.
func (l *lab) judge(c *labClient) {
	present := rows.GetEpoch(l.truth).Number
	for _, r := range l.replicas {
		s, ok := r.m.Session(c.session)
		if !ok || r.m.Status().Epoch != present {
			continue
		}
		left := c.bound.Sub(c.clock.at(l.now))                  // by the client's clock
		longest := left * 1_000_000 / (1_000_000 + c.toPPM())   // in true time
		promised := s.Lease.Sub(r.clock.at(l.now))              // by the master's
		least := promised * 1_000_000 / (1_000_000 + r.toPPM()) // in true time
		if left > 0 {
			require.LessOrEqual(l.t, longest, least+time.Millisecond, "a client counts on %v, its master has promised %v", longest, least)
		}
	}
}

func (c *labClient) toPPM() time.Duration  { return time.Duration(c.clock.ppm) }
func (r *labReplica) toPPM() time.Duration { return time.Duration(r.clock.ppm) }

// ask sends a new KeepAlive of a client to a replica.
func (l *lab) ask(c *labClient, to *labReplica) {
	c.lastID++
	c.sent[c.lastID] = c.clock.at(l.now)
	q := api.Request{ID: c.lastID, Session: c.session, Epoch: c.epoch, Op: api.KeepAlive{
		AckedEpoch: c.flushed, Now: rapid.Bool().Draw(l.t, "at once"),
	}}
	from := master.Addr(0)
	if c == l.clients[1] {
		from = 1
	}
	l.send(func() {
		to.m.Request(l.at(to), from, "ann", q)
		l.flush(to)
	})
}

// step applies the next command of the log at one replica.
func (l *lab) step(r *labReplica) {
	if r.applied == len(l.log) {
		return
	}
	tx := r.db.Begin()
	a := command.Apply(tx, l.log[r.applied])
	tx.Commit()
	r.applied++
	if _, ok := a.Command.(command.ConfirmLeadership); ok && a.Verdict == command.Executed {
		l.seen.confirmed++
	}
	if _, ok := a.Command.(command.LongestLease); ok && a.Verdict == command.Executed {
		l.seen.lengths++
	}
	r.m.Applied(l.at(r), a)
	l.flush(r)
}

// depose makes another replica, or the same one again, the leader. It does nothing while the present
// leader has authority.
func (l *lab) depose(next *labReplica) {
	if l.now < l.until {
		return
	}
	l.round++
	l.leader = next.id
	rest := l.limbo[:0:0]
	for _, c := range l.limbo { // the commands that phase 1 finds come first
		if rapid.Bool().Draw(l.t, "found") {
			l.decide(c)
		} else {
			rest = append(rest, c)
		}
	}
	l.limbo = rest
	for next.applied < len(l.log) {
		l.step(next)
	}
	l.tell(next)
}

func (l *lab) tell(r *labReplica) {
	r.leads = r.id == l.leader
	r.m.Tenure(master.Tenure{Leader: uint32(l.leader + 1), Ballot: rows.Ballot{Round: l.round, Node: uint32(l.leader + 1)}, Mine: r.leads})
	l.flush(r)
}

// act lets one thing happen.
func (l *lab) act() {
	r := l.replicas[rapid.IntRange(0, 2).Draw(l.t, "replica")]
	c := l.clients[rapid.IntRange(0, 1).Draw(l.t, "client")]
	switch rapid.SampledFrom([]string{
		"depose", "tell", "lease", "crowd", "dismiss", "advance", "apply", "catch up", "catch up", "ask", "ask the leader",
		"ask the leader", "pass", "pass", "settle", "settle",
	}).Draw(l.t, "what") {
	case "depose":
		l.depose(r)
	case "tell":
		l.tell(r)
	case "lease": // extend the leader's authority, if it has applied the whole log
		if l.leader >= 0 {
			l.until = max(l.until, l.now+time.Duration(rapid.IntRange(1, 900).Draw(l.t, "authority"))*time.Millisecond)
		}
	case "crowd": // sessions that no client keeps alive, for a while
		if rapid.IntRange(0, 3).Draw(l.t, "rare") == 0 {
			l.open()
		}
	case "dismiss": // an operator is rid of a client, at any replica that takes itself for the master
		if rapid.IntRange(0, 3).Draw(l.t, "rare") == 0 {
			r.m.Dismiss(c.session)
			l.flush(r)
		}
	case "advance":
		r.m.Advance(l.at(r))
		l.flush(r)
	case "apply":
		l.step(r)
	case "catch up":
		for r.applied < len(l.log) {
			l.step(r)
		}
	case "ask":
		l.ask(c, r)
	case "ask the leader":
		if l.leader >= 0 {
			l.ask(c, l.replicas[l.leader])
		}
	case "settle":
		l.settle()
	case "pass":
		l.now += time.Duration(rapid.SampledFrom([]int{1, 50, 300, 1000, 2500}).Draw(l.t, "ms")) * time.Millisecond
	}
}

// settle lets all replicas apply what is decided, the leader look at its clock, and all
// messages arrive.
func (l *lab) settle() {
	for range 3 {
		for _, r := range l.replicas {
			for r.applied < len(l.log) {
				l.step(r)
			}
		}
		if l.leader >= 0 {
			r := l.replicas[l.leader]
			r.m.Advance(l.at(r))
			l.flush(r)
		}
		for _, c := range l.clients {
			if l.leader >= 0 {
				l.ask(c, l.replicas[l.leader])
			}
		}
		all := l.net
		l.net = nil
		for _, deliver := range all {
			deliver()
		}
	}
}

// carry delivers, loses or repeats one message.
func (l *lab) carry() {
	if len(l.net) == 0 {
		return
	}
	i := rapid.IntRange(0, len(l.net)-1).Draw(l.t, "message")
	deliver := l.net[i]
	switch rapid.IntRange(0, 9).Draw(l.t, "fate") {
	case 0: // lost
		l.net = append(l.net[:i:i], l.net[i+1:]...)
		return
	case 1: // delivered, and delivered again later
	default:
		l.net = append(l.net[:i:i], l.net[i+1:]...)
	}
	deliver()
}

func TestWhatClientsCountOnIsPromised(t *testing.T) {
	var seen labCounts
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t)
		for range rapid.SampledFrom([]int{30, 100, 400, 800}).Draw(t, "steps") {
			l.act()
			l.carry()
			for _, c := range l.clients {
				l.judge(c)
			}
		}
		seen.granted += l.seen.granted
		seen.confirmed += l.seen.confirmed
		seen.failovers += l.seen.failovers
		seen.expired += l.seen.expired
		seen.lengths += l.seen.lengths
		seen.dismissed += l.seen.dismissed
	})
	t.Logf("%+v", seen)
	require.NotZero(t, seen.granted)
	require.NotZero(t, seen.confirmed)
	require.NotZero(t, seen.failovers)
	require.NotZero(t, seen.expired)
	require.NotZero(t, seen.lengths)
	require.NotZero(t, seen.dismissed)
}
