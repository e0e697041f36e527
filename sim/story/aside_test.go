package story

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// What a log did not take is told if nothing of its kind was executed since.
func TestAStoryOfARefusal(t *testing.T) {
	longest, found := command.LongestLease{Guard: 1, Lease: 5}, command.Constant{Guard: 1, Name: "grant", Value: "one\ntwo"}
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(1*ms, event.Refused{Replica: 1, Command: longest})
		o.Listen(2*ms, event.Refused{Replica: 1, Command: found})
		o.Listen(2*ms, event.Refused{Replica: 2, Command: command.LongestLease{Guard: 1, Lease: 6}})
		executes(o, 3*ms, 2, found, api.Result{})
		return tells(o, cell.Breach{ID: "S11", Text: "replica 1 leaves the longest lease at 0s", At: time.Second, Step: 4, On: 1}, "6.000000000")
	})
	require.Contains(t, story, "the log of n1 refuses LongestLease: {Guard:1 Lease:5ns}; none like it was executed since")
	require.NotContains(t, story, "refuses Constant")
	require.NotContains(t, story, "log of n2")
}

// A refused call that the report names is told, too, and not said to be lost: it was executed later.
func TestAStoryOfARefusedCall(t *testing.T) {
	call := command.Call{Guard: 1, Session: 7, Seq: 3, Op: api.Put{Key: "a", Value: "1"}}
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(1*ms, event.Refused{Replica: 1, Command: call})
		executes(o, 3*ms, 2, call, api.Result{})
		return tells(o, cell.Breach{ID: "S4", Text: "replica 1 answers call 3 of session 7 twice", At: time.Second, Step: 4, On: 1}, "6.000000000")
	})
	require.Contains(t, story, "the log of n1 refuses Put as call 3 of session 7")
	require.NotContains(t, story, "none like it")
}

// If the log has a command in a named slot that it had before, the other one is told, too, though it stands in no named slot.
func TestAStoryOfARepetition(t *testing.T) {
	put := command.Call{Guard: 1, Session: 7, Seq: 3, Op: api.Put{Key: "a", Value: "1"}}
	story := storyOf(func(o plan.Options) cell.Result {
		executes(o, 1*ms, 4, put, api.Result{})
		executes(o, 2*ms, 5, command.Call{Guard: 1, Session: 7, Seq: 4, Op: api.Put{Key: "b", Value: "1"}}, api.Result{})
		executes(o, 3*ms, 9, put, api.Result{})
		return tells(o, cell.Breach{ID: "S5", Text: "call 3 of session 7, command 0 of slot 9, stands in the log once more than it was proposed", At: time.Second, Step: 4, On: 1}, "6.000000000")
	})
	require.Contains(t, story, "in slot 4 ")
	require.Contains(t, story, "in slot 9 ")
	require.NotContains(t, story, "in slot 5 ")
}

// A report on a grant has the heartbeat that the last message answers, not another one.
func TestAStoryOfAGrant(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		for i, text := range []string{"heartbeat 1.1 boot 1 #5 open 2", "heartbeat 1.1 boot 1 #56 open 2", "heartbeat 1.1 boot 1 #57 open 2"} {
			line(o.Trace.W, 1+i, time.Duration(1+i)*ms, "n3", "7.001000000", "receive", "<- n1 "+text)
		}
		line(o.Trace.W, 5, 5*ms, "n1", "5.005000000", "receive", "<- n3 alive 1.1 boot 1 #56 open 2 granted")
		return tells(o, cell.Breach{ID: "S7b", Text: "replica 1 counts on the grant of replica 3", At: 5 * ms, Step: 5, On: 1}, "5.005000000")
	})
	require.Contains(t, story, "n3 receives from n1: heartbeat 1.1 boot 1 #56 open 2")
	require.NotContains(t, story, "#57")
	require.NotContains(t, story, "#5 ")
}

// The call that returned to a program in the step of the break is told from its first request on, though the report does not
// name it.
func TestAStoryOfTheCallOfAProgram(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "c1", "5.000000000", "fault", "start 1")
		for i, call := range []string{"session 9 seq 6 seen 5 (epoch 1): acquire exclusive by h000001", "session 9 seq 7 seen 5 (epoch 1): acquire exclusive by h000002"} {
			line(o.Trace.W, 1+i, time.Duration(1+i)*ms, "n1", "5.001000000", "receive", "<- c1 call #1 "+call)
		}
		trail := &client.CallID{Session: 9, Seq: 6}
		o.Listen(3*ms, event.CallEnded{Client: sim.FirstClient, Program: event.MakeProgramID(0, 1, 0, 1), Call: "acquire /d/hot", Trail: trail, Err: client.ErrWithdrawn})
		return tells(o, cell.Breach{ID: "L1", Text: "acquire /d/hot after healing had no answer", At: 3 * ms, Step: 0, On: sim.FirstClient}, "5.003000000")
	})
	require.Contains(t, story, "session 9 seq 6 seen 5 (epoch 1)")
}

// A report on a lock has its holder by the rows of the replica that has executed most, the command that granted it, what its client
// heard, and the end of the holder's session. Other locks have no place in it.
func TestAStoryOfALock(t *testing.T) {
	node := api.Ref{Path: pathOf("/d/hot"), Instance: 13}
	other := api.Ref{Path: pathOf("/d/cold"), Instance: 14}
	run := func(text string) string {
		return storyOf(func(o plan.Options) cell.Result {
			o.Listen(0, event.SessionDialed{Client: sim.FirstClient, Status: func() client.Status {
				return client.Status{Status: session.Status{Session: 8}}
			}, Dead: func() bool { return false }})
			executes(o, 1*ms, 21, command.NodeCommand{Guard: 1, Session: 8, Seq: 29, Op: command.Acquire{Node: node, Mode: api.Exclusive}},
				api.Result{Code: api.OK, Detail: api.Held{Gen: 92, Acquisition: 92}})
			line(o.Trace.W, 2, 2*ms, "c1", "5.002000000", "receive", "<- n1 answer #4 session 8 seq 0 epoch 1 master 1: ok lease 4s failover false event #6 lock-wanted of /d/hot#13: exclusive")
			executes(o, 3*ms, 22, command.Expire{Guard: 1, Session: 8}, api.Result{})
			r := tells(o, cell.Breach{ID: "S8", Text: text, At: 4 * ms, Step: 4}, "")
			held := []lock.Holding{
				{Lock: node, Owner: lock.Owner{Session: 8, Handle: api.HandleID{Epoch: 1, Counter: 8}}, Hold: lock.Hold{Mode: api.Exclusive, Acquisition: 92}},
				{Lock: other, Owner: lock.Owner{Session: 7, Handle: api.HandleID{Epoch: 1, Counter: 9}}, Hold: lock.Hold{Mode: api.Shared, Acquisition: 93}},
			}
			for id, applied := range []paxos.Slot{20, 22} {
				e := event.Left{Replica: paxos.NodeID(1 + id), Status: &paxos.Status{ID: paxos.NodeID(1 + id), Applied: applied}, Locks: held}
				if e.Delays = []lock.Delay{{Lock: node, Freed: 94, Length: 1000}}; id == 0 {
					e.Locks, e.Delays = nil, nil
				}
				o.Listen(4*ms, e)
			}
			return r
		})
	}
	story := run("8/1.8 holds the lock of /d/hot#13, and its session is not alive")
	require.Contains(t, story, "by the rows of n2: /d/hot#13 is held, exclusive, by handle 1.8 of session 8 (c1), since command 92; a lock-delay of 1s keeps /d/hot#13, which command 94 freed")
	require.Contains(t, story, "acquisition 92")
	require.Contains(t, story, "lock-wanted of /d/hot#13")
	require.Contains(t, story, "the log executes Expire in slot 22")
	require.NotContains(t, story, "cold")
	require.NotContains(t, run("session 9 reads wrong contents of /d/hot#13"), "is held")
}

// The name of a node may end with a character that is no part of a word.
func TestAPathThatEndsWithADash(t *testing.T) {
	s := subjectsOf("ephemeral /d0-#8 is still there")
	for text, names := range map[string]bool{
		"Sweep in slot 18: {Guard:2 Node:/d0-/e2#9}": true, "{Node:/d0-#8 Handle:1.1}": true, "{Node:/d0-#81}": true, "{Node:/d0-x#9}": false, "{Node:/d0#9}": false,
	} {
		require.Equal(t, names, s.in(text) != 0, text)
	}
}

// A machine that has been silent for long before the break says so: what it should have sent has no line.
func TestAStoryOfASilence(t *testing.T) {
	run := func(at time.Duration) string {
		return storyOf(func(o plan.Options) cell.Result {
			line(o.Trace.W, 0, 0, "c1", "5.000000000", "fault", "start 1")
			line(o.Trace.W, 1, 1*ms, "c1", "5.001000000", "send", "-> n2 call #1 session 5 seq 9 seen 8 (epoch 1): get \"a\"")
			line(o.Trace.W, 2, 2*ms, "c1", "5.002000000", "receive", "<- n2 answer #1 session 5 seq 9 epoch 1 master 2: not-found")
			return tells(o, cell.Breach{ID: "L1", Text: "close had no answer", At: at, Step: 3, On: sim.FirstClient}, "9.000000000")
		})
	}
	require.Contains(t, run(time.Minute), `; it has sent nothing since 0.001 s, when it sent to n2: call #1 session 5 seq 9`)
	require.NotContains(t, run(500*ms), "it has sent nothing")
}

// A command at a time that the report names is told though it mentions nothing else of the report.
func TestAStoryOfACommandAtANamedTime(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		executes(o, 3*ms, 7, command.SetLimits{Guard: 1, Sessions: 19}, api.Result{})
		executes(o, 4*ms, 8, command.SetLimits{Guard: 1, Sessions: 20}, api.Result{})
		return tells(o, cell.Breach{ID: "S14", Text: "a session is refused, and 8 are alive, of at most 19, as set by command 9, executed at 0.003000s", At: 5 * ms, Step: 5, On: 1}, "5.005000000")
	})
	require.Contains(t, story, "in slot 7")
	require.NotContains(t, story, "in slot 8")
}

// A report on a disk has the calls of that disk that failed, and not those of another one or that succeeded.
func TestAStoryOfAFailedCall(t *testing.T) {
	ending := ""
	run := func(text string) string {
		return storyOf(func(o plan.Options) cell.Result {
			line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
			line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "disk", "readat cell/promise.a [0,80): readat cell/promise.a: input/output error")
			line(o.Trace.W, 2, 2*ms, "n1", "5.002000000", "disk", "readat cell/promise.b [0,80)")
			line(o.Trace.W, 3, 3*ms, "n2", "5.002000000", "disk", "readat cell/promise.c [0,80): readat cell/promise.c: input/output error")
			line(o.Trace.W, 3, 3*ms, "n2", "5.002000000", "failed", "another file")
			if ending != "" {
				line(o.Trace.W, 4, 4*ms, "n1", "5.004000000", ending, "crash")
			}
			return tells(o, cell.Breach{ID: "S17", Text: text, At: 5 * ms, Step: 5, On: 1}, "5.005000000")
		})
	}
	story := run("replica 1 refuses a disk whose damage it can bear")
	require.Contains(t, story, "on the disk of n1: readat cell/promise.a [0,80): readat cell/promise.a: input/output error; its process goes on\n")
	require.NotContains(t, story, "promise.b")
	require.NotContains(t, story, "promise.c")
	require.NotContains(t, run("replica 1 breaks another rule"), "promise.a")
	ending = "fault"
	require.Contains(t, run("replica 1 refuses a disk"), "input/output error; its process goes on until 0.004 s\n")
	ending = "failed"
	require.Contains(t, run("replica 1 refuses a disk"), "input/output error; its process fails at 0.004 s\n")
}

// If a node is swept, the story has the requests that closed handles on it, and none that closed another one.
func TestAStoryOfASweptNode(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "send", "-> c1 answer #1 session 6 seq 2 epoch 1 master 1: ok haaaaaa is /d/r#10, made: true; instance 10 content 10 lock 10 acl 10")
		line(o.Trace.W, 2, 2*ms, "n1", "5.002000000", "send", "-> c2 answer #2 session 7 seq 2 epoch 1 master 1: ok hbbbbbb is /d/r#10, made: false; instance 10 content 10 lock 10 acl 10")
		line(o.Trace.W, 3, 3*ms, "n1", "5.003000000", "send", "-> c2 answer #3 session 7 seq 3 epoch 1 master 1: ok hcccccc is /d/s#11, made: false; instance 11 content 11 lock 11 acl 11")
		line(o.Trace.W, 4, 4*ms, "n1", "5.004000000", "receive", "<- c2 call #4 session 7 seq 4 seen 3 (epoch 1): close hcccccc")
		line(o.Trace.W, 5, 5*ms, "n1", "5.005000000", "receive", "<- c2 call #5 session 7 seq 5 seen 3 (epoch 1): close hbbbbbb")
		return tells(o, cell.Breach{ID: "S15", Text: "ephemeral /d/r#10 is swept; the client on c1 has it open", At: 6 * ms, Step: 6, On: 1}, "5.006000000")
	})
	require.Contains(t, story, "close hbbbbbb")
	require.NotContains(t, story, "close hcccccc")
}

// A report on a lock-delay has the Open by which the handle of the call got its delay.
func TestAStoryOfALockDelay(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "receive", `<- c1 call #1 session 6 seq 1 seen 0 (epoch 1): open "r", lock-delay 1s`)
		line(o.Trace.W, 2, 2*ms, "n1", "5.002000000", "receive", `<- c1 call #2 session 6 seq 2 seen 0 (epoch 1): open "r", lock-delay 2s`)
		line(o.Trace.W, 3, 3*ms, "n1", "5.003000000", "send", "-> c1 answer #1 session 6 seq 1 epoch 1 master 1: ok haaaaaa is /r#10, made: false; instance 10 content 10 lock 10 acl 10")
		line(o.Trace.W, 3, 3*ms, "n1", "5.003000000", "send", "-> c1 answer #2 session 6 seq 2 epoch 1 master 1: ok hbbbbbb is /r#10, made: false; instance 10 content 10 lock 10 acl 10")
		line(o.Trace.W, 4, 4*ms, "n1", "5.004000000", "receive", "<- c1 call #4 session 6 seq 3 seen 2 (epoch 1): acquire exclusive by hbbbbbb")
		return tells(o, cell.Breach{ID: "S8", Text: "client 1 asks, by call 3 of session 6, for a lock-delay of 2.5s", At: 6 * ms, Step: 6, On: 1}, "5.006000000")
	})
	require.Contains(t, story, "lock-delay 2s; answered at 0.003 s: ok hbbbbbb")
	require.NotContains(t, story, "lock-delay 1s")
}

// An ephemeral node that is still there is told with the end of the sessions that had it open.
func TestAStoryTellsTheEndOfThoseThatHadAnEphemeralNodeOpen(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "send", "-> c1 answer #1 session 15 seq 2 epoch 1 master 1: ok habcdef is /d/e3#20, made: true; instance 20")
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "send", "-> c1 answer #2 session 16 seq 2 epoch 1 master 1: ok habcdee is /d/e4#21, made: true; instance 21")
		executes(o, 2*ms, 5, command.Call{Guard: 1, Session: 15, Seq: 3, Op: api.EndSession{}}, api.Result{Code: api.OK})
		executes(o, 3*ms, 6, command.Call{Guard: 1, Session: 16, Seq: 3, Op: api.EndSession{}}, api.Result{Code: api.OK})
		return tells(o, cell.Breach{ID: "S15", Text: "1m17s after all programs have ended ephemeral /d/e3#20 is still there", At: 9 * ms, Step: 9}, "-")
	})
	require.Contains(t, story, "EndSession as call 3 of session 15")
	require.NotContains(t, story, "session 16")
}
