package paxos

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/internal/invariant"
)

// Errors of Propose. The command was not taken and will never be chosen.
var (
	ErrNotLeader = errors.New("paxos: this node does not lead")
	ErrBusy      = errors.New("paxos: too many commands are waiting for a slot")
	ErrTooLarge  = errors.New("paxos: the command exceeds MaxCommand")
)

// Node is one member of a group that agrees on a log of values. It is pure: it
// knows no clock, disk, network or goroutine. Its doors are the methods below,
// one for each thing that can happen, and TakeOutput, which gives all that the
// node wants done. One caller at a time.
//
// Instants are of the node's own monotonic clock, read after the input was taken
// from its queue; they never go back.
type Node struct {
	cfg     Config
	now     time.Time // of the present input
	boot    Boot
	members membership

	outbox   outbox
	acceptor acceptor
	learner  learner

	grants granter

	campaign    *campaign // phase 1 under way, or nil; beside lead: a boost
	prepareDue  time.Time // ask again
	prepareWait time.Duration
	lead        *leadership // phase 2 under way, or nil
	lastLed     time.Time   // until then; zero: it never led, or was told to try again since
	pending     queue

	election election
	catchup  catchup

	leader    Tenure  // what was last said about who leads
	newTenure *Tenure // to be said
	behind    *Behind // to be said
	last      delta   // as of the last TakeOutput
	count     Counters

	batchLimits, fetchLimits pageLimits
}

// New starts a process life of the node cfg.ID on what its disk gave back. The
// life's boot record is in the first Output. It panics on a Config that
// Validate refuses, and on a disk that contradicts itself (I-A2, I-L1).
func New(cfg Config, rec Recovered, now time.Time) *Node {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	n := &Node{cfg: cfg, now: now, boot: rec.Boot + 1}
	n.members.all = NewGroup(cfg.Members)
	first := max(rec.Next, 1)
	n.outbox = outbox{self: cfg.ID, first: first, durable: first - 1, promise: rec.Promise}
	n.acceptor = acceptor{
		outbox:   &n.outbox,
		promised: rec.Promise,
		votes:    slotLog[vote]{base: rec.base()},
		limits:   pageLimits{items: cfg.PageVotes, bytes: cfg.PageBytes},
	}
	n.learner = learner{
		outbox: &n.outbox, known: slotLog[learned]{base: rec.base()},
		firstOpen: rec.Snapshot.Slot + 1, applied: rec.Snapshot.Slot,
	}
	for _, r := range rec.Records {
		n.acceptor.restore(r)
		n.learner.restore(r, &n.acceptor.votes)
	}
	n.keepReachable()
	longest := max(rec.Grant, cfg.Lease.Grant)
	n.outbox.bootRecord = n.outbox.record(Booted{Boot: n.boot, Grant: longest})
	n.outbox.syncTo = n.outbox.bootRecord

	n.batchLimits = pageLimits{items: cfg.MaxBatchCommands, bytes: cfg.MaxBatchBytes}
	n.fetchLimits = pageLimits{items: cfg.FetchSlots, bytes: cfg.PageBytes}
	n.election = election{
		min:   cfg.ElectionMin,
		max:   cfg.ElectionMax,
		draws: draw.New(cfg.Seed).Sub("paxos.election", uint64(n.boot)).Stream("timeout", uint64(cfg.ID)),
		round: rec.Promise.Round,
	}
	n.election.postpone(now)
	n.grants = newGranter(cfg.Lease, longest, n.boot, now)
	n.catchup.target = n.learner.firstOpen
	return n
}

// Step takes one message from a peer, already decoded and found valid. What is
// stale, or comes from a stranger, is counted and dropped.
func (n *Node) Step(now time.Time, from NodeID, m Message) {
	n.setNow(now)
	if from == n.cfg.ID || !n.members.all.Has(from) {
		n.count.Strangers++
		return
	}
	n.handle(from, m)
	n.handleLocal()
}

// Advance tells that time has passed. It does what has fallen due.
func (n *Node) Advance(now time.Time) {
	n.setNow(now)
	switch {
	case n.lead != nil:
		n.tendLeadership()
	case n.campaign != nil:
		if !now.Before(n.prepareDue) {
			n.tendCampaign()
		}
	case !now.Before(n.election.deadline):
		n.verifyTurn()
		n.tryCampaign()
	}
	n.tendCatchup()
	n.handleLocal()
}

// Propose asks the node, as leader, to have command chosen. A nil error means
// that it waits for a slot, no more: what was chosen is told by Output.Chosen,
// and a tenure that ends may take waiting commands with it. The node keeps no
// reference to command.
func (n *Node) Propose(now time.Time, command []byte) error {
	n.setNow(now)
	switch {
	case n.lead == nil:
		return ErrNotLeader
	case len(command) > n.cfg.MaxCommand:
		return ErrTooLarge
	case n.pending.len() >= n.cfg.MaxPending:
		n.count.Refused++
		return ErrBusy
	}
	n.pending.push(command)
	return nil
}

// Room is how many commands more would get a slot at the next TakeOutput, if they are
// short: who has more to propose had better keep it, and choose then. 0 unless the
// node leads.
func (n *Node) Room() int {
	if n.lead == nil || n.campaign != nil {
		return 0
	}
	free := n.cfg.Window - int(max(n.lead.next, n.learner.firstOpen)-n.learner.firstOpen) - len(n.lead.demanded)
	return max(0, free*n.cfg.MaxBatchCommands-n.pending.len())
}

// Takes says whether Propose would take a short command. Where it refused one for want
// of room, there may be room as soon as TakeOutput has been called.
func (n *Node) CanPropose() bool { return n.lead != nil && n.pending.len() < n.cfg.MaxPending }

// Durable tells that every record up to upto is on disk.
func (n *Node) Durable(now time.Time, upto LSN) {
	n.setNow(now)
	n.outbox.onDurable(upto)
	n.handleLocal()
}

// Applied tells that the state machine has consumed all slots up to upto.
func (n *Node) Applied(upto Slot) { n.learner.onApplied(upto) }

// TakeOutput returns what the node wants done and forgets it. Commands proposed
// since the last call leave together, in as few slots as they fit.
func (n *Node) TakeOutput() Output {
	if n.lead != nil {
		n.proposePending()
		n.handleLocal()
	}
	if n.lead != nil {
		n.sendChosen()
	}
	if n.catchup.due.IsZero() == n.isLagging() {
		n.tendCatchup() // to arm its clock, or to put it away
	}
	n.learner.flushSettled()
	n.verifyDelta()
	if invariant.Deep {
		n.Verify()
	}
	out := Output{Chosen: n.learner.toApply, Tenure: n.newTenure, Behind: n.behind, Wake: n.nextWake()}
	n.learner.toApply, n.newTenure, n.behind = nil, nil, nil
	n.outbox.take(&out)
	return out
}

// wake is the instant by which Advance must be called.
func (n *Node) nextWake() time.Time {
	var due time.Time
	switch {
	case n.lead != nil && n.campaign != nil:
		due = instant.Earliest(n.lead.heartbeatDue, n.prepareDue, n.Lease())
	case n.lead != nil:
		due = instant.Earliest(n.lead.heartbeatDue, n.lead.resendDue)
	case n.campaign != nil:
		due = n.prepareDue
	default:
		due = n.election.deadline
	}
	if n.isLagging() {
		due = instant.Earliest(due, n.catchup.due)
	}
	return due
}

func (n *Node) setNow(now time.Time) {
	if now.Before(n.now) {
		invariant.Failf("I-T1", "node %d: time went back from %v to %v", n.cfg.ID, n.now, now)
	}
	n.now = now
}

// drain handles the messages the node sent to itself, which may send more.
func (n *Node) handleLocal() {
	for len(n.outbox.local) > 0 {
		local := n.outbox.local
		n.outbox.local, n.outbox.spare = n.outbox.spare, nil
		for _, m := range local {
			n.verifyLeaves(m)
			n.handle(n.cfg.ID, m)
		}
		clear(local)
		n.outbox.spare = local[:0]
	}
}

// handle is the dispatch: one line a message.
func (n *Node) handle(from NodeID, m Message) {
	switch m := m.(type) {
	case Prepare:
		n.onPrepare(from, m)
	case Promise:
		n.onPromise(from, m)
	case Accept:
		n.onAccept(from, m)
	case Accepted:
		n.onAccepted(from, m)
	case Nack:
		n.onNack(from, m)
	case LeaseRejection:
		n.onLeaseRejection(from, m)
	case Released:
		n.onReleased(from, m)
	case Chosen:
		n.onChosen(from, m)
	case Heartbeat:
		n.onHeartbeat(from, m)
	case HeartbeatReply:
		n.onHeartbeatReply(from, m)
	case Fetch:
		n.onFetch(from, m)
	case FetchReply:
		n.onFetchReply(from, m)
	}
}

func (n *Node) onPrepare(from NodeID, m Prepare) {
	n.election.observe(m.Ballot)
	if n.rejectIfLeased(from, m.Ballot, m.Boot, 0, n.grants.promiseBarredUntil(from)) {
		n.onChallenge(m.Ballot)
		return
	}
	if !n.acceptor.onPrepare(from, m, n.learner.firstOpen) || from == n.cfg.ID {
		return
	}
	n.stepDownFor(m.Ballot)
	if n.leader.Ballot.Less(m.Ballot) && n.leader.Leader != from {
		n.setLeader(0, Ballot{})
	}
	n.election.postpone(n.now)
}

func (n *Node) onAccept(from NodeID, m Accept) {
	n.election.observe(m.Ballot)
	if n.isTooFar(m.Slot) {
		n.count.TooFar++
		return
	}
	if n.learner.toSettle.Has(m.Slot) {
		// A late Accept may put another value into the vote; the record that
		// calls the present one chosen must come first.
		n.learner.flushSettled()
	}
	if n.rejectIfLeased(from, m.Ballot, m.Boot, m.Slot, n.grants.barredUntil(from)) {
		n.election.postpone(n.now)
		return
	}
	if !n.acceptor.onAccept(from, m) || from == n.cfg.ID {
		return
	}
	n.followLeader(from, m.Ballot)
}

func (n *Node) onHeartbeat(from NodeID, m Heartbeat) {
	n.election.observe(m.Ballot)
	if n.rejectIfLeased(from, m.Ballot, m.Boot, 0, n.grants.barredUntil(from)) {
		n.election.postpone(n.now) // of somebody who leads, as it seems
		return
	}
	if !n.acceptor.onHeartbeat(from, m) {
		return
	}
	if from != n.cfg.ID {
		n.followLeader(from, m.Ballot)
		n.catchup.noteFirstOpen(from, m.FirstOpen)
	}
	n.answerHeartbeat(from, m)
}

// obey follows a leader whose ballot the acceptor did not refuse.
func (n *Node) followLeader(from NodeID, b Ballot) {
	n.stepDownFor(b)
	n.setLeader(from, b)
	n.election.onLeader(n.now)
}

// onChosen learns what this node voted for at the ballot the leader names.
// Another ballot will not do: a deposed leader's value may stand in our slot.
func (n *Node) onChosen(from NodeID, m Chosen) {
	last := min(m.Slots.To, n.acceptor.votes.end())
	for s := max(m.Slots.From, n.learner.firstOpen); s < last; s++ {
		if v := n.acceptor.votes.get(s); v != nil && v.ballot == m.Ballot && !v.lost {
			n.learn(s, v.value)
		}
	}
	n.catchup.noteFirstOpen(from, m.Slots.To)
}

// learn takes in a chosen value from anywhere.
func (n *Node) learn(s Slot, value Value) {
	v := n.acceptor.votes.get(s)
	n.learner.learn(s, value, v != nil && !v.ballot.IsZero() && !v.lost && v.value == value)
}

// tooFar says that a slot lies beyond what a node keeps memory for.
func (n *Node) isTooFar(s Slot) bool { return s >= n.learner.firstOpen+Slot(n.cfg.MaxAhead) }

// tendLead does what a leader owes to time.
func (n *Node) tendLeadership() {
	l := n.lead
	heartbeatIsDue := !n.now.Before(l.heartbeatDue)
	if heartbeatIsDue && n.now.Sub(l.quorumHeardAt(n.cfg.ID, n.now)) > 2*n.cfg.ElectionMax { // at a beat: it wakes for no other reason
		n.count.QuorumLost++
		n.stepDown()
		n.election.postpone(n.now)
		return
	}
	if n.campaign != nil {
		n.tendBoost()
	}
	if n.lead != l {
		return
	}
	if heartbeatIsDue {
		n.sendHeartbeats()
	}
	if n.campaign == nil && !l.resendDue.IsZero() && !n.now.Before(l.resendDue) {
		n.retransmit()
	}
}

// begin leads: phase 1 demands values for the first open slots, all above are
// free.
func (n *Node) startLeading(demanded []Value) {
	c := n.campaign
	if n.lead != nil {
		n.dropAttempt() // a boost that became an election
	}
	n.campaign = nil
	n.verifyDemands(c, demanded)
	n.verifyPromised(c.ballot)
	n.lead = newLeadership(c, n.acceptor.promiseLSN, demanded, &n.cfg, n.now)
	n.count.Tenures++
	n.election.onLeader(n.now)
	n.leader = Tenure{Leader: n.cfg.ID, Ballot: c.ballot, Mine: true, From: n.lead.firstOwn}
	n.publishTenure()
	n.sendHeartbeats()
}

// yieldTo gives way to a higher ballot.
func (n *Node) stepDownFor(b Ballot) {
	if n.ownBallot().Less(b) {
		n.stepDown()
	}
}

// yield stops leading or campaigning.
func (n *Node) stepDown() {
	if n.campaign == nil && n.lead == nil {
		return
	}
	n.dropAttempt()
	n.setLeader(0, Ballot{})
}

// retire drops all that belongs to the node's own attempt.
func (n *Node) dropAttempt() {
	if n.lead != nil {
		n.sendReleased()
		n.lastLed = n.now
	}
	n.campaign, n.lead = nil, nil
	n.pending.clear()
	n.cancelProposals()
}

// cancelProposals takes back what waits for the disk in the name of a ballot that
// is over: it would only be refused, or ask for grants that nobody counts.
func (n *Node) cancelProposals() {
	n.outbox.cancel(func(m Message) bool {
		switch m.(type) {
		case Accept, Heartbeat:
			return true
		}
		return false
	})
}

// ballot is that of the node's own attempt, or zero.
func (n *Node) ownBallot() Ballot {
	switch {
	case n.lead != nil:
		return n.lead.ballot
	case n.campaign != nil:
		return n.campaign.ballot
	}
	return Ballot{}
}

// follow notes who leads, and says so when it changed.
func (n *Node) setLeader(leader NodeID, b Ballot) {
	if n.leader.Leader == leader && n.leader.Ballot == b {
		return
	}
	n.leader = Tenure{Leader: leader, Ballot: b}
	n.publishTenure()
}

func (n *Node) publishTenure() {
	t := n.leader
	n.newTenure = &t
}
