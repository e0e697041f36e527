package story

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
)

// line writes a line in the format of a world's trace.
func line(w io.Writer, step int, at time.Duration, who, local, kind, text string) {
	fmt.Fprintf(w, "%9d %17s %8s %17s %-12s %s\n", step, fmt.Sprintf("%.9f", at.Seconds()), who, local, kind, text)
}

// forgetful is a run in which replica 2 votes in slot 7, loses power, and forgets its vote. Slot 6, which is decided in
// the same run, has nothing to do with the break.
func forgetful(o plan.Options) cell.Result {
	w, tell := o.Trace.W, o.Listen
	ms := time.Millisecond
	line(w, 0, 0, "n1", "5.000000000", "fault", "start 1")
	tell(10*ms, event.TenureChanged{Replica: 1, Tenure: paxos.Tenure{Leader: 1, Ballot: paxos.Ballot{Round: 1, Node: 1}, Mine: true}})
	for i, slot := range []string{"6", "7"} {
		at := time.Duration(20+10*i) * ms
		line(w, 3, at, "n1", "5.020000000", "send", "-> n2 accept 1.1 slot "+slot+" v00000001")
		line(w, 4, at+ms, "n2", "9.021000000", "receive", "<- n1 accept 1.1 slot "+slot+" v00000001")
		tell(at+2*ms, event.Durable{Replica: 2, Records: nil})
		line(w, 5, at+3*ms, "n2", "9.023000000", "send", "-> n1 accepted 1.1 slot "+slot)
		line(w, 6, at+4*ms, "n1", "5.024000000", "receive", "<- n2 accepted 1.1 slot "+slot)
	}
	line(w, 7, 50*ms, "-", "-", "fault", "crash 1")
	line(w, 7, 50*ms, "n2", "9.050000000", "fault", "crash 1")
	line(w, 8, 60*ms, "n2", "2.000000000", "fault", "start 2")
	tell(61*ms, event.Started{Replica: 2, Boot: 2, Status: paxos.Status{FirstOpen: 6}})
	line(w, 9, 70*ms, "n3", "1.000000000", "send", "-> n2 prepare 2.3 from 7")
	line(w, 10, 71*ms, "n2", "2.011000000", "receive", "<- n3 prepare 2.3 from 7")
	b := cell.Breach{ID: "S3", Text: "replica 2 promises 2.3 without its vote at 1.1 in slot 7", At: 71 * ms, Step: 10, On: 2}
	line(w, 10, 71*ms, "n2", "2.011000000", "FAILURE", b.Text)
	for id := paxos.NodeID(1); id <= 3; id++ {
		st := paxos.Status{ID: id, Role: paxos.Follower, Leader: 1}
		if id == 1 {
			st.Role, st.Ballot = paxos.Leader, paxos.Ballot{Round: 1, Node: 1}
		}
		tell(71*ms, event.Left{Replica: id, Local: time.Unix(9, 0), Status: &st, Lease: time.Unix(10, 0), Epoch: api.Epoch(id % 2)})
	}
	return cell.Result{Seed: o.Seed, Breach: &b}
}

func scriptOf(kinds ...string) *plan.Script {
	s := &plan.Script{Without: []string{"clock-errors", "absentees", "misfit", "backup-failures", "late-requests"}}
	for _, k := range kinds {
		s.Strikes = append(s.Strikes, &plan.Strike{Fault: plan.Fault{Kind: k, N: 1}})
	}
	return s
}

// The story tells the injected fault and its effect, the beliefs of each replica, and the moments that mention the slot
// and the ballots of the report. It does not mention slot 6.
func TestAStory(t *testing.T) {
	o := plan.Options{Seed: 5, Replicas: 3, Clients: 1, Workload: "mixed", Script: scriptOf("crash")}
	require.Equal(t, strings.TrimSpace(`
Seed 5 breaks S3 at 0.071 s of true time, event 10 on n2: 3 replicas, 1 active client, workload mixed.
Faults needed: 1 (of 40)
  0.050 s  crash#1: n2 loses power (0.050); n2 restarts (0.060)
State at the break, by each machine's own clock:
  n1 (5.024 by its clock) leads at ballot 1.1, since 0.010 s (5.000); has promised 0.0, applied slot 0; is master of epoch 1; may read alone for 1s more
  n2 (2.011 by its clock) follows n1; has promised 0.0, applied slot 0; may read alone for 1s more
  n3 (1.000 by its clock) follows n1; has promised 0.0, applied slot 0; is master of epoch 1; may read alone for 1s more
What led to it:
  0.010 s (n1: 5.000)  n1 believes it is the leader at ballot 1.1
  0.031 s (n2: 9.021)  n2 receives from n1 (sent at 0.030 s): accept 1.1 slot 7 v00000001
  0.034 s (n1: 5.024)  n1 receives from n2 (sent at 0.033 s): accepted 1.1 slot 7 (had not reached n2)
  0.071 s (n2: 2.011)  n2 receives from n3 (sent at 0.070 s): prepare 2.3 from 7
It breaks at event 10, at 0.071 s (n2: 2.011), on receiving that message
S3 (durability: what was acknowledged is never lost while a quorum of disks is good): replica 2 promises 2.3 without its vote at 1.1 in slot 7
`), strings.Join(Tell(forgetful, o, 40), "\n"))
}

// The story of a panic names the function that panicked, since no property says what went wrong.
func TestAStoryOfACrash(t *testing.T) {
	crashes := func(o plan.Options) cell.Result {
		r := forgetful(o)
		r.Breach.ID, r.Breach.Text, r.Breach.Check = "", "assignment to entry in nil map", "example.com/cell/paxos.(*votes[example.com/cell/paxos.Slot]).cast"
		return r
	}
	told := Tell(crashes, plan.Options{Seed: 5, Replicas: 3, Clients: 1, Workload: "mixed", Script: scriptOf("crash")}, 40)
	require.Equal(t, "Seed 5 crashes at 0.071 s of true time, event 10 on n2: 3 replicas, 1 active client, workload mixed.", told[0])
	require.Equal(t, "crash (simulated code panicked in paxos.(*votes[example.com/cell/paxos.Slot]).cast): assignment to entry in nil map", told[len(told)-1])
}

// The story of a real run that breaks a property has at most MostLines lines, and is the same each time. The story of a
// run that breaks nothing is empty.
func TestAStoryOfARealRun(t *testing.T) {
	o := plan.Options{Seed: 7, Duration: 10 * time.Second, Replicas: 3}
	require.Empty(t, Tell(cell.Run, o, 0))
	breaks := func(o plan.Options) cell.Result {
		r := cell.Run(o)
		r.Breach = &cell.Breach{ID: "S4", Text: "slot 12 and session 3 are not as c1 was told in epoch 2\none\ntwo\nthree\nfour\nfive\nsix", At: r.Simulated, Step: r.Events}
		return r
	}
	told := Tell(breaks, o, 0)
	require.LessOrEqual(t, len(told), MostLines)
	require.Equal(t, told, Tell(breaks, o, 0))
	all := strings.Join(told, "\n")
	require.Contains(t, all, "Faults injected: ")
	require.Contains(t, all, "n3 restarts (")
	require.Contains(t, all, "c1 (")
	require.Contains(t, all, "slot 12")
	require.Contains(t, all, "It is found after the run")
	require.Contains(t, all, "\n  three")
	require.NotContains(t, all, "\n  six", "of so long a report the beginning is told")
}

func TestThingsAreKnownByOtherNames(t *testing.T) {
	s := subjectsOf("replica 2 votes at 3.1 in slot 12 for v01234567, and call 4 of session 9 on /ls/local/a; client 4294967297 saw it")
	require.True(t, s.machines[2])
	require.True(t, s.machines[sim.FirstClient+1])
	for text, names := range map[string]bool{
		"accept 3.1 boot 1": true, "accept 13.1 boot 1": false, "votes 12@2.2=v1": true, "slot 120": false, "accept 3.1 slot 13": false, "chosen 1.1 [12,14)": true,
		"session 9 seq 5": true, "session 8 seq 4": false, "v01234567": true, "open /ls/local/a": true, "nothing": false,
	} {
		require.Equal(t, names, s.in(text) != 0, text)
	}
}

// Sessions and calls are found in a command that Go printed, and a handle is not taken for a ballot.
func TestThingsOfCommandsAreKnown(t *testing.T) {
	s := subjectsOf("command 29, {Guard:1 Session:9 Seq:7 Op:{Node:/d0/hot#19 Handle:1.3}}, changed the row of handle 1.2 of session 8 after #12")
	for text, names := range map[string]bool{
		"Acquire as call 7 of session 9, in slot 3": true, "Release as call 2 of session 8, in slot 4": true, "Release as call 2 of session 7, in slot 4": false,
		"{Handle:1.3}": true, "{Handle:1.2}": true, "promised 1.3": false, "voted 1.1 slot 4 v1, record #12": true, "heartbeat 1.1 boot 1 #12 open 4": false,
	} {
		require.Equal(t, names, s.in(text) != 0, text)
	}
	require.True(t, matches(s.calls, "call #4 session 9 seq 7 seen 6: release 3"))
	require.False(t, matches(s.calls, "call #4 session 9 seq 70 seen 6: release 3"))
}

// paidTwice is a run in which a user's checker breaks when c2 has made payment 7. Before that, c1 made the same payment,
// but failed to note it.
func paidTwice(o plan.Options) cell.Result {
	w, tell := o.Trace.W, o.Listen
	ms := time.Millisecond
	c1, c2 := sim.FirstClient, sim.FirstClient+1
	says := func(at time.Duration, machine int, call string, err error) {
		id := event.MakeProgramID(machine, 1, 0, 1)
		tell(at, event.CallEnded{Client: id.Client(), Program: id, Call: call, Err: err})
	}
	line(w, 1, 0, "c1", "5.000000000", "fault", "c1 starts")
	line(w, 1, 0, "c2", "9.000000000", "fault", "c2 starts")
	says(5*ms, 0, "pay 6", nil)
	says(10*ms, 0, "pay 7", nil)
	says(12*ms, 0, "note 7", errors.New("deadline exceeded"))
	says(13*ms, 0, "read", nil)
	says(15*ms, 1, "read", nil)
	says(20*ms, 1, "pay 7", nil)
	b := cell.Breach{ID: "M1", Text: "a payment was made twice", At: 20 * ms, Step: 9, On: c2}
	line(w, 9, 20*ms, "c2", "9.020000000", "FAILURE", b.Text)
	for _, c := range []sim.Addr{c1, c2} {
		tell(0, event.SessionDialed{Client: c, Status: func() client.Status { return client.Status{} }, Dead: func() bool { return false }})
	}
	return cell.Result{Seed: o.Seed, Breach: &b}
}

// The report of a user's checker names nothing that this package recognizes. The story tells which program had the same
// call answered before, the next answer to that program, and the last answer to the program of the break before it.
func TestAStoryOfWhatProgramsWereTold(t *testing.T) {
	story := strings.Join(Tell(paidTwice, plan.Options{Seed: 5, Replicas: 3, Clients: 2, Workload: "mixed", Script: scriptOf()}, 0), "\n")
	require.Contains(t, story, strings.TrimRight(`
What led to it:
  0.010 s (c1: 5.000)  c1 (program 2): pay 7 returned: ok (had not reached c2)
  0.012 s (c1: 5.000)  c1 (program 2): note 7 returned: deadline exceeded (had not reached c2)
  0.015 s (c2: 9.000)  c2 (program 2): read returned: ok
It breaks at event 9, at 0.020 s (c2: 9.020)
M1 (what a program reports by World.Break): a payment was made twice`, "\n"))
}

// halfMoved is a run in which a program finds the half-done work of another one, whose last call had no answer.
func halfMoved(o plan.Options) cell.Result {
	w, tell := o.Trace.W, o.Listen
	ms := time.Millisecond
	line(w, 1, 0, "c1", "5.000000000", "fault", "c1 starts")
	line(w, 1, 0, "c2", "9.000000000", "fault", "c2 starts")
	program := func(n int) event.ProgramID { return event.MakeProgramID(0, 1, 0, n) }
	ends := func(at time.Duration, n int, err error) {
		tell(at, event.CallEnded{Client: sim.FirstClient, Program: program(n), Call: "turn", Err: err})
	}
	tell(10*ms, event.Noted{Client: sim.FirstClient, Program: program(1), Text: "moves 13"})
	ends(11*ms, 2, nil)
	ends(12*ms, 1, fmt.Errorf("client: put \"b\": %w", context.DeadlineExceeded))
	ends(13*ms, 2, fmt.Errorf("client: acquire \"/ls/local/bank\": %w: %w", client.ErrWithdrawn, context.DeadlineExceeded))
	b := cell.Breach{ID: "M2", Text: "program 1 of c2 finds 987 in /ls/local/bank", At: 20 * ms, Step: 9, On: sim.FirstClient + 1}
	line(w, 9, 20*ms, "c2", "9.020000000", "FAILURE", b.Text)
	for _, c := range []sim.Addr{sim.FirstClient, sim.FirstClient + 1} {
		tell(0, event.SessionDialed{Client: c, Status: func() client.Status { return client.Status{} }, Dead: func() bool { return false }})
	}
	return cell.Result{Seed: o.Seed, Breach: &b}
}

// The report of a user's checker does not name the program that was stopped in the middle of its work. The story tells
// what that program was about to do. It does not tell calls that were withdrawn, because they did nothing.
func TestAStoryOfWhatWasCutShort(t *testing.T) {
	story := strings.Join(Tell(halfMoved, plan.Options{Seed: 5, Replicas: 3, Clients: 2, Workload: "mixed", Script: scriptOf()}, 0), "\n")
	require.Contains(t, story, `
What led to it:
  0.010 s (c1: 5.000)  c1 (program 2): note: moves 13 (had not reached c2)
  0.012 s (c1: 5.000)  c1 (program 2): turn returned: client: put "b": context deadline exceeded (had not reached c2)
`)
	require.NotContains(t, story, "withdrawn")
}

// A program reports in the middle of its work, and names the programs that matter. The story tells what these were told
// and noted last.
func TestAStoryOfTheProgramsThatAReportNames(t *testing.T) {
	story := strings.Join(Tell(func(o plan.Options) cell.Result {
		w, tell := o.Trace.W, o.Listen
		ms := time.Millisecond
		line(w, 1, 0, "c1", "5.000000000", "fault", "c1 starts")
		line(w, 1, 0, "c12", "9.000000000", "fault", "c12 starts")
		notes := func(at time.Duration, machine, program int, text string) {
			id := event.MakeProgramID(machine, 1, 0, program)
			tell(at, event.Noted{Client: id.Client(), Program: id, Text: text})
		}
		notes(9*ms, 0, 1, "begins")
		notes(10*ms, 0, 1, "reads 12")
		notes(11*ms, 0, 1, "issues 13")
		notes(12*ms, 11, 2, "issues 13, too")
		notes(13*ms, 11, 1, "issues 14")
		b := cell.Breach{ID: "M3", Text: "13 was issued by program 2 of c1 and by program 3 of c12", At: 20 * ms, Step: 9, On: sim.FirstClient}
		line(w, 9, 20*ms, "c1", "5.020000000", "FAILURE", b.Text)
		for _, c := range []sim.Addr{sim.FirstClient, sim.FirstClient + 11} {
			tell(0, event.SessionDialed{Client: c, Status: func() client.Status { return client.Status{} }, Dead: func() bool { return false }})
		}
		return cell.Result{Seed: o.Seed, Breach: &b}
	}, plan.Options{Seed: 5, Replicas: 3, Clients: 12, Workload: "mixed", Script: scriptOf()}, 0), "\n")
	require.Contains(t, story, `
  0.010 s (c1: 5.000)  c1 (program 2): note: reads 12
  0.011 s (c1: 5.000)  c1 (program 2): note: issues 13
  0.012 s (c12: 9.000)  c12 (program 3): note: issues 13, too
`)
	require.NotContains(t, story, "begins")
	require.NotContains(t, story, "issues 14")
}

// A report names a thing by its number. What programs did to it is told, though the program that the report names did
// other things since.
func TestAStoryOfANumberedThing(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		notes := func(at time.Duration, machine int, text string) {
			id := event.MakeProgramID(machine, 1, 0, 0)
			o.Listen(at, event.Noted{Client: id.Client(), Program: id, Text: text})
		}
		notes(1*ms, 0, "takes job 24")
		notes(2*ms, 1, "takes job 24")
		notes(3*ms, 1, "finishes job 24")
		for i := range 9 {
			notes(time.Duration(4+i)*ms, 0, fmt.Sprint("takes job ", 240+i))
		}
		return tells(o, cell.Breach{ID: "J1", Text: "job 24 was finished twice, by program 1 of c1 after 2 s", At: 20 * ms, Step: 9, On: sim.FirstClient}, "5.020000000")
	})
	for _, words := range []string{"0.001 s  c1 (program 1): note: takes job 24\n", "0.002 s  c2 (program 1): note: takes job 24 (had", "0.003 s  c2 (program 1): note: finishes job 24 (had"} {
		require.Contains(t, story, words)
	}
}

// Things may be written with a hyphen, as names of files are, and a report may have other numbers beside: many things have
// a step 2. Of each program the story has the first and the last note on the thing.
func TestAStoryOfAThingBesideOtherNumbers(t *testing.T) {
	story := storyOf(func(o plan.Options) cell.Result {
		at := time.Duration(0)
		notes := func(machine int, texts ...string) {
			for _, text := range texts {
				at += ms
				id := event.MakeProgramID(machine, 1, 0, 0)
				o.Listen(at, event.Noted{Client: id.Client(), Program: id, Text: text})
			}
		}
		notes(0, "begins job-16", "step 1 of job-16")
		notes(1, "begins job-16", "step 1 of job-16", "step 2 of job-16", "step 3 of job-16", "has done job-16")
		for i := range 3 {
			notes(2, fmt.Sprint("step 2 of job-", 17+i))
		}
		return tells(o, cell.Breach{ID: "J1", Text: "step 2 of job 16, by program 1 of c1, after another one has done it", At: 20 * ms, Step: 9, On: sim.FirstClient}, "5.020000000")
	})
	for _, words := range []string{"c1 (program 1): note: begins job-16", "step 1 of job-16", "c2 (program 1): note: begins job-16", "c2 (program 1): note: has done job-16"} {
		require.Contains(t, story, words)
	}
	require.NotContains(t, story, "step 2 of job-18")
}

// A fault without a number is named if one of the kind that always holds can have caused it.
func TestAFaultWithoutANumberIsNamed(t *testing.T) {
	does := func(text string) *moments.Harm {
		return &moments.Harm{Effects: []moments.Moment{{Who: 2, Kind: "fault", Text: text}}}
	}
	aims, calm := teller{plan: &plan.Plan{}}, teller{plan: &plan.Plan{}}
	aims.plan.Caches.Aims = 1
	require.Equal(t, "aimed", aims.help(does("pause 0")))
	require.Empty(t, aims.help(does("machine-failure 0")), "the replica stops by itself")
	require.Empty(t, calm.help(does("pause 0")))
}
