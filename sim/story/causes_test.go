package story

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

const ms = time.Millisecond

// storyOf tells a run that the test made up.
func storyOf(run func(plan.Options) cell.Result) string {
	return strings.Join(Tell(run, plan.Options{Seed: 5, Replicas: 3, Clients: 2, Workload: "mixed", Script: scriptOf()}, 0), "\n")
}

// tells ends a made-up run: it writes its break, and the states of its replicas.
func tells(o plan.Options, b cell.Breach, local string, of ...paxos.Status) cell.Result {
	line(o.Trace.W, int(b.Step), b.At, b.On.String(), local, "FAILURE", b.Text)
	for i := range of {
		o.Listen(b.At, event.Left{Replica: of[i].ID, Local: time.Unix(1, 0), Status: &of[i]})
	}
	return cell.Result{Seed: o.Seed, Breach: &b}
}

// executes reports that the log executed a command in a slot.
func executes(o plan.Options, at time.Duration, slot int64, c command.Command, r api.Result) {
	o.Listen(at, event.Executed{At: linearizability.Position{Slot: slot}, Command: &command.Applied{Command: c, Verdict: command.Executed, Result: r}})
}

// lookedThrough is a run in which an audit of a replica's memory finds damage that a command did some steps before.
// Messages that came after the command have no part in it.
func lookedThrough(o plan.Options) cell.Result {
	line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
	o.Listen(0, event.Started{Replica: 1, Boot: 1})
	executes(o, 5*ms, 6, command.Call{Guard: 1, Session: 7, Seq: 1, Op: api.EndSession{}}, api.Result{Code: api.OK})
	line(o.Trace.W, 2, 10*ms, "n1", "5.010000000", "receive", "<- n2 alive 1.1 boot 1 #1 open 7")
	o.Listen(10*ms, event.AuditBegun{Replica: 1, What: "memory"})
	o.Listen(10*ms, event.AuditPassed{Replica: 1, What: "memory"})
	executes(o, 20*ms, 7, command.Expire{Guard: 1, Session: 9}, api.Result{Code: api.OK})
	line(o.Trace.W, 4, 30*ms, "n1", "5.030000000", "receive", "<- n3 alive 1.1 boot 1 #2 open 8")
	o.Listen(30*ms, event.AuditBegun{Replica: 1, What: "memory"})
	return tells(o, cell.Breach{ID: "I-E5", Text: "I-B3: 0 calls have a place, 1 wait", At: 30 * ms, Step: 4, On: 1}, "5.030000000")
}

// The step in which an audit finds damage did not do the damage.
func TestAStoryOfAnAudit(t *testing.T) {
	story := storyOf(lookedThrough)
	require.Contains(t, story, `
What led to it:
  0.020 s  the log executes Expire in slot 7: {Guard:1 Session:9}
It is found at event 4, at 0.030 s (n1: 5.030), by a full check of the memory of n1, which runs after some inputs only; the last one, at 0.010 s, passed: it went wrong after that
I-E5 `)
	require.NotContains(t, story, "alive")
}

// A command between two audits is told, however many things other moments mention: it may have done the damage.
func TestAStoryOfAnAuditHasTheCommandsSince(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(0, event.Started{Replica: 1, Boot: 1})
		for i := range 8 {
			what := fmt.Sprintf("<- c1 call #%d session 9 seq 4 seen 3: op%d by handle 1.2 on /a/b#7", i, i)
			line(o.Trace.W, 1, time.Duration(1+i)*ms, "n1", "5.001000000", "receive", what)
		}
		o.Listen(10*ms, event.AuditPassed{Replica: 1, What: "memory"})
		executes(o, 20*ms, 7, command.Expire{Guard: 1, Session: 9}, api.Result{Code: api.OK})
		o.Listen(30*ms, event.AuditBegun{Replica: 1, What: "memory"})
		return tells(o, cell.Breach{ID: "I-E5", Text: "I-B3: for the lock of /a/b#7 waits call 4 of session 9 by handle 1.2, and is not there", At: 30 * ms, Step: 4, On: 1}, "5.030000000")
	})
	require.Contains(t, story, "  0.020 s  the log executes Expire in slot 7: {Guard:1 Session:9}\n")
	require.Contains(t, story, "session 9 seq 4 seen 3: op7 by handle 1.2")
}

// countedTwice is a run in which a leader counts two messages of one replica, which voted once.
func countedTwice(o plan.Options) cell.Result {
	ballot := paxos.Ballot{Round: 1, Node: 1}
	for i := range 2 {
		at := time.Duration(10+i) * ms
		line(o.Trace.W, 2, at, "n2", "9.010000000", "send", "-> n1 accepted 1.1 boot 1 slot 7")
		o.Listen(at, event.Durable{Replica: 2, Records: []paxos.Record{paxos.Voted{Slot: 7, Ballot: ballot}}})
		line(o.Trace.W, 3, at+5*ms, "n1", "5.020000000", "receive", "<- n2 accepted 1.1 boot 1 slot 7")
	}
	o.Listen(16*ms, event.TenureChanged{Replica: 1, Tenure: paxos.Tenure{Leader: 2}})
	return tells(o, cell.Breach{ID: "S3", Text: "replica 1 applies v3753d9f6 in slot 7, which no quorum of disks holds", At: 16 * ms, Step: 3, On: 1}, "5.020000000",
		paxos.Status{ID: 1, Role: paxos.Leader, Ballot: ballot, Next: 12, Durable: 9})
}

// A story tells which messages were counted as a quorum, and which disks have the vote. A belief about the leader that
// no event has reported is told without a time.
func TestAStoryOfAQuorum(t *testing.T) {
	story := storyOf(countedTwice)
	require.Contains(t, story, "\n  votes in slot 7 at 1.1, 3 replicas: n1 received them from n2 (0.015 s), n2 (0.016 s); on the disks of n2 (0.010 s)\n")
	require.Contains(t, story, " leads at ballot 1.1; has promised 0.0, applied slot 0; records on its disk up to #9 of #11\n")
}

// cutOff is a run in which a client that held a lock, and a replica, lose power; the log of the replica is too short.
func cutOff(o plan.Options) cell.Result {
	c1 := sim.FirstClient
	o.Listen(0, event.SessionDialed{Client: c1, Status: func() client.Status { return client.Status{} }, Dead: func() bool { return false }})
	line(o.Trace.W, 1, ms, "c1", "3.000000000", "fault", "start 1")
	o.Listen(2*ms, event.LockBelieved{Client: c1})
	line(o.Trace.W, 2, 5*ms, "n1", "5.005000000", "receive", "<- n2 heartbeat 1.2 boot 1 #8 open 4")
	for _, who := range []string{"c1", "n1"} {
		line(o.Trace.W, 3, 10*ms, who, "5.010000000", "fault", "crash 1")
		line(o.Trace.W, 3, 10*ms, who, "7.000000000", "fault", "start 2")
	}
	o.Listen(11*ms, event.Recovered{Replica: 1, Report: "clean end", State: &paxos.Recovered{
		Promise: paxos.Ballot{Round: 1, Node: 2}, Snapshot: paxos.Handle{Slot: 3}, Next: 9,
		Records: []paxos.Record{
			paxos.Voted{Slot: 4, Ballot: paxos.Ballot{Round: 1, Node: 2}, Value: "a"}, paxos.Voted{Slot: 5, Ballot: paxos.Ballot{Round: 1, Node: 2}, Value: "b"},
			paxos.Settled{Slots: paxos.Range{From: 4, To: 5}}, paxos.Unreadable{Slot: 6, Ballot: paxos.Ballot{Round: 1, Node: 2}},
		},
	}})
	r := tells(o, cell.Breach{ID: "S3", Text: "replica 1: its log ends with #8, and was synced up to #11", At: 11 * ms, Step: 4, On: 1}, "7.001000000")
	line(o.Trace.W, 5, 11*ms, "n1", "8.000000000", "fault", "crash 3")
	return r
}

// A story tells what a recovery read from the disk, and does not take a heartbeat's number for that of a record. It does
// not tell what a machine believed before it lost power.
func TestAStoryOfARecovery(t *testing.T) {
	story := storyOf(cutOff)
	require.Contains(t, story, `on the disk of n1: recovered promise 1.2, snapshot of slot 3, votes not known to be chosen: 5@1.2=`)
	require.Contains(t, story, ` 6@1.2=unreadable; the log ends with record #8; clean end`)
	require.NotContains(t, story, "heartbeat")
	require.NotContains(t, story, "that it holds")
	require.NotContains(t, story, "8.000", "what the end of the run does is no part of it")
}

// The wrong call of a history is told by its messages and its command, although the report names other things, and the
// messages name the call's handle only. The call is that of the second process of a program.
func TestAStoryOfAHistoryHasTheWrongCall(t *testing.T) {
	file, err := api.ParsePath("/d/f")
	require.NoError(t, err)
	dir, _ := file.Parent()
	story := storyOf(func(o plan.Options) cell.Result {
		for i := range 6 {
			n := api.Ref{Path: file, Instance: api.Instance(3 + i)}
			executes(o, time.Duration(1+i)*ms, int64(2+i), command.NodeCommand{Guard: 1, Session: 7, Seq: api.Seq(1 + i), Op: command.GetStat{Node: n}}, api.Result{Code: api.OK})
		}
		line(o.Trace.W, 2, 11*ms, "n1", "5.011000000", "receive", "<- c2 call #8 session 7 seq 8 seen 7: children of h123456 after \"\"")
		list := command.ReadDir{Node: api.Ref{Path: dir, Instance: 2}}
		executes(o, 12*ms, 9, command.NodeCommand{Guard: 1, Session: 7, Seq: 8, Op: list}, api.Result{Code: api.OK, Detail: api.Listing{}})
		line(o.Trace.W, 4, 13*ms, "c2", "7.013000000", "receive", "<- n1 answer #8 session 7 seq 8 epoch 1 master 1: ok 0 children")
		line(o.Trace.W, 5, 14*ms, "n1", "5.014000000", "receive", "<- c2 call #9 session 7 seq 9 seen 8: close h123456")
		text := fmt.Sprintf("#4 client -%d: readdir /d#2 -> {} [called 7 at 0.010500s, returned 8 at 0.013000s]\n"+
			"the model gives this result at no position; it gives {f /d/f#3 /d/f#4 /d/f#5 /d/f#6 /d/f#7 /d/f#8}", event.MakeProgramID(1, 1, 0, 2))
		return tells(o, cell.Breach{ID: "S4", Text: text, At: 20 * ms, Step: 9}, "")
	})
	require.Contains(t, story, "seq 8 seen 7: children of h123456")
	require.Contains(t, story, "the log executes ReadDir as call 8 of session 7")
	require.Contains(t, story, "seq 8 epoch 1 master 1: ok 0 children")
	require.NotContains(t, story, "close h123456")
	require.Contains(t, story, "#4 program 3 of c2: readdir")
}

// The wrong call of a history is told as the log executed it, with what shared its slot, although other commands on the row mention as much.
func TestAStoryOfAHistoryHasTheSlotOfTheWrongCall(t *testing.T) {
	cas := func(from, to string) api.Op { return api.CompareAndSet{Key: "a", Expect: from, Value: to} }
	story := storyOf(func(o plan.Options) cell.Result {
		for i := range 9 {
			executes(o, time.Duration(1+i)*ms, int64(2+i), command.Call{Guard: 1, Session: 6, Seq: api.Seq(1 + i), Op: cas("1", "2")}, api.Result{Code: api.OK})
		}
		for i, op := range []api.Op{cas("1", "3"), api.Put{Key: "b", Value: "9"}} {
			executes(o, 11*ms, 12, command.Call{Guard: 1, Session: 7, Seq: api.Seq(8 + i), Op: op}, api.Result{Code: api.OK})
		}
		o.Listen(12*ms, event.CallEnded{Client: sim.FirstClient + 1, Program: event.MakeProgramID(1, 1, 0, 2), Call: "cas a", Trail: &client.CallID{Session: 7, Seq: 8}})
		text := fmt.Sprintf("#4 client -%d: cas a from \"1\" to \"3\" -> ok [called 7 at 0.010500s, returned 8 at 0.012000s]\n"+
			"the model does not give this result at its position 12; it gives conflict with \"2\"", event.MakeProgramID(1, 1, 0, 2))
		return tells(o, cell.Breach{ID: "S4", Text: text, At: 20 * ms, Step: 9}, "")
	})
	require.Contains(t, story, "the log executes CompareAndSet as call 8 of session 7, in slot 12 ")
	require.Contains(t, story, "the log executes Put as call 9 of session 7, in slot 12 ")
}

// Two sessions with one nonce are about one thing, though the report names one of them.
func TestAStoryOfANonceHasBothSessions(t *testing.T) {
	nonce := api.Nonce{0xf4f9f61a925327d5, 0x0f45b29905d8d141}
	story := storyOf(func(o plan.Options) cell.Result {
		executes(o, 5*ms, 8, command.Call{Guard: 1, Op: api.OpenSession{Nonce: nonce}}, api.Result{Code: api.OK, Session: 8})
		return tells(o, cell.Breach{ID: "I-R5", Text: fmt.Sprintf("session 9 with nonce %v opened over another one", nonce), At: 20 * ms, Step: 9}, "")
	})
	require.Contains(t, story, "the log executes OpenSession as call 0 of session 0, in slot 8")
}

// A command at a time that the report names is told, though other commands mention more of what it names. So is the
// command that begins an epoch that it names.
func TestAStoryOfNamedTimesAndEpochs(t *testing.T) {
	file, err := api.ParsePath("/a/b")
	require.NoError(t, err)
	node := api.Ref{Path: file, Instance: 7}
	story := storyOf(func(o plan.Options) cell.Result {
		acquire := command.Acquire{Node: node, Handle: api.HandleID{Epoch: 1, Counter: 2}}
		for i := range 12 {
			executes(o, time.Duration(1+i)*ms, int64(2+i), command.NodeCommand{Guard: 1, Session: 9, Seq: api.Seq(3 + i), Op: acquire}, api.Result{Code: api.OK})
		}
		executes(o, 20*ms+400, 14, command.Expire{Guard: 1, Session: 8}, api.Result{Code: api.OK})
		began := &command.Applied{Command: command.Epoch{Master: 3}, Verdict: command.Executed, Effects: []command.Effect{command.EpochBegan{Epoch: rows.Epoch{Number: 2}}}}
		o.Listen(21*ms, event.Executed{At: linearizability.Position{Slot: 15}, Command: began})
		text := "/a/b#7 is granted inside a lock-delay, in epoch 2:\n    0.020000s: handle 1.1 of session 8 failed\n    0.030000s: granted to handle 1.2 of session 9"
		return tells(o, cell.Breach{ID: "S8", Text: text, At: 30 * ms, Step: 9}, "")
	})
	require.Contains(t, story, "the log executes Expire in slot 14: {Guard:1 Session:8}\n")
	require.Contains(t, story, "the log executes Epoch in slot 15 -> epoch 2 begins: {Master:3 ")
}

// What a machine knows from the rows of another one may be wrong: a story tells of that, though the report does not name
// it and other moments mention what the report names.
func TestAStoryOfNewRows(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		for i := range 9 {
			line(o.Trace.W, 1, time.Duration(1+i)*ms, "n1", "5.001000000", "receive", fmt.Sprintf("<- n2 word%d 1.2 boot 1 slot 188", i))
		}
		o.Listen(10*ms, event.SnapshotInstalled{Replica: 1, Slot: 186})
		o.Listen(10*ms, event.SnapshotInstalled{Replica: 2, Slot: 187})
		var states []paxos.Status
		for id := range paxos.NodeID(9) {
			states = append(states, paxos.Status{ID: id + 1, Role: paxos.Leader})
		}
		return tells(o, cell.Breach{ID: "I-W1", Text: "replica 1 sends a page over slot 188 without the vote that its disk holds", At: time.Second, Step: 4, On: 1}, "6.000000000", states...)
	})
	require.Contains(t, story, "word8 1.2 boot 1 slot 188")
	require.Contains(t, story, "n1 has the rows of the snapshot of slot 186")
	require.NotContains(t, story, "slot 187")
}

// Where the report speaks of rows, a snapshot that became durable at that replica is told, too.
func TestAStoryOfASnapshotBeforeOddRows(t *testing.T) {
	for text, told := range map[string]bool{
		"after slot 188 replica 1 has checksum 7, others have 8; beside the rows of replica 2: row g0/a is missing": true,
		"replica 1 sends a page over slot 188 without the vote that its disk holds":                                 false,
	} {
		story := storyOf(func(o plan.Options) cell.Result {
			for i := range 9 {
				line(o.Trace.W, 1, time.Duration(1+i)*ms, "n1", "5.001000000", "receive", fmt.Sprintf("<- n2 word%d 1.2 boot 1 slot 188", i))
			}
			o.Listen(10*ms, event.SnapshotPublished{Replica: 1, Slot: 171})
			return tells(o, cell.Breach{ID: "S6", Text: text, At: time.Second, Step: 4, On: 1}, "6.000000000", paxos.Status{ID: 1})
		})
		require.Equal(t, told, strings.Contains(story, "snapshot of slot 171"), story)
	}
}

// A report of several lines keeps them, with its programs by name. The meaning of the property takes no room from it.
func TestAReportOfALine(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		a, b := event.MakeProgramID(1, 1, 3, 1), event.MakeProgramID(2, 1, 0, 0)
		text := fmt.Sprintf("client %d: get \"a\"\nbefore it: client %d: put %s\nthe end", a, b, strings.Repeat("xy", 150))
		return tells(o, cell.Breach{ID: "L1", Text: text, At: ms}, "")
	})
	require.Contains(t, story, "): program 2 of session 4 of c2: get \"a\"\n  before it: program 1 of c3: put xyx")
	require.True(t, strings.HasSuffix(story, "yxy\n  the end"))
}

// A report that names a file is told what made and renamed it, under whichever name.
func TestAStoryOfAFile(t *testing.T) {
	const name = "cell/snapshots/00000000000000000907"
	story := storyOf(func(o plan.Options) cell.Result {
		disk := func(at time.Duration, who sim.Addr, call string) {
			line(o.Trace.W, 1, at, fmt.Sprintf("n%d", who), "5.001000000", "disk", call)
		}
		disk(1*ms, 2, "create "+name+".54.tmp")
		disk(2*ms, 2, "writeat "+name+".54.tmp [0,76)")
		disk(3*ms, 2, "rename "+name+".54.tmp")
		disk(4*ms, 2, "create cell/snapshots/00000000000000000911.55.tmp")
		disk(5*ms, 3, "remove "+name+".snap")
		return tells(o, cell.Breach{ID: "S17", Text: "replica 2 takes its snapshot for bad: " + name + ".snap: the file is truncated", At: time.Second, Step: 4, On: 2}, "6.000000000", paxos.Status{ID: 2})
	})
	require.Contains(t, story, "on the disk of n2: create "+name+".54.tmp\n")
	require.Contains(t, story, "on the disk of n2: rename "+name+".54.tmp\n")
	require.NotContains(t, story, "writeat")
	require.NotContains(t, story, "911")
	require.NotContains(t, story, "on the disk of n3")
}

// A report on a disk is told what the last power cut of its machine found not synced, and since when: logs first.
func TestAStoryOfWhatWasNotSynced(t *testing.T) {
	const log, other = "cell/log/0000000000000001.wal", "cell/promise.a"
	run := func(report string) func(plan.Options) cell.Result {
		return func(o plan.Options) cell.Result {
			disk := func(at time.Duration, who sim.Addr, kind, call string) {
				line(o.Trace.W, int(at/ms), at, fmt.Sprintf("n%d", who), "5.001000000", kind, call)
			}
			disk(1*ms, 2, "disk", "create "+log)
			disk(2*ms, 2, "disk", "syncdata "+log)
			disk(3*ms, 2, "disk", "syncdata "+log+": no space")  // it failed
			disk(4*ms, 2, "unsynced", log+", 9 of its sectors,") // an earlier power cut
			disk(5*ms, 2, "disk", "sync "+other+".tmp")
			disk(6*ms, 2, "disk", "rename "+other+".tmp to "+other)
			disk(7*ms, 2, "unsynced", other+", 1 of its sectors,")
			disk(7*ms, 2, "unsynced", log+", 2 of its sectors,")
			disk(7*ms, 2, "unsynced", "cell/promise.b, 3 of its sectors,")
			disk(7*ms, 3, "unsynced", log+", 4 of its sectors,")
			return tells(o, cell.Breach{ID: "S3", Text: report, At: 8 * ms, Step: 8, On: 2}, "6.000000000", paxos.Status{ID: 2})
		}
	}
	story := storyOf(run("replica 2: its log ends with #25, and was synced up to #26"))
	require.Contains(t, story, "on the disk of n2: the power cut finds "+log+", 2 of its sectors, written and not synced; the last sync of the file was at 0.002 s\n")
	require.Contains(t, story, "on the disk of n2: the power cut finds "+other+", 1 of its sectors, written and not synced; the last sync of the file was at 0.005 s\n")
	for _, without := range []string{"9 of its sectors", "promise.b", "4 of its sectors"} {
		require.NotContains(t, story, without)
	}
	require.NotContains(t, storyOf(run("replica 2 leads, and should not")), "the power cut finds")
}

// A user's check that names a row is told the commands that wrote it, beside what programs were told.
func TestAStoryOfARowOfAUser(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		wrote := func(at time.Duration, slot int64, key, value string) {
			executes(o, at, slot, command.Call{Session: 7, Seq: api.Seq(slot), Op: api.Put{Key: key, Value: value}}, api.Result{})
		}
		wrote(1*ms, 11, "ledger/1", "t1")
		for i := range 9 {
			line(o.Trace.W, 1, time.Duration(3+i)*ms, "c5", "5.001000000", "receive", fmt.Sprintf("<- n1 word%d ledger/1 twice", i))
		}
		wrote(2*ms, 12, "ledger/2", "t2")
		const text = "token none of row ledger/1 was replaced twice, by c5"
		line(o.Trace.W, 4, time.Second, "c5", "5.001000000", "FAILURE", "T1 broken: "+text)
		return tells(o, cell.Breach{ID: "T1", Text: text, At: time.Second, Step: 4}, "")
	})
	require.Contains(t, story, "in slot 11")
	require.NotContains(t, story, "in slot 12")
}

// What a call by a handle may do depends on the earlier calls by the handle, whatever the report names: those to which
// a handle is tied come first, then those of locks, one of each kind, and none of other handles or sessions.
func TestAStoryHasTheCallsByTheHandleOfACall(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(0, event.Started{Replica: 1, Boot: 1})
		for i, call := range []string{
			"session 6 seq 1 seen 0: attach sequencer /d#7 exclusive generation 9 to habcdef",
			"session 6 seq 2 seen 1: acquire shared by habcdef",
			"session 6 seq 3 seen 1: acquire shared by habcdef",
			"session 6 seq 3 seen 1: acquire shared by habcdef",
			"session 6 seq 4 seen 1: acquire shared by h000001",
			"session 7 seq 4 seen 1: attach sequencer /e#7 exclusive generation 9 to habcdef",
			"session 6 seq 5 seen 1: stat of habcdef",
			"session 6 seq 6 seen 1: contents of habcdef",
		} {
			line(o.Trace.W, 1+i, time.Duration(1+i)*ms, "n1", "5.001000000", "receive", fmt.Sprintf("<- c1 call #%d %s", i, call))
			id, _, _ := strings.Cut(call, " seen")
			line(o.Trace.W, 1+i, time.Duration(1+i)*ms, "n1", "5.001000000", "send", fmt.Sprintf("-> c1 answer #%d %s epoch 1 master 1: ok", i, id))
			line(o.Trace.W, 1+i, time.Duration(1+i)*ms, "c1", "5.001000000", "receive", fmt.Sprintf("<- n1 answer #%d %s epoch 1 master 1: ok", i, id))
		}
		return tells(o, cell.Breach{ID: "S10", Text: "call 6 of session 6 is answered, and its sequencer is not valid", At: 8 * ms, Step: 8, On: 1}, "5.001000000")
	})
	require.Contains(t, story, `
What led to it:
  0.001 s (n1: 5.001)  n1 receives from c1: call #0 session 6 seq 1 seen 0: attach sequencer /d#7 exclusive generation 9 to habcdef; answered at 0.001 s: ok
  0.004 s (n1: 5.001)  n1 receives from c1: call #3 session 6 seq 3 seen 1: acquire shared by habcdef; answered at 0.004 s: ok
`)
	require.Contains(t, story, "seq 6 seen 1: contents of habcdef")
	require.NotContains(t, story, "seq 2 ")
	require.NotContains(t, story, "session 7")
}

// Calls by one handle that are under way at the same time are told, though they are of one kind.
func TestAStoryHasTheCallsThatAreUnderWayByOneHandle(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(0, event.Started{Replica: 1, Boot: 1})
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "receive", "<- c1 call #1 session 6 seq 2 seen 1: attach sequencer /d#7 exclusive generation 9 to habcdef")
		line(o.Trace.W, 2, 2*ms, "c1", "5.002000000", "receive", "<- n1 answer #1 session 6 seq 2 epoch 1 master 1: ok")
		for i := range 3 {
			line(o.Trace.W, 3+i, time.Duration(3+i)*ms, "n1", "5.003000000", "receive", fmt.Sprintf("<- c1 call #2 session 6 seq %d seen 2: acquire shared by habcdef", 3+i))
		}
		line(o.Trace.W, 6, 6*ms, "c1", "5.003000000", "receive", "<- n1 answer #2 session 6 seq 3 epoch 1 master 1: parked")
		return tells(o, cell.Breach{ID: "S9", Text: "call 5 of session 6 finds the lock held", At: 6 * ms, Step: 6, On: sim.FirstClient}, "5.003000000")
	})
	for _, seq := range []string{"seq 3 seen 2", "seq 4 seen 2", "seq 5 seen 2"} {
		require.Contains(t, story, seq)
	}
}

// If the report names no call, the call is the one that the machine of the break has an answer to at that instant.
func TestAStoryHasTheCallsByTheHandleOfAnAnswer(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
		o.Listen(0, event.Started{Replica: 1, Boot: 1})
		line(o.Trace.W, 1, 1*ms, "n1", "5.001000000", "receive", "<- c1 call #1 session 6 seq 2 seen 1: acquire shared by habcdef")
		line(o.Trace.W, 2, 2*ms, "n1", "5.001000000", "receive", "<- c1 call #2 session 6 seq 3 seen 1: acquire exclusive by habcdef")
		line(o.Trace.W, 3, 3*ms, "c1", "5.001000000", "receive", "<- n1 answer #2 session 6 seq 3 epoch 1 master 1: crowded")
		return tells(o, cell.Breach{ID: "S14", Text: "acquire found no room", At: 3 * ms, Step: 4, On: sim.FirstClient}, "5.001000000")
	})
	require.Contains(t, story, "seq 2 seen 1: acquire shared by habcdef")
	require.Contains(t, story, "seq 3 seen 1: acquire exclusive by habcdef")
}

// If the product itself finds something wrong, the command that it may be executing is told: it has no moment yet.
func TestAStoryHasTheCommandThatIsUnderWay(t *testing.T) {
	run := func(id string) func(plan.Options) cell.Result {
		return func(o plan.Options) cell.Result {
			line(o.Trace.W, 0, 0, "n1", "5.000000000", "fault", "start 1")
			o.Listen(0, event.Started{Replica: 1, Boot: 1})
			done := command.Call{Guard: 1, Session: 7, Seq: 1, Op: api.EndSession{}}
			o.Listen(1*ms, event.Proposed{Replica: 1, Commands: []command.Command{done, command.Expire{Guard: 1, Session: 9}}})
			executes(o, 2*ms, 6, done, api.Result{Code: api.OK})
			line(o.Trace.W, 3, 3*ms, "n1", "5.003000000", "receive", "<- n2 accepted 1.1 boot 1 slot 7")
			return tells(o, cell.Breach{ID: id, Text: "the totals are wrong", At: 3 * ms, Step: 3, On: 1}, "5.003000000")
		}
	}
	require.Contains(t, storyOf(run("I-F4")), "; proposed and not executed so far: Expire: {Guard:1 Session:9}\n")
	require.NotContains(t, storyOf(run("S4")), "proposed and not executed")
}
