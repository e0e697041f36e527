package agreement

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// facts gives made-up facts to a Checker of three replicas. Each test shows that one check
// can fail, and that the nearest good history passes.
type facts struct {
	t      *testing.T
	w      *sim.World
	h      *Checker
	around surroundings
}

// surroundings is the Around of a test.
type surroundings struct {
	alone func(paxos.NodeID) bool // nil: no replica has read authority
	holds func(model.Call) bool
	heard []*command.Applied
}

func (s *surroundings) Executed(a *command.Applied, _ linearizability.Position) {
	s.heard = append(s.heard, a)
}
func (s *surroundings) Bid(paxos.NodeID, paxos.Ballot)    {}
func (s *surroundings) HasAuthority(id paxos.NodeID) bool { return s.alone != nil && s.alone(id) }
func (s *surroundings) HoldsLock(k model.Call) bool       { return s.holds != nil && s.holds(k) }

func (s *surroundings) DifferingRows(id paxos.NodeID, at paxos.Slot) string {
	return fmt.Sprintf("; rows of replica %d after %d", id, at)
}

func newFacts(t *testing.T) *facts {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	f := &facts{t: t, w: w}
	f.h = New(w, 3, 0, &f.around)
	return f
}

func (f *facts) promise(id paxos.NodeID, b paxos.Ballot) {
	f.h.Logs.OnDurable(id, []paxos.Record{paxos.Promised{Ballot: b}})
}

func (f *facts) vote(id paxos.NodeID, s paxos.Slot, b paxos.Ballot, v string) {
	if f.h.Disks[id].Promise.Less(b) {
		f.promise(id, b)
	}
	f.h.Logs.OnDurable(id, []paxos.Record{paxos.Voted{Slot: s, Ballot: b, Value: val(v)}})
}

func (f *facts) apply(id paxos.NodeID, s paxos.Slot, v string, sum uint64, cs ...command.Applied) {
	if s > f.h.Top {
		f.h.Calls.OnProposed([][]byte{[]byte(v)})
	}
	f.h.OnApplied(id, []core.Applied{{Slot: s, Value: val(v), Sum: db.Sum{A: sum}, Commands: cs}})
}

// began reports the command that begins an epoch.
func (f *facts) began(e api.Epoch, b paxos.Ballot) {
	of := rows.Epoch{Number: e, Master: uint32(b.Node), Ballot: rows.Ballot{Round: b.Round, Node: uint32(b.Node)}}
	f.h.Calls.note(&command.Applied{Effects: []command.Effect{command.EpochBegan{Epoch: of}}})
}

func (f *facts) good() { require.Nil(f.t, f.w.Failure()) }

func (f *facts) breaks(id string) {
	f.t.Helper()
	require.NotNil(f.t, f.w.Failure(), "nothing broke")
	require.Equal(f.t, id, f.w.Failure().ID, f.w.Failure().Text)
}

func val(s string) paxos.Value { return paxos.Batch([]byte(s)) }

func ballot(round uint64, id paxos.NodeID) paxos.Ballot { return paxos.Ballot{Round: round, Node: id} }

func executed(session api.SessionID, seq api.Seq) command.Applied {
	return command.Applied{Command: command.Call{Session: session, Seq: seq, Op: api.Get{Key: "k"}}, Verdict: command.Executed}
}

func TestS1TwoValuesAtOneBallot(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 2, ballot(1, 1), "b")
	f.good()
	f.vote(2, 1, ballot(1, 1), "b")
	f.breaks("S1")
}

func TestS1TwoValuesChosen(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.vote(3, 1, ballot(2, 3), "a")
	f.good()
	f.vote(2, 1, ballot(3, 3), "b")
	f.breaks("S1")
}

func TestS1AVoteAboveAChosenBallotThatWasThereBefore(t *testing.T) {
	f := newFacts(t)
	f.vote(3, 1, ballot(2, 3), "b")
	f.vote(1, 1, ballot(1, 1), "a")
	f.good()
	f.vote(2, 1, ballot(1, 1), "a")
	f.breaks("S1")
}

func TestS1AVoteBelowAChosenBallotMayDiffer(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(2, 1), "a")
	f.vote(2, 1, ballot(2, 1), "a")
	f.vote(3, 1, ballot(1, 3), "b")
	f.good()
}

func TestS1AnotherValueIsAppliedThanChosen(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 1)
	f.good()
	f.apply(2, 1, "b", 1)
	f.breaks("S1")
}

func TestS2PromisesBootsAndVotesNeverFall(t *testing.T) {
	f := newFacts(t)
	f.promise(1, ballot(5, 1))
	f.good()
	f.promise(1, ballot(4, 2))
	f.breaks("S2")

	f = newFacts(t)
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Booted{Boot: 2}})
	f.good()
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Booted{Boot: 2}})
	f.breaks("S2")

	f = newFacts(t)
	f.promise(1, ballot(5, 1))
	f.vote(1, 1, ballot(5, 1), "a")
	f.good()
	f.vote(1, 1, ballot(4, 1), "a")
	f.breaks("S2")

	f = newFacts(t)
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}})
	f.breaks("S2")
}

func TestS2ARestartForgetsThePromise(t *testing.T) {
	f := newFacts(t)
	f.promise(1, ballot(5, 1))
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(6, 1)}}, store.Report{})
	f.good()
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(5, 1)}}, store.Report{})
	f.breaks("S2")

	f = newFacts(t)
	f.promise(1, ballot(5, 1))
	f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(5, 1)})
	f.good()
	f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(4, 1)})
	f.breaks("S2")
}

func TestS2TheServingReplicaBeganTheEpoch(t *testing.T) {
	facts := func() *facts {
		f := newFacts(t)
		f.began(1, ballot(1, 1))
		f.began(2, ballot(3, 1))
		return f
	}
	f := facts()
	f.h.Epochs.OnServing(1, &core.Serving{Epoch: 1, Ballot: ballot(1, 1)})
	f.h.Epochs.OnServing(1, &core.Serving{Epoch: 2, Ballot: ballot(3, 1)})
	f.good()
	f.h.Epochs.OnServing(2, &core.Serving{Epoch: 2, Ballot: ballot(4, 2)})
	f.breaks("S2") // two tenures share an epoch

	f = facts()
	f.h.Epochs.OnServing(1, &core.Serving{Epoch: 3, Ballot: ballot(3, 1)})
	f.breaks("S2") // no command began it

	f = newFacts(t)
	f.began(1, ballot(2, 2)) // a late command of ballot 1.1 comes later
	f.began(2, ballot(1, 1))
	f.h.Epochs.OnServing(1, &core.Serving{Epoch: 2, Ballot: ballot(1, 1)})
	f.good()
	f.h.Epochs.OnServing(2, &core.Serving{Epoch: 1, Ballot: ballot(2, 2)})
	f.breaks("S2")
}

func TestS2ACallIsExecutedInAnotherEpoch(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	began := command.Applied{Command: command.Epoch{Master: 1}, Verdict: command.Executed, Effects: []command.Effect{command.EpochBegan{Epoch: rows.Epoch{Number: 3}}}}
	in := func(seq api.Seq, guard api.Epoch) command.Applied {
		a := executed(7, seq)
		a.Command = command.Call{Guard: guard, Session: 7, Seq: seq, Op: api.Get{Key: "k"}}
		return a
	}
	refused := in(2, 2)
	refused.Verdict = command.Refused
	f.h.Calls.OnProposed([][]byte{[]byte("a"), []byte("a")})
	f.asks(0, api.Request{ID: 1, Session: 7, Seq: 3, Epoch: 3, Op: api.Get{Key: "k"}})
	f.apply(1, 1, "a", 1, in(1, 0), began, in(3, 3), refused)
	f.good()
	f.vote(1, 2, ballot(1, 1), "a")
	f.vote(2, 2, ballot(1, 1), "a")
	f.apply(1, 2, "a", 1, in(4, 2))
	f.breaks("S2")
}

func TestS3ADiskLosesAVote(t *testing.T) {
	voted := paxos.Voted{Slot: 1, Ballot: ballot(2, 1), Value: val("a")}
	f := newFacts(t)
	f.vote(1, 1, ballot(2, 1), "a")
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(2, 1), Records: []paxos.Record{voted}}}, store.Report{})
	f.good()
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(2, 1)}}, store.Report{})
	f.breaks("S3")

	f = newFacts(t)
	f.vote(1, 1, ballot(2, 1), "a")
	other := paxos.Voted{Slot: 1, Ballot: ballot(2, 1), Value: val("b")}
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(2, 1), Records: []paxos.Record{other}}}, store.Report{})
	f.breaks("S3")

	f = newFacts(t)
	f.vote(1, 1, ballot(2, 1), "a")
	f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(2, 1), VotesEnd: 2})
	f.good()
	f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(2, 1), VotesEnd: 1})
	f.breaks("S3")
}

func TestAVoteThatReachedTheDiskUnheardCounts(t *testing.T) {
	voted := paxos.Voted{Slot: 1, Ballot: ballot(2, 1), Value: val("a")}
	f := newFacts(t)
	f.vote(2, 1, ballot(2, 1), "a")
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(2, 1), Records: []paxos.Record{voted}}}, store.Report{})
	f.apply(3, 1, "a", 1)
	f.good()
}

func TestS3AppliedWithoutAQuorumOfDisks(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 1)
	f.breaks("S3")
}

func TestS5ACallTakesEffectTwice(t *testing.T) {
	f := newFacts(t)
	for s := paxos.Slot(1); s <= 3; s++ {
		f.vote(1, s, ballot(1, 1), "a")
		f.vote(2, s, ballot(1, 1), "a")
	}
	f.apply(1, 1, "a", 1, executed(7, 1))
	f.apply(1, 2, "a", 2, executed(7, 2), executed(8, 1))
	f.apply(2, 1, "a", 1, executed(7, 1)) // the same place, at another replica
	f.good()
	f.apply(1, 3, "a", 3, executed(7, 1))
	f.breaks("S5")
}

func TestS5ACommandStandsTwiceInTheLog(t *testing.T) {
	for c, name := range map[command.Command]string{
		command.Call{Guard: 1, Session: 7, Seq: 3, Op: api.Get{Key: "k"}}: "call 3 of session 7",
		command.Expire{Guard: 1, Session: 9}:                              "Expire {Guard:1 Session:9",
		nil:                                                               "1 bytes that are no command",
	} {
		f, raw := newFacts(t), "a"
		if c != nil {
			raw = string(command.Append(nil, c))
		}
		for s := range paxos.Slot(2) {
			f.vote(1, s+1, ballot(1, 1), raw)
			f.vote(2, s+1, ballot(1, 1), raw)
		}
		f.apply(1, 1, raw, 1)
		f.good()
		f.h.OnApplied(1, []core.Applied{{Slot: 2, Value: val(raw)}})
		f.breaks("S5")
		require.Regexp(t, "^"+regexp.QuoteMeta(name)+".*, command 0 of slot 2, stands in the log once more than it was proposed; before that, it stands in slot 1$", f.w.Failure().Text)
	}
}

func TestS6ChecksumsDifferAtOneSlot(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 1)
	f.apply(2, 1, "a", 1)
	f.good()
	f.apply(3, 1, "a", 2)
	f.breaks("S6")
	require.Contains(t, f.w.Failure().Text, ", which applied it first, has ")
	require.Contains(t, f.w.Failure().Text, "; rows of replica ", "the report does not say which rows differ")
}

func TestS2ASlotIsSkipped(t *testing.T) {
	f := newFacts(t)
	for s := paxos.Slot(1); s <= 2; s++ {
		f.vote(1, s, ballot(1, 1), "a")
		f.vote(2, s, ballot(1, 1), "a")
	}
	f.apply(1, 2, "a", 1)
	f.breaks("S2")
}

func TestS2ASlotIsAppliedTwiceInOneLife(t *testing.T) {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.apply(1, 1, "a", 1)
	f.h.Logs.OnRecovered(1, store.Recovered{Recovered: paxos.Recovered{Promise: ballot(1, 1), Records: []paxos.Record{paxos.Voted{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}}}}, store.Report{})
	f.apply(1, 1, "a", 1)
	f.good()
	f.apply(1, 1, "a", 1)
	f.breaks("S2")
}
