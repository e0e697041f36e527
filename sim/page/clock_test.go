package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// slow is a clock whose machine starts at 10 s, when the clock shows 100 s. The clock loses a tenth from 14 s on, and
// stands still from 18 s on. At 20 s its machine starts again.
func slow() *clock {
	c := &clock{}
	note := func(at, local, kind, text string) {
		c.note(&moments.Moment{At: moments.Seconds(at), Local: local, Kind: kind, Text: text})
	}
	note("10", "100", "fault", "start 1")
	for _, r := range [][2]string{{"11", "101"}, {"12", "102"}, {"14", "104"}, {"15", "104.9"}, {"17", "106.7"}, {"18", "107.6"}, {"19", "107.6"}} {
		note(r[0], r[1], "send", "x")
	}
	note("20", "7", "fault", "start 2")
	note("21", "8", "send", "x")
	return c
}

func TestAClockIsFewPoints(t *testing.T) {
	c := slow()
	require.Len(t, c.lives, 2)
	s := time.Second
	require.Equal(t, []reading{{10 * s, 100 * s}, {14 * s, 104 * s}, {18 * s, 107600 * time.Millisecond}, {19 * s, 107600 * time.Millisecond}}, c.lives[0].points())
	require.Equal(t, []reading{{20 * s, 7 * s}, {21 * s, 8 * s}}, c.lives[1].points())
}

func TestWhenAClockReads(t *testing.T) {
	c := slow()
	s := time.Second
	require.Equal(t, 13*s, c.when(12*s, 103*s))
	require.InDelta(t, float64(16*s), float64(c.when(12*s, 105800*time.Millisecond)), 1000)
	require.Equal(t, 22*s, c.when(20*s, 9*s), "behind the last reading it goes right")
	require.Equal(t, 5*s, c.when(5*s, 9*s), "it does not run yet")
}

// A lease that is granted until some reading of a clock ends when the clock shows it. Jeopardy begins at the bound,
// even if it is seen later.
func TestBarsEndByTheClockOfTheirMachine(t *testing.T) {
	s := time.Second
	var b bars
	b.begin(bar{who: 1, kind: readable, from: 12 * s, until: 106700 * time.Millisecond})
	was := b.begin(bar{who: 1, kind: safe, from: 10 * s})
	b.end(16*s, 1, isKind(safe))
	i := b.begin(bar{who: 1, kind: jeopardy, from: 16 * s})
	b.all[i].since, b.all[i].before = 102*s, was
	b.settle(30*s, map[sim.Addr]*clock{1: slow()})
	require.InDelta(t, float64(17*s), float64(b.all[0].to), 1000)
	require.Equal(t, 12*s, b.all[was].to)
	require.Equal(t, 12*s, b.all[i].from)
	require.Equal(t, 30*s, b.all[i].to)
}

// Rare entries and those that the story tells stay first, then those near the break.
func TestWhatStaysOnAPage(t *testing.T) {
	var all []entry
	for i := range 2000 {
		all = append(all, entry{at: time.Duration(i) * time.Second, kind: "call"})
	}
	all[7].mark = picked
	all[9].kind = "nack"
	all[1500].mark = past
	w := newWeights(all, true, 1505*time.Second)
	kept := w.keep(all, 13)
	require.Equal(t, []entry{all[7], all[9]}, kept[:2])
	require.Equal(t, all[1500], kept[2])
	require.Equal(t, all[1501:1510], kept[3:12])
	require.Len(t, kept, 13)
	require.Contains(t, w.leftOut(all, kept), "13 of 2000 events")
	require.Empty(t, w.leftOut(all, w.keep(all, 2000)))
}
