package story

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// A request is told with its answer, or with the word that it has none. The answer "parked" is none. If the receipt of
// the answer is told, the request does not repeat it; and a request that ends in the step of the break may be answered in
// that step.
func TestAStoryTellsWhatWasAnswered(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(0, event.Started{Replica: 1, Boot: 1})
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "receive", "<- c1 call #1 session 6 seq 2 seen 1: attach sequencer /d#7 exclusive generation 9 to habcdef")
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "send", "-> c1 answer #1 session 6 seq 2 epoch 1 master 1: stale-sequencer")
		line(o.Trace.W, 2, 2*ms, "n1", "5.002000000", "receive", "<- c1 call #2 session 6 seq 3 seen 1: acquire exclusive by habcdef")
		line(o.Trace.W, 2, 2*ms, "n1", "5.002000000", "send", "-> c1 answer #2 session 6 seq 3 epoch 1 master 1: parked")
		line(o.Trace.W, 4, 4*ms, "n1", "5.004000000", "receive", "<- c1 call #4 session 6 seq 5 seen 1: contents of habcdef")
		return tells(o, cell.Breach{ID: "S10", Text: "call 5 of session 6 is answered", At: 4 * ms, Step: 4, On: 1}, "5.004000000")
	})
	require.Contains(t, story, "to habcdef; answered at 0.001 s: stale-sequencer\n")
	require.Contains(t, story, "acquire exclusive by habcdef; told that it waits, not answered before the break\n")
	require.Contains(t, story, "contents of habcdef\n")
}

// A command that was answered before it was executed is told with that answer, but not a repeated one.
func TestAStoryTellsWhatWasAnsweredTooEarly(t *testing.T) {
	for _, repeated := range []bool{false, true} {
		story := storyOf(func(o plan.Options) cell.Result {
			release := command.NodeCommand{Guard: 1, Session: 6, Seq: 3, Op: command.Release{Node: api.Ref{Path: pathOf("/d"), Instance: 7}}}
			line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
			line(o.Trace.W, 0, 0, "n1", "5.000000000", "receive", "<- c1 call #1 session 6 seq 3 seen 1: release by habcdef")
			if repeated {
				executes(o, 500*time.Microsecond, 4, release, api.Result{Code: api.OK})
			}
			line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "send", "-> c1 answer #1 session 6 seq 3 epoch 1 master 1: ok generation 4 acquisition 4")
			executes(o, 2*ms, 5, release, api.Result{Code: api.OK})
			line(o.Trace.W, 3, 2*ms, "n1", "5.002000000", "receive", "<- c2 call #2 session 8 seq 9 seen 1: release by habcdef")
			other := release
			other.Session, other.Seq = 8, 9
			executes(o, 3*ms, 6, other, api.Result{Code: api.OK})
			return tells(o, cell.Breach{ID: "S10", Text: "call 3 of session 6 is in slot 5, call 9 of session 8 in slot 6", At: 5 * ms, Step: 4, On: 1}, "5.005000000")
		})
		require.Contains(t, story, "Release as call 3 of session 6, in slot 5")
		require.Contains(t, story, "; n1 received that call at 0.002 s\n")
		require.Equal(t, !repeated, strings.Contains(story, "; n1 had answered that call before, at 0.001 s: ok generation 4 acquisition 4\n"), story)
	}
}

// A break that a hint of the transport set off is not told as one on receiving a message.
func TestAStoryTellsWhatTheTransportSaid(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "c1", "5.000000000", "fault", "start 1")
		line(o.Trace.W, 1, 1*ms, "c1", "5.001000000", "receive", "<- n1 answer #4 session 6 seq 4 epoch 1 master 1: exists")
		line(o.Trace.W, 2, 9*ms, "c1", "5.009000000", "unreachable", "-> n2")
		return tells(o, cell.Breach{ID: "S4", Text: "client-1 asks, by call 5 of session 6, for a handle on /f", At: 9 * ms, Step: 2, On: sim.FirstClient}, "5.009000000")
	})
	require.Contains(t, story, "It breaks at event 2, at 0.009 s (c1: 5.009), when its transport tells it that n2 is unreachable\n")
}

// A report on a disk is told with what was on the disk when its process began to read it.
func TestAStoryTellsWhatWasOnTheDisk(t *testing.T) {
	opens := func(report string) string {
		return storyOf(func(o plan.Options) cell.Result {
			line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
			line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "fault", "start 2")
			o.Listen(1*ms, event.Opens{Replica: 1, Has: "promise.a: unreadable; snapshots of slots 97, 100"})
			return tells(o, cell.Breach{ID: "S3", Text: report, At: 2 * ms, Step: 2, On: 1}, "5.002000000")
		})
	}
	const told = "  0.001 s (n1: 5.001)  n1 begins to read its disk, which has promise.a: unreadable; snapshots of slots 97, 100\n"
	require.Contains(t, opens("replica 1 begins with its snapshot of slot 97, its disk had one of slot 100"), told)
	require.NotContains(t, opens("replica 1 is no master"), told)
}
