package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
)

// told is a Checker that knows of slot 1, chosen as "a" at 1.1 by the disks of 1 and 2; of a
// single vote of replica 3 in slot 2; and of promises of 2 and 3 to 2.3.
func told(t *testing.T) *facts {
	f := newFacts(t)
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	f.vote(3, 2, ballot(1, 1), "b")
	f.promise(3, ballot(2, 3))
	f.promise(2, ballot(2, 3))
	f.good()
	return f
}

func (f *facts) says(id paxos.NodeID, m paxos.Message) {
	f.h.Claims.OnMessage(id, 3, string(paxos.AppendMessage(nil, m)))
}

func TestTrueClaimsPass(t *testing.T) {
	f := told(t)
	all := paxos.Range{From: 1, To: paxos.MaxSlot}
	vote := paxos.Vote{Slot: 2, Ballot: ballot(1, 1), Value: val("b")}
	for _, m := range []paxos.Message{
		paxos.Promise{Ballot: ballot(2, 3), Boot: 1, Page: all, Votes: []paxos.Vote{vote}, FirstOpen: 2},
		paxos.Accept{Ballot: ballot(2, 3), Boot: 1, Slot: 3, Value: val("c")},
		paxos.Accepted{Ballot: ballot(1, 1), Boot: 1, Slot: 2},
		paxos.Chosen{Ballot: ballot(1, 1), Slots: paxos.Range{From: 1, To: 2}},
		paxos.Heartbeat{Ballot: ballot(2, 3), Boot: 1, FirstOpen: 2},
		paxos.FetchReply{From: 1, Values: []paxos.Value{val("a")}, FirstOpen: 2},
		paxos.Nack{Ballot: ballot(1, 1), Boot: 1, Promised: ballot(2, 3)},
	} {
		f.says(3, m)
		require.Nil(t, f.w.Failure(), "%v", m)
	}
}

func TestAVoteThatCameLaterNeedNotBeInThePage(t *testing.T) {
	f := told(t)
	f.vote(3, 3, ballot(2, 3), "c")
	vote := paxos.Vote{Slot: 2, Ballot: ballot(1, 1), Value: val("b")}
	f.says(3, paxos.Promise{Ballot: ballot(2, 3), Boot: 1, Page: paxos.Range{From: 1, To: paxos.MaxSlot}, Votes: []paxos.Vote{vote}, FirstOpen: 1})
	f.good()
}

func TestFalseClaimsBreakAtOnce(t *testing.T) {
	all := paxos.Range{From: 1, To: paxos.MaxSlot}
	page := func(b paxos.Ballot, votes ...paxos.Vote) paxos.Message {
		return paxos.Promise{Ballot: b, Boot: 1, Page: all, Votes: votes, FirstOpen: 1}
	}
	for name, m := range map[string]paxos.Message{
		"a promise that is not on disk":          page(ballot(3, 1), paxos.Vote{Slot: 2, Ballot: ballot(1, 1), Value: val("b")}),
		"a page without a vote":                  page(ballot(2, 3)),
		"a page with another value":              page(ballot(2, 3), paxos.Vote{Slot: 2, Ballot: ballot(1, 1), Value: val("x")}),
		"a page with another ballot":             page(ballot(2, 3), paxos.Vote{Slot: 2, Ballot: ballot(2, 3), Value: val("b")}),
		"a page with a vote that is not there":   page(ballot(2, 3), paxos.Vote{Slot: 1, Ballot: ballot(1, 1), Value: val("a")}, paxos.Vote{Slot: 2, Ballot: ballot(1, 1), Value: val("b")}),
		"a promise with a slot that is open":     paxos.Promise{Ballot: ballot(2, 3), Boot: 1, Page: paxos.Range{From: 3, To: paxos.MaxSlot}, FirstOpen: 3},
		"an accept without the promise":          paxos.Accept{Ballot: ballot(3, 3), Boot: 1, Slot: 3},
		"a vote that is not there":               paxos.Accepted{Ballot: ballot(2, 3), Boot: 1, Slot: 2},
		"chosen with one vote":                   paxos.Chosen{Ballot: ballot(1, 1), Slots: paxos.Range{From: 1, To: 3}},
		"chosen at another ballot":               paxos.Chosen{Ballot: ballot(2, 3), Slots: paxos.Range{From: 1, To: 2}},
		"a heartbeat ahead of the truth":         paxos.Heartbeat{Ballot: ballot(2, 3), Boot: 1, FirstOpen: 3},
		"an answer to a heartbeat ahead of it":   paxos.HeartbeatReply{Ballot: ballot(2, 3), Boot: 1, FirstOpen: 3},
		"a fetched value that was never chosen":  paxos.FetchReply{From: 2, Values: []paxos.Value{val("b")}, FirstOpen: 2},
		"another value than the one that was":    paxos.FetchReply{From: 1, Values: []paxos.Value{val("x")}, FirstOpen: 2},
		"a fetched value, open slots below told": paxos.FetchReply{From: 1, Values: []paxos.Value{val("a")}, FirstOpen: 3},
	} {
		f := told(t)
		f.says(3, m)
		require.NotNil(t, f.w.Failure(), name)
		require.Equal(t, "I-W1", f.w.Failure().ID, name)
	}
	f := told(t)
	f.h.Claims.OnMessage(3, 1, "no message")
	f.breaks("I-W1")
}

func TestAnswersAreComparedWithWhatTookEffect(t *testing.T) {
	put := func(seq api.Seq, r api.Result) command.Applied {
		a := executed(7, seq)
		a.Result = r
		return a
	}
	after := func() *facts {
		f := newFacts(t)
		f.vote(1, 1, ballot(1, 1), "a")
		f.vote(2, 1, ballot(1, 1), "a")
		f.apply(1, 1, "a", 1, put(1, api.Result{Code: api.OK}), put(2, api.Result{Code: api.Conflict, Found: true, Value: "x"}))
		f.good()
		return f
	}
	read := api.Result{Code: api.OK, Found: true, Value: "r"}
	reads := []core.Read{{Session: 7, Seq: 9, Result: read}}
	reply := func(f *facts, seq api.Seq, e api.Epoch, r api.Result) {
		f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: seq, Epoch: e, Result: r}, nil, reads)
	}
	f := after()
	reply(f, 1, 0, api.Result{Code: api.OK})
	reply(f, 2, 0, api.Result{Code: api.Conflict, Found: true, Value: "x"})
	reply(f, 3, 0, api.Result{Code: api.NotMaster})
	reply(f, 9, 0, read)
	f.good()

	for name, lie := range map[string]func(*facts){
		"the answer of another call":       func(f *facts) { reply(f, 1, 0, api.Result{Code: api.Conflict, Found: true, Value: "x"}) },
		"a call that took effect nowhere":  func(f *facts) { reply(f, 3, 0, api.Result{Code: api.OK}) },
		"another value than was read":      func(f *facts) { reply(f, 9, 0, api.Result{Code: api.OK, Found: true, Value: "s"}) },
		"a read under another number":      func(f *facts) { reply(f, 8, 0, read) },
		"an epoch that has not begun":      func(f *facts) { reply(f, 1, 5, api.Result{Code: api.OK}) },
		"bytes that cannot be decoded":     func(f *facts) { f.h.Calls.OnReply(1, api.Reply{}, api.ErrMalformed, nil) },
		"another value than the row's own": func(f *facts) { reply(f, 2, 0, api.Result{Code: api.Conflict, Found: true, Value: "y"}) },
	} {
		f := after()
		lie(f)
		require.NotNil(t, f.w.Failure(), name)
		require.Equal(t, "I-W1", f.w.Failure().ID, name)
	}
}

func TestS1ADiskIsToldAValueThatWasNotChosen(t *testing.T) {
	f := told(t)
	f.h.Logs.OnDurable(1, []paxos.Record{paxos.Settled{Slots: paxos.Range{From: 1, To: 2}}})
	f.h.Logs.OnDurable(3, []paxos.Record{paxos.Learned{Slot: 1, Value: val("a")}})
	f.good()
	f.h.Logs.OnDurable(3, []paxos.Record{paxos.Settled{Slots: paxos.Range{From: 2, To: 3}}})
	f.breaks("S1")

	f = told(t)
	f.h.Logs.OnDurable(3, []paxos.Record{paxos.Learned{Slot: 1, Value: val("x")}})
	f.breaks("S1")
}
