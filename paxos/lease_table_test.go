package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Term is Tr(1-rho)/(1+rho), rounded down: longer by a nanosecond, and a slow
// asker would count what a fast granter honours no longer.
func TestTerm(t *testing.T) {
	for _, c := range []struct {
		grant time.Duration
		rho   PPM
		term  time.Duration
	}{
		{0, 0, 0},
		{time.Second, 0, time.Second},
		{time.Second, 200_000, 666_666_666},
		{300 * time.Millisecond, 200_000, 200 * time.Millisecond},
		{time.Second, 1, 999_998_000},
		{1, 1, 0},
		{maxGrant, million - 1, 1_800_000},
		{maxGrant, 1, 3_599_992_800_007},
	} {
		l := Lease{Grant: c.grant, Rho: c.rho}
		require.Equal(t, c.term, l.Term(), "%+v", l)
		require.Empty(t, l.fault())
		// In millionths of a nanosecond of true time: the slowest asker, the fastest granter.
		require.LessOrEqual(t, float64(l.Term())/float64(million-c.rho), float64(c.grant)/float64(million+c.rho))
	}
}

func TestLeaseFaults(t *testing.T) {
	for _, c := range []struct {
		lease Lease
		why   string
	}{
		{Lease{Grant: -1}, "Lease.Grant is -1ns"},
		{Lease{Grant: maxGrant + 1}, "Lease.Grant is 1h0m0.000000001s"},
		{Lease{Grant: time.Second, Rho: -1}, "Lease.Rho is -1 ppm"},
		{Lease{Grant: time.Second, Rho: million}, "Lease.Rho is 1000000 ppm"},
		{Lease{Grant: 149 * time.Millisecond, Rho: 200_000}, "ends before the next heartbeat, after 100ms"},
	} {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members, cfg.Lease = 1, []NodeID{1}, c.lease
		require.ErrorContains(t, cfg.Validate(), c.why)
	}
	cfg := DefaultConfig()
	cfg.ID, cfg.Members, cfg.Lease = 1, []NodeID{1}, Lease{Grant: 151 * time.Millisecond, Rho: 200_000}
	require.NoError(t, cfg.Validate())
}

// The lease ends when the quorum-th latest grant does, whichever members gave it.
func TestTheLeaseEndsWithTheQuorumthGrant(t *testing.T) {
	at := func(ms int) time.Time {
		if ms == 0 {
			return time.Time{}
		}
		return time.Unix(0, int64(ms)*1e6)
	}
	for _, c := range []struct {
		ends   []int // ms; 0: never granted
		quorum int
		end    int
	}{
		{[]int{5}, 1, 5},
		{[]int{0}, 1, 0},
		{[]int{9, 0, 0}, 2, 0},
		{[]int{9, 7, 0}, 2, 7},
		{[]int{9, 7, 8}, 2, 8},
		{[]int{9, 9, 0}, 2, 9},
		{[]int{1, 2, 3, 4, 5}, 3, 3},
		{[]int{0, 0, 3, 4, 5}, 3, 3},
		{[]int{0, 0, 0, 4, 5}, 3, 0},
		{[]int{4, 4, 4, 1}, 3, 4},
	} {
		h := leaderLease{}
		for _, ms := range c.ends {
			h.ends = append(h.ends, at(ms))
		}
		require.Equal(t, at(c.end), h.end(c.quorum), "%v", c.ends)
	}
}

// A grant counts from when it was asked for, whenever it is heard of and in
// whatever order; one that is over when it comes counts nothing.
func TestAGrantCountsFromItsAsking(t *testing.T) {
	start := time.Unix(100, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	h := leaderLease{term: 100 * time.Millisecond, ends: make([]time.Time, 2)}
	h.noteAsked(1, at(0))
	h.noteAsked(2, at(40))
	h.noteAsked(3, at(80))
	require.True(t, h.onGranted(0, 2, at(130)))
	require.Equal(t, at(140), h.ends[0])
	require.False(t, h.onGranted(0, 1, at(131)), "an older answer that was overtaken")
	require.False(t, h.onGranted(0, 2, at(131)), "the same answer again")
	require.False(t, h.onGranted(1, 1, at(100)), "over by now")
	require.False(t, h.onGranted(1, 4, at(131)), "no such heartbeat")
	require.False(t, h.onGranted(1, 0, at(131)), "no such heartbeat")
	require.False(t, h.onGranted(-1, 3, at(131)), "no member")
	require.True(t, h.onGranted(1, 3, at(179)))
	require.Equal(t, at(180), h.ends[1])
	h.noteAsked(4, at(200))
	require.Len(t, h.askedAt, 1, "questions whose answers count no longer are forgotten")
	require.False(t, h.onGranted(1, 3, at(201)))
	require.True(t, h.onGranted(1, 4, at(201)))
}

// What a member refuses, and to which nodes: every state against every other node.
func TestAGrantBarsOtherNodes(t *testing.T) {
	start := time.Unix(100, 0)
	lease := Lease{Grant: time.Second}
	later := start.Add(500 * time.Millisecond)
	over := start.Add(time.Second)
	first, again := newGranter(lease, time.Second, 1, start), newGranter(lease, time.Second, 2, start)
	held := first
	require.True(t, held.grant(3, Ballot{2, 3}, lease, start))
	for _, c := range []struct {
		what           string
		g              granter
		from           NodeID
		at             time.Time
		promise, other bool // it must wait
	}{
		{"a first life", first, 2, start, false, false},
		{"a later life", again, 2, start, true, false},
		{"a later life, after a grant", again, 2, over, false, false},
		{"the holder", held, 3, later, false, false},
		{"another", held, 2, later, true, true},
		{"another, to the nanosecond", held, 2, over.Add(-1), true, true},
		{"another, when it is over", held, 2, over, false, false},
	} {
		require.Equal(t, c.promise, c.g.promiseBarredUntil(c.from).After(c.at), c.what)
		require.Equal(t, c.other, c.g.barredUntil(c.from).After(c.at), c.what)
	}
}

func TestGrantTable(t *testing.T) {
	start := time.Unix(100, 0)
	lease := Lease{Grant: time.Second, Rho: 100}
	g := newGranter(lease, time.Second, 2, start)
	require.False(t, g.grant(3, Ballot{2, 3}, lease, start.Add(time.Second-1)), "silent")
	at := start.Add(time.Second)
	require.False(t, g.grant(3, Ballot{2, 3}, Lease{}, at), "not asked for")
	require.False(t, g.grant(3, Ballot{2, 3}, Lease{Grant: time.Second, Rho: 99}, at), "another bound")
	require.False(t, g.grant(3, Ballot{2, 3}, Lease{Grant: 2 * time.Second, Rho: 100}, at), "another length")
	require.True(t, g.grant(3, Ballot{2, 3}, lease, at))
	require.Equal(t, at.Add(time.Second), g.until)

	g.release(2, Ballot{9, 2})
	require.EqualValues(t, 3, g.holder, "no holder, no release")
	g.release(3, Ballot{1, 3})
	require.EqualValues(t, 3, g.holder, "it has asked again since")
	g.release(3, Ballot{2, 3})
	require.Zero(t, g.holder)
	require.False(t, g.barredUntil(1).After(at))

	off := newGranter(Lease{}, 0, 2, start)
	require.False(t, off.promiseBarredUntil(1).After(start))
	require.False(t, off.grant(3, Ballot{2, 3}, Lease{}, at))
	off = newGranter(Lease{}, time.Second, 2, start)
	require.True(t, off.promiseBarredUntil(1).Equal(at), "an earlier life was configured with leases")
}

// A candidate that gets a LeaseRejection asks again when the grant is over, and keeps its
// ballot.
func TestARejectedCandidateWaitsAndKeepsItsBallot(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	due := r.node.prepareDue
	r.step(2, LeaseRejection{Ballot: b, Boot: 1, Left: 10 * time.Millisecond})
	require.Equal(t, r.now.Add(r.cfg.Retransmit), r.node.prepareDue, "not at once")
	require.False(t, r.node.prepareDue.After(due))
	r.step(2, LeaseRejection{Ballot: b, Boot: 1, Left: time.Hour})
	require.Equal(t, r.now.Add(r.cfg.Retransmit), r.node.prepareDue, "nor too late for the others")
	require.Equal(t, Candidate, r.node.Status().Role)
	stale := r.node.count.Stale
	r.step(2, LeaseRejection{Ballot: b, Boot: 7, Left: 1}, LeaseRejection{Ballot: Ballot{1, 1}, Boot: 1, Left: 1})
	require.Equal(t, stale+2, r.node.count.Stale)
	r.drain()
	r.pass(r.cfg.Retransmit)
	require.Contains(t, r.drain()[0], "prepare 4.1")
}

// Only an answer to a heartbeat of this very tenure and life counts, and only the
// members' own; a majority of one's own is none.
func TestWhichGrantsCount(t *testing.T) {
	lease := Lease{Grant: time.Second}
	r := newRig(t, 5, func(c *Config) { c.Lease = lease })
	b := r.lead()
	reply := func(from NodeID, b Ballot, boot Boot, seq uint64) {
		r.step(from, HeartbeatReply{Ballot: b, Boot: boot, Seq: seq, FirstOpen: 1, Granted: true})
	}
	require.True(t, r.now.Before(r.node.CountedUntil(1)), "its own acceptor has granted")
	reply(2, b, 1, 1)
	require.False(t, r.now.Before(r.node.Lease()), "two of five")
	reply(3, Ballot{Round: b.Round - 1, Node: 1}, 1, 1)
	reply(3, b, 2, 1)
	reply(3, b, 1, 2)
	r.step(3, HeartbeatReply{Ballot: b, Boot: 1, Seq: 1, FirstOpen: 1})
	require.True(t, r.node.CountedUntil(3).IsZero(), "an older ballot, another life, nothing asked, nothing granted")
	require.True(t, r.node.Lease().IsZero())
	reply(3, b, 1, 1)
	require.Equal(t, r.now.Add(lease.Term()), r.node.Lease())

	r.node.Resign(r.now)
	r.take()
	require.True(t, r.node.Lease().IsZero(), "given up with the lead")
}

// What keeps a boost within its tenure is the lease; and nothing but the leader's
// own votes may come to light.
func TestABoostThatIsAnElection(t *testing.T) {
	lease := Lease{Grant: time.Second}
	start := func() (*rig, Ballot) {
		r := newRig(t, 3, func(c *Config) { c.Lease = lease })
		b := r.lead()
		r.step(2, HeartbeatReply{Ballot: b, Boot: 1, Seq: 1, FirstOpen: 1, Granted: true})
		require.NoError(t, r.propose("own"))
		r.step(3, Nack{Ballot: b, Boot: 1, Promised: Ballot{9, 3}})
		r.sync()
		require.Equal(t, Leader, r.node.Status().Role)
		require.Equal(t, Ballot{10, 1}, r.node.campaign.ballot)
		return r, b
	}
	promise := func(r *rig, votes ...Vote) {
		r.tenure = nil
		r.step(2, Promise{Ballot: Ballot{10, 1}, Boot: 1, Page: Range{1, MaxSlot}, Votes: votes, FirstOpen: 1})
	}

	r, b := start()
	promise(r, Vote{Slot: 1, Ballot: b, Value: val("own")})
	require.Nil(t, r.tenure, "the tenure goes on")
	require.Equal(t, Ballot{10, 1}, r.node.Status().Ballot)
	require.Equal(t, b, r.node.Leading().Ballot)

	r, _ = start()
	promise(r, Vote{Slot: 1, Ballot: Ballot{1, 2}, Value: val("another's")})
	require.NotNil(t, r.tenure)
	require.Equal(t, Ballot{10, 1}, r.tenure.Ballot, "another node's vote begins a new one")

	r, _ = start()
	r.pass(lease.Term())
	require.Equal(t, Candidate, r.node.Status().Role, "the lease ran out first")
	require.NotNil(t, r.tenure)
	promise(r, Vote{Slot: 1, Ballot: b, Value: val("own")})
	require.Equal(t, Leader, r.node.Status().Role)
	require.Equal(t, Ballot{10, 1}, r.tenure.Ballot)
}

// Until phase 1 of a boost is over, grants are asked for at the old ballot.
func TestABoostAsksForGrantsAtTheOldBallot(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.Lease = Lease{Grant: time.Second} })
	b := r.lead()
	r.step(2, HeartbeatReply{Ballot: b, Boot: 1, Seq: 1, FirstOpen: 1, Granted: true})
	r.step(3, Nack{Ballot: b, Boot: 1, Promised: Ballot{9, 3}})
	r.sync()
	r.drain()
	r.pass(r.cfg.Heartbeat)
	asked := 0
	for _, e := range r.sent {
		if h, ok := e.Message.(Heartbeat); ok {
			asked++
			require.Equal(t, b, h.Ballot)
		}
	}
	require.Equal(t, 2, asked)
}

// A leader that boosts again and again remembers only the heartbeats whose answers may
// still count: those at its present ballot (L2).
func TestBoostsLeaveNoHeartbeatsBehind(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.Lease = Lease{Grant: time.Minute} })
	b := r.lead()
	r.step(2, HeartbeatReply{Ballot: b, Boot: 1, Seq: 1, FirstOpen: 1, Granted: true})
	for round := uint64(9); round < 90; round += 2 {
		r.step(3, Nack{Ballot: r.node.Status().Ballot, Boot: 1, Promised: Ballot{round, 3}})
		r.sync()
		r.step(2, Promise{Ballot: Ballot{round + 1, 1}, Boot: 1, Page: Range{1, MaxSlot}, FirstOpen: 1})
		require.Equal(t, Ballot{round + 1, 1}, r.node.Status().Ballot)
		require.Equal(t, 1, r.node.Status().Asked)
		require.False(t, r.node.Lease().IsZero(), "the grants of before count on")
	}
}
