package story

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
)

// hasty is the trace of a world in which n2 acknowledges numbers that are not on its disk, loses power, and says on its
// return that it knows a smaller one. n3 has nothing to do with that.
func hasty(text string, on string) (*moments.Log, *cell.Breach) {
	l := moments.NewLog()
	ms := time.Millisecond
	line(l, 0, 0, "n1", "0.000000000", "fault", "start 1")
	for i, n := range []string{"6", "7", "8", "9"} {
		at := time.Duration(10*i) * ms
		line(l, 1, at+1*ms, "n1", "0.001000000", "send", "-> n2 "+n)
		line(l, 2, at+2*ms, "n2", "0.002000000", "receive", "<- n1 "+n)
		line(l, 2, at+2*ms, "n2", "0.002000000", "send", "-> n1 "+n+" is safe")
		line(l, 3, at+3*ms, "n1", "0.003000000", "receive", "<- n2 "+n+" is safe")
		line(l, 3, at+3*ms, "n3", "0.003000000", "says", "elsewhere")
	}
	line(l, 4, 40*ms, "n2", "0.040000000", "send", "-> n1 10 is safe")
	line(l, 5, 41*ms, "-", "-", "fault", "crash 1")
	line(l, 5, 41*ms, "n2", "0.041000000", "fault", "crash 1")
	line(l, 6, 45*ms, "n2", "7.000000000", "fault", "start 2")
	line(l, 6, 45*ms, "n2", "7.000000000", "says", "finds 8")
	line(l, 6, 45*ms, on, "7.000000000", "FAILURE", text)
	b := &cell.Breach{ID: "P1", Text: text, At: 45 * ms, Step: 6}
	if on == "n2" {
		b.On = 2
	}
	return l, b
}

func TestTheStoryOfAWorldGoesBackFromTheBreak(t *testing.T) {
	s := OfWorld(hasty("a number is lost", "n2"))
	require.Equal(t, []string{
		"What led to it:",
		"  0.013 s (n1: 0.003)  n1 receives from n2 (sent at 0.012 s): 7 is safe (and 1 like it before)",
		"  0.022 s (n2: 0.002)  n2 receives from n1 (sent at 0.021 s): 8 (and 2 like it before)",
		"  0.023 s (n1: 0.003)  n1 receives from n2 (sent at 0.022 s): 8 is safe",
		"  0.032 s (n2: 0.002)  n2 receives from n1 (sent at 0.031 s): 9",
		"  0.032 s (n2: 0.002)  n2 sends to n1: 9 is safe (and 1 like it before)",
		"  0.040 s (n2: 0.040)  n2 sends to n1: 10 is safe (has not arrived)",
		"  0.041 s (n2: 0.041)  n2 loses power",
		"  0.045 s (n2: 7.000)  n2 restarts",
		"  0.045 s (n2: 7.000)  n2 finds 8",
	}, s.Lines)
	require.NotEmpty(t, s.Told)
}

func TestABreakWithoutAMachineIsThatOfTheMachinesInItsText(t *testing.T) {
	s := OfWorld(hasty("n2 has lost a number", "-"))
	require.Contains(t, s.Lines, "  0.045 s (n2: 7.000)  n2 restarts")

	s = OfWorld(hasty("a number is lost", "-"))
	require.Contains(t, s.Lines, "  0.045 s (n2: 7.000)  n2 restarts", "the break came in that event")

	l, b := hasty("a number is lost", "-")
	b.Step++ // after the run
	s = OfWorld(l, b)
	require.Len(t, s.Lines, 1)
	require.Contains(t, s.Lines[0], "is not known")
}

// A break by what did not happen, such as L1, names the machines that wait. What they sent last is told, and whether it
// arrived. If they did nothing, the story says so.
func TestTheStoryOfAWaitingMachineHasWhatItSent(t *testing.T) {
	l := moments.NewLog()
	line(l, 1, time.Millisecond, "c1", "0.001000000", "send", "-> n1 put")
	line(l, 2, time.Second, "-", "-", "FAILURE", "L1 broken")
	b := &cell.Breach{ID: "L1", Text: "1 client programs have not ended 1s after healing: workload puts, c1 (main) waits in f (a.go:1)", At: time.Second, Step: 2}
	s := OfWorld(l, b)
	require.Equal(t, []string{"What led to it:", "  0.001 s (c1: 0.001)  c1 sends to n1: put (has not arrived)"}, s.Lines)
	l = moments.NewLog()
	line(l, 0, 0, "c1", "0.000000000", "fault", "start 1")
	line(l, 2, time.Second, "-", "-", "FAILURE", "L1 broken")
	s = OfWorld(l, b)
	require.Equal(t, []string{"what led to it is not known: on the machine on which it broke, or which its report names, nothing happened"}, s.Lines)
}

// A report about a history is judged at the end of the run. The story is that of its calls.
func TestTheStoryOfAHistoryEndsWithItsCalls(t *testing.T) {
	l := moments.NewLog()
	ms := time.Millisecond
	line(l, 1, 1*ms, "c2", "0.001000000", "send", "-> n2 read")
	line(l, 2, 2*ms, "n2", "0.002000000", "receive", "<- c2 read")
	line(l, 2, 2*ms, "n2", "0.002000000", "send", "-> c2 old")
	line(l, 3, 3*ms, "c2", "0.003000000", "receive", "<- n2 old")
	for i := range 2 { // the first call is not the one of the report, and the last message is none of its causes
		at := time.Duration(10+10*i) * ms
		line(l, 4, at, "c2", "0.010000000", "send", "-> n2 read")
		line(l, 5, at+ms, "n2", "0.011000000", "receive", "<- c2 read")
		line(l, 5, at+ms, "n2", "0.011000000", "send", "-> c2 old")
		line(l, 6, at+2*ms, "c2", "0.012000000", "receive", "<- n2 old")
	}
	line(l, 9, time.Second, "-", "-", "FAILURE", "X broken")
	for _, who := range []string{"client 2", "c2", "reader c2 (life 3)"} {
		text := "Not linearizable\n  #4 " + who + ": read -> \"c1\" [called 7 at 0.010000s, returned 14 at 0.012000s]\ncannot have had this result"
		s := OfWorld(l, &cell.Breach{ID: "LIN", Text: text, At: time.Second, Step: 6})
		require.Equal(t, []string{
			"What led to it:",
			"  0.011 s (n2: 0.011)  n2 receives from c2 (sent at 0.010 s): read",
			"  0.012 s (c2: 0.012)  c2 receives from n2 (sent at 0.011 s): old",
		}, s.Lines, who)
	}
}
