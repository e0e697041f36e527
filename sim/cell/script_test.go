package cell

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// lines returns the trace of a run without event numbers: a script has no events for quiet periods.
func lines(o plan.Options) (Result, []string) {
	var b bytes.Buffer
	o.Trace = sim.Trace{W: &b}
	r := Run(o)
	all := strings.Split(b.String(), "\n")
	for i, l := range all {
		all[i] = l[min(10, len(l)):]
	}
	return r, all
}

// Recording does not change a run, and playing the whole script repeats it: faults of all kinds, a
// hostile client, and healing at the same instant.
func TestAScriptDoesWhatWasRecorded(t *testing.T) {
	hostile := 0
	for seed := few(4, 1); seed <= 6; seed++ { // 4 has 18 kinds of faults; 5 and 6 are smaller than 1 to 3
		o := plan.Options{Seed: seed, Duration: 12 * time.Second}
		plain := Run(o)
		var script plan.Script
		recorded := o
		recorded.Record = &script
		r, drawn := lines(recorded)
		require.Equal(t, plain.Hash, r.Hash)
		require.Equal(t, plain.Strikes(), uint64(len(script.Strikes)))
		hostile += len(script.Tricks)

		scripted := o
		scripted.Script = &script
		r, played := lines(scripted)
		require.Equal(t, plain.Ops, r.Ops, "seed %d", seed)
		for i := range min(len(drawn), len(played)) {
			if drawn[i] != played[i] { // without require, which takes longer for a line than the run
				require.Equal(t, drawn[i], played[i], "seed %d, line %d", seed, i)
			}
		}
		require.Len(t, played, len(drawn))
	}
	require.Positive(t, hostile)
}

// Leaving out a fault changes no other: the others strike at the same times, with the same draws.
func TestAFaultIsLeftOutAlone(t *testing.T) {
	o := plan.Options{Seed: 4, Duration: 12 * time.Second, Faults: []string{"crash", "partition", "clock-rate"}}
	var whole plan.Script
	o.Record = &whole
	Run(o)
	o.Record = nil
	require.Greater(t, len(whole.Strikes), 5)

	less := whole.Clone()
	out := less.Strikes[2]
	less.Strikes = append(less.Strikes[:2], less.Strikes[3:]...)
	o.Script = less
	r, played := lines(o)
	require.Equal(t, uint64(len(whole.Strikes)-1), r.Strikes())
	all := strings.Join(played, "\n")
	for _, x := range whole.Strikes {
		struck := fmt.Sprintf("%d.%09d        -                 - fault        %s %d\n", x.At/time.Second, x.At%time.Second, x.Kind, x.N)
		require.Equal(t, x != out, strings.Contains(all, struck), "%v: %s", x.Fault, struck)
	}
}

// draws is a fault that harms nothing, and draws at once and again later, so that its strikes
// overlap.
type draws struct{ drew map[time.Duration][]uint64 }

func (*draws) Name() string { return "draws" }
func (*draws) Help() string { return "draws, and draws again" }

func (f *draws) Strike(s scenario.Stage) {
	at := s.World().Now()
	draw := func() { f.drew[at] = append(f.drew[at], s.Draw().Uint64()) }
	draw()
	for i := range 3 {
		s.After(time.Duration(i)*time.Second, draw)
	}
}

// What a fault draws does not depend on other strikes of its kind.
func TestAFaultLeftOutMovesNoDraw(t *testing.T) {
	f := &draws{map[time.Duration][]uint64{}}
	var whole plan.Script
	o := plan.Options{
		Seed: 4, Replicas: 3, Clients: 1, Duration: 30 * time.Second, Faults: []string{"draws"},
		With: &scenario.Extension{Faults: []scenario.Fault{f}}, Record: &whole,
	}
	Run(o)
	drawn := f.drew
	require.Greater(t, len(drawn), 5)

	f.drew, o.Record, o.Script = map[time.Duration][]uint64{}, nil, whole.Clone()
	o.Script.Strikes = append(o.Script.Strikes[:1], o.Script.Strikes[3:]...)
	Run(o)
	require.Len(t, f.drew, len(drawn)-2)
	for at, drew := range f.drew {
		require.Equal(t, drawn[at], drew)
	}
}

// A script can remove clients, programs, replicas and initial faults from a plan, and nothing else
// of the plan is drawn anew.
func TestAPlanIsCutDown(t *testing.T) {
	o := plan.Options{Seed: 2, Replicas: 5, Clients: 4, Duration: 5 * time.Second, Faults: []string{}}
	was := plan.New(o)
	o.Script = &plan.Script{Safety: 3 * time.Second, Idle: []int{1, 3}, Programs: 1, Replicas: 3, Without: was.Standing()}
	now := plan.New(o)
	require.Empty(t, now.Standing())
	require.Equal(t, was.Calls.Think, now.Calls.Think)
	require.Equal(t, 1, now.Calls.Threads)
	require.Equal(t, 3, now.Replicas)
	r, played := lines(o)
	require.False(t, r.Failed(), "%+v", r.Breach)
	all := strings.Join(played, "\n")
	require.Contains(t, all, "       c2 ")
	require.NotContains(t, all, "       c3 ")
	require.NotContains(t, all, "       n4 ")
}
