package paxos

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/internal/invariant"
)

// Errors of Propose. The node did not accept the command, which will never be chosen.
var (
	ErrNotLeader = errors.New("paxos: this node does not lead")
	ErrBusy      = errors.New("paxos: too many commands are waiting for a slot")
	ErrTooLarge  = errors.New("paxos: the command exceeds MaxCommand")
)

// Node is one member of a group that agrees on a log of values. It is pure: it knows no clock,
// disk, network or goroutine. Each kind of input has a method, and TakeOutput returns everything
// that the caller must do. Calls must not overlap.
//
// The caller reads each instant from the node's own monotonic clock after it has taken the input
// from its queue; instants never go back.
type Node struct {
	cfg     Config
	now     time.Time // the instant of the present input
	boot    Boot
	members membership

	outbox   outbox
	acceptor acceptor
	learner  learner

	grants granter

	campaign    *campaign // phase 1 under way, or nil; together with lead: a boost
	prepareDue  time.Time // when to send Prepare again
	prepareWait time.Duration
	lead        *leadership // phase 2 under way, or nil
	pending     queue

	election election
	catchup  catchup

	leader    Tenure  // the latest one returned or to be returned
	newTenure *Tenure // for the next Output
	behind    *Behind // for the next Output
	last      delta   // as of the last TakeOutput
	count     Counters
	chosenIn  instant.Histogram // see ChosenIn

	batchLimits, fetchLimits pageLimits
}

// New starts a process life of the node cfg.ID from the records on its disk. The first Output has
// the boot record of the life. New panics if Validate refuses cfg, and if the records contradict
// each other (I-A2, I-L1).
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
		min:    cfg.ElectionMin,
		max:    cfg.ElectionMax,
		spread: cfg.Heartbeat, // longer than a campaign takes, or heartbeats would keep no leader in place
		draws:  draw.New(cfg.Seed).Sub("paxos.election", uint64(n.boot)).Stream("timeout", uint64(cfg.ID)),
		round:  rec.Promise.Round,
	}
	n.election.postpone(now)
	n.grants = newGranter(cfg.Lease, longest, n.boot, now)
	n.catchup.target = n.learner.firstOpen
	return n
}

// Step handles one message of a peer, already decoded and checked. It counts and drops stale
// messages and messages of nodes that are not members.
func (n *Node) Step(now time.Time, from NodeID, m Message) {
	n.setNow(now)
	if from == n.cfg.ID || !n.members.all.Has(from) {
		n.count.Strangers++
		return
	}
	n.handle(from, m)
	n.handleLocal()
}

// Advance tells the node that time has passed. The node does what is due.
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
		n.tryCampaign()
	}
	n.tendCatchup()
	n.handleLocal()
}

// Propose asks the node, as leader, to have command chosen. A nil error means only that the command
// waits for a slot. Once it is chosen, it comes in Output.Chosen; commands that still wait when a
// tenure ends may be lost. The node keeps no reference to command.
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

// Room returns how many more short commands would get a slot at the next TakeOutput. A caller with
// more commands should keep the rest and choose among them later. Room is 0 unless the node leads.
func (n *Node) Room() int {
	if n.lead == nil || n.campaign != nil {
		return 0
	}
	free := n.cfg.Window - int(max(n.lead.next, n.learner.firstOpen)-n.learner.firstOpen) - len(n.lead.demanded)
	return max(0, free*n.cfg.MaxBatchCommands-n.pending.len())
}

// CanPropose reports whether Propose would accept a short command. After ErrBusy there may be room
// again as soon as TakeOutput has been called.
func (n *Node) CanPropose() bool { return n.lead != nil && n.pending.len() < n.cfg.MaxPending }

// Durable tells the node that every record up to upto is on disk.
func (n *Node) Durable(now time.Time, upto LSN) {
	n.setNow(now)
	n.outbox.onDurable(upto)
	n.handleLocal()
}

// Applied tells the node that the state machine has applied all slots up to upto.
func (n *Node) Applied(upto Slot) { n.learner.onApplied(upto) }

// TakeOutput returns what the caller must do since the last call. Commands proposed since then
// leave together, in as few slots as possible.
func (n *Node) TakeOutput() Output {
	if n.lead != nil {
		n.proposePending()
		n.handleLocal()
	}
	if n.lead != nil {
		n.sendChosen()
	}
	if n.catchup.due.IsZero() == n.isLagging() {
		n.tendCatchup() // to set the time of its next Fetch, or to clear it
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

// nextWake returns the instant by which Advance must be called.
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

// handleLocal handles the messages that the node sent to itself, which may send more.
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

// handle dispatches by the kind of message.
func (n *Node) handle(from NodeID, m Message) {
	switch m := m.(type) {
	case Prepare: // phase 1a
		n.onPrepare(from, m)
	case Promise: // phase 1b
		n.onPromise(from, m)
	case Accept: // phase 2a
		n.onAccept(from, m)
	case Accepted: // phase 2b
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
		// A late Accept may replace the vote by one for another value. The Settled
		// record, which refers to the present vote, must come before that vote.
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
		n.election.postpone(n.now) // a leader seems to be at work
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

// onChosen learns the values that this node voted for at the ballot of the message. A
// vote at another ballot may be for another value, that of a deposed leader.
func (n *Node) onChosen(from NodeID, m Chosen) {
	last := min(m.Slots.To, n.acceptor.votes.end())
	for s := max(m.Slots.From, n.learner.firstOpen); s < last; s++ {
		if v := n.acceptor.votes.get(s); v != nil && v.ballot == m.Ballot && !v.lost {
			n.learn(s, v.value)
		}
	}
	n.catchup.noteFirstOpen(from, m.Slots.To)
}

// learn records a chosen value, from whatever source.
func (n *Node) learn(s Slot, value Value) {
	v := n.acceptor.votes.get(s)
	n.learner.learn(s, value, v != nil && !v.ballot.IsZero() && !v.lost && v.value == value)
}

// isTooFar reports whether a slot lies beyond those for which a node keeps memory.
func (n *Node) isTooFar(s Slot) bool { return s >= n.learner.firstOpen+Slot(n.cfg.MaxAhead) }
