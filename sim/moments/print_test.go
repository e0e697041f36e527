package moments

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// printed returns what a Printer prints for a small run, without its header.
func printed(t *testing.T, only *Filter) []string {
	var b bytes.Buffer
	p := &Printer{W: &b, Only: only}
	o := plan.Options{Seed: 1}
	p.Watch(&o)
	header := b.String()
	require.Regexp(t, `^# seed 1: \d replicas, `, header)
	require.Regexp(t, `\n# faults that may strike: [a-z]`, header)
	line := func(step int, at time.Duration, who, kind, text string) {
		fmt.Fprintf(o.Trace.W, "%9d %17s %8s %17s %-12s %s\n", step, fmt.Sprintf("%.9f", at.Seconds()), who, "5.000000000", kind, text)
	}
	s := time.Second
	line(1, s, "c1", "send", `-> n1 call #9 session 4 seq 3 seen 2: open "/a/b"`)
	line(2, s, "c1", "send", `-> n1 call #8 session 4 seq 4 seen 2: open "/c"`)
	line(3, 2*s, "n1", "fault", "net.cut 65536")
	o.Listen(2*s, event.TenureChanged{Replica: 1, Tenure: paxos.Tenure{Leader: 1, Ballot: paxos.Ballot{Round: 2, Node: 1}, Mine: true}})
	line(4, 3*s, "n1", "send", "-> n2 accept 2.1 slot 12 v1")
	line(5, 3*s, "n1", "send", "-> n2 accept 2.1 slot 120 v2")
	line(6, 4*s, "n2", "send", "-> n1 chosen 2.1 [12,13)")
	line(7, 5*s, "n1", "send", "-> c1 answer #9 session 4 seq 3 epoch 1 master 1: ok h00beef is /a/b#1, made: false")
	line(8, 5*s, "n1", "send", "-> c1 answer #8 session 4 seq 4 epoch 1 master 1: ok h00cafe is /c#1, made: false")
	line(9, 6*s, "c1", "send", "-> n1 call #10 session 4 seq 5 seen 4: acquire exclusive by h00beef")
	line(10, 7*s, "n1", "send", "-> c1 answer #10 session 4 seq 5 epoch 1 master 1: ok")
	var all []string
	for line := range strings.Lines(strings.TrimPrefix(b.String(), header)) {
		all = append(all, strings.Join(strings.Fields(line)[:1], "")+" "+strings.Join(strings.Fields(line)[4:], " "))
	}
	return all
}

// Faults are printed in words. Beliefs are printed between the lines of the trace, with the event after which they
// changed.
func TestATraceForPeople(t *testing.T) {
	all := printed(t, nil)
	require.Len(t, all, 11)
	require.Equal(t, "3 fault messages from n1 to c1 are lost", all[2])
	require.Equal(t, "3 believes believes it is the leader at ballot 2.1", all[3])
}

// The trace of a world without a cell has a header, and faults in words, too.
func TestATraceOfAWorldForPeople(t *testing.T) {
	var b bytes.Buffer
	var trace sim.Trace
	(&Printer{W: &b}).WatchWorld(&trace, "seed 3 of TestX")
	for i, fault := range []string{"crash 1", "net.cut 65536", "disk.slow 17"} {
		who := []string{"-", "n1", "n1"}[i]
		fmt.Fprintf(trace.W, "%9d %17s %8s %17s %-12s %s\n", i, "0.500000000", who, "5.000000000", "fault", fault)
	}
	fmt.Fprintf(trace.W, "%9d %17s %8s %17s %-12s %s\n", 3, "0.500000000", "n1", "5.000000000", "note", "its own kind")
	var all []string
	for line := range strings.Lines(b.String()) {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	require.Equal(t, []string{
		"# seed 3 of TestX",
		"# event true time machine its local time kind text",
		"0 0.500000000 - 5.000000000 fault crash 1",
		"1 0.500000000 n1 5.000000000 fault messages from n1 to c1 are lost",
		"2 0.500000000 n1 5.000000000 fault the disk of n1 is 17 times slower",
		"3 0.500000000 n1 5.000000000 note its own kind",
	}, all)
}

// steps returns the event numbers of lines.
func steps(lines []string) string {
	var all []string
	for _, line := range lines {
		all = append(all, strings.Fields(line)[0])
	}
	return strings.Join(all, " ")
}

func TestSomeLinesOfATrace(t *testing.T) {
	require.Equal(t, "4 6", steps(printed(t, &Filter{Slot: 12})), "slot 120 is another")
	require.Equal(t, "3 4 5", steps(printed(t, &Filter{Kinds: []string{"accept", "believes"}})))
	require.Equal(t, "3 3 4 5", steps(printed(t, &Filter{From: 2 * time.Second, Until: 3 * time.Second})))
	require.Equal(t, "1 7 9 10", steps(printed(t, &Filter{About: "/a/b"})), "a node, the handle, what is done by it")
	require.Equal(t, "2 8", steps(printed(t, &Filter{About: "#8"})), "a call")
	require.Equal(t, "7 10", steps(printed(t, &Filter{About: "/a/b", Kinds: []string{"answer"}})))
}
