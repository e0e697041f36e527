package story

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// missed is a run in which session 7 acknowledges to the master of epoch 5 what the one of epoch 3 sent, and misses
// an event. Session 8 has events of its own.
func missed(o plan.Options) cell.Result {
	return misses(o, "session 7 hears of child c of /d, and has not heard of child b")
}

// missedAt is that run, and the report says when what was missed happened.
func missedAt(o plan.Options) cell.Result {
	executes(o, 3500*time.Microsecond, 30, command.NodeCommand{Guard: 5, Session: 9, Seq: 3, Op: command.OpenNode{Path: pathOf("/d/b")}}, api.Result{Code: api.OK, Detail: api.Opened{Created: true}})
	return misses(o, "session 7 hears of child c of /d, and has not heard of child b by command 47, executed at 0.003500s")
}

func misses(o plan.Options, report string) cell.Result {
	c1 := sim.FirstClient
	at := time.Duration(0)
	receives := func(who, text string) {
		at += ms
		line(o.Trace.W, 2, at, who, "3.000000000", "receive", text)
	}
	receives("c1", "<- n1 answer #1 session 7 seq 0 epoch 3 master 1: ok lease 3s failover false event #1 contents of /d/a")
	receives("n1", "<- c1 call #2 session 7 seq 0 seen 4: keep-alive flushed 3, 0 tokens, acknowledges events to #1")
	receives("n1", "<- c1 call #3 session 7 seq 0 seen 4: keep-alive flushed 3, 0 tokens, acknowledges events to #1")
	receives("n2", "<- c1 call #4 session 7 seq 0 seen 4: keep-alive flushed 5, 0 tokens, acknowledges events to #1")
	receives("n2", "<- c1 call #5 session 7 seq 0 seen 4: keep-alive flushed 5, 0 tokens, acknowledges events to #1, answer at once")
	receives("c2", "<- n2 answer #6 session 8 seq 0 epoch 5 master 2: ok lease 3s failover false event #1 contents of /d/b")
	receives("c1", "<- n2 answer #7 session 7 seq 0 epoch 5 master 2: ok lease 3s failover true")
	receives("c1", "<- n2 answer #8 session 7 seq 0 epoch 5 master 2: ok lease 3s failover false event #2 children of /d: c added")
	return tells(o, cell.Breach{ID: "S13", Text: report, At: 20 * ms, Step: 9, On: c1}, "3.020000000")
}

// A story of events tells what the session was brought, and what it acknowledged to each master, although the report
// does not speak of leases.
func TestAStoryOfEvents(t *testing.T) {
	story := storyOf(missed)
	for _, told := range []string{
		"0.001 s (c1: 3.000)  c1 receives from n1: answer #1 to a KeepAlive of session 7 (epoch 3): lease 3s event #1 contents of /d/a\n",
		"0.002 s (n1: 3.000)  n1 receives from c1: call #2 session 7 ",
		"0.004 s (n2: 3.000)  n2 receives from c1: call #4 session 7 ",
		"event #2 children of /d: c added\n",
	} {
		require.Contains(t, story, told)
	}
	for _, not := range []string{"call #3 ", "call #5 ", "session 8"} {
		require.NotContains(t, story, not)
	}
}

// An event that came in the second answer to one message was not taken: the story says so, and what had been acknowledged
// to the master when the missed event happened.
func TestAStoryOfAnEventInASecondAnswer(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 1, 1*ms, "c1", "3.001000000", "receive", "<- n1 answer #7 session 7 seq 0 epoch 3 master 1: ok lease 3s failover false event #1 contents of /d/a")
		line(o.Trace.W, 2, 2*ms, "n1", "3.002000000", "receive", "<- c1 call #8 session 7 seq 0 seen 4: keep-alive flushed 3, 0 tokens, acknowledges events to #1")
		executes(o, 3*ms, 30, command.NodeCommand{Guard: 3, Session: 9, Seq: 3, Op: command.OpenNode{Path: pathOf("/d/b")}}, api.Result{Code: api.OK, Detail: api.Opened{Created: true}})
		line(o.Trace.W, 4, 4*ms, "c1", "3.004000000", "receive", "<- n1 answer #7 session 7 seq 0 epoch 3 master 1: ok lease 3s failover false event #1 contents of /d/a event #2 children of /d: b added")
		line(o.Trace.W, 5, 5*ms, "c1", "3.005000000", "receive", "<- n1 answer #8 session 7 seq 0 epoch 3 master 1: ok lease 3s failover false event #3 children of /d: c added")
		return tells(o, cell.Breach{ID: "S13", Text: "session 7 hears of child c of /d, and has not heard of child b by command 47, executed at 0.003000s", At: 6 * ms, Step: 6, On: sim.FirstClient}, "3.006000000")
	})
	require.Contains(t, story, "call #8 session 7 seq 0 seen 4: keep-alive flushed 3, 0 tokens, acknowledges events to #1")
	require.Contains(t, story, "answer #7 to a KeepAlive of session 7 (epoch 3): lease 3s event #1 contents of /d/a event #2 children of /d: b added; c1 had an answer to that message, since 0.001 s\n")
}

// If the report says when the missed event happened, the story tells the command, though of another session, and what
// the session was brought and acknowledged since then.
func TestAStoryOfAMissedEvent(t *testing.T) {
	story := storyOf(missedAt)
	require.Contains(t, story, "the log executes OpenNode as call 3 of session 9, in slot 30")
	require.Contains(t, story, "0.004 s (n2: 3.000)  n2 receives from c1: call #4 session 7 ")
	require.Contains(t, story, "answer #7 session 7 seq 0 epoch 5 master 2: ok lease 3s failover true\n", "from then on its events are in doubt")
	require.Contains(t, story, "event #2 children of /d: c added\n")
	for _, not := range []string{"answer #1 ", "call #2 ", "call #3 "} {
		require.NotContains(t, story, not)
	}
}

// A KeepAlive that acknowledges to a master more events than it has sent in its epoch is told with what it has sent: the
// former master's numbers mean other events here.
func TestAStoryOfTheFormerMastersNumbers(t *testing.T) {
	for before, says := range map[string]string{
		"": "acknowledges events to #2; in epoch 5 n2 had sent it no event; not answered before the break",
		"-> c1 answer #3 session 7 seq 0 epoch 5 master 2: ok lease 3s failover false event #1 children of /d: b added": "acknowledges events to #2; in epoch 5 n2 had sent it events to #1; not",
		"-> c1 answer #3 session 7 seq 0 epoch 5 master 2: ok lease 3s failover false event #2 children of /d: b added": "acknowledges events to #2; not answered",
	} {
		story := storyOf(func(o plan.Options) cell.Result {
			if before != "" {
				line(o.Trace.W, 1, 1*ms, "n2", "3.000000000", "send", before)
			}
			line(o.Trace.W, 2, 2*ms, "n2", "3.000000000", "receive", "<- c1 call #4 session 7 seq 0 seen 4 (epoch 5): keep-alive flushed 5, 0 tokens, acknowledges events to #2")
			line(o.Trace.W, 3, 3*ms, "c1", "3.000000000", "receive", "<- n2 answer #8 session 7 seq 0 epoch 5 master 2: ok lease 3s failover false event #3 children of /d: c added")
			return tells(o, cell.Breach{ID: "S13", Text: "session 7 hears of child c of /d, and has not heard of child b", At: 20 * ms, Step: 9, On: sim.FirstClient}, "3.020000000")
		})
		require.Contains(t, story, says)
	}
}
