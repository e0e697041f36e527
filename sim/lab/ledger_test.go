package lab

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/resource"
)

const s = time.Second

// wrote adds a write to a ledger by hand.
func (l *ledger) wrote(at time.Duration, h *Hold, version, base uint64, accepted bool) {
	l.writes.add(at, h.Client, &resource.Ask{Write: true, Version: version, Base: base, Value: base + 1}, h, accepted)
}

func TestAGoodRunShowsNoHarm(t *testing.T) {
	l := &ledger{}
	w := l.waits.begin("A", 0)
	w.end(s)
	a := l.holds.begin("A", 1, s)
	l.wrote(2*s, a, 1, 0, true)
	a.end(3 * s)
	b := l.holds.begin("B", 2, 3*s) // at the very instant: no overlap
	l.wrote(4*s, b, 2, 1, true)
	b.end(5 * s)
	o := l.outcome(6*s, 0)
	for _, h := range []Harm{Overlapping, LosesUpdate, TakesStale, RefusesHolder, WaitsFor(time.Second)} {
		require.False(t, h.In(&o), h.Name)
	}
	require.True(t, WaitsFor(s-1).In(&o))
	require.Equal(t, "one holder at a time, no update lost", o.String())
}

func TestAnOverwrittenUpdateIsLost(t *testing.T) {
	l := &ledger{}
	a := l.holds.begin("A", 0, s)
	b := l.holds.begin("B", 0, 2*s)
	l.wrote(3*s, a, 1, 0, true)
	l.wrote(4*s, b, 2, 0, true) // made from the version before A's
	o := l.outcome(5*s, 0)
	require.True(t, LosesUpdate.In(&o))
	require.True(t, o.Writes[0].Lost)
	require.False(t, o.Writes[1].Lost)
	require.True(t, TakesStale.In(&o), "A's write came after B had begun")
	require.Equal(t, []Overlap{{"A", "B", 2 * s, 5 * s}}, o.Overlaps)
}

func TestAStaleWriteNeedNotLoseAnything(t *testing.T) {
	l := &ledger{}
	a := l.holds.begin("A", 0, s)
	b := l.holds.begin("B", 0, 2*s)
	l.wrote(3*s, a, 1, 0, true)
	l.wrote(4*s, b, 2, 1, true) // B read after A wrote
	o := l.outcome(5*s, 0)
	require.False(t, LosesUpdate.In(&o))
	require.True(t, TakesStale.In(&o))
}

func TestARefusalIsWrongOnlyForTheLatestHolder(t *testing.T) {
	l := &ledger{}
	a := l.holds.begin("A", 7, s)
	b := l.holds.begin("B", 1, 2*s)
	l.wrote(3*s, a, 1, 0, false)
	o := l.outcome(4*s, 0)
	require.False(t, RefusesHolder.In(&o))
	l.wrote(3*s, b, 2, 0, false)
	o = l.outcome(4*s, 0)
	require.True(t, RefusesHolder.In(&o))
}

func TestAWaitThatNeverEndsCountsToTheEnd(t *testing.T) {
	l := &ledger{}
	l.waits.begin("B", s)
	o := l.outcome(61*s, 0)
	require.True(t, WaitsFor(59*s).In(&o))
	require.Contains(t, o.String(), "in vain")
}

func TestAClientsOwnHoldsDoNotOverlap(t *testing.T) {
	require.Empty(t, overlaps([]Hold{{Client: "A", From: 0, To: 2}, {Client: "A", From: 1, To: 3}}))
	require.Len(t, overlaps([]Hold{{Client: "A", From: 0, To: 2}, {Client: "B", From: 1, To: 3}, {Client: "C", From: 1, To: 2}}), 3)
}
