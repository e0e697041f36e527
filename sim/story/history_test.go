package story

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// asked is a run in which replica 1 asks replica 2 in two ways for a sum, and is answered in one of them. All replicas
// have voted in the slot.
func asked(o plan.Options) cell.Result {
	ballot := paxos.Ballot{Round: 1, Node: 1}
	for id := paxos.NodeID(1); id <= 3; id++ {
		for i, r := range []paxos.Record{paxos.Voted{Slot: 7, Ballot: ballot}, paxos.Settled{Slots: paxos.Range{From: 7, To: 8}}} {
			o.Listen(time.Duration(i+1)*ms, event.Durable{Replica: id, Records: []paxos.Record{r}})
		}
	}
	line(o.Trace.W, 3, 10*ms, "n2", "9.010000000", "receive", "<- n1 ask sum after slot 7")
	line(o.Trace.W, 4, 11*ms, "n2", "9.011000000", "receive", "<- n3 replica 1 to replica 2: ask sum after slot 7")
	line(o.Trace.W, 5, 12*ms, "n2", "9.012000000", "send", "-> n3 ask sum after slot 9")
	line(o.Trace.W, 5, 12*ms, "n2", "9.012000000", "send", "-> n1 sum after slot 7 is 41e2")
	return tells(o, cell.Breach{ID: "L1", Text: "replica 2 does not answer replica 1, by way of replica 3, with the sum after slot 7, although it has applied 8", At: 12 * ms, Step: 5, On: 2}, "9.012000000")
}

// A story about an answer tells the questions before what is on disks, and what the machine of the break sends.
func TestAStoryOfAnAnswer(t *testing.T) {
	story := storyOf(asked)
	require.Contains(t, story, "n2 receives from n1: ask sum after slot 7\n")
	require.Contains(t, story, "n2 receives from n3: replica 1 to replica 2: ask sum after slot 7\n")
	require.Contains(t, story, "; the last message that it has received is the one of 0.011 s; in this event it sends to n1: sum after slot 7 is 41e2\n")
}

// renewed is a run in which a client loses two sessions, one after the other, and its program is told of the second.
func renewed(o plan.Options) cell.Result {
	loseTwo(o)
	return toldExpired(o)
}

// renewing is such a run in which the client has asked for a third session.
func renewing(o plan.Options) cell.Result {
	loseTwo(o)
	line(o.Trace.W, 5, 18*ms, "c1", "3.000000000", "send", "-> n1 call #7 session 0 seq 0 seen 0: open session 0001")
	return toldExpired(o)
}

func toldExpired(o plan.Options) cell.Result {
	return tells(o, cell.Breach{ID: "S11", Text: "a call fails because the session is expired", At: 20 * ms, Step: 9, On: sim.FirstClient}, "3.020000000")
}

func loseTwo(o plan.Options) {
	c1 := sim.FirstClient
	o.Listen(0, event.SessionDialed{Client: c1, Status: func() client.Status { return client.Status{} }, Dead: func() bool { return false }})
	for i := range 2 {
		at, id := time.Duration(1+10*i)*ms, api.SessionID(6+i)
		line(o.Trace.W, 2, at, "c1", "3.000000000", "receive", fmt.Sprintf("<- n1 answer #5 session 0 seq 0 epoch 1 master 1: ok session %d", id))
		executes(o, at+5*ms, int64(8+i), command.Expire{Guard: 1, Session: id}, api.Result{Code: api.OK})
		line(o.Trace.W, 4, at+6*ms, "c1", "3.000000000", "receive", fmt.Sprintf("<- n1 answer #6 session %d seq 0 epoch 1 master 1: no-session", id))
	}
}

// A story that breaks on a client tells the sessions that it had, and what became of the last one, although the report
// names none.
func TestAStoryOfSessions(t *testing.T) {
	story := storyOf(renewed)
	require.Contains(t, story, "; its sessions: 6 from 0.001 s to its Expire at 0.006 s, told no-session at 0.007 s; 7 from 0.011 s to its Expire at 0.016 s, told no-session at 0.017 s; since then it has asked for no other\n")
	require.Contains(t, story, "  0.016 s  the log executes Expire in slot 9: {Guard:1 Session:7}\n")
	require.NotContains(t, story, "Session:6}")
}

func TestAStoryOfASessionThatIsAskedFor(t *testing.T) {
	require.NotContains(t, storyOf(renewing), "asked for no other")
}

// presenting is a run in which a client presents two handles to the second of two masters.
func presenting(o plan.Options) cell.Result {
	c1 := sim.FirstClient
	status := client.Status{}
	status.Session, status.Epoch = 6, 2
	o.Listen(0, event.SessionDialed{Client: c1, Status: func() client.Status { return status }, Dead: func() bool { return false }})
	for i, beat := range []string{"flushed 1, 3 tokens", "flushed 1, 0 tokens", "flushed 1, 2 tokens", "flushed 2, 0 tokens"} {
		line(o.Trace.W, 2, time.Duration(1+i)*ms, "c1", "3.000000000", "send", "-> n1 call #5 session 6 seq 0 seen 0: keep-alive "+beat)
	}
	return tells(o, cell.Breach{ID: "S15", Text: "the client on c1 has it open", At: 20 * ms, Step: 9, On: c1}, "3.020000000", paxos.Status{ID: 1})
}

// A story tells how many handles a client has presented to a master that is newer than its session.
func TestAStoryOfPresentedHandles(t *testing.T) {
	require.Contains(t, storyOf(presenting), "knows epoch 2, believes n0 is the master; has presented 2 handles to the master of epoch 2")
}
