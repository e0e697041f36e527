package paxos

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The acceptor in these tables comes from a disk that promised 5.2. A message has
// a ballot below, at or above that.
var (
	promisedBallot = Ballot{5, 2}
	tableBallots   = map[string]Ballot{"less": {4, 3}, "equal": promisedBallot, "greater": {6, 3}}
)

// Records of a node that knows slot 1 as chosen, so that slot 2 is open.
const (
	chosenSlot = Slot(1)
	openSlot   = Slot(2)
	maxAhead   = 8
	farSlot    = openSlot + maxAhead
)

func tableNode(t *testing.T, value Value, prior []Record) *Node {
	cfg := DefaultConfig()
	cfg.ID, cfg.Members, cfg.MaxAhead, cfg.Window = 1, []NodeID{1, 2, 3}, maxAhead, maxAhead
	records := append([]Record{Learned{Slot: chosenSlot, Value: value}}, prior...)
	n := New(cfg, Recovered{Boot: 6, Promise: promisedBallot, Records: records, Next: 10}, time.Unix(0, 0))
	n.TakeOutput()
	n.Durable(time.Unix(0, 0), 10) // the boot record
	n.TakeOutput()
	return n
}

// outcome is all that one input did: "records | held#after messages | sent messages | promise".
func outcome(n *Node) string {
	out := n.TakeOutput()
	s := ""
	for i, r := range out.Append {
		s += fmt.Sprintf("#%d %v; ", out.First+LSN(i), r)
	}
	s += "| "
	for _, h := range n.outbox.waiting {
		s += fmt.Sprintf("after #%d %v; ", h.after, h.Envelope)
	}
	s += "| "
	for _, e := range out.Send {
		s += fmt.Sprintf("%v; ", e)
	}
	return s + fmt.Sprintf("| %v", n.acceptor.promised)
}

// Every cell of Accept: ballot x slot x prior vote x value. PMS §2.2 phase 2b,
// P11.02. The two things to see: nothing is accepted below the promise, and no
// Accepted goes before its vote is on disk.
func TestAcceptorTable(t *testing.T) {
	const (
		nothing    = "| | | 5.2"
		refused    = "| | nack 4.3 boot 9 promised 5.2 slot S -> 3; | 5.2"
		votes      = "#11 voted 5.2 slot S V; | after #11 accepted 5.2 boot 9 slot S -> 2; | | 5.2"
		again      = "| | accepted 5.2 boot 9 slot S -> 2; | 5.2"
		raises     = "#11 promised 6.3; #12 voted 6.3 slot S V; | after #12 accepted 6.3 boot 9 slot S -> 3; | | 6.3"
		impossible = ""
	)
	rows := []struct{ ballot, prior, outcome string }{
		{"less", "none", refused},
		{"less", "lower", refused},
		{"less", "equal", refused}, // even its own vote of then is not repeated
		{"less", "lost", refused},
		{"equal", "none", votes},
		{"equal", "lower", votes},
		{"equal", "equal", again}, // on disk since an earlier life: nothing to wait for
		{"equal", "lost", votes},  // the value is written again
		{"greater", "none", raises},
		{"greater", "lower", raises},
		{"greater", "equal", impossible}, // a vote above the promise: I-A2
		{"greater", "lost", raises},
	}
	require.Len(t, rows, 3*4)
	for _, row := range rows {
		for _, value := range []Value{Noop, Batch([]byte("a"), []byte("b"))} {
			for _, slot := range []Slot{chosenSlot, openSlot, farSlot} {
				name := fmt.Sprintf("%s/%s/slot %d/%v", row.ballot, row.prior, slot, value)
				b := tableBallots[row.ballot]
				prior := map[string][]Record{
					"none":  nil,
					"lower": {Voted{Slot: slot, Ballot: Ballot{3, 1}, Value: Batch([]byte("old"))}},
					"equal": {Voted{Slot: slot, Ballot: b, Value: value}},
					"lost":  {Unreadable{Slot: slot, Ballot: promisedBallot}},
				}[row.prior]
				if row.outcome == impossible {
					require.Panics(t, func() { tableNode(t, value, prior) }, name)
					continue
				}
				n := tableNode(t, value, prior)
				n.Step(time.Unix(0, 0), b.Node, Accept{Ballot: b, Boot: 9, Slot: slot, Value: value})
				want := row.outcome
				if slot == farSlot {
					want = nothing // not even a refusal: it would need memory for the slots between
				}
				want = strings.NewReplacer("slot S", fmt.Sprintf("slot %d", slot), " V;", " "+value.String()+";").Replace(want)
				require.Equal(t, want, outcome(n), name)
			}
		}
	}
}

// Every cell of Prepare: ballot x prior vote x where the question begins. PMS §2.2
// phase 1b: a promise tells the votes, and waits for the promise to be on disk.
func TestPrepareTable(t *testing.T) {
	const (
		refused = "| | nack 4.3 boot 9 promised 5.2 -> 3; | 5.2"
		again   = "| | promise 5.2 boot 9 P open 2 -> 2; | 5.2"
		raises  = "#11 promised 6.3; | after #11 promise 6.3 boot 9 P open 2 -> 3; | | 6.3"
	)
	outcomes := map[string]string{"less": refused, "equal": again, "greater": raises}
	priors := []struct {
		prior Record
		vote  string
	}{
		{Learned{Slot: chosenSlot}, ""}, // no vote at all
		{Voted{Slot: openSlot, Ballot: Ballot{3, 1}, Value: "\x01a"}, " 2@3.1=" + Value("\x01a").String()},
		{Voted{Slot: openSlot, Ballot: promisedBallot, Value: Noop}, " 2@5.2=noop"},
		{Unreadable{Slot: openSlot, Ballot: promisedBallot}, " 2@5.2=lost"},
	}
	for ballot, want := range outcomes {
		for _, p := range priors {
			for from, tells := range map[Slot]bool{1: true, 2: true, 3: false} {
				name := fmt.Sprintf("%s/%v/from %d", ballot, p.prior, from)
				votes := p.vote
				if !tells || votes == "" {
					votes = " none"
				}
				b := tableBallots[ballot]
				n := tableNode(t, Noop, []Record{p.prior})
				n.Step(time.Unix(0, 0), b.Node, Prepare{Ballot: b, Boot: 9, From: from})
				page := fmt.Sprintf("[%d,) votes%s", from, votes)
				require.Equal(t, strings.Replace(want, "P", page, 1), outcome(n), name)
			}
		}
	}
}

// A promise waits for the last of its own record and the votes it tells.
func TestPromiseWaitsForEveryVoteItTells(t *testing.T) {
	n := tableNode(t, Noop, nil)
	now := time.Unix(0, 0)
	n.Step(now, 2, Accept{Ballot: promisedBallot, Boot: 9, Slot: 2, Value: "\x01a"}) // #11
	n.Step(now, 2, Prepare{Ballot: promisedBallot, Boot: 9, From: 2})
	n.Step(now, 2, Prepare{Ballot: promisedBallot, Boot: 9, From: 3})
	want := fmt.Sprintf("#11 voted 5.2 slot 2 %[1]v; | after #11 accepted 5.2 boot 9 slot 2 -> 2; after #11 promise 5.2 boot 9 [2,) votes 2@5.2=%[1]v open 2 -> 2; "+
		"| promise 5.2 boot 9 [3,) votes none open 2 -> 2; | 5.2", Value("\x01a"))
	require.Equal(t, want, outcome(n))
}

// A heartbeat is answered unless a higher ballot was promised; it promises
// nothing and writes nothing.
func TestHeartbeatTable(t *testing.T) {
	for ballot, want := range map[string]string{
		"less":    "| | nack 4.3 boot 9 promised 5.2 -> 3; | 5.2",
		"equal":   "| | alive 5.2 boot 9 #4 open 2 -> 2; | 5.2",
		"greater": "| | alive 6.3 boot 9 #4 open 2 -> 3; | 5.2",
	} {
		b := tableBallots[ballot]
		n := tableNode(t, Noop, nil)
		n.Step(time.Unix(0, 0), b.Node, Heartbeat{Ballot: b, Boot: 9, Seq: 4, FirstOpen: 2})
		require.Equal(t, want, outcome(n), ballot)
	}
}

// Pages: as many votes as PageVotes and PageBytes allow, at least one; what does
// not fit begins the next page, and slots without votes cost nothing.
func TestPageTable(t *testing.T) {
	at := func(s Slot, v Value) Record { return Voted{Slot: s, Ballot: Ballot{1, 1}, Value: v} }
	records := []Record{at(2, "\x03abc"), at(3, "\x03abc"), at(5, "\x09abcdefghi"), at(9, Noop)}
	for _, c := range []struct {
		votes, bytes int
		from         Slot
		pages        []Range
	}{
		{100, 100, 1, []Range{{1, MaxSlot}}},
		{1, 100, 1, []Range{{1, 3}, {3, 5}, {5, 9}, {9, MaxSlot}}},
		{2, 100, 1, []Range{{1, 5}, {5, MaxSlot}}},
		{100, 8, 1, []Range{{1, 5}, {5, 9}, {9, MaxSlot}}},
		{100, 1, 4, []Range{{4, 9}, {9, MaxSlot}}},
		{1, 1, 10, []Range{{10, MaxSlot}}},
	} {
		g := outbox{}
		a := acceptor{outbox: &g, promised: Ballot{1, 1}, votes: slotLog[vote]{base: 1}, limits: pageLimits{items: c.votes, bytes: c.bytes}}
		for _, r := range records {
			a.restore(r)
		}
		var got []Range
		told := 0
		for next := c.from; next != MaxSlot; {
			page, votes, _ := a.collectPage(next)
			require.Empty(t, invalidPage(&Promise{Ballot: Ballot{1, 1}, Page: page, Votes: votes}))
			got, told, next = append(got, page), told+len(votes), page.To
		}
		require.Equal(t, c.pages, got, "%+v", c)
		want := 0
		for _, r := range records {
			if r.(Voted).Slot >= c.from {
				want++
			}
		}
		require.Equal(t, want, told)
	}
}
